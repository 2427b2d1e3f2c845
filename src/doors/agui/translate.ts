/**
 * The log of a tree as the events of one run: a pure function of the chunks, with a state of its own.
 *
 * AU6. What a client has seen is read, and not said again: up to a sequence for the root, and up to one for all below it.
 */
import type { Chunk, ChunkBody } from '../../protocol/chunks';
import { titleOf } from '../../protocol/errors';
import { isObject, type Json } from '../../protocol/json';
import { FINISH_TOOL } from '../../protocol/messages';
import type { AguiEvent, Interrupt, TokenUsage } from './events';
import { Family, type Member } from './family';
import { textOf } from './lane';

/** Up to which sequences a client has everything. */
export interface Seen {
  readonly root: number;
  readonly below: number;
  /** Of the custom state of the root. */
  readonly state: number;
}

/** The end of the root's last run. */
export type RootEnd =
  | { readonly kind: 'completed'; readonly output: Json }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'stopped' };

/** The sentence about a failure that is safe to show to anyone. */
export const safeTitle = (code: string): string => titleOf(code).title ?? 'It failed.';

/** The result of a call that has failed, as everyone may read it. */
export const failedText = (code = 'tool_failed'): string => textOf({ error: { code, message: safeTitle(code) } });

const BASE = new Set(['type', 'agentId', 'agentType', 'address', 'runId', 'step', 'attempt', 'timestamp']);

/** A failure without what is for developers alone. */
function safe(value: Json): Json {
  if (!isObject(value) || typeof value.code !== 'string') return value;
  return { code: value.code, message: safeTitle(value.code) };
}

/** The fields of a chunk beyond those that all have. */
function bodyOf(chunk: Chunk): { [key: string]: Json } {
  const entries = Object.entries(chunk as unknown as { [key: string]: Json });
  return Object.fromEntries(
    entries.filter(([key]) => !BASE.has(key)).map(([key, value]) => [key, key === 'error' ? safe(value) : value]),
  );
}

type Of<Type extends ChunkBody['type']> = Extract<Chunk, { type: Type }>;

/** The log of one run of the protocol. */
export class Translation {
  readonly #family: Family;
  readonly #usage = new Map<string, TokenUsage>();
  /** Calls whose arguments are whole, and with them their names. */
  readonly #whole = new Set<string>();
  readonly #names = new Map<string, string>();
  /** Calls of the step of each agent whose arguments came in pieces: with the reply they are whole. */
  readonly #streamed = new Map<string, string[]>();
  readonly #turns = new Map<string, number>();
  #out: AguiEvent[] = [];
  #end: RootEnd | undefined;

  constructor(
    readonly root: string,
    readonly seen: Seen,
  ) {
    this.#family = new Family(root, (event) => this.#out.push(event));
  }

  /** The end of the root's last run, where it has ended. */
  get end(): RootEnd | undefined {
    return this.#end;
  }

  get usage(): readonly TokenUsage[] {
    return [...this.#usage.values()];
  }

  /** Which sub-agent an address is; undefined for the root. */
  subagentAt(address: string): string | undefined {
    return this.#family.at(address)?.tag;
  }

  /** The events of a chunk. */
  push(sequence: number, chunk: Chunk): readonly AguiEvent[] {
    const member = this.#family.of(chunk);
    const isRoot = member.tag === undefined;
    const shown = sequence > (isRoot ? this.seen.root : this.seen.below);
    this.#remember(member, chunk);
    if (shown) {
      this.#family.announce(member);
      this.#say(member, chunk, sequence);
    } else this.#pass(member, chunk);
    this.#afterwards(member, chunk);
    return this.#taken();
  }

  /** Ends all that is open. */
  finish(interrupts: readonly Interrupt[]): readonly AguiEvent[] {
    this.#family.finish(interrupts);
    return this.#taken();
  }

  #taken(): readonly AguiEvent[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #stepId({ agentId, runId, step, attempt }: Chunk): string {
    const id = `${agentId}.${this.#turns.get(agentId) ?? runId}.${step}`;
    return attempt > 1 ? `${id}.${attempt}` : id;
  }

  /** Facts that later chunks refer to, sent or not. */
  #remember(member: Member, chunk: Chunk): void {
    if (chunk.type === 'run_started') this.#turns.set(chunk.agentId, chunk.turn);
    if ('toolCallId' in chunk && 'toolName' in chunk && chunk.toolCallId)
      this.#names.set(chunk.toolCallId, chunk.toolName);
    if (member.tag !== undefined) return;
    if (chunk.type === 'run_started') this.#end = undefined;
    if (chunk.type === 'run_completed') this.#end = { kind: 'completed', output: chunk.output };
    if (chunk.type === 'run_interrupted' || chunk.type === 'run_terminated') this.#end = { kind: 'stopped' };
    if (chunk.type === 'run_failed')
      this.#end = { kind: 'failed', code: chunk.error.code, message: safeTitle(chunk.error.code) };
  }

  /** Changes that a chunk makes for those after it, once it was sent or passed over. */
  #afterwards(member: Member, chunk: Chunk): void {
    switch (chunk.type) {
      case 'tool_start':
      case 'tool_approval_request':
      case 'client_tool_request':
      case 'tool_end':
        this.#whole.add(chunk.toolCallId);
        return;
      case 'tool_arg_stream_start':
        this.#streamed.set(chunk.agentId, [...(this.#streamed.get(chunk.agentId) ?? []), chunk.toolCallId]);
        return;
      case 'step_committed':
        for (const toolCallId of this.#streamed.get(chunk.agentId) ?? []) this.#whole.add(toolCallId);
        this.#streamed.delete(chunk.agentId);
        return;
      case 'step_started':
      case 'step_discarded':
        this.#streamed.delete(chunk.agentId);
        return;
      case 'subagent_start':
        this.#family.begin(member, chunk);
        return;
      case 'subagent_end': {
        const child = this.#family.known(chunk.subSessionId);
        if (child === undefined) return;
        const { success, result, error } = chunk;
        const code = error?.code ?? 'subagent_failed';
        this.#family.end(child, success ? { success, result } : { success, code, message: safeTitle(code) });
        return;
      }
      default:
    }
  }

  /** A chunk that the client has seen: what it wrote may still be discarded. */
  #pass({ lane }: Member, chunk: Chunk): void {
    switch (chunk.type) {
      case 'text_delta':
        if (chunk.delta !== '') lane.hadText(this.#stepId(chunk), chunk.part);
        return;
      case 'thinking':
        if (chunk.delta !== '') lane.hadThought(this.#thoughtId(chunk));
        return;
      case 'tool_arg_stream_start':
      case 'tool_arg_stream_delta':
      case 'tool_start':
      case 'tool_approval_request':
      case 'client_tool_request': {
        const { toolCallId } = chunk;
        const name = this.#names.get(toolCallId);
        if (name !== undefined && name !== FINISH_TOOL && !this.#whole.has(toolCallId)) lane.hadCall(toolCallId);
        return;
      }
      case 'provider_tool_start':
        lane.hadCall(this.#providersId(chunk));
        return;
      case 'step_started':
      case 'step_committed':
      case 'step_discarded':
      case 'suspended':
      case 'run_recovered':
      case 'run_completed':
      case 'run_failed':
      case 'run_interrupted':
      case 'run_terminated':
        lane.endStep();
        return;
      default:
    }
  }

  #providersId(chunk: Of<'provider_tool_start' | 'provider_tool_end'>): string {
    return `${this.#stepId(chunk)}.${chunk.providerCallId}`;
  }

  #thoughtId(chunk: Of<'thinking'>): string {
    return `${this.#stepId(chunk)}.thinking.${chunk.part}`;
  }

  #say(member: Member, chunk: Chunk, sequence: number): void {
    const { lane } = member;
    switch (chunk.type) {
      case 'step_started':
        lane.discard('attempt_ended');
        lane.step(`step ${chunk.step}`);
        return;
      case 'step_committed':
        this.#count(chunk);
        lane.endStep();
        return;
      case 'step_discarded':
        lane.discard(chunk.reason);
        return;
      case 'run_recovered':
        lane.discard(chunk.reason);
        return this.#custom(member, chunk);
      case 'text_delta':
        return lane.text(this.#stepId(chunk), chunk.part, chunk.delta);
      case 'thinking':
        return lane.thought(this.#thoughtId(chunk), chunk.delta, chunk.isComplete ?? false);
      case 'state_patch':
        // A client keeps one state: that of the root.
        if (member.tag !== undefined) return this.#custom(member, chunk);
        if (sequence > this.seen.state) this.#out.push({ type: 'STATE_DELTA', delta: chunk.patch });
        return;
      case 'subagent_start':
        this.#family.announce(this.#family.begin(member, chunk));
        return;
      case 'subagent_end': {
        const child = this.#family.known(chunk.subSessionId);
        if (child) this.#family.announce(child);
        return;
      }
      case 'custom':
        this.#out.push({
          type: 'CUSTOM',
          name: chunk.name,
          value: chunk.data,
          ...(member.tag === undefined ? {} : { subagentRunId: member.tag }),
        });
        return;
      case 'run_started':
      case 'unsuspended':
      case 'output':
        return;
      case 'suspended':
      case 'run_completed':
      case 'run_failed':
      case 'run_interrupted':
      case 'run_terminated':
        lane.endStep();
        return;
      default:
        if (!this.#call(member, chunk)) this.#custom(member, chunk);
    }
  }

  /** Says what a chunk tells of a call; false where it tells of none. */
  #call({ lane }: Member, chunk: Chunk): boolean {
    // The call by which an agent ends is no tool: its arguments are the output, which `RUN_FINISHED` has.
    if ('toolCallId' in chunk && this.#names.get(chunk.toolCallId ?? '') === FINISH_TOOL) return true;
    switch (chunk.type) {
      case 'tool_arg_stream_start':
        if (!this.#whole.has(chunk.toolCallId)) lane.call(chunk.toolCallId, chunk.toolName, this.#stepId(chunk));
        return true;
      case 'tool_arg_stream_delta': {
        const { toolCallId } = chunk;
        const name = this.#names.get(toolCallId);
        if (name !== undefined && !this.#whole.has(toolCallId)) lane.call(toolCallId, name, this.#stepId(chunk));
        lane.argument(toolCallId, chunk.delta);
        return true;
      }
      case 'tool_start':
      case 'tool_approval_request':
      case 'client_tool_request':
        this.#arguments(lane, chunk);
        return true;
      case 'tool_end': {
        const { toolCallId, success, result, error } = chunk;
        lane.endCall(toolCallId);
        lane.result(toolCallId, success ? textOf(result) : failedText(error?.code));
        return true;
      }
      case 'provider_tool_start': {
        const id = this.#providersId(chunk);
        lane.call(id, chunk.toolName, this.#stepId(chunk));
        lane.argument(id, JSON.stringify(chunk.arguments));
        lane.endCall(id);
        return true;
      }
      case 'provider_tool_end': {
        const id = this.#providersId(chunk);
        lane.endCall(id);
        lane.result(id, textOf(chunk.result));
        return true;
      }
      default:
        return false;
    }
  }

  /** The arguments of a call are whole: it ends, or is said at once. */
  #arguments(lane: Member['lane'], chunk: Of<'tool_start' | 'tool_approval_request' | 'client_tool_request'>): void {
    const { toolCallId, toolName } = chunk;
    if (lane.isOpen(toolCallId)) lane.endCall(toolCallId);
    else if (!this.#whole.has(toolCallId)) {
      lane.call(toolCallId, toolName, this.#stepId(chunk));
      lane.argument(toolCallId, JSON.stringify(chunk.arguments));
      lane.endCall(toolCallId);
    }
  }

  /** Chunks for which the protocol has no event. */
  #custom({ tag }: Member, chunk: Chunk): void {
    this.#out.push({
      type: 'CUSTOM',
      name: `offshoot.${chunk.type}`,
      value: bodyOf(chunk),
      ...(tag === undefined ? {} : { subagentRunId: tag }),
    });
  }

  #count({ model, usage }: Of<'step_committed'>): void {
    const { inputTokens, outputTokens, reasoningTokens, cachedTokens, cacheWriteTokens = 0 } = usage;
    const before = this.#usage.get(model);
    const sum = (field: keyof Omit<TokenUsage, 'model'>, more: number): number => (before?.[field] ?? 0) + more;
    this.#usage.set(model, {
      model,
      inputTokens: sum('inputTokens', inputTokens),
      outputTokens: sum('outputTokens', outputTokens),
      totalTokens: sum('totalTokens', inputTokens + outputTokens),
      reasoningTokens: sum('reasoningTokens', reasoningTokens),
      cachedInputTokens: sum('cachedInputTokens', cachedTokens),
      cacheWriteInputTokens: sum('cacheWriteInputTokens', cacheWriteTokens),
    });
  }
}
