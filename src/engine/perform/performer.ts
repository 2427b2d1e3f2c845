/**
 * What those who perform effects see of the agent that they work for. It is all that they may change of it: results go
 * back as events, and no performer imports the agent.
 *
 * Keeps EG2.
 */
import type { Applied, Transition } from '../../core/agent/changes';
import type { AgentEvent } from '../../core/agent/events';
import type { Seat } from '../../core/agent/seat';
import type { AgentState } from '../../core/agent/state';
import type { HookedMessage, MessageChanges } from '../../core/definition/hooks/hooked-message';
import type { AgentStore } from '../../core/ports/agent-store';
import type { Usage } from '../../protocol/usage';
import type { AgentDeps } from '../agent-deps';
import type { Preparing } from '../children/child-needs';
import type { Beginnings } from '../children/child-starts';
import type { Environment } from '../environment';
import type { HeldLease } from '../held-lease';
import type { HeldTurns } from '../models/held-turns';
import type { Turns } from '../object/pacing';
import type { RootLink } from '../root-link';
import type { Transcript } from '../transcript-cache';
import type { Delivery } from '../tree-messages';
import type { RunSignal } from './run-signal';

/** An agent at work: how it stands, what it works by, and the way a result comes back. */
export interface WorkingAgent {
  readonly environment: Environment;
  /** As it was committed last. */
  readonly state: AgentState;
  /** What the session works by now: it is kept for one effect at most. */
  readonly seat: Seat;
  /** Applies an event in one transaction; a refusal changes nothing and is returned. */
  apply(event: AgentEvent): Transition;
  /** Counts what was spent by work that nobody waits for any more. */
  spentLate(usage: Usage): void;
}

/** Whose body it is, as far as its session is concerned. */
export interface ThreadFence {
  readonly by: string;
  readonly runId: string;
  readonly epoch: number;
  readonly idempotencyKey: string;
  /** It is a hook of a change of a message. */
  readonly ofChange?: true;
  /** Aborts when the body is not waited for any more. */
  readonly signal: AbortSignal;
}

/** One whose tool, hook or work of a capability runs. */
export interface BodyAgent extends Omit<WorkingAgent, 'apply'> {
  /** `inTransaction` is called in the transaction of an event that was taken. */
  apply(event: AgentEvent, inTransaction?: (applied: Applied) => void): Transition;
  readonly deps: Pick<AgentDeps, 'files' | 'kept' | 'variable' | 'durable' | 'askThread' | 'capabilities'> & {
    readonly store: Pick<
      AgentStore,
      | 'children'
      | 'named'
      | 'steps'
      | 'lastingChildren'
      | 'countLasting'
      | 'nextChild'
      | 'slots'
      | 'receipt'
      | 'addReceipt'
      | 'addAudit'
      | 'messages'
    >;
  };
  readonly link: Pick<RootLink, 'ask'>;
  /** For hooks that no effect stands for. */
  readonly runSignal: Pick<RunSignal, 'during'>;
  /** What is changed of a message, as the hooks for it make it. */
  hookedChanges(message: HookedMessage, changes: MessageChanges, call: ThreadFence): Promise<MessageChanges>;
}

/** One whose `stopWhen` is asked. */
export interface StoppableAgent extends WorkingAgent {
  readonly deps: { readonly store: Pick<AgentStore, 'steps'> };
}

/** One whose model is asked. */
export interface ModelAgent extends BodyAgent {
  readonly deps: BodyAgent['deps'] &
    Pick<AgentDeps, 'model' | 'lacks'> & {
      readonly store: Pick<AgentStore, 'children' | 'variableRequests' | 'namesAhead' | 'steps'>;
    };
  readonly transcript: Pick<Transcript, 'before' | 'now' | 'beginningOf'>;
  readonly lease: HeldLease;
  readonly modelTurns: HeldTurns;
  readonly link: Pick<RootLink, 'ask' | 'lease' | 'turn' | 'turnEnded' | 'rests'>;
}

/** One whose children begin, are stopped, or are started anew. */
export interface ParentAgent extends WorkingAgent {
  readonly deps: Pick<AgentDeps, 'children' | 'kept'> & { readonly store: Pick<AgentStore, 'child' | 'format'> };
  readonly link: Pick<RootLink, 'ask' | 'relay'>;
  /** How far its children have begun. */
  readonly beginnings: Beginnings;
  /** Everything that its children need before they begin. */
  readonly preparing: Preparing<ParentAgent>;
  /** By when each child that is being stopped has ended or is given up, as far as is known, in ms since 1970; by effect. */
  readonly stoppedBy: Map<string, number>;
  /** The turns in which its children begin. */
  readonly turns: Turns;
  /** Whether an effect is still owed. */
  owes(id: string): boolean;
  /** Aborts once what is in flight is no longer owed. */
  signalOf(id: string): AbortSignal | undefined;
  /**
   * Takes what children deliver that came together, in one transaction; an end that hooks are asked about as soon as they
   * have answered (HK25). What is refused changes nothing.
   */
  takeEnds(ends: readonly Delivery[]): Promise<void>;
}

/** One that a person answers. */
export interface AnsweringAgent extends BodyAgent {
  readonly deps: BodyAgent['deps'] & { readonly store: Pick<AgentStore, 'steps'> };
}
