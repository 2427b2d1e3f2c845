/**
 * The agents below the one that is talked to: each has a separate message, which is shown within the call that it works
 * for.
 *
 * CH7. What is shown of a sub-agent has at most 64 KB: older parts are left out, a longer one is cut, and it says so.
 */
import type { Chunk } from '../../protocol/chunks';
import { beginningOf } from '../../protocol/content/cut';
import { byteLength, type Json, type JsonObject } from '../../protocol/json';
import { statusAfter } from '../../protocol/status/after';
import { addUsage, NO_USAGE, type Usage } from '../../protocol/usage';
import { MessageFold } from './fold';
import { AgentReply } from './reply';
import type { UiPart } from './ui';

/** The most bytes of what is shown of one agent. */
export const MAX_SNAPSHOT_BYTES = 65_536;

/** A snapshot without its parts is not larger. */
const AROUND_BYTES = 2_048;

/** A task of an agent, as its parent's log has it. */
export type Delegated = Extract<Chunk, { readonly type: 'subagent_start' }>;

/** An agent below. */
export class BelowAgent {
  readonly #filesAt: string;
  reply: AgentReply;
  #fold = new MessageFold();
  #messageId: string;
  #status = 'queued';
  #usage: Usage = NO_USAGE;
  #end: { readonly output?: Json; readonly error?: { readonly code: string; readonly title?: string } } = {};
  /** True where its parent's call has its result already. */
  isBackground = false;

  constructor(
    readonly task: Delegated,
    filesAt: string,
    readonly withoutPieces = false,
  ) {
    this.#filesAt = filesAt;
    this.#messageId = task.subSessionId;
    this.reply = new AgentReply(filesAt);
  }

  /** The agent that gave it the task. */
  get parentId(): string {
    return this.task.agentId;
  }

  get isOver(): boolean {
    return 'output' in this.#end || 'error' in this.#end;
  }

  /** Takes a chunk of the agent. */
  push(chunk: Chunk): void {
    if (chunk.type === 'run_started') {
      const id = `${chunk.agentId}.${chunk.chainTurn}`;
      if (id !== this.#messageId) {
        this.#fold = new MessageFold();
        this.reply = new AgentReply(this.#filesAt);
      }
      this.#messageId = id;
    }
    if (chunk.type === 'step_committed') this.#usage = addUsage(this.#usage, chunk.usage);
    this.#status = statusAfter(this.#status, chunk);
    for (const made of this.reply.after(chunk, this.task.callId)) this.#fold.push(made);
  }

  /** Takes its end, as its parent's log has it. */
  ended({ success, result = null, error, usage }: Extract<Chunk, { readonly type: 'subagent_end' }>): void {
    for (const made of this.reply.close()) this.#fold.push(made);
    this.#usage = usage;
    this.#status = success ? 'completed' : 'failed';
    this.#end = success ? { output: result } : { error: error ?? { code: 'child_failed' } };
  }

  /** The shown message, in at most so many bytes. `below` returns those of the agents that it has calls for. */
  snapshot(below: (toolCallId: string, most: number) => Json | undefined, most = MAX_SNAPSHOT_BYTES): JsonObject {
    const { subAddress: address, subAgentType: agentType, name } = this.task;
    const { error } = this.#end;
    const whole = this.#fold.parts;
    const parts: UiPart[] = [];
    let room = most - AROUND_BYTES;
    let output = this.#end.output;
    if (output !== undefined) {
      const size = byteLength(JSON.stringify(output));
      if (size > room / 2) output = undefined;
      else room -= size;
    }
    for (const part of whole.toReversed()) {
      if (room <= 0) break;
      const nested = typeof part.toolCallId === 'string' ? below(part.toolCallId, Math.floor(room / 2)) : undefined;
      const shown = nested === undefined ? part : shownWithin(part, nested);
      const size = byteLength(JSON.stringify(shown)) + 1;
      if (size <= room) {
        room -= size;
        parts.unshift(shown);
        continue;
      }
      // Without the newest part there would be nothing to see of a long one.
      if (parts.some(({ type }) => type !== 'step-start')) break;
      const cut = cutTo(shown, room);
      if (cut) {
        parts.unshift(cut);
        break;
      }
    }
    return {
      ...{ address, agentType, status: this.#status, usage: this.#usage },
      ...(name === undefined ? {} : { name }),
      ...(output === undefined ? {} : { output }),
      ...(error === undefined ? {} : { error: { code: error.code, ...(error.title ? { title: error.title } : {}) } }),
      ...(this.withoutPieces || parts.length < whole.length || (this.#end.output !== undefined && output === undefined)
        ? { truncated: true }
        : {}),
      message: { id: this.#messageId, role: 'assistant', parts },
    };
  }
}

/** The beginning of a part with a text, in at most so many bytes; undefined for any other part. */
function cutTo(part: UiPart, most: number): UiPart | undefined {
  const { text } = part;
  if (typeof text !== 'string') return undefined;
  for (let length = most; length > 0; length = Math.floor(length / 2)) {
    const cut: UiPart = { ...part, text: beginningOf(text, length), truncated: true };
    if (byteLength(JSON.stringify(cut)) < most) return cut;
  }
  return undefined;
}

/** A call with what is shown of the agent that works for it. */
function shownWithin(part: UiPart, output: Json): UiPart {
  const { errorText: _error, ...rest } = part;
  return { ...rest, state: 'output-available', output };
}
