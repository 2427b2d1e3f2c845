/**
 * Which part of an answer one request is told, and when that ends.
 *
 * CH2. A whole answer is told from its beginning. What goes on with a message begins with the answer to its question, and
 *      names no part that its client does not have.
 * CH3. A request ends where the agent waits for people alone or its run ends; what brings nothing new ends as interrupted.
 */
import type { LogEvent } from '../read-log';
import { Answer } from './answer';
import type { UiChunk } from './ui';

/** Where what is told begins. */
export type From =
  /** With the answer. */
  | { readonly kind: 'start' }
  /** Where a message is read that came while the agent was at work. */
  | { readonly kind: 'message'; readonly messageId: string }
  /** With what a person has said to calls. */
  | {
      readonly kind: 'answers';
      readonly toolCallIds: ReadonlySet<string>;
      /** The message of the client that goes on. */
      readonly messageId: string;
      /** The parts of calls that the client has, and whether each is one that can be approved. */
      readonly has: ReadonlyMap<string, boolean>;
      /** True where the agent has still to be told of one. */
      readonly isNew: boolean;
    };

/** What a client is told of the log. */
export class Telling {
  #answer: Answer;
  #isLive = false;
  #isBegun: boolean;
  #isDone = false;
  #shows = false;
  readonly #has: Map<string, boolean>;

  constructor(
    readonly address: string,
    readonly filesAt: string,
    readonly from: From,
  ) {
    this.#answer = new Answer(address, filesAt);
    this.#isBegun = from.kind === 'start';
    this.#has = new Map(from.kind === 'answers' ? from.has : []);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** True where snapshots of agents below wait for their time. */
  get holdsBack(): boolean {
    return this.#isBegun && this.#isLive && this.#answer.hasChanges;
  }

  /** What an event of the log adds. */
  push(event: LogEvent, now: number): UiChunk[] {
    if (this.#isDone) return [];
    switch (event.kind) {
      case 'chunk':
        return this.#chunk(event, now);
      case 'up-to-date':
        this.#isLive = true;
        return [...this.show(now), ...this.#atRest(this.from.kind === 'answers' && this.from.isNew)];
      case 'end':
        return this.#atRest(!this.#isLive || (isSuspended(event.status) && this.#hasToWait));
      case 'refused':
        this.#isDone = true;
        return [{ type: 'error', errorText: event.problem.title }];
      default:
        return [];
    }
  }

  /** What is due of the agents below. */
  show(now: number): UiChunk[] {
    return this.#isBegun && this.#isLive && !this.#isDone ? this.#told(this.#answer.show(now)) : [];
  }

  /** What is left to be said of an answer as it stands. */
  whole(): UiChunk[] {
    return this.#answer.end();
  }

  /** A new answer to a question is on its way to an agent that still counts as suspended. */
  get #hasToWait(): boolean {
    return this.from.kind === 'answers' && this.from.isNew;
  }

  #chunk({ chunk }: Extract<LogEvent, { kind: 'chunk' }>, now: number): UiChunk[] {
    const made = this.#answer.push(chunk);
    if (this.#answer.isOver) {
      if (this.#isBegun) return this.#end();
      this.#answer = new Answer(this.address, this.filesAt);
      this.#answer.push(chunk);
      return [];
    }
    if (this.#isBegun) {
      const told = [...this.#told(made), ...this.show(now)];
      return this.#isLive ? [...told, ...this.#atRest(false)] : told;
    }
    const { from } = this;
    if (from.kind === 'message' && chunk.type === 'message_delivered' && chunk.messageId === from.messageId)
      return this.#begin();
    if (from.kind === 'answers' && chunk.type === 'tool_answered' && from.toolCallIds.has(chunk.toolCallId))
      return [...this.#begin(), ...this.#told(made)];
    return [];
  }

  /** The end, where the agent does nothing more by itself. */
  #atRest(hasToWait: boolean): UiChunk[] {
    const { kind } = this.#answer.phase;
    if (hasToWait || (kind !== 'suspended' && kind !== 'ended')) return [];
    if (this.#isBegun) return this.#end();
    if (this.from.kind === 'message' && kind === 'ended') return [];
    const begun = this.#begin();
    // A message behind questions is read once they are answered: here they are, so that they can be.
    const open = this.from.kind === 'message' ? this.#answer.open.flatMap((id) => this.#answer.again(id)) : [];
    return [...begun, ...this.#told(open), ...this.#end()];
  }

  #begin(): UiChunk[] {
    this.#isBegun = true;
    const { messageId = this.address, hasStep } = this.#answer;
    if (this.from.kind === 'answers')
      return [{ type: 'start', messageId: this.from.messageId }, ...this.#answer.goOn()];
    const isFirst = this.from.kind !== 'message' || !hasStep;
    const id = isFirst ? messageId : `${messageId}.${this.from.kind === 'message' ? this.from.messageId : ''}`;
    return [{ type: 'start', messageId: id }, ...this.#answer.goOn()];
  }

  #end(): UiChunk[] {
    const told = this.#told(this.#answer.end());
    this.#isDone = true;
    const isSilent = this.from.kind !== 'start' && !this.#shows;
    return told.map((chunk) =>
      isSilent && chunk.type === 'finish' ? { type: 'finish', finishReason: 'interrupted' } : chunk,
    );
  }

  /** The same, with parts announced first that the client does not have. */
  #told(made: readonly UiChunk[]): UiChunk[] {
    return made.flatMap((chunk) => {
      const told = [...this.#announced(chunk), chunk];
      if (!BARE.includes(chunk.type)) this.#shows = true;
      return told;
    });
  }

  #announced(chunk: UiChunk): UiChunk[] {
    if (this.from.kind === 'start') return [];
    const id = 'toolCallId' in chunk ? chunk.toolCallId : 'approvalId' in chunk ? chunk.approvalId : undefined;
    if (id === undefined) return [];
    const has = this.#has.get(id);
    const isAsked = chunk.type === 'tool-approval-request';
    this.#has.set(id, has === true || isAsked || chunk.type === 'tool-approval-response');
    if (chunk.type === 'tool-input-start' || chunk.type === 'tool-input-available') return [];
    const lacks = has === undefined || (has === false && chunk.type === 'tool-approval-response');
    return lacks ? this.#answer.again(id) : [];
  }
}

/** Chunks that add nothing to see. */
const BARE: readonly string[] = ['start', 'start-step', 'finish-step', 'finish', 'message-metadata', 'abort'];

const isSuspended = (status: string): boolean => status.startsWith('suspended');
