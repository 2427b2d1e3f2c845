/**
 * The seam of capabilities in the engine: what performs their work, and what they add to the context of bodies.
 *
 * Keeps CB1, CB7.
 */
import { type CapabilityMachine, capabilityMissing, missingCapability, nextDueAt } from '../core/agent/capability';
import { capabilityEffects, type Effect } from '../core/agent/owed-effects';
import type { Rules } from '../core/agent/rules';
import type { AgentState, SliceRow } from '../core/agent/state';
import { CAPABILITY_METHODS, type CapabilityContext } from '../core/definition/tool-context';
import { type Failure, refuseWith } from '../protocol/errors';
import type { Preparing } from './children/child-needs';
import type { ObjectPart } from './object/object-part';
import type { ReadSecrets } from './perform/read-secrets';

/** The body that acts: the id of its call, hook or work, and the epoch of its run. */
export interface ActingBody {
  readonly by: string;
  readonly epoch: number;
}

/** A capability: its machine, and what the engine does for it. `Agent` and `Place` are the agent at work and its object. */
export interface Capability<Agent = unknown, Place = unknown> extends CapabilityMachine {
  /** Performs work that `pending` names; results go back as events. Called again after a crash while it is pending. */
  perform?(agent: Agent, row: SliceRow, signal: AbortSignal): Promise<void>;
  /** Prepares children that need it before they begin (`Preparing`), in one life of their parent. */
  beforeChildren?(): Preparing<unknown>;
  /** Its part of an object. */
  atObject?(object: Place): ObjectPart;
  /** Its parts of verbs, by their names. */
  readonly verbs?: { readonly [name: string]: object };
  /** Methods that it adds to the context of tools, hooks and its own bodies. */
  context?(agent: Agent, body: ActingBody, secrets: ReadSecrets): Partial<CapabilityContext>;
}

/** The capabilities of one agent, in one life of its object. Times are in ms since 1970. */
export class CapabilitiesAtWork {
  /** Set where the session was loaded with rows of a missing capability. */
  readonly lacked: Failure | undefined;
  /** Work that is due by this time is done in this life: the root's alarm says so. */
  #dueBy = 0;
  #heardAt: number;

  constructor(
    readonly all: readonly Capability[],
    state: AgentState,
    now: number,
  ) {
    this.lacked = missingCapability(all, state);
    this.#heardAt = now;
  }

  /** When the agent is to be woken next. */
  nextAt(state: AgentState): number | undefined {
    return nextDueAt(this.all, state, this.#heardAt);
  }

  /** The alarm has rung for this agent. */
  rang(now: number): void {
    this.#dueBy = now;
    this.#heardAt = now;
  }

  effects(state: AgentState, rules: Rules): Effect[] {
    return capabilityEffects(state, this.#dueBy, rules, this.all);
  }

  async perform(agent: unknown, effect: Extract<Effect, { kind: 'capability' }>, signal: AbortSignal): Promise<void> {
    await this.all.find(({ name }) => name === effect.capability)?.perform?.(agent, effect.row, signal);
  }
}

/** The methods of capabilities that are missing. */
const MISSING = Object.fromEntries(
  Object.keys(CAPABILITY_METHODS).map((method) => [method, () => refuseWith(capabilityMissing(method))]),
);

/** All that capabilities add to the context of a body. A method whose capability is missing throws `capability_missing`. */
export function capabilityContext(
  agent: { readonly deps: { readonly capabilities: readonly Capability[] } },
  body: ActingBody,
  secrets: ReadSecrets,
): CapabilityContext {
  const parts = agent.deps.capabilities.map((one) => one.context?.(agent, body, secrets) ?? {});
  return Object.assign({}, MISSING, ...parts);
}
