/**
 * The seam of capabilities in an agent's machine. A capability is a row of a list that the kernel is given: it takes events
 * of its own, keeps rows in its slice of the session, and names the work that is pending for them. No file of the kernel
 * names one.
 *
 * Decides: which capability takes an event, which work of capabilities is pending, and when the next is due.
 *
 * CB1. What a capability adds reaches the kernel by its row of the list.
 * CB2. A session that is terminated, or about to be, has no pending work of a capability.
 * CB3. Rows of a capability that this version lacks stay, and what needs them is refused.
 * CB7. Their agent is woken again, for a version that has it.
 */
import { type Failure, failure } from '../../protocol/errors';
import type { Transition } from './changes';
import { type Draft, refuse } from './draft';
import type { CapabilityEvent, KnownChildren } from './events';
import type { BuiltInTool, Rules } from './rules';
import { endsSession } from './runs/stop-verb';
import type { AgentState, SliceRow } from './state';

/** An event of a capability with its time, in ms since 1970, and with randomness where it came with that. */
type Timed = CapabilityEvent & { readonly at: number; readonly token?: string };

/** A child of which a person asks something; `children` is what is known of those with its name. */
export interface AskedChild {
  readonly name: string;
  readonly children: KnownChildren;
  readonly token: string;
}

/** What the kernel decides for an event of a capability. */
export interface KernelAnswers {
  readonly rules: Rules;
  /** Whether the body of a tool or a hook may still act: ok, or why not. */
  mayBody(body: { readonly by: string; readonly epoch: number }): Transition;
}

/** Work that is pending for a row. Its id is unique within the capability, and the same over all tries. */
export interface CapabilityWork {
  readonly id: string;
  readonly row: SliceRow;
}

/** The part of a capability that decides. Pure: the same state, event and rules give the same answer. */
export interface CapabilityMachine {
  /** Under this name its rows are stored. */
  readonly name: string;
  /** The tools of the framework that it adds. */
  readonly tools?: readonly BuiltInTool[];
  /** Takes an event of its own. */
  on(draft: Draft, event: Timed, kernel: KernelAnswers): Transition;
  /** The work that is pending of rows that are due by `by`, in ms since 1970. None without a row. */
  pending?(state: AgentState, by: number, rules: Rules): readonly CapabilityWork[];
  /** When the next row is due, in ms since 1970; undefined where the root need not wake the agent. */
  nextAt?(state: AgentState): number | undefined;
  /** Whether a body with this id is its own, and is still waited for. */
  ownsBody?(state: AgentState, by: string): boolean;
  /** The event by which a verb of its own on a child is tried; undefined for any other verb. */
  tries?(verb: string, child: AskedChild): CapabilityEvent | undefined;
}

/** The rows of one capability, typed. */
export class Slice<Row extends SliceRow> {
  constructor(readonly capability: string) {}

  /** In order of their ids. */
  rows({ slices }: Pick<AgentState, 'slices'>): readonly Row[] {
    // Rows come from `put` alone, or from the store, which keeps them as they were.
    return (slices.get(this.capability) ?? []) as readonly Row[];
  }

  /** Adds a row, or replaces the one with its id. */
  put(draft: Draft, row: Row): void {
    draft.setRow(this.capability, row);
  }

  drop(draft: Draft, row: Row): void {
    draft.dropRow(this.capability, row.id);
  }
}

/** Whether a session is terminated, or is about to be (CB2). */
export function isTerminating({ session, run }: Pick<AgentState, 'session' | 'run'>): boolean {
  if (session.terminated !== undefined) return true;
  return run?.phase === 'active' && run.stop !== undefined && endsSession(run.stop.verb);
}

/** The capabilities that may have work for a state. */
function atWork(capabilities: readonly CapabilityMachine[], state: AgentState): readonly CapabilityMachine[] {
  if (state.slices.size === 0 || isTerminating(state)) return [];
  return capabilities.filter(({ name }) => state.slices.has(name));
}

/** The pending work of all capabilities by a time, in ms since 1970. */
export function pendingWork(
  capabilities: readonly CapabilityMachine[],
  state: AgentState,
  by: number,
  rules: Rules,
): { readonly capability: string; readonly work: CapabilityWork }[] {
  return atWork(capabilities, state).flatMap(
    (one) => one.pending?.(state, by, rules).map((work) => ({ capability: one.name, work })) ?? [],
  );
}

/** An agent with rows of a missing capability is woken again after so long, in ms (CB7). */
const LACKING_AGAIN_MS = 600_000;

/** When an agent is to be woken for its capabilities, after it was last heard then. Both in ms since 1970. */
export function nextDueAt(
  capabilities: readonly CapabilityMachine[],
  state: AgentState,
  heardAt: number,
): number | undefined {
  const times = atWork(capabilities, state).flatMap((one) => one.nextAt?.(state) ?? []);
  if (!isTerminating(state) && missingCapability(capabilities, state)) times.push(heardAt + LACKING_AGAIN_MS);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Gives an event to the capability that it is of. */
export function onCapability(
  capabilities: readonly CapabilityMachine[],
  draft: Draft,
  {
    capability,
    event,
    at,
    token,
  }: {
    readonly capability: string;
    readonly event: CapabilityEvent;
    readonly at: number;
    readonly token?: string;
  },
  kernel: KernelAnswers,
): Transition {
  const taker = capabilities.find(({ name }) => name === capability);
  if (taker === undefined) return refuse('capability_missing', lacking(capability).message);
  return taker.on(draft, { ...event, at, ...(token === undefined ? {} : { token }) }, kernel);
}

/** The refusal of what a capability would do that this version of the Worker does not have. `name`: of the verb or method. */
export const capabilityMissing = (name: string): Failure =>
  failure('capability_missing', `This version of the Worker has no \`${name}\`.`);

/** Why a session cannot go on in this version: it has rows of a capability that is missing (CB3). */
export function missingCapability(
  capabilities: readonly CapabilityMachine[],
  { slices }: Pick<AgentState, 'slices'>,
): Failure | undefined {
  for (const name of slices.keys()) if (!capabilities.some((one) => one.name === name)) return lacking(name);
  return undefined;
}

/** Why nothing is done for rows or verbs of a capability that is missing. */
const lacking = (name: string): Failure =>
  failure(
    'capability_missing',
    `This agent has stored rows of "${name}", which this version of the Worker lacks. Deploy a version that has it.`,
  );
