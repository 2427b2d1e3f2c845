import { E as Json, T as ShownFailure, g as Usage } from "./chunks.js";
import { t as SideName, u as MessageRole } from "./sides.js";
/**
 * The words for what waits for a person, and for how it is answered.
 *
 * Keeps A35.
 */
/** The kinds of pending calls: a tool that runs at the client, or the approval of a tool that runs on the server. */
declare const PENDING_KINDS: readonly ['client-tool', 'approval'];
/** One of these kinds. */
type PendingKind = (typeof PENDING_KINDS)[number];
/** The kinds of answers of a person: a client tool's result, or a decision. */
declare const ANSWER_KINDS: readonly ['client-tool-result', 'approval-response'];
/** One of these kinds. */
type AnswerKind = (typeof ANSWER_KINDS)[number];
/** One model call of a run with its reply. Times are in ms since 1970, as the emitter wrote them. */
type StepView = (StepBase & {
  readonly status: 'open';
}) | (StepBase & {
  readonly status: 'committed';
  readonly finishReason: string;
  readonly usage: Usage;
  readonly checkpointId: string;
  /** `provider/model`, as they name themselves. */
  readonly model: string;
  /** The provider's id of the reply, if it sent one. */
  readonly responseId?: string;
  /** The failures of earlier entries of `models`, in order, if there were any. */
  readonly passedOver?: readonly {
    readonly code: string;
    readonly message: string;
  }[];
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
interface DiscardedAttempt {
  readonly attempt: number;
  readonly reason: string;
  readonly retryAt?: number;
  /** The index in `models` of the next model, if it is another one. */
  readonly nextModel?: number;
}
/** One block of a model's reply. `part` is its index, from 0, among all blocks of the reply, including calls. */
interface PartView {
  readonly kind: 'text' | 'thinking';
  readonly part: number;
  readonly text: string;
}
/** A page or document that a reply refers to. */
type SourceView = {
  readonly kind: 'source';
  readonly part: number;
  readonly title?: string;
} & ({
  readonly sourceType: 'url';
  readonly url: string;
} | {
  readonly sourceType: 'document';
  readonly mediaType: string;
  readonly filename?: string;
});
/** A tool that the provider of a model runs itself. */
interface ProviderToolView {
  readonly kind: 'provider-tool';
  readonly part: number;
  readonly providerCallId: string;
  readonly toolName: string;
  readonly arguments: Json;
  /** Absent until it has ended. */
  readonly outcome?: {
    readonly success: boolean;
    readonly result: Json;
  };
}
/** A file that a model made: stored as one of the agent's files, at an address, or omitted, with the reason. */
type ReplyFileView = {
  readonly kind: 'file';
  readonly part: number;
  readonly mediaType: string;
} & ({
  readonly path: string;
  readonly etag: string;
  readonly bytes: number;
} | {
  readonly url: string;
} | {
  readonly omitted: string;
});
/** A block of a reply other than text, thinking and calls of the agent's own tools. */
type FurtherView = SourceView | ProviderToolView | ReplyFileView;
/** How a run ended. */
type RunEnd = {
  readonly status: 'completed';
  readonly at: number;
  readonly output: Json;
} | {
  readonly status: 'failed';
  readonly at: number;
  readonly error: ShownFailure;
  readonly failureReason?: string;
} | {
  readonly status: 'interrupted' | 'terminated';
  readonly at: number;
  readonly reason: string;
};
/** A recovery of a run after a crash. `step`: the newest step by then; 0 before the first. */
interface RecoveryView {
  readonly reason: string;
  readonly step: number;
}
/** One run of an agent. `turn` and `chainTurn` are 0 when the start of the run is no longer in the log. */
interface RunView {
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
interface CallBase {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The run and step that it belongs to. If a resume moves a step to the new run, its calls move with it. */
  readonly runId: string;
  readonly step: number;
}
/** The last answer of a person to a call. `at` is in ms since 1970. */
interface CallAnswer {
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
interface WaitingCall extends CallBase {
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
type CallView = (CallBase & {
  readonly status: 'drafting';
  readonly attempt: number;
  readonly argumentText: string;
}) | (CallBase & {
  readonly status: 'running';
  readonly arguments: Json;
  readonly startedAt: number;
  readonly answer?: CallAnswer;
}) | WaitingCall | (CallBase & {
  readonly status: 'succeeded';
  readonly arguments: Json;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly answer?: CallAnswer;
  readonly result: Json;
}) | (CallBase & {
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
type DelegationOutcome = {
  readonly status: 'running';
} | {
  readonly status: 'completed';
  readonly endedAt: number;
  readonly usage: Usage;
  readonly result: Json;
} | {
  readonly status: 'failed';
  readonly endedAt: number;
  readonly usage: Usage;
  readonly error?: ShownFailure;
  readonly result?: Json;
};
/** One task that an agent gave to a child. If the child was restarted, only the newest task is shown. */
interface DelegationView {
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
interface CompanionView {
  readonly name: string;
  readonly agentType: string;
  /** The session of its newest round: a name can be reused with a new session. */
  readonly agentId: string;
  readonly address: string;
  /** The oldest first. */
  readonly rounds: readonly DelegationView[];
}
/** A message in an agent's inbox. */
type MessageView = {
  readonly messageId: string;
  readonly from: string;
  readonly status: 'queued';
} | {
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
interface CustomView {
  readonly name: string;
  readonly data: Json;
  readonly at: number;
  readonly count: number;
}
/** A change of the custom state. */
interface StatePatchView {
  /** The sequence of its chunk: a state with an older `asOfSequence` is before this change. */
  readonly sequence: number;
  /** RFC 6902 operations. */
  readonly patch: readonly Json[];
}
/** One agent of the tree. */
interface AgentView {
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
interface TreeView {
  /** The sequence of the last chunk in it; 0 when there is none. */
  readonly lastSequence: number;
  /** From this sequence on, no chunk is missing in it: 1, or more once the server has left out older ones. */
  readonly completeFrom: number;
  /** All agents, in the order in which they first appeared: parents before their children. */
  readonly agents: readonly AgentView[];
}
/** The view before the first chunk. */
declare const emptyView: TreeView;
/**
 * The view of a reader that begins at sequence `from`, as after a `reset`.
 * @example
 * const view = viewFrom(120); // of a reader that asks for `?from=120`
 */
declare function viewFrom(from: number): TreeView;
/**
 * The agent with that session id, if the view has it.
 * @example
 * const statusOf = (view: TreeView, agentId: string) => findAgent(view, agentId)?.status;
 */
declare function findAgent(view: TreeView, agentId: string): AgentView | undefined;
/**
 * The agents that no other agent of the view started: one, unless the log was compacted.
 * @example
 * const [root] = topAgents(reduceAll(entries));
 */
declare function topAgents(view: TreeView): AgentView[];
/**
 * The newest run of an agent, if it had one.
 * @example
 * const runIds = topAgents(reduceAll(entries)).map((agent) => currentRun(agent)?.runId);
 */
declare function currentRun(agent: AgentView): RunView | undefined;
/**
 * The newest step of an agent's newest run, if there is one.
 * @example
 * const numbers = topAgents(reduceAll(entries)).map((agent) => currentStep(agent)?.step);
 */
declare function currentStep(agent: AgentView): StepView | undefined;
/**
 * The text of a step: its blocks joined.
 * @example
 * const texts = topAgents(reduceAll(entries)).flatMap((agent) => {
 *   const step = currentStep(agent);
 *   return step ? [stepText(step)] : [];
 * });
 */
declare function stepText(step: StepView): string;
/**
 * The thinking of a step: its blocks joined.
 * @example
 * const thoughts = topAgents(reduceAll(entries)).flatMap((agent) => {
 *   const step = currentStep(agent);
 *   return step ? [stepThinking(step)] : [];
 * });
 */
declare function stepThinking(step: StepView): string;
/**
 * The companions of an agent, in the order in which they first had a task.
 * @example
 * const rounds = topAgents(reduceAll(entries)).flatMap((agent) => companionsOf(agent).map(({ rounds }) => rounds.length));
 */
declare function companionsOf(agent: AgentView): CompanionView[];
/** A call that a person can answer now, with its agent. */
interface PendingView {
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
declare function pendingOf(view: TreeView): PendingView[];
/**
 * The usage of all agents of a view. For a child whose own steps are not in the view, the usage that its delegations
 * reported counts.
 * @example
 * const { inputTokens, outputTokens } = treeUsage(reduceAll(entries));
 */
declare function treeUsage(view: TreeView): Usage;
export { stepText as A, WaitingCall as C, emptyView as D, currentStep as E, ANSWER_KINDS as F, AnswerKind as I, PENDING_KINDS as L, topAgents as M, treeUsage as N, findAgent as O, viewFrom as P, PendingKind as R, TreeView as S, currentRun as T, RunEnd as _, CompanionView as a, StatePatchView as b, DelegationView as c, MessageView as d, PartView as f, ReplyFileView as g, RecoveryView as h, CallView as i, stepThinking as j, pendingOf as k, DiscardedAttempt as l, ProviderToolView as m, CallAnswer as n, CustomView as o, PendingView as p, CallBase as r, DelegationOutcome as s, AgentView as t, FurtherView as u, RunView as v, companionsOf as w, StepView as x, SourceView as y };