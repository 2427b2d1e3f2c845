/**
 * The answer of an agent as one UI message: a function of the log at and below it.
 *
 * CH1. It is begun once, and nothing follows its end.
 * CH5. Calls of agents below that wait for a person are parts of this message, because a client answers no others.
 * CH7. What is shown of sub-agents is renewed at most every 250 ms, and once more where the answer ends.
 */
import type { Chunk } from '../../protocol/chunks';
import type { Json, JsonObject } from '../../protocol/json';
import { BelowAgent } from './agents';
import { CallParts, isCallChunk } from './calls';
import { AgentReply } from './reply';
import type { FinishReason, UiChunk } from './ui';

/** Between two snapshots of one sub-agent lie at least so many ms. */
export const SNAPSHOT_MS = 250;

type Of<Type extends Chunk['type']> = Extract<Chunk, { readonly type: Type }>;
type EndChunk = Of<'run_completed' | 'run_failed' | 'run_interrupted' | 'run_terminated'>;

/** The phase of the answer. */
export type Phase =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'working' }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'ended'; readonly chunk: EndChunk };

/** The answer, chunk by chunk. */
export class Answer {
  readonly #reply: AgentReply;
  /** The agents below, by their session ids, and those that work for an open call, by its id. */
  readonly #below = new Map<string, BelowAgent>();
  readonly #forCall = new Map<string, BelowAgent>();
  /** The calls of agents below that a person was asked for, and whose they are. */
  readonly #lifted = new CallParts();
  readonly #owners = new Map<string, string>();
  /** Parts of agents below in the open step: they return where the step is discarded. */
  readonly #inStep = new Set<string>();
  readonly #shownInBackground = new Set<string>();
  readonly #changed = new Set<BelowAgent>();
  #shownAt = Number.NEGATIVE_INFINITY;
  #messageId: string | undefined;
  #hasStep = false;
  #phase: Phase = { kind: 'waiting' };
  #isOver = false;
  /** Questions of agents below from before the message began, where the log does not reach back to its beginning. */
  readonly #early: UiChunk[] = [];

  /** @param withoutPieces The log is read without the pieces of texts: what is shown of agents below lacks them. */
  constructor(
    readonly address: string,
    readonly filesAt: string,
    readonly withoutPieces = false,
  ) {
    this.#reply = new AgentReply(filesAt);
  }

  /** True where the agent is at another answer. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** True where a step of it has begun. */
  get hasStep(): boolean {
    return this.#hasStep;
  }

  get phase(): Phase {
    return this.#phase;
  }

  get messageId(): string | undefined {
    return this.#messageId;
  }

  /** True where something of agents below is to be shown. */
  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** Chunks that a chunk of the log adds. */
  push(chunk: Chunk): UiChunk[] {
    if (this.#isOver) return [];
    if (chunk.address === this.address) {
      const made = this.#own(chunk);
      return this.#messageId === undefined ? made : [...made, ...this.#early.splice(0)];
    }
    this.#ofBelow(chunk);
    const made = this.#lift(chunk);
    if (this.#messageId !== undefined) return made;
    this.#early.push(...made);
    return [];
  }

  /** Snapshots of the agents below that have changed, where the last ones are old enough. */
  show(now: number): UiChunk[] {
    if (this.#changed.size === 0 || now - this.#shownAt < SNAPSHOT_MS) return [];
    if (this.#messageId === undefined) return [];
    this.#shownAt = now;
    const shown = [...this.#changed].flatMap((agent) => this.#shown(agent, true));
    this.#changed.clear();
    return shown;
  }

  /** Announces a call of a part again, for a client that does not have it. */
  again(toolCallId: string): UiChunk[] {
    return this.#reply.calls.has(toolCallId) ? this.#reply.calls.again(toolCallId) : this.#lifted.again(toolCallId);
  }

  /** The calls that wait, or have no result yet. */
  get open(): string[] {
    return [...this.#reply.calls.open, ...this.#lifted.open];
  }

  /** Continues the message that a client has. */
  continued(): UiChunk[] {
    this.#inStep.clear();
    return this.#reply.again();
  }

  /** Begins another message with the rest of the answer. */
  begun(): UiChunk[] {
    this.#inStep.clear();
    return this.#reply.anew();
  }

  /** The end of a message, by the present answer. */
  end(): UiChunk[] {
    const phase = this.#phase;
    const shown = new Set([...this.#forCall.values(), ...this.#changed]);
    const last = [...shown].flatMap((agent) => this.#shown(agent, phase.kind === 'working'));
    const closed = [...last, ...this.#reply.close()];
    if (phase.kind === 'suspended') return [...closed, finish('tool-calls')];
    if (phase.kind !== 'ended') return [...closed, finish('interrupted')];
    const { chunk } = phase;
    switch (chunk.type) {
      case 'run_completed':
        return [...closed, finish(this.#reply.finishReason === 'tool-calls' ? 'stop' : this.#reply.finishReason)];
      case 'run_failed':
        return [...closed, { type: 'error', errorText: chunk.error.title ?? 'The agent failed.' }];
      default:
        return [...closed, { type: 'abort', reason: chunk.reason }, finish('interrupted')];
    }
  }

  #own(chunk: Chunk): UiChunk[] {
    // It is before any run of the copy.
    if (chunk.type === 'session_copied') return [];
    // The log does not reach back to its beginning.
    if (this.#messageId === undefined && chunk.type !== 'run_started') {
      const { agentId, runId, address, agentType } = chunk;
      this.#messageId = `${agentId}.${runId}`;
      this.#phase = { kind: 'working' };
      return [
        { type: 'start', messageId: this.#messageId, messageMetadata: { runId, address, agentType } },
        ...this.#own(chunk),
      ];
    }
    switch (chunk.type) {
      case 'run_started':
        return this.#begin(chunk);
      case 'message_delivered':
        return this.#hasStep && chunk.from === 'caller' && chunk.role === 'user'
          ? [{ type: 'steering-message', id: chunk.messageId, parts: [{ type: 'text', text: chunk.text }] }]
          : [];
      case 'suspended':
        // Another one follows where what it waits for has changed.
        this.#phase = { kind: chunk.children.some(({ status }) => status === 'working') ? 'working' : 'suspended' };
        return [];
      case 'unsuspended':
        this.#phase = { kind: 'working' };
        return [];
      case 'run_completed':
      case 'run_failed':
      case 'run_interrupted':
      case 'run_terminated':
        this.#phase = { kind: 'ended', chunk };
        return [];
      case 'subagent_start':
        this.#delegated(chunk);
        return [];
      case 'subagent_end':
        return this.#childEnded(chunk);
      case 'tool_end':
        return this.#called(chunk);
      default:
        return this.#said(chunk);
    }
  }

  #begin({ agentId, chainTurn, runId, address, agentType }: Of<'run_started'>): UiChunk[] {
    const messageId = `${agentId}.${chainTurn}`;
    if (this.#messageId === undefined) {
      this.#messageId = messageId;
      this.#phase = { kind: 'working' };
      return [{ type: 'start', messageId, messageMetadata: { runId, address, agentType } }];
    }
    if (this.#messageId !== messageId) {
      this.#isOver = true;
      return [];
    }
    this.#phase = { kind: 'working' };
    return [{ type: 'message-metadata', messageMetadata: { runId } }];
  }

  #said(chunk: Chunk): UiChunk[] {
    if (isCallChunk(chunk) && this.#lifted.has(chunk.toolCallId)) return [];
    const made = this.#reply.after(chunk);
    if (chunk.type === 'step_started') {
      this.#hasStep = true;
      if (made.length > 0) this.#inStep.clear();
    }
    if (chunk.type !== 'step_discarded' || made.length === 0) return made;
    return [...made, ...[...this.#inStep].flatMap((id) => this.#placedAgain(id))];
  }

  /** Parts that a discarded step has taken out of the message, and that are not of that step. */
  #placedAgain(id: string): UiChunk[] {
    const agent = this.#below.get(id);
    return agent ? this.#shown(agent, false) : this.#lifted.again(id);
  }

  #delegated(chunk: Of<'subagent_start'>): void {
    const agent = new BelowAgent(chunk, this.filesAt, this.withoutPieces);
    this.#below.set(chunk.subSessionId, agent);
    this.#forCall.set(chunk.callId, agent);
    this.#hasChanged(agent);
  }

  /** The end of a call: of one for a sub-agent, what is shown of that one. */
  #called(chunk: Of<'tool_end'>): UiChunk[] {
    const agent = this.#forCall.get(chunk.toolCallId);
    this.#forCall.delete(chunk.toolCallId);
    if (agent === undefined) return this.#said(chunk);
    if (agent.isOver) {
      this.#changed.delete(agent);
      return this.#reply.calls.settle(chunk.toolCallId, this.#snapshot(agent));
    }
    agent.isBackground = true;
    return this.#said(chunk);
  }

  #childEnded(chunk: Of<'subagent_end'>): UiChunk[] {
    const agent = this.#below.get(chunk.subSessionId);
    if (agent === undefined) return [];
    agent.ended(chunk);
    const given = this.#givenUp(chunk.subSessionId);
    if (!agent.isBackground) return given;
    this.#changed.delete(agent);
    return [...given, ...this.#shown(agent, false)];
  }

  /** Unanswered questions of an agent that has ended, or of one below it. */
  #givenUp(sessionId: string): UiChunk[] {
    return this.#lifted.open.flatMap((id) =>
      this.#isBelow(this.#owners.get(id), sessionId) ? this.#lifted.giveUp(id) : [],
    );
  }

  #isBelow(sessionId: string | undefined, above: string): boolean {
    const seen = new Set<string>();
    for (let at = sessionId; at !== undefined && !seen.has(at); at = this.#below.get(at)?.parentId) {
      if (at === above) return true;
      seen.add(at);
    }
    return false;
  }

  /** Takes a chunk of an agent below into that one's message. */
  #ofBelow(chunk: Chunk): void {
    const agent = this.#below.get(chunk.agentId);
    if (chunk.type === 'subagent_start') {
      const child = new BelowAgent(chunk, this.filesAt, this.withoutPieces);
      this.#below.set(chunk.subSessionId, child);
      this.#forBelow.set(chunk.callId, child);
    }
    if (chunk.type === 'subagent_end') this.#below.get(chunk.subSessionId)?.ended(chunk);
    agent?.push(chunk);
    if (agent) this.#hasChanged(agent);
  }

  /** Agents that work for calls of agents below. */
  readonly #forBelow = new Map<string, BelowAgent>();

  /** The agent of this one's own calls that has to be shown anew. */
  #hasChanged(agent: BelowAgent): void {
    let top = agent;
    const seen = new Set<BelowAgent>();
    for (let above = this.#below.get(top.parentId); above && !seen.has(above); above = this.#below.get(top.parentId)) {
      seen.add(above);
      top = above;
    }
    this.#changed.add(top);
  }

  #lift(chunk: Chunk): UiChunk[] {
    if (chunk.type === 'subagent_end') return this.#givenUp(chunk.subSessionId);
    if (!isCallChunk(chunk)) return [];
    const isAsked = chunk.type === 'tool_approval_request' || chunk.type === 'client_tool_request';
    if (!isAsked && !this.#lifted.has(chunk.toolCallId)) return [];
    // No two calls of a tree have one id; a remote agent that invents one takes nobody's part.
    if (this.#reply.calls.has(chunk.toolCallId)) return [];
    if (isAsked) {
      this.#owners.set(chunk.toolCallId, chunk.agentId);
      if (!this.#lifted.has(chunk.toolCallId)) this.#inStep.add(chunk.toolCallId);
    }
    return this.#lifted.after(chunk, chunk.agentType, this.#below.get(chunk.agentId)?.task.callId);
  }

  #snapshot(agent: BelowAgent): JsonObject {
    const below = (toolCallId: string, most: number): Json | undefined =>
      this.#forBelow.get(toolCallId)?.snapshot(below, most);
    return agent.snapshot(below);
  }

  #shown(agent: BelowAgent, isPreliminary: boolean): UiChunk[] {
    const { callId: toolCallId, subSessionId: id } = agent.task;
    if (agent.isBackground) {
      if (!this.#shownInBackground.has(id)) this.#inStep.add(id);
      this.#shownInBackground.add(id);
      return [{ type: 'data-agent', id, data: this.#snapshot(agent) }];
    }
    if (!this.#reply.calls.has(toolCallId)) return [];
    const output = this.#snapshot(agent);
    return [{ type: 'tool-output-available', toolCallId, output, ...(isPreliminary ? { preliminary: true } : {}) }];
  }
}

const finish = (finishReason: FinishReason): UiChunk => ({ type: 'finish', finishReason });
