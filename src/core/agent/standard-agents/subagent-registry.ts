/**
 * The registry of a parent: its children by `SubagentEntry` (Standard Agents), as its model and its tools see them. It is
 * derived from the records of the children; nothing is kept beside them.
 *
 * Decides: how many sub-agents a model is told, and how each stands, in five words.
 * Keeps SA47, SA48, SA50, SA52, SAQ7.
 */

import { beginningOf } from '../../../protocol/content/cut';
import { type Failure, failure } from '../../../protocol/errors';
import type { JsonObject } from '../../../protocol/json';
import type { SubagentRegistryEntry } from '../../definition/thread-state';
import type { Child, Registered } from '../children/child';
import type { Draft } from '../draft';
import type { AgentEvent, PlannedCall, Registering, WaitingPlace } from '../events';
import type { AgentState } from '../state';

type Planned = Extract<PlannedCall, { kind: 'child' }>;

/** A child that is in the registry. */
export type RegisteredChild = Child & { readonly registered: Registered };

/** The status of a child of the registry, whatever it says of itself. */
export type SubagentLifecycle = 'running' | 'idle' | 'failed' | 'awaiting_input' | 'terminated';

/** Whether a child is in the registry: one that lived for a call is not once that has ended. */
export const isRegistered = (child: Child): child is RegisteredChild =>
  child.registered !== undefined && (child.registered.resumable || child.state.is !== 'ended');

/**
 * Whether a child was terminated, or is gone: it takes no message any more, and no other takes its reference. One that
 * lived for a call is over with its session.
 */
export function isTerminated({ state, registered }: Pick<Child, 'state' | 'registered'>): boolean {
  if (registered?.terminated) return true;
  if (state.is !== 'ended') return false;
  return state.gone === true || state.session === 'terminated' || registered?.resumable === false;
}

/**
 * The entry of a child, by its row and the state. The end of one that its call held is the result of that call, so its row
 * tells of none.
 * @param endedAt when that call had its result, in ms since 1970
 */
export function asItStands(
  child: Child,
  { children }: Pick<AgentState, 'children'>,
  endedAt: (child: Child) => number | undefined,
): Child {
  const open = children.get(child.childId);
  if (open) return open;
  if (child.state.is === 'ended') return child;
  const ended = { ...child, state: { is: 'ended', result: { success: true, value: null } } } as const;
  const at = endedAt(child);
  return at === undefined ? ended : timedEnd(ended, at);
}

/** A child as it is from now on: where it was terminated, or is gone, with the time (SA52). */
export function timedEnd(child: Child, at: number): Child {
  const { registered } = child;
  if (registered === undefined || registered.terminatedAt !== undefined || !isTerminated(child)) return child;
  return { ...child, registered: { ...registered, terminatedAt: at } };
}

/** The status of a child: what it says of itself never changes that (W6). */
export function lifecycleOf(child: Pick<Child, 'state' | 'registered'>): SubagentLifecycle {
  const { state } = child;
  if (isTerminated(child)) return 'terminated';
  switch (state.is) {
    case 'working':
    case 'stopping':
    case 'respawning':
      return 'running';
    case 'waiting':
      return 'awaiting_input';
    case 'interrupted':
      return 'idle';
    case 'failed':
      return 'failed';
    case 'ended':
      return state.result.success ? 'idle' : 'failed';
  }
}

/** The status of a child, for the call that began it or told it something. */
export const standingOf = (child: RegisteredChild): { reference: string; status: SubagentLifecycle } => ({
  reference: child.registered.reference,
  status: lifecycleOf(child),
});

/** The last word of a child at work on how far it is; it never hides that the child was terminated (SAW6). */
function wordOf(child: RegisteredChild): string | undefined {
  return 'says' in child.state && !isTerminated(child) ? child.state.says : undefined;
}

/** The entry of a child: its status is its own word where it has one, else its lifecycle. */
export function entryOf(child: RegisteredChild): SubagentRegistryEntry & JsonObject {
  const { prompt: _prompt, terminated: _terminated, terminatedAt: _at, createdAt, ...facts } = child.registered;
  const lifecycle = lifecycleOf(child);
  const status = wordOf(child) ?? lifecycle;
  return { ...facts, name: child.agentType, createdAt: createdAt * 1_000, status, lifecycle };
}

/** The children of the registry as a draft has them. @param atRest those that the store knows by name */
export function registryOf({ state, written }: Registry, atRest: readonly Child[]): RegisteredChild[] {
  const all = new Map(atRest.map((child) => [child.childId, written(child.childId) ?? child]));
  for (const [childId, child] of state.children) all.set(childId, child);
  return [...all.values()].filter(isRegistered).sort((one, other) => one.childId - other.childId);
}

interface Registry {
  readonly state: { readonly children: ReadonlyMap<number, Child> };
  written(childId: number): Child | undefined;
}

/**
 * Why there is no child by an entry now, if there is none: its variable says so, or there are as many as there may be.
 * @param deferred those of the agent that wait for variables, where they count: one that begins takes no place from them
 */
export function notNow(
  draft: Draft,
  { agentType }: Pick<Planned, 'agentType'>,
  { prompt, maxInstances }: Pick<Registering, 'prompt' | 'maxInstances'>,
  { children, disabled = [] }: Pick<Extract<AgentEvent, { type: 'model_replied' }>, 'children' | 'disabled'>,
  deferred: readonly WaitingPlace[] = [],
): Failure | undefined {
  if (disabled.includes(agentType)) return switchedOff(agentType);
  if (maxInstances === undefined) return undefined;
  const known = registryOf({ state: draft.state, written: (id) => draft.written(id) }, children.registered ?? []);
  const live = known.filter(
    (child) => child.agentType === agentType && child.registered.prompt === prompt && !isTerminated(child),
  );
  const waiting = deferred.filter((one) => one.prompt === prompt).map(({ requestId }) => requestId);
  if (live.length + waiting.length < maxInstances) return undefined;
  const references = live.map(({ registered }) => registered.reference);
  const there = [
    ...(live.length === 0 ? [] : [`${live.length} exist: ${references.join(', ')}`]),
    ...(waiting.length === 0 ? [] : [`${waiting.length} wait for variables: ${waiting.join(', ')}`]),
  ];
  const advice = [
    ...(live.length === 0
      ? []
      : ['Give the work to an existing one with subagent_message, or end one with subagent_terminate first.']),
    ...(waiting.length === 0 ? [] : ['Ask a person to set the variables: waiting ones then begin by themselves.']),
  ];
  return failure(
    'max_children',
    `At most ${maxInstances} sub-agents "${agentType}" may exist at once. ${there.join('; ')}. ${advice.join(' ')}`,
  );
}

/** What is said of an agent whose variable does not turn it on. */
export function switchedOff(agentType: string): Failure {
  return failure(
    'forbidden',
    `The sub-agent "${agentType}" is switched off now: none can begin, and none takes messages. Continue without it.`,
  );
}

/** Of the registry, a request tells so many children. */
const MAX_SHOWN = 50;

/** Of a child's word, a request tells so many characters. */
const MAX_SAID = 200;

/** What a child said of itself, as data on one line: it is no instruction. */
function shownWord(child: RegisteredChild): string {
  const word = beginningOf((wordOf(child) ?? '').replaceAll(/\s+/g, ' ').trim(), MAX_SAID);
  return word === '' ? '' : `, says ${JSON.stringify(word)}`;
}

/** A line about a child. */
function lineOf(child: RegisteredChild): string {
  const { reference, threadName, title } = child.registered;
  const names = [child.agentType, title, threadName].filter((name) => name !== undefined).join(', ');
  return `- ${reference} (${names}): ${lifecycleOf(child)}${shownWord(child)}`;
}

/** What a model is told of the children that are there; undefined where there are none. It changes with the registry alone. */
export function registryMessage(registry: readonly RegisteredChild[]): string | undefined {
  const live = registry.filter((child) => !isTerminated(child));
  if (live.length === 0) return undefined;
  const shown = live.slice(-MAX_SHOWN);
  const rest = live.length - shown.length;
  const more = rest === 0 ? [] : [`${rest} older ones are not shown: the tool subagents lists all.`];
  return ['Your sub-agents now, each with its reference and status:', ...shown.map(lineOf), ...more].join('\n');
}
