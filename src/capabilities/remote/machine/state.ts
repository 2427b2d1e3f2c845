/**
 * The states of a remote child in the store of its parent's object; types alone. A task has one state here (`LocalTask`) and
 * one on the other side, as far as it is known here (`RemoteTask`): any two of them may meet.
 *
 * Decides: the states of a remote child, here and on the other side.
 * Keeps RM2, RM8, RM18.
 */

import type { TaskKey } from '../../../core/agent/children/child';
import type { RunCaller } from '../../../core/agent/runs/lineage';
import type { StopVerb } from '../../../core/agent/runs/stop-verb';
import type { Outcome, RootLocation } from '../../../core/agent/state';
import type { Batch } from '../../../core/tree/merge';
import type { Tries } from '../../../core/tree/tries';
import type { MessageRole } from '../../../protocol/messages';
import type { SideName } from '../../../protocol/sides';
import type { SessionStatus } from '../../../protocol/status';
import type { Usage } from '../../../protocol/usage';
import type { Held } from './held';

/** A message that the other side has not taken. */
export interface RemoteMessage {
  /** A repeated one is known by it. */
  readonly key: string;
  readonly text: string;
  readonly role: MessageRole;
  readonly to?: SideName;
  readonly sent?: MessageSent;
}

/** The request that brought a message, as long as the other side may have taken it unknown to this side. */
export type MessageSent =
  /** To the run at work. `isRefused`: that took none any more, but a copy of the request may still be under way. */
  | { readonly by: 'send'; readonly chainRunId: string; readonly isRefused?: true }
  /** With what let the run continue, under that key. */
  | { readonly by: 'resume'; readonly key: string };

/** The messages of one child. */
export interface RemoteMessages {
  /** The number of the last one that was taken here; missing where its task has arguments. */
  readonly taken?: number;
  /** In order; the first of them begins a task that has no arguments, or goes with a resume. */
  readonly waiting: readonly RemoteMessage[];
}

/** A start that was sent. */
export interface SentStart {
  readonly key: string;
  /** In ms since 1970. */
  readonly at: number;
}

/** The remote session of a task, and the first run of the chain that works on it there. */
export interface RemoteChain {
  readonly start: SentStart;
  readonly sessionId: string;
  readonly chainRunId: string;
}

/** A task on the other side, as far as it is known here. */
export type RemoteTask =
  /** Nothing was sent of it. */
  | { readonly is: 'unsent' }
  /** Its start was sent, and is not answered. */
  | { readonly is: 'starting'; readonly start: SentStart }
  /** The other side took its stop before it answered the start: its status says the rest. */
  | { readonly is: 'stopped'; readonly start: SentStart }
  /** `queuedMessage`: the message of a start that waits there behind others; it is sent again where that never begins. */
  | ({ readonly is: 'begun'; readonly queuedMessage?: RemoteMessage } & RemoteChain)
  /** It was interrupted, and its parent lets it continue: nothing was sent of that. */
  | ({ readonly is: 'to_resume' } & RemoteChain)
  /** That was sent, and is not answered. */
  | ({ readonly is: 'resuming' } & RemoteChain);

/** A task in its parent's object. */
export type LocalTask =
  /** `end`: by its log; its remote status may be of another run by then. `isWaitReported`: its parent knows that it waits. */
  | { readonly is: 'active'; readonly end?: Outcome; readonly isWaitReported: boolean }
  /** `isAcknowledged`: its parent has the outcome, or wants none. */
  | { readonly is: 'ended'; readonly outcome: Outcome; readonly isAcknowledged: boolean }
  /** Its parent wants nothing of it any more, before it has ended. */
  | { readonly is: 'unwanted' };

/** A stop on its way to the other side. */
export interface RemoteStop extends Tries {
  readonly verb: StopVerb;
  readonly reason: string;
  /** It was acknowledged, or is not sent any more; missing while it is pending. */
  readonly settled?: 'taken' | 'given_up';
}

/** The names of a child on both sides, and who asked for its run. */
interface RemoteNames {
  readonly sessionId: string;
  readonly agentType: string;
  /** The name of the tool, or of the kind of companion, whose transport leads there. */
  readonly transport: string;
  readonly addressClass: string;
  /** Of the remote root. */
  readonly name: string;
  readonly runId: string;
  readonly caller: RunCaller;
  readonly remote: RemoteTask;
  /** The remote session of the tasks before: it remembers them. */
  readonly memory?: string;
  readonly stop?: RemoteStop;
}

/** A child in its place. */
export interface PlacedRun extends RemoteNames {
  readonly is: 'placed';
  readonly address: string;
  readonly root: RootLocation;
  readonly task: TaskKey;
  readonly local: LocalTask;
  readonly startedAt: number;
  readonly messages: RemoteMessages;
  /** Its log is of others until its task begins there, and is passed over. */
  readonly skips: boolean;
  /** The last sequence of the remote log that was taken. */
  readonly cursor: number;
  /** The child's own number of its last chunk. */
  readonly last: number;
  /** Those that the root has not acknowledged. */
  readonly kept: readonly Omit<Batch, 'sessionId'>[];
  readonly status: SessionStatus;
  readonly step: number;
  readonly attempt: number;
  readonly held: Held;
  readonly usage: Usage;
}

/** A child that was removed from its place here: its stop and the removal of its remote root are pending. */
export interface RemovedRun extends RemoteNames {
  readonly is: 'removed';
  /** Another task, or somebody else, may be there by now: it is stopped by its start alone. */
  readonly isStray: boolean;
  readonly removal?: Tries;
  /** The name of the agent whose transport it is, where another one has taken over its cleanup. */
  readonly transportOwner?: string;
}

/** One child. */
export type RemoteRun = PlacedRun | RemovedRun;
