/**
 * The part of an answer that one request gets, and its end.
 *
 * CH2. A whole answer is sent from its beginning. A continued message begins with the answer to its question, and
 *      names no part that its client does not have.
 * CH3. A request ends where the agent waits for people alone or its run ends; without anything new it ends as interrupted.
 */
import type { LogEvent } from '../read-log';
import { Answer } from './answer';
import type { UiChunk } from './ui';

/** The beginning of a response. */
export type From =
  /** With the answer. `after`: a run of it that has ended, and is continued. */
  | { readonly kind: 'start'; readonly after?: string }
  /**
   * Where a message is read: the whole answer where it is the first one. `run`: the run that reads it at the latest.
   * `after`: that run follows this one. With neither nothing is awaited.
   */
  | { readonly kind: 'message'; readonly messageId: string; readonly run?: string; readonly after?: string }
  /** With answers of a person to calls. */
  | {
      readonly kind: 'answers';
      readonly toolCallIds: ReadonlySet<string>;
      /** The message of the client that is continued. */
      readonly messageId: string;
      /** The parts of calls that the client has, and whether each is one that can be approved. */
      readonly has: ReadonlyMap<string, boolean>;
      /** Those that this request has given: until they are settled, an agent that counts as suspended does not rest. */
      readonly given: ReadonlySet<string>;
    };

/** The chunks that one request gets of a log. */
export class ChatResponse {
  #answer: Answer;
  #isLive = false;
  #isBegun: boolean;
  #isWhole: boolean;
  #isDone = false;
  #shows = false;
  /** The answer up to its first step, until it is known whether the message is read there. */
  #held: UiChunk[] = [];
  /** True once the run that is awaited has begun. */
  #hasBegun: boolean;
  readonly #has: Map<string, boolean>;

  constructor(
    readonly address: string,
    readonly filesAt: string,
    readonly from: From,
  ) {
    this.#answer = new Answer(address, filesAt);
    this.#isBegun = from.kind === 'start';
    this.#isWhole = from.kind === 'start';
    this.#hasBegun = from.kind !== 'message' || (from.run === undefined && from.after === undefined);
    this.#has = new Map(from.kind === 'answers' ? from.has : []);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** True where snapshots of agents below wait for their time. */
  get holdsBack(): boolean {
    return this.#isBegun && this.#isLive && this.#answer.hasChanges;
  }

  /** Chunks that an event of the log adds. */
  push(event: Exclude<LogEvent, { kind: 'broken' }>, now: number): UiChunk[] {
    if (this.#isDone) return [];
    switch (event.kind) {
      case 'chunk':
        return this.#chunk(event, now);
      case 'up-to-date':
        this.#isLive = true;
        return [...this.show(now), ...this.#atRest()];
      case 'end':
        return this.#isLive ? this.#atRest() : [];
      case 'reset':
        // The beginning of the run may be gone.
        this.#hasBegun = true;
        return [];
      case 'refused':
        this.#isDone = true;
        return [{ type: 'error', errorText: event.problem.title }];
      default:
        return [];
    }
  }

  /** Chunks that are due of the agents below. */
  show(now: number): UiChunk[] {
    return this.#isBegun && this.#isLive && !this.#isDone ? this.#sent(this.#answer.show(now)) : [];
  }

  /** The remaining chunks of the present answer. */
  whole(): UiChunk[] {
    return this.#answer.end();
  }

  /** A new answer is on its way to its agent, or that works by it, while the one above still counts as suspended. */
  get #hasToWait(): boolean {
    const { from } = this;
    return from.kind === 'answers' && this.#answer.open.some((id) => from.given.has(id));
  }

  #chunk({ chunk }: Extract<LogEvent, { kind: 'chunk' }>, now: number): UiChunk[] {
    let made = this.#answer.push(chunk);
    if (this.#answer.isOver) {
      if (this.#isBegun) return this.#end();
      this.#answer = new Answer(this.address, this.filesAt);
      this.#held = [];
      made = this.#answer.push(chunk);
    }
    if (chunk.type === 'run_started' && chunk.address === this.address) this.#sees(chunk.runId);
    if (this.#isBegun) {
      const sent = [...this.#sent(made), ...this.show(now)];
      return this.#isLive && RESTS.includes(chunk.type) ? [...sent, ...this.#atRest()] : sent;
    }
    const { from } = this;
    if (!this.#answer.hasStep) this.#held.push(...made);
    if (from.kind === 'message' && chunk.type === 'message_delivered' && chunk.messageId === from.messageId)
      return this.#answer.hasStep ? this.#begin() : this.#first();
    if (from.kind === 'answers' && chunk.type === 'tool_answered' && from.toolCallIds.has(chunk.toolCallId))
      return [...this.#begin(), ...this.#sent(made)];
    return [];
  }

  /** The end, where the agent does nothing more by itself. */
  #atRest(): UiChunk[] {
    const { phase } = this.#answer;
    const { kind } = phase;
    if (kind !== 'ended' && (kind !== 'suspended' || this.#hasToWait)) return [];
    if (this.from.kind === 'start' && kind === 'ended' && phase.chunk.runId === this.from.after) return [];
    if (this.#isBegun) return this.#end();
    if (kind === 'ended' && !this.#hasBegun) return [];
    if (!this.#answer.hasStep && this.from.kind === 'message') return [...this.#first(), ...this.#end()];
    const begun = this.#begin();
    // A message behind questions is read once they are answered: here they are, so that they can be.
    const open = this.from.kind === 'message' ? this.#answer.open.flatMap((id) => this.#answer.again(id)) : [];
    return [...begun, ...this.#sent(open), ...this.#end()];
  }

  /** The answer from its beginning. */
  #first(): UiChunk[] {
    this.#isBegun = true;
    this.#isWhole = true;
    return this.#sent(this.#held.length > 0 ? this.#held : [{ type: 'start', messageId: this.address }]);
  }

  /** A part of the answer. */
  #begin(): UiChunk[] {
    this.#isBegun = true;
    if (this.from.kind === 'answers')
      return [{ type: 'start', messageId: this.from.messageId }, ...this.#answer.continued()];
    const { messageId = this.address } = this.#answer;
    const own = this.from.kind === 'message' ? `.${this.from.messageId}` : '';
    return [{ type: 'start', messageId: `${messageId}${own}` }, ...this.#answer.begun()];
  }

  /** A run of the agent has begun. */
  #sees(runId: string): void {
    if (this.from.kind !== 'message') return;
    const { run, after } = this.from;
    if (run === undefined ? after !== undefined && runId !== after : runId === run) this.#hasBegun = true;
  }

  #end(): UiChunk[] {
    const sent = this.#sent(this.#answer.end());
    this.#isDone = true;
    const isSilent = !this.#isWhole && !this.#shows;
    return sent.map((chunk) =>
      isSilent && chunk.type === 'finish' ? { type: 'finish', finishReason: 'interrupted' } : chunk,
    );
  }

  /** The same, with parts announced first that the client does not have. */
  #sent(made: readonly UiChunk[]): UiChunk[] {
    return made.flatMap((chunk) => {
      const sent = [...this.#announced(chunk), chunk];
      if (!BARE.includes(chunk.type)) this.#shows = true;
      return sent;
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

/** Chunks with which an agent comes to rest. */
const RESTS: readonly string[] = ['suspended', 'run_completed', 'run_failed', 'run_interrupted', 'run_terminated'];

/** Chunks that add nothing to see. */
const BARE: readonly string[] = ['start', 'start-step', 'finish-step', 'finish', 'message-metadata', 'abort'];
