/** The tool calls of one agent, as its row needs them. */
import type { Chunk } from '../../../client';
import type { Lane, OpenSpan } from '../timeline/spans';
import type { Runs } from './outline-runs';

type Body<Type extends Chunk['type']> = Extract<Chunk, { readonly type: Type }>;
type CallChunk = Exclude<Extract<Chunk, { readonly toolCallId: string }>, Body<'hook_failed'>>;

/** Names of tools of one agent that a filter finds. */
const MOST_TOOLS = 50;

interface Call {
  name: string;
  status: 'drafting' | 'running' | 'waiting' | 'ended';
  runId: string;
  readonly step: number;
  attempt: number;
  /** A sub-agent works on it. */
  child: boolean;
  span: OpenSpan | undefined;
}

/** They. */
export class Calls {
  /** Those that wait for a person. */
  waiting = 0;
  /** The names of the tools that were called, the first of them. */
  readonly tools: string[] = [];
  readonly #calls = new Map<string, Call>();
  /** Those that have begun and not ended, and those that are drafted, in the order in which they first came. */
  readonly #open = new Map<string, Call>();
  readonly #lane: Lane;
  readonly #runs: Runs;

  constructor(lane: Lane, runs: Runs) {
    this.#lane = lane;
    this.#runs = runs;
  }

  /** The name of the newest one that is at work or waits. */
  get atWork(): string | undefined {
    return [...this.#open.values()].findLast(({ status }) => status !== 'drafting')?.name;
  }

  /** Whether one of them waits for a sub-agent. */
  get awaitsChild(): boolean {
    return [...this.#open.values()].some(({ child, status }) => child && status === 'running');
  }

  /** A chunk of one. */
  take(chunk: CallChunk): void {
    const isDraft = chunk.type === 'tool_arg_stream_start' || chunk.type === 'tool_arg_stream_delta';
    if (isDraft && this.#runs.isStale(chunk)) return;
    const call = this.#call(chunk);
    if (chunk.type === 'tool_end') return this.#end(call, chunk);
    if (call.status === 'ended' || (isDraft && call.status !== 'drafting')) return;
    if ('toolName' in chunk) this.#named(call, chunk.toolName);
    if (isDraft) {
      call.attempt = chunk.attempt;
      return;
    }
    this.#runs.answered(chunk);
    switch (chunk.type) {
      case 'tool_start':
        this.#stand(call, 'running');
        return this.#begin(call, chunk.timestamp);
      case 'tool_approval_request':
      case 'client_tool_request':
        this.#stand(call, 'waiting');
        return this.#begin(call, chunk.timestamp);
      case 'tool_answered':
        this.#stand(call, 'running');
        this.#lane.put('answer', chunk.timestamp, chunk.timestamp, `${call.name} answered`);
        return this.#begin(call, chunk.timestamp);
    }
  }

  /** A sub-agent works on it. */
  delegates(callId: string): void {
    const call = this.#calls.get(callId);
    if (call === undefined || call.child) return;
    call.child = true;
    if (call.span !== undefined) this.#lane.turn(call.span, 'child');
  }

  /** The calls that the model was still writing go with the attempt. */
  dropDrafts({ runId, step, attempt }: Body<'step_discarded'>): void {
    for (const [id, call] of this.#open) {
      const own = call.runId === runId && call.step === step && call.attempt <= attempt;
      if (call.status !== 'drafting' || !own) continue;
      this.#open.delete(id);
      this.#calls.delete(id);
    }
  }

  /** The calls of carried steps belong to the run that goes on with them. */
  carried({ runId, resumedFrom }: Body<'run_started'>, steps: ReadonlySet<number>): void {
    if (steps.size === 0) return;
    for (const call of this.#calls.values()) if (call.runId === resumedFrom && steps.has(call.step)) call.runId = runId;
  }

  /** A run goes on: what was open when it stopped is so again. */
  again(at: number): void {
    for (const call of this.#open.values()) if (call.status !== 'drafting') this.#begin(call, at);
  }

  #named(call: Call, name: string): void {
    call.name = name;
    if (this.tools.length < MOST_TOOLS && !this.tools.includes(name)) this.tools.push(name);
  }

  #call(chunk: CallChunk): Call {
    const { toolCallId, runId, step, attempt } = chunk;
    const known = this.#calls.get(toolCallId);
    if (known !== undefined) return known;
    const call: Call = { name: '', status: 'drafting', runId, step, attempt, child: false, span: undefined };
    this.#calls.set(toolCallId, call);
    this.#open.set(toolCallId, call);
    return call;
  }

  #stand(call: Call, status: Call['status']): void {
    this.waiting += Number(status === 'waiting') - Number(call.status === 'waiting');
    call.status = status;
  }

  #begin(call: Call, at: number): void {
    const kind = call.status === 'waiting' ? 'person' : call.child ? 'child' : 'tool';
    if (call.span?.to === undefined && call.span?.kind === kind) return;
    this.#lane.end(call.span, at);
    call.span = this.#lane.begin(kind, at, call.name);
  }

  #end(call: Call, { toolCallId, timestamp, runId, step }: Body<'tool_end'>): void {
    this.#runs.answered({ runId, step, timestamp });
    this.#stand(call, 'ended');
    this.#lane.end(call.span, timestamp);
    this.#open.delete(toolCallId);
  }
}
