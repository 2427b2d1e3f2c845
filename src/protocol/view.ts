/**
 * A view: what a client holds that has read a tree's log from its first chunk. `reduce.ts` makes it.
 *
 * Keeps R1, R5.
 *
 * - A view is plain JSON; nothing in it is changed in place, and untouched parts are shared with the view before.
 * - Lists keep the order of first appearance, so that no id can collide with a name that objects have by nature.
 */

import type { ShownFailure } from './errors';
import type { Json } from './json';
import type { MessageRole } from './messages';
import type { SideName } from './sides';
import { isEnded } from './status';
import type { Usage } from './usage';
import { addUsage, NO_USAGE } from './usage';
import type { AnswerKind, PendingKind } from './waiting';

/** One model call of a run and what it said. Times are ms since 1970, as the emitter wrote them. */
export type StepView =
  | (StepBase & { readonly status: 'open' })
  | (StepBase & {
      readonly status: 'committed';
      readonly finishReason: string;
      readonly usage: Usage;
      readonly checkpointId: string;
      /** `provider/model`, as they name themselves. */
      readonly model: string;
      /** The provider's id of the reply, where it gave one. */
      readonly responseId?: string;
      /** The failures of the models before it in `models`, in order, where it is not the first. */
      readonly passedOver?: readonly { readonly code: string; readonly message: string }[];
      readonly endedAt: number;
    });

interface StepBase {
  readonly step: number;
  /** Whose step it is, where the agent has two sides, and what that side is called. */
  readonly side?: SideName;
  readonly speaker?: string;
  /** The attempt that the parts are of, or the last one that was discarded when there are none yet. */
  readonly attempt: number;
  readonly startedAt: number;
  /** The blocks of text and thinking, in the order in which they began; `stepText` and `stepThinking` join them. */
  readonly parts: readonly PartView[];
  /** Its further blocks, in order: what the provider ran, sources, files. Missing where there are none. */
  readonly further?: readonly FurtherView[];
  /** Attempts that were thrown away, the newest last. */
  readonly discarded: readonly DiscardedAttempt[];
}

/** An attempt that was thrown away. `retryAt`: when the next one is due, in ms since 1970, where that is waited for. */
export interface DiscardedAttempt {
  readonly attempt: number;
  readonly reason: string;
  readonly retryAt?: number;
  /** The place in `models`, from 0, of the model that is asked next, where it is another one. */
  readonly nextModel?: number;
}

/** One block of a model's reply. `part` is its place among all blocks of the reply, calls among them, from 0. */
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
  /** Missing until it has ended. */
  readonly outcome?: { readonly success: boolean; readonly result: Json };
}

/** A file that a model made: among the agent's files, at an address, or omitted, with the reason. */
export type ReplyFileView = { readonly kind: 'file'; readonly part: number; readonly mediaType: string } & (
  | { readonly path: string; readonly etag: string; readonly bytes: number }
  | { readonly url: string }
  | { readonly omitted: string }
);

/** A block of a reply beside text, thinking and calls of the agent's own tools. */
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
  /** The turn that its chain of interrupts and resumes began with: `{agentId}.{chainTurn}` is the same for all of them. */
  readonly chainTurn: number;
  readonly startedAt: number;
  readonly input?: Json;
  /** The run that it continues: the open step of that one is here, its committed ones stayed there. */
  readonly resumedFrom?: string;
  /** The trace that it belongs to (W3C), where who asked for it named one. */
  readonly traceparent?: string;
  /** Why it was recovered, each time. */
  readonly recoveries: readonly RecoveryView[];
  readonly steps: readonly StepView[];
  /** What the `output` chunk announced before the end. */
  readonly output?: Json;
  /** Missing while the run goes on or waits. */
  readonly end?: RunEnd;
}

/** What every call tells. */
export interface CallBase {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The run and step that it belongs to. A step that a resume takes along takes its calls along. */
  readonly runId: string;
  readonly step: number;
}

/** What a person said to a call, the last time that one was asked. `at` is in ms since 1970. */
export interface CallAnswer {
  readonly kind: AnswerKind;
  /** Of an approval: whether it was given. */
  readonly approved?: boolean;
  /** Who answered, where the access check named them. */
  readonly actor?: string;
  readonly at: number;
}

/**
 * A call that waits for a person. That of an agent that has ended stays so until it is settled or the agent resumed,
 * and nobody can answer it meanwhile: `pendingOf` tells which can be answered now.
 */
export interface WaitingCall extends CallBase {
  readonly status: 'waiting';
  readonly kind: PendingKind;
  readonly arguments: Json;
  readonly startedAt: number;
  /** When the person was asked, in ms since 1970; asking again after a resume does not change it. */
  readonly requestedAt: number;
  /** Until when an answer is taken, in ms since 1970; missing where it may take any time. */
  readonly expiresAt?: number;
  /** Of an approval: the hash that binds an answer to these arguments. */
  readonly inputHash?: string;
}

/** One tool call. A `drafting` one is still being written by the model and vanishes with a discarded attempt. */
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
      /** Missing when the tool told of no error but of a failed result. */
      readonly error?: ShownFailure;
      readonly result?: Json;
    });

/** How a delegation stands. `running` also while its child waits or is interrupted. */
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

/** One task that an agent gave to a child. Of a child that was started anew the newest alone. */
export interface DelegationView {
  readonly callId: string;
  /** Which child of the agent it is, from 1, and which task of it. */
  readonly childId: number;
  readonly task: number;
  /** Of the child's slot, as its address says it. */
  readonly generation: number;
  /** The session id of the child; its own entry in `agents` has the same. */
  readonly agentId: string;
  readonly agentType: string;
  readonly address: string;
  readonly mode: 'ephemeral' | 'persistent';
  /** What its parent calls the child, where it stays beyond this task. */
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

/** A companion of an agent, as the log tells of it: the tasks that it was given are its rounds. */
export interface CompanionView {
  readonly name: string;
  readonly agentType: string;
  /** Of its newest round: a name may begin anew with another session. */
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
      /** The run and step that saw it first, and when, in ms since 1970. */
      readonly runId: string;
      readonly step: number;
      readonly at: number;
      readonly role: MessageRole;
      /** Its first 8,192 characters. */
      readonly text: string;
      /** The names of its files, or their media types where they have none: the first 20. */
      readonly attachments: readonly string[];
      /** Whether something is left out here: `GET A/messages` has it whole. */
      readonly cut: boolean;
    };

/** The last of the custom events of one name, and how many there were. */
export interface CustomView {
  readonly name: string;
  readonly data: Json;
  readonly at: number;
  readonly count: number;
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
   * Free text of the newest run: what a parent was told of it, what the agent said by a custom event named `status`,
   * or why it is being stopped.
   */
  readonly statusText?: string;
  /** Its first sign of life, and the last, in ms since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly runs: readonly RunView[];
  readonly calls: readonly CallView[];
  readonly delegations: readonly DelegationView[];
  readonly messages: readonly MessageView[];
  readonly customs: readonly CustomView[];
  /** All state patches (RFC 6902 operations) in order. */
  readonly statePatches: readonly Json[];
  /** The sum of its own committed steps, without its children. */
  readonly usage: Usage;
}

/** What a client holds. */
export interface TreeView {
  /** The sequence of the last chunk in it; 0 when there is none. */
  readonly lastSequence: number;
  /** All agents, in the order in which they first appeared: parents before their children. */
  readonly agents: readonly AgentView[];
}

/** The view before the first chunk. */
export const emptyView: TreeView = { lastSequence: 0, agents: [] };

/**
 * The view of a reader that begins at sequence `from`, as after a `reset`.
 * @example
 * const view = viewFrom(120); // of a reader that asks for `?from=120`
 */
export function viewFrom(from: number): TreeView {
  return { lastSequence: from - 1, agents: [] };
}

/**
 * The agent with that session id, if the view has it.
 * @example
 * const statusOf = (view: TreeView, agentId: string) => findAgent(view, agentId)?.status;
 */
export function findAgent(view: TreeView, agentId: string): AgentView | undefined {
  return view.agents.find((agent) => agent.agentId === agentId);
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
 * What a step said, its blocks after each other.
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
 * What a step thought, its blocks after each other.
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

/** A call that a person can answer now, and whose it is. */
export interface PendingView {
  readonly agentId: string;
  readonly agentType: string;
  readonly address: string;
  readonly call: WaitingCall;
}

/**
 * The calls that wait for a person now, the one asked first at the front. Not those of agents that have ended (also as
 * interrupted), nor those of children that were started anew under another session id.
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
 * What the agents of a view spent. A child whose own steps are not in the view counts by what its delegations
 * reported.
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
