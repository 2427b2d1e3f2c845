/**
 * Which child works on a call: a new one in a slot, or one that has a name; its record begins here.
 *
 * Decides: whether a call begins a new child or a further task; slots and generations; how many children and
 * companions one parent has.
 * Keeps DG25, DG26, DG9, DG31, CO13.
 */

import { type Failure, failure } from '../../../protocol/errors';
import { mintId, mintReference } from '../../../protocol/ids';
import type { Json } from '../../../protocol/json';
import type { SideName } from '../../../protocol/sides';
import { enclose } from '../calls/enclosures';
import type { Draft } from '../draft';
import type { KnownChildren, Lacking, PlannedCall, WaitingPlace } from '../events';
import { childMade } from '../hooks/hooks';
import type { NewMessage } from '../inbound';
import type { Rules } from '../rules';
import { isTerminated, notNow } from '../standard-agents/subagent-registry';
import { deferChild } from '../standard-agents/variable-request';
import type { AgentState, CallPlan } from '../state';
import {
  type Child,
  type ChildSetup,
  hasForgotten,
  isHeldByCall,
  isLasting,
  keyOf,
  slotName,
  slotOf,
  type Task,
  type TaskTerms,
} from './child';
import { posted } from './child-messages';
import { hasLeft, keptBy, stillKept } from './child-retention';
import { givenName } from './given-name';
import { type Placement, placementBelow, type Via } from './placement';

type Planned = Extract<PlannedCall, { kind: 'child' }>;

/** How many children the calls of one reply have been given so far, of each class and in all. */
export class Given {
  readonly #ofClass = new Map<string, number>();
  #all = 0;
  /** Those of them that got a new name. */
  lasting = 0;
  /** The children that wait for variables, each with its agent. */
  readonly deferred: (WaitingPlace & { readonly agentType: string })[] = [];

  /**
   * The next one of a class: how many of the class, and of all, came before it.
   * @param isTaken whether it cannot be the one after so many of all
   */
  next(className: string, isTaken: (all: number) => boolean): { ofClass: number; all: number } {
    const ofClass = this.#ofClass.get(className) ?? 0;
    this.#ofClass.set(className, ofClass + 1);
    while (isTaken(this.#all)) this.#all++;
    return { ofClass, all: this.#all++ };
  }
}

/** Which call a child is planned for. */
export interface Planning {
  readonly event: {
    readonly at: number;
    readonly token: string;
    readonly children: KnownChildren;
    readonly disabled?: readonly string[];
    readonly lacking?: { readonly [agentType: string]: Lacking };
  };
  readonly callId: string;
  readonly stepId: number;
  readonly index: number;
  readonly given: Given;
  /** The arguments as the step keeps them. */
  readonly written: Json;
}

/** Gives a call its child with a task, or refuses it with advice that the model can follow. */
export function planChild(draft: Draft, asked: Planned, planning: Planning, rules: Rules): CallPlan {
  const { session, children } = draft.state;
  const { maxChildren } = rules.limits;
  const unwanted = asked.registers && notNow(draft, asked, asked.registers, planning.event);
  if (unwanted) return refused(unwanted);
  const planned = withFiles(draft, asked, planning);
  if (planned.kind === 'refused') return planned;
  const lack = planned.registers && planning.event.lacking?.[planned.agentType];
  if (lack) return deferred(draft, planned, planning, lack, rules);
  const placed = placementBelow(session, planned.first?.via ?? planned.placement, rules.limits);
  if ('refused' in placed) return refused(placed.refused);
  if (children.size >= maxChildren)
    return refused(
      failure(
        'max_children',
        `At most ${maxChildren} sub-agents may be alive at once. Call the others in a later step.`,
      ),
    );
  switch (planned.lifetime) {
    case 'call':
      return made(draft, newChild(draft, planned, planning, placed.via), planned, planning, rules);
    case 'named':
      return planNamed(draft, planned, planning, placed.via, rules);
  }
}

/** The same with the files that go with what the child is told first, held as they are now; or why they cannot. */
function withFiles(
  draft: Draft,
  planned: Planned,
  { event, index }: Planning,
): Planned | Extract<CallPlan, { kind: 'refused' }> {
  if (planned.registers?.files === undefined) return planned;
  const { files, ...registers } = planned.registers;
  const call = { index, token: event.token, files: event.children.files };
  const enclosed = enclose(draft, call, files.paths, files.maxBytes);
  return 'kind' in enclosed ? enclosed : { ...planned, registers: { ...registers, enclosed } };
}

/** A child that lacks variables waits for them; its call does not. */
function deferred(draft: Draft, planned: Planned, planning: Planning, lack: Lacking, rules: Rules): CallPlan {
  const { event, callId, stepId, index, written, given } = planning;
  const { agentType, registers } = planned;
  const before = given.deferred.filter((one) => one.agentType === agentType);
  const full = registers && notNow(draft, planned, registers, event, [...lack.waiting, ...before]);
  if (full) return refused(full);
  const asked = { planned, callId, stepId, written, at: event.at, token: event.token, index };
  const { requestId, refused: why } = deferChild(draft, { ...asked, before: given.deferred.length }, lack, rules);
  if (requestId !== undefined) given.deferred.push({ requestId, agentType, prompt: registers?.prompt ?? '' });
  return refused(why);
}

/** A named child takes a further task once its last one has ended; it is made where there is none of the name. */
function planNamed(draft: Draft, planned: Planned, planning: Planning, via: Via, rules: Rules): CallPlan {
  const { childName: name } = planned;
  if (name === undefined) return planNewName(draft, planned, planning, via, rules);
  const busy = [...draft.state.children.values()].find((child) => child.name === name);
  if (busy)
    return refused(
      failure('already_running', `The sub-agent "${name}" is working. Wait for its end, or use another name.`),
    );
  const { named } = planning.event.children;
  const read = Object.hasOwn(named, name) ? named[name] : undefined;
  const known = read && (draft.written(read.childId) ?? read);
  if (known === undefined) return planNewName(draft, planned, planning, via, rules);
  const left = hasLeft(known, draft.state);
  if (left && known.agentType !== planned.agentType)
    return refused(
      failure('name_taken', `"${name}" was a sub-agent of another kind, and is being removed. Use another name.`),
    );
  if (known.agentType !== planned.agentType)
    return refused(failure('invalid_arguments', `"${name}" is a sub-agent of another kind: ${known.agentType}.`));
  // One that has left, or was terminated, has given its place back.
  const takesPlace = left || isTerminated(known);
  const full = takesPlace ? noneMore(draft, planning, rules) : undefined;
  if (full) return refused(full);
  if (takesPlace) planning.given.lasting++;
  const anew = left || beginsAnew(known, planned);
  const { ofRun: _ofRun, ...kept } = withMessage(known, planned, planning);
  const child: Child = {
    ...kept,
    terms: termsOf(planned),
    setup: anew ? setupOf(planned) : known.setup,
    ...keptBy(planned.retention, draft.state.run),
    task: taskOf(planned, planning, { number: known.task.number + 1, firstRun: known.runNumber + 1 }),
    runNumber: known.runNumber + 1,
    state: anew ? { is: 'respawning', fresh: true } : { is: 'working' },
  };
  return begun(draft, child, planned, planning);
}

/** A child with a name that nobody has yet, if there may be one more. */
function planNewName(draft: Draft, planned: Planned, planning: Planning, via: Via, rules: Rules): CallPlan {
  const full = noneMore(draft, planning, rules);
  if (full) return refused(full);
  planning.given.lasting++;
  return made(draft, newChild(draft, planned, planning, via), planned, planning, rules);
}

/** Why there is no place for one more, if there is none. Those that have left, or were terminated, have none. */
function noneMore({ state }: Draft, { event, given }: Planning, { limits }: Rules): Failure | undefined {
  const { living, example } = stillKept(event.children.lasting, state);
  const all = living + given.lasting;
  if (all < limits.maxCompanions) return undefined;
  const use = example === undefined ? '' : `, for example "${example}"`;
  return failure('max_children', `You have ${all} companions, the maximum. Give the task to one of them${use}.`);
}

/** The same for a child that there was not before. */
function made(draft: Draft, child: Child, planned: Planned, planning: Planning, rules: Rules): CallPlan {
  childMade(draft, rules, child, planning);
  return begun(draft, child, planned, planning);
}

/** Whether a name is given to a new session: its last one failed, was ended for good, or is gone with its store. */
function beginsAnew({ state }: Child, { keepsMemory }: Planned): boolean {
  if (state.is !== 'ended') return false;
  return hasForgotten({ state }) || (state.session === 'failed' && !keepsMemory);
}

const withMessage = (child: Child, { message }: Planned, { callId }: Planning): Child =>
  message ? posted(child, message, callId) : child;

/** The plan of a call whose child has its task now. */
function begun(draft: Draft, child: Child, { waits }: Planned, { event }: Planning): CallPlan {
  const slot = slotOf(child.placement);
  const reuses =
    slot !== undefined && event.children.slots[child.placement.className]?.free.some((free) => free.slot === slot.slot);
  draft.setChild(child, reuses === true);
  const { agentType, sessionId, address } = child;
  const key = keyOf(child);
  const awaited = isHeldByCall(child.task) || waits !== undefined;
  const awaits = awaited ? { tasks: [key], need: 1, ...waits } : { tasks: [], need: 0 };
  return { kind: 'task', began: { ...key, agentType, sessionId, address }, awaits };
}

function newChild(draft: Draft, planned: Planned, planning: Planning, via: Via): Child {
  const { event, index } = planning;
  const { next, ahead = [] } = event.children;
  const register = registers(planned, planning, draft.state);
  const chosen = planned.childName ?? register?.registered.reference;
  const given = (all: number): string => givenName(planned.agentType, next + all);
  const here = new Set([...draft.state.children.values()].map((child) => child.name));
  // A number whose name is somebody's is nobody's: it is left out.
  const isTaken = (all: number): boolean => here.has(given(all)) || ahead.includes(given(all));
  const isToBeGiven = isLasting(planned) && chosen === undefined;
  const { ofClass, all } = planning.given.next(planned.className, isToBeGiven ? isTaken : () => false);
  const childId = next + all;
  const name = isLasting(planned) ? (chosen ?? given(all)) : undefined;
  const placement = placeOf(via, planned, event, ofClass, name);
  const { first } = planned;
  const runNumber = (first?.runsBefore ?? 0) + 1;
  if (first) draft.setRow(first.capability, { ...first.row, id: childId, childId });
  const child: Child = {
    childId,
    sessionId: mintId('session', event.token, index),
    agentType: planned.agentType,
    address: `${draft.state.session.address}/sub/${planned.addressClass}/${placement.segment}`,
    lifetime: planned.lifetime,
    ...(name === undefined ? {} : { name }),
    placement,
    terms: termsOf(planned),
    setup: setupOf(planned),
    ...keptBy(planned.retention, draft.state.run),
    task: taskOf(planned, planning, { number: 1, firstRun: runNumber }),
    runNumber,
    ...register,
    state: { is: 'working' },
  };
  return withMessage(child, planned, planning);
}

/** What the registry keeps of a new child, and what it is told first. */
function registers({ registers: given }: Planned, { event, index, stepId, callId }: Planning, { session }: AgentState) {
  if (given === undefined) return undefined;
  const { first, maxInstances: _cap, files: _paths, enclosed = [], ...facts } = given;
  const group = stepId === 0 ? {} : { spawnGroupId: `${session.sessionId}.${stepId}` };
  const reference = mintReference(event.token, index);
  const messageId = mintId('message', event.token, index);
  const files = enclosed.length === 0 ? {} : { files: enclosed };
  const message = { messageId, role: 'user', content: first, from: 'parent', ...toSide(facts), ...files } as const;
  const registered = { reference, ...facts, ...group, createdAt: event.at };
  return { registered, mailbox: { messages: [{ number: 1, message, callId }], last: 1 } };
}

/** The side of a child that messages of its parent are for. */
export const toSide = ({ receives }: { readonly receives?: SideName }): Pick<NewMessage, 'to'> =>
  receives === undefined ? {} : { to: receives };

/** Where a new child lives: in a slot of its class, or under its name. */
function placeOf(
  via: Via,
  planned: Planned,
  event: Planning['event'],
  before: number,
  name: string | undefined,
): Placement {
  const { className } = planned;
  const segment = name ?? nextSlot(event, className, before);
  switch (via) {
    case 'facet':
    case 'object':
      return { via, className, segment };
    case 'remote':
      // A tool may lead to a place of its own; a companion is reached as its kind is.
      return { via, className, segment, way: name === undefined ? planned.name : planned.agentType };
  }
}

function nextSlot(event: Planning['event'], className: string, before: number): string {
  const facts = event.children.slots[className] ?? { free: [], next: 1 };
  const free = facts.free[before];
  const slot = free?.slot ?? facts.next + before - facts.free.length;
  return slotName(slot, (free?.generation ?? 0) + 1);
}

function termsOf({ timeoutMs, onParentSuspend, onFailure, onIdle, budget, brings }: Planned): TaskTerms {
  return {
    ...{ timeoutMs, onParentSuspend, onFailure },
    ...(onIdle === 'wake' ? { onIdle } : {}),
    ...(budget ? { budget } : {}),
    ...(brings ? { brings } : {}),
  };
}

function setupOf({ workspace, returnsFiles, mayRead }: Planned): ChildSetup {
  return {
    ...(workspace === 'session' ? {} : { workspace }),
    ...(returnsFiles ? { givesFiles: true } : {}),
    ...(mayRead ? { mayRead } : {}),
  };
}

function taskOf(
  planned: Planned,
  { callId, stepId, written }: Planning,
  first: Pick<Task, 'number' | 'firstRun'>,
): Task {
  const { input, deliver, reads } = planned;
  const task = { ...first, callId, stepId, await: planned.await, deliver, ...(reads ? { reads } : {}) };
  // A message is kept by the child's record; arguments by the step of the call that holds the task, where they are the same.
  if (planned.message || planned.registers) return { ...task, told: true };
  return isHeldByCall(planned) && input === written ? task : { ...task, input };
}

const refused = (error: Failure): CallPlan => ({ kind: 'refused', error });
