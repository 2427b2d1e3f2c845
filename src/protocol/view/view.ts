/**
 * A view: what a client holds that has read a tree's log from its first chunk. `reduce.ts` makes it.
 *
 * Keeps R1, R5.
 *
 * - A view is plain JSON; nothing in it is changed in place, and untouched parts are shared with the view before.
 * - Lists keep the order of first appearance, so that no id can collide with a name that objects have by nature.
 */

import type { ShownFailure } from '../errors';
import type { Json } from '../json';
import type { MessageRole } from '../messages';
import type { SideName } from '../sides';
import { isEnded } from '../status';
import type { Usage } from '../usage';
import { addUsage, NO_USAGE } from '../usage';
import type { AnswerKind, PendingKind } from './waiting';

/** One model call of a run with its reply. Times are in ms since 1970, as the emitter wrote them. */
export type StepView =
  | (StepBase & { readonly status: 'open' })
  | (StepBase & {
      readonly status: 'committed';
      readonly finishReason: string;
      readonly usage: Usage;
      readonly checkpointId: string;
      /** `provider/model`, as they name themselves. */
      readonly model: string;
      /** The provider's id of the reply, if it sent one. */
      readonly responseId?: string;
      /** The failures of earlier entries of `models`, in order, if there were any. */
      readonly passedOver?: readonly { readonly code: string; readonly message: string }[];
      readonly endedAt: number;
    });

interface StepBase {
  readonly step: number;
  /** The side that acts, if the agent has two sides, and its name. */
  readonly side?: SideName;
  readonly speaker?: string;
  /** The attempt that the parts belong to; without parts, the last discarded one. */
  readonly attempt: number;
  readonly startedAt: number;
  /** The blocks of text and thinking, in the order in which they began; `stepText` and `stepThinking` join them. */
  readonly parts: readonly PartView[];
  /** Its other blocks, in order: tools that the provider ran, sources, files. Absent if there are none. */
  readonly further?: readonly FurtherView[];
  /** Discarded attempts, the newest last. */
  readonly discarded: readonly DiscardedAttempt[];
}

/** A discarded attempt. `retryAt`: the time of the next one in ms since 1970, if there is a wait. */
export interface DiscardedAttempt {
  readonly attempt: number;
  readonly reason: string;
  readonly retryAt?: number;
  /** The index in `models` of the next model, if it is another one. */
  readonly nextModel?: number;
}

/** One block of a model's reply. `part` is its index, from 0, among all blocks of the reply, including calls. */
export interface PartView {
  readonly kind: 'text' | 'thinking';
  readonly part: number;
  readonly text: string;
}

/** A page or document that a reply refers to. */
export type SourceView = { readonly kind: 'source'; readonly part: number; readonly title?: string } & (
  | { readonly sourceType: 'url'; readonly url: string }
  | { readonly sourceType: 'document'; readonly mediaType: string; readonly filename?: string }
);

/** A tool that the provider of a model runs itself. */
export interface ProviderToolView {
  readonly kind: 'provider-tool';
  readonly part: number;
  readonly providerCallId: string;
  readonly toolName: string;
  readonly arguments: Json;
  /** Absent until it has ended. */
  readonly outcome?: { readonly success: boolean; readonly result: Json };
}

/** A file that a model made: stored as one of the agent's files, at an address, or omitted, with the reason. */
export type ReplyFileView = { readonly kind: 'file'; readonly part: number; readonly mediaType: string } & (
  | { readonly path: string; readonly etag: string; readonly bytes: number }
  | { readonly url: string }
  | { readonly omitted: string }
);

/** A block of a reply other than text, thinking and calls of the agent's own tools. */
export type FurtherView = SourceView | ProviderToolView | ReplyFileView;

/** How a run ended. */
export type RunEnd =
  | { readonly status: 'completed'; readonly at: number; readonly output: Json }
  | { readonly status: 'failed'; readonly at: number; readonly error: ShownFailure; readonly failureReason?: string }
  | { readonly status: 'interrupted' | 'terminated'; readonly at: number; readonly reason: string };

/** A recovery of a run after a crash. `step`: the newest step by then; 0 before the first. */
export interface RecoveryView {
  readonly reason: string;
  readonly step: number;
}

/** One run of an agent. `turn` and `chainTurn` are 0 when the start of the run is no longer in the log. */
export interface RunView {
  readonly runId: string;
  readonly turn: number;
  /** The turn with which its chain of resumes began: `{agentId}.{chainTurn}` is the same for all of them. */
  readonly chainTurn: number;
  readonly startedAt: number;
  readonly input?: Json;
  /** The run that it continues. The open step of that run is now part of this one; its committed steps are not. */
  readonly resumedFrom?: string;
  /** The trace (W3C) of the run, if its caller sent one. */
  readonly traceparent?: string;
  /** Its recoveries, with their reasons. */
  readonly recoveries: readonly RecoveryView[];
  readonly steps: readonly StepView[];
  /** The output that the `output` chunk announced before the end. */
  readonly output?: Json;
  /** Absent until the run ends. */
  readonly end?: RunEnd;
}

/** Fields of every call. */
export interface CallBase {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The run and step that it belongs to. If a resume moves a step to the new run, its calls move with it. */
  readonly runId: string;
  readonly step: number;
}

/** The last answer of a person to a call. `at` is in ms since 1970. */
export interface CallAnswer {
  readonly kind: AnswerKind;
  /** Whether an approval was given. */
  readonly approved?: boolean;
  /** The caller who answered, if the access check named them. */
  readonly actor?: string;
  readonly at: number;
}

/**
 * A call that is waiting for a person. If its agent has ended, the call stays in this state until it is settled or the
 * agent resumes, and cannot be answered until then. `pendingOf` returns the calls that can be answered now.
 */
export interface WaitingCall extends CallBase {
  readonly status: 'waiting';
  readonly kind: PendingKind;
  readonly arguments: Json;
  readonly startedAt: number;
  /** When the person was asked, in ms since 1970; asking again after a resume does not change it. */
  readonly requestedAt: number;
  /** The deadline for an answer, in ms since 1970; absent if there is none. */
  readonly expiresAt?: number;
  /** The hash that binds an approval to these arguments. */
  readonly inputHash?: string;
}

/** One tool call. The model is still writing a `drafting` call, which disappears if the attempt is discarded. */
export type CallView =
  | (CallBase & { readonly status: 'drafting'; readonly attempt: number; readonly argumentText: string })
  | (CallBase & {
      readonly status: 'running';
      readonly arguments: Json;
      readonly startedAt: number;
      readonly answer?: CallAnswer;
    })
  | WaitingCall
  | (CallBase & {
      readonly status: 'succeeded';
      readonly arguments: Json;
      readonly startedAt: number;
      readonly endedAt: number;
      readonly answer?: CallAnswer;
      readonly result: Json;
    })
  | (CallBase & {
      readonly status: 'failed';
      readonly arguments: Json;
      readonly startedAt: number;
      readonly endedAt: number;
      readonly answer?: CallAnswer;
      /** Absent if the tool returned a failed result without an error. */
      readonly error?: ShownFailure;
      readonly result?: Json;
    });

/** The state of a delegation; `running` even while its child is waiting or interrupted. */
export type DelegationOutcome =
  | { readonly status: 'running' }
  | { readonly status: 'completed'; readonly endedAt: number; readonly usage: Usage; readonly result: Json }
  | {
      readonly status: 'failed';
      readonly endedAt: number;
      readonly usage: Usage;
      readonly error?: ShownFailure;
      readonly result?: Json;
    };

/** One task that an agent gave to a child. If the child was restarted, only the newest task is shown. */
export interface DelegationView {
  readonly callId: string;
  /** The number of the child, from 1, and of its task. */
  readonly childId: number;
  readonly task: number;
  /** The generation of the child's slot, as in its address. */
  readonly generation: number;
  /** The session id of the child; its own entry in `agents` has the same. */
  readonly agentId: string;
  readonly agentType: string;
  readonly address: string;
  readonly mode: 'ephemeral' | 'persistent';
  /** The child's name, if it is a companion. */
  readonly name?: string;
  /** The ids of the messages that the parent sent to this task while it was open. */
  readonly told?: readonly string[];
  readonly placement: 'facet' | 'object' | 'remote';
  /** The parent's run and step that it belongs to, as those of its call. */
  readonly runId: string;
  readonly step: number;
  readonly startedAt: number;
  readonly outcome: DelegationOutcome;
}

/** A companion of an agent, derived from the log. Its tasks are called rounds. */
export interface CompanionView {
  readonly name: string;
  readonly agentType: string;
  /** The session of its newest round: a name can be reused with a new session. */
  readonly agentId: string;
  readonly address: string;
  /** The oldest first. */
  readonly rounds: readonly DelegationView[];
}

/** A message in an agent's inbox. */
export type MessageView =
  | { readonly messageId: string; readonly from: string; readonly status: 'queued' }
  | {
      readonly messageId: string;
      readonly from: string;
      readonly status: 'delivered';
      /** The run and step that read it first, and the time in ms since 1970. */
      readonly runId: string;
      readonly step: number;
      readonly at: number;
      readonly role: MessageRole;
      /** Its first 8,192 characters. */
      readonly text: string;
      /** The names of its first 20 files, or the media types of those without a name. */
      readonly attachments: readonly string[];
      /** Whether the message is shortened; `GET A/messages` is complete. */
      readonly cut: boolean;
    };

/** The last of the custom events of one name, and how many there were. */
export interface CustomView {
  readonly name: string;
  readonly data: Json;
  readonly at: number;
  readonly count: number;
}

/** A change of the custom state. */
export interface StatePatchView {
  /** The sequence of its chunk: a state with an older `asOfSequence` is before this change. */
  readonly sequence: number;
  /** RFC 6902 operations. */
  readonly patch: readonly Json[];
}

/** One agent of the tree. */
export interface AgentView {
  readonly agentId: string;
  readonly agentType: string;
  readonly address: string;
  /** The session id of the parent; missing for the agent at the top. */
  readonly parentId?: string;
  /** The status of the session, in the words of the status document; a child is `queued` until its first run starts. */
  readonly status: string;
  /**
   * The status line of the newest run: the text of a `subagent_status`, of a custom event named `status`, or the reason
   * of its stop.
   */
  readonly statusText?: string;
  /** Its parent cannot reach it: `statusText` says why. */
  readonly unreached?: true;
  /** The times of its first and last event, in ms since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly runs: readonly RunView[];
  readonly calls: readonly CallView[];
  readonly delegations: readonly DelegationView[];
  readonly messages: readonly MessageView[];
  readonly customs: readonly CustomView[];
  /** The changes of its custom state, in order. */
  readonly statePatches: readonly StatePatchView[];
  /** The sum of its own committed steps, without its children. */
  readonly usage: Usage;
}

/** The view of a tree that a client builds from chunks. */
export interface TreeView {
  /** The sequence of the last chunk in it; 0 when there is none. */
  readonly lastSequence: number;
  /** From this sequence on, no chunk is missing in it: 1, or more once the server has left out older ones. */
  readonly completeFrom: number;
  /** All agents, in the order in which they first appeared: parents before their children. */
  readonly agents: readonly AgentView[];
}

/** The view before the first chunk. */
export const emptyView: TreeView = { lastSequence: 0, completeFrom: 1, agents: [] };

/**
 * The view of a reader that begins at sequence `from`, as after a `reset`.
 * @example
 * const view = viewFrom(120); // of a reader that asks for `?from=120`
 */
export function viewFrom(from: number): TreeView {
  return { lastSequence: from - 1, completeFrom: from, agents: [] };
}

/**
 * The agent with that session id, if the view has it.
 * @example
 * const statusOf = (view: TreeView, agentId: string) => findAgent(view, agentId)?.status;
 */
export function findAgent(view: TreeView, agentId: string): AgentView | undefined {
  return view.agents.find((agent) => agent.agentId === agentId);
}

/** The agent at an address: the newest one, where a name was used again after its agent was removed. */
export function agentAt({ agents }: TreeView, address: string): AgentView | undefined {
  return agents.findLast((agent) => agent.address === address);
}

/**
 * The agents that no other agent of the view started: one, unless the log was compacted.
 * @example
 * const [root] = topAgents(reduceAll(entries));
 */
export function topAgents(view: TreeView): AgentView[] {
  return view.agents.filter((agent) => agent.parentId === undefined);
}

/**
 * The newest run of an agent, if it had one.
 * @example
 * const runIds = topAgents(reduceAll(entries)).map((agent) => currentRun(agent)?.runId);
 */
export function currentRun(agent: AgentView): RunView | undefined {
  return agent.runs.at(-1);
}

/**
 * The newest step of an agent's newest run, if there is one.
 * @example
 * const numbers = topAgents(reduceAll(entries)).map((agent) => currentStep(agent)?.step);
 */
export function currentStep(agent: AgentView): StepView | undefined {
  return currentRun(agent)?.steps.at(-1);
}

/**
 * The text of a step: its blocks joined.
 * @example
 * const texts = topAgents(reduceAll(entries)).flatMap((agent) => {
 *   const step = currentStep(agent);
 *   return step ? [stepText(step)] : [];
 * });
 */
export function stepText(step: StepView): string {
  return joined(step, 'text');
}

/**
 * The thinking of a step: its blocks joined.
 * @example
 * const thoughts = topAgents(reduceAll(entries)).flatMap((agent) => {
 *   const step = currentStep(agent);
 *   return step ? [stepThinking(step)] : [];
 * });
 */
export function stepThinking(step: StepView): string {
  return joined(step, 'thinking');
}

function joined(step: StepView, kind: PartView['kind']): string {
  return step.parts.map((each) => (each.kind === kind ? each.text : '')).join('');
}

/**
 * The companions of an agent, in the order in which they first had a task.
 * @example
 * const rounds = topAgents(reduceAll(entries)).flatMap((agent) => companionsOf(agent).map(({ rounds }) => rounds.length));
 */
export function companionsOf(agent: AgentView): CompanionView[] {
  const found = new Map<string, CompanionView>();
  for (const round of agent.delegations) {
    const { name, agentType, agentId, address } = round;
    if (name === undefined || round.mode !== 'persistent') continue;
    const rounds = [...(found.get(name)?.rounds ?? []), round];
    found.set(name, { name, agentType, agentId, address, rounds });
  }
  return [...found.values()];
}

/** A call that a person can answer now, with its agent. */
export interface PendingView {
  readonly agentId: string;
  readonly agentType: string;
  readonly address: string;
  readonly call: WaitingCall;
}

/**
 * The calls that a person can answer now, the oldest first. Calls of ended or interrupted agents are not included, nor
 * are those of children that were restarted under another session id.
 * @example
 * const open = pendingOf(reduceAll(entries)).length;
 */
export function pendingOf(view: TreeView): PendingView[] {
  const pending: PendingView[] = [];
  for (const agent of view.agents) {
    if (isEnded(agent.status) || wasReplaced(view, agent)) continue;
    const { agentId, agentType, address } = agent;
    for (const call of agent.calls) {
      if (call.status === 'waiting') pending.push({ agentId, agentType, address, call });
    }
  }
  return pending.sort((one, other) => one.call.requestedAt - other.call.requestedAt);
}

function wasReplaced(view: TreeView, agent: AgentView): boolean {
  const parent = agent.parentId === undefined ? undefined : findAgent(view, agent.parentId);
  return parent !== undefined && !parent.delegations.some((each) => each.agentId === agent.agentId);
}

/**
 * The usage of all agents of a view. For a child whose own steps are not in the view, the usage that its delegations
 * reported counts.
 * @example
 * const { inputTokens, outputTokens } = treeUsage(reduceAll(entries));
 */
export function treeUsage(view: TreeView): Usage {
  let sum = NO_USAGE;
  for (const agent of view.agents) {
    sum = addUsage(sum, agent.usage);
    for (const { agentId, outcome } of agent.delegations) {
      const child = findAgent(view, agentId);
      const unseen = child === undefined || child.runs.every((run) => run.steps.length === 0);
      if (unseen && outcome.status !== 'running') sum = addUsage(sum, outcome.usage);
    }
  }
  return sum;
}
