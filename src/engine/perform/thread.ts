/**
 * The session of a body as its code sees it (`context.thread`). It has its registry from the rows, its queue, its
 * children by their references, and its parent by way of the root.
 *
 * Decides: how often a parent or a child is asked again; who gets files with a message that code queues.
 * Keeps CL11, SA51, SA55, SA54, SAT2, SAT9.
 *
 * - What is queued is known again by the body's key and its place among what that queued: a receipt, in the transaction of the
 *   message, at whoever takes it. So a body that runs again queues nothing twice.
 */

import type { Reading } from '../../core/agent/built-in/read';
import { pathsIn } from '../../core/agent/calls/enclosures';
import type { Child } from '../../core/agent/children/child';
import type { AgentEvent } from '../../core/agent/events';
import { hookedMessage } from '../../core/agent/hooks/hooked-message';
import type { NewMessage } from '../../core/agent/inbound';
import { statusOf } from '../../core/agent/runs/status';
import { endsSession } from '../../core/agent/runs/stop-verb';
import {
  asItStands,
  entryOf,
  type RegisteredChild,
  registryOf,
} from '../../core/agent/standard-agents/subagent-registry';
import type { AgentState, ParentLink } from '../../core/agent/state';
import { changesGiven } from '../../core/definition/hooks/hook-answers';
import type { MessageChanges } from '../../core/definition/hooks/hooked-message';
import { checkGiven } from '../../core/definition/invalid';
import { limitsOf } from '../../core/definition/limits';
import type {
  ChildThread,
  DescendantThread,
  ParentThread,
  QueueFilesInput,
  QueueMessageInput,
  SubagentRegistryEntry,
  ThreadState,
} from '../../core/definition/thread-state';
import type { AgentStore } from '../../core/ports/agent-store';
import { parseAddress, threadIdOf } from '../../protocol/address';
import { IDEMPOTENCY_MS } from '../../protocol/data-limits';
import { failure, failureOf, OffshootError, refuseWith } from '../../protocol/errors';
import { mintId } from '../../protocol/ids';
import { toJson } from '../../protocol/json';
import { SIDES, type SideName } from '../../protocol/sides';
import { WIRE_LIMITS } from '../../protocol/wire/wire-limits';
import { classesWithSlots, knownChildren } from '../children/own-children';
import { namedChildren, switchedOff } from '../children/prompt-subagents';
import { answerReading, type GrantingObject } from '../children/read-granted';
import { type Environment, pause } from '../environment';
import { knownFiles } from '../files/bring-enclosures';
import { findMessage, MESSAGES_SEARCHED } from '../object/find-message';
import type { FoundChild, ThreadAnswer, ThreadCall, ThreadDeed } from '../object/object-calls';
import { segmentOf } from '../tree-messages';
import { KNOWS_DEEDS } from '../versions/known-calls';
import type { BodyAgent, ThreadFence } from './performer';
import type { ReadSecrets } from './read-secrets';

/** A parent that was not reached is asked again after these waits, in ms. */
const ASK_AGAIN_MS = [50, 200, 1_000];

type Taken = Extract<
  AgentEvent,
  { type: 'thread_message' | 'thread_updates' | 'thread_tells' | 'thread_ends' | 'stop' }
>;

/** What one body does to its session. */
class BodyOfThread {
  #queued = 0;

  constructor(
    readonly agent: BodyAgent,
    readonly fence: ThreadFence,
    readonly secrets: ReadSecrets,
  ) {}

  /** What the next message is known again by. */
  nextKey(): string {
    return JSON.stringify(['thread', this.fence.idempotencyKey, ++this.#queued]);
  }

  /** Facts of an event that the body makes now. */
  moment() {
    const { environment } = this.agent;
    const { by, epoch } = this.fence;
    return { at: environment.now(), token: environment.token(), by, epoch };
  }

  message(input: QueueMessageInput): NewMessage {
    return messageOf(input, this.agent.environment.token(), this.secrets);
  }

  /** Applies an event, once for the key; resolves when it would survive a crash. */
  async take(event: Taken, key?: string): Promise<void> {
    const { environment, deps } = this.agent;
    const known = key === undefined ? undefined : deps.store.receipt(key, environment.now());
    if (known === undefined) {
      const applied = this.agent.apply(event, () => key !== undefined && keep(deps.store, key, environment.now()));
      if (!applied.ok) refuseWith(applied.refused);
    }
    await deps.durable();
  }
}

/** The session of a body. @param secrets what the body has read, which no message holds */
export function threadOf(agent: BodyAgent, fence: ThreadFence, secrets: ReadSecrets): ThreadState {
  const body = new BodyOfThread(agent, fence, secrets);
  return {
    threadId: threadIdOf(agent.state.session.address),
    get children() {
      return childrenOf(agent).map(entryOf);
    },
    get terminated() {
      return inMicroseconds(endedAt(agent.state));
    },
    getChildThread: async (reference) => childThread(body, referenceGiven(reference)),
    getParentThread: () => parentThread(body),
    async queueMessage(input) {
      const key = body.nextKey();
      const message = { ...body.message(input), from: 'agent', wakes: true } as const;
      const paths = filesOf(input);
      const files = paths.length === 0 ? {} : { files: { paths, known: knownFiles(agent.deps.kept, new Set(paths)) } };
      await body.take({ type: 'thread_message', ...body.moment(), message, ...files }, key);
    },
    async updateMessage(messageId, changes) {
      if (fence.ofChange)
        throw new OffshootError(
          'invalid_input',
          'A hook of a change returns other changes; it cannot change a message itself.',
        );
      checkGiven('The id of a message', messageId, 'text');
      const key = body.nextKey();
      const next = await changed(agent, { messageId, changes }, fence, (given) => secrets.in(given));
      await body.take({ type: 'thread_updates', ...body.moment(), ...next }, key);
    },
    async terminate() {
      if (endedAt(agent.state) !== undefined) return;
      const reason = 'The agent has ended its session.';
      const { by: _by, epoch: _epoch, ...facts } = body.moment();
      const { runId } = agent.state.run ?? {};
      await body.take({ type: 'stop', ...facts, verb: 'terminate', reason, ...(runId === undefined ? {} : { runId }) });
    },
  };
}

/** A message of the session, and what its hooks make of its changes. @throws OffshootError `not_found`, `invalid_input` */
async function changed(
  agent: BodyAgent,
  { messageId, changes }: { readonly messageId: string; readonly changes: MessageChanges },
  fence: ThreadFence,
  struck: (changes: MessageChanges) => MessageChanges,
) {
  const message = findMessage(agent, messageId);
  if (message === undefined)
    throw new OffshootError(
      'not_found',
      `No message of this session has the id "${messageId}", or ${MESSAGES_SEARCHED} newer ones have come since.`,
    );
  const told = hookedMessage(message);
  const given = changesGiven(told, changes, agent.seat.rules.limits.maxMessageBytes);
  return { message, changes: await agent.hookedChanges(told, struck(given), fence) };
}

function referenceGiven(reference: string): string {
  checkGiven('The reference of a child', reference, 'text');
  return reference;
}

function childThread(body: BodyOfThread, reference: string): ChildThread | null {
  const { agent } = body;
  const find = () => childOfReference(agent, reference);
  const first = find();
  if (first === undefined) return null;
  let last = first;
  // One that lived for a call leaves the rows when its place is taken: what was known last stays.
  const now = (): RegisteredChild => {
    last = find() ?? last;
    return last;
  };
  return {
    threadId: threadIdOf(first.address),
    get entry() {
      return entryOf(now());
    },
    get terminated() {
      return inMicroseconds(now().registered.terminatedAt);
    },
    async queueMessage(input) {
      const key = body.nextKey();
      const message = forChild(body.message(input), first.registered.receives, input);
      const off = await switchedOff(agent, agent.seat);
      const disabled = off.length > 0 ? { disabled: off } : {};
      const paths = filesOf(input);
      const children = knownByReference(agent, now(), paths);
      const files = paths.length === 0 ? {} : { files: { paths, maxBytes: largestFor(agent, first) } };
      await body.take(
        { type: 'thread_tells', ...body.moment(), reference, message, children, ...files, ...disabled },
        key,
      );
    },
    terminate: () =>
      body.take({ type: 'thread_ends', ...body.moment(), reference, children: knownByReference(agent, now()) }),
    ...sessionBelow(body, first),
  };
}

type Place = Pick<FoundChild, 'address' | 'sessionId'>;

/** The answer of a session below to what the body does there. @throws OffshootError as that session refuses */
async function done({ agent, secrets }: BodyOfThread, { address, sessionId: owner }: Place, does: ThreadDeed) {
  const { environment, state, deps } = agent;
  const { root, sessionId: asker } = state.session;
  const path = parseAddress(address).below.map(segmentOf);
  const call = { kind: 'thread', path, owner, asker, does: secrets.in(does), since: KNOWS_DEEDS } as const;
  const answer = await asked(environment, () => deps.askThread(root, call));
  return answer.ok ? answer : refuseWith(answer.error);
}

/** What the body may do in a session below, beside telling or ending it. */
function sessionBelow(body: BodyOfThread, place: Place): Pick<DescendantThread, 'getChildThread' | 'updateMessage'> {
  return {
    async getChildThread(reference) {
      const { child } = await done(body, place, { type: 'look', reference: referenceGiven(reference) });
      return child === undefined ? null : descendant(body, place, child);
    },
    async updateMessage(messageId, changes) {
      checkGiven('The id of a message', messageId, 'text');
      await done(body, place, { type: 'update', key: body.nextKey(), messageId, changes });
    },
  };
}

/** A child of a session below: that session tells and ends it. */
function descendant(body: BodyOfThread, parent: Place, child: FoundChild): DescendantThread {
  const { entry, receives, terminatedAt } = child;
  const { reference } = entry;
  return Object.freeze({
    threadId: threadIdOf(child.address),
    entry,
    terminated: inMicroseconds(terminatedAt),
    async queueMessage(input: QueueMessageInput) {
      if (filesOf(input).length > 0)
        throw new OffshootError('invalid_input', 'A message to a child of a child has no `attachments`.');
      const message = forChild(body.message(input), receives, input);
      await done(body, parent, { type: 'send', key: body.nextKey(), reference, message });
    },
    async terminate() {
      await done(body, parent, { type: 'end', key: body.nextKey(), reference });
    },
    ...sessionBelow(body, child),
  });
}

async function parentThread(body: BodyOfThread): Promise<ParentThread | null> {
  const { environment, state, deps } = body.agent;
  const { parent, root, sessionId } = state.session;
  if (parent === undefined) return null;
  const ask = (tells?: ThreadCall['tells']) =>
    asked(environment, () => deps.askThread(root, callTo(parent, sessionId, tells)));
  const answer = await ask();
  if (!answer.ok) return null;
  const { status, entry = null } = answer;
  return Object.freeze({
    threadId: threadIdOf(parent.address),
    status,
    entry,
    async queueMessage(input: QueueMessageInput) {
      if (filesOf(input).length > 0)
        throw new OffshootError(
          'invalid_input',
          'A message to the parent has no `attachments`: files are returned at the end of a session (`attachmentsProperty`).',
        );
      const told = await ask({ key: body.nextKey(), message: body.message(input) });
      if (!told.ok) refuseWith(told.error);
    },
  });
}

/** The registry by the rows. */
function childrenOf({ state, deps: { store } }: BodyAgent): RegisteredChild[] {
  return registryOf({ state, written: () => undefined }, namedChildren(store));
}

/** A child by its reference: also one that lived for a call which has ended, as long as its object is there. */
function childOfReference({ state, deps: { store } }: BodyAgent, reference: string): RegisteredChild | undefined {
  const isMeant = (child: Child): child is RegisteredChild => child.registered?.reference === reference;
  const open = [...state.children.values()].find(isMeant);
  if (open) return open;
  const row = store.named(reference) ?? store.children().find(isMeant);
  const child = row && asItStands(row, state, (one) => endedInCall(store, one));
  return child && isMeant(child) ? child : undefined;
}

/** When the call that held the task of a child had its result. */
function endedInCall(store: Pick<AgentStore, 'steps'>, { task }: Child): number | undefined {
  const [step] = store.steps({ after: task.stepId - 1, upTo: task.stepId });
  const call = step?.phase === 'calls' ? step.calls.find(({ callId }) => callId === task.callId) : undefined;
  return call?.settled?.at;
}

/** What the core has to know of a child that is told something, by its reference. */
function knownByReference(agent: BodyAgent, child: RegisteredChild, paths: readonly string[] = []) {
  const { registered, lifetime, placement } = child;
  const known = knownChildren(agent.deps.store, classesWithSlots([{ lifetime, className: placement.className }]), []);
  const files = knownFiles(agent.deps.kept, new Set(paths));
  return { ...known, files, named: { [registered.reference]: child }, registered: childrenOf(agent) };
}

/** The largest file that a child takes, in bytes. */
function largestFor({ seat }: BodyAgent, { agentType }: RegisteredChild): number {
  const entry = seat.definition.subagents.find(({ name }) => name === agentType);
  return limitsOf(entry?.relationship.child.limits ?? {}).maxFileBytes;
}

/** The files that go with a message, each once. @throws OffshootError `invalid_input` */
function filesOf(input: QueueFilesInput): readonly string[] {
  checkGiven('A message', input, 'object');
  const { attachments = [] } = input;
  const isList = Array.isArray(attachments) && attachments.every((path) => typeof path === 'string');
  const named = isList ? pathsIn([...attachments]) : { problem: 'is a list of paths' };
  if ('problem' in named) throw new OffshootError('invalid_input', `\`attachments\` ${named.problem}.`);
  return named.paths;
}

/** When a session was ended for good, also where what it did has still to end. */
function endedAt({ session, run }: AgentState): number | undefined {
  if (session.terminated) return session.terminated.at;
  const stop = run?.phase === 'active' ? run.stop : undefined;
  return stop && endsSession(stop.verb) ? stop.at : undefined;
}

const inMicroseconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms * 1_000);

const ROLES: readonly string[] = ['user', 'assistant'];

/** What is queued, checked. @throws OffshootError `invalid_input`, `payload_too_large` */
function messageOf(input: QueueMessageInput, token: string, secrets: ReadSecrets): NewMessage {
  checkGiven('A message', input, 'object');
  const { role, content, side, silent, metadata } = input;
  const isText = typeof content === 'string' && content !== '';
  if (!ROLES.includes(role) || !isText || (side !== undefined && !SIDES.includes(side)))
    throw new OffshootError(
      'invalid_input',
      'A message is `{ role, content }`: role `user` or `assistant`, content a text, and `side` one of `side_a` and `side_b`.',
    );
  const facts = metadata === undefined ? undefined : toJson(metadata, WIRE_LIMITS.maxMetadataBytes);
  if (facts && !facts.ok) throw new OffshootError('invalid_input', `The metadata must be JSON: ${facts.problem}.`);
  return secrets.in({
    messageId: mintId('message', token),
    role: 'user',
    content,
    from: 'parent',
    to: side ?? sideOf(role),
    ...(silent ? { silent: true as const } : {}),
    ...(facts ? { metadata: facts.json } : {}),
  });
}

const sideOf = (role: QueueMessageInput['role']): SideName => (role === 'assistant' ? 'side_b' : 'side_a');

/** The same for a child: what nobody says the side of is for the one that hears its parent. */
function forChild(message: NewMessage, receives: SideName | undefined, { side, role }: QueueMessageInput): NewMessage {
  return side === undefined && role === 'user' && receives ? { ...message, to: receives } : message;
}

function keep(store: Pick<AgentStore, 'addReceipt'>, key: string, now: number): void {
  store.addReceipt(key, { body: '', answer: { status: 202, body: {} } }, now, IDEMPOTENCY_MS);
}

function callTo({ address, sessionId: owner }: ParentLink, asker: string, tells: ThreadCall['tells']): ThreadCall {
  const path = parseAddress(address).below.map(segmentOf);
  return { kind: 'thread', path, owner, asker, ...(tells ? { tells } : {}) };
}

async function asked(environment: Environment, ask: () => Promise<ThreadAnswer>): Promise<ThreadAnswer> {
  for (const wait of ASK_AGAIN_MS) {
    try {
      return await ask();
    } catch (error) {
      environment.report('The parent could not be reached.', error);
      await pause(environment, wait);
    }
  }
  return ask();
}

/** An object whose session is asked by a child of it. */
interface ThreadObject extends GrantingObject {
  readonly agent: BodyAgent | undefined;
  readonly store: Pick<AgentStore, 'children' | 'named' | 'receipt' | 'addReceipt'>;
  readonly environment: Environment;
}

/** Answers a child: how the session stands, once it has taken what it was told; or what it reads. Or an agent above, which does something. */
export async function answerThread(object: ThreadObject, call: ThreadCall): Promise<ThreadAnswer> {
  const { agent, store, environment } = object;
  const { owner, asker, tells, reads, does } = call;
  if (does) return agent?.state.session.sessionId === owner ? answerAbove(agent, asker, does) : SESSION_GONE;
  const child = agent?.state.session.sessionId === owner ? childOf(agent.state, store, asker) : undefined;
  if (agent === undefined || child === undefined)
    return { ok: false, error: failure('gone', 'The parent of this agent no longer exists.') };
  if (reads) return readFor(object, agent.state, child, reads);
  const entry = child.registered ? entryOf({ ...child, registered: child.registered }) : undefined;
  const key = JSON.stringify([asker, tells?.key]);
  if (tells && store.receipt(key, environment.now()) === undefined) {
    const applied = agent.apply(eventOf(tells.message, entry, environment), () => keep(store, key, environment.now()));
    if (!applied.ok) return { ok: false, error: applied.refused };
  }
  return { ok: true, status: statusOf(agent.state), ...(entry ? { entry } : {}) };
}

const SESSION_GONE: ThreadAnswer = { ok: false, error: failure('gone', 'That session no longer exists.') };

/** Does what an agent above asks for, once for its key. */
async function answerAbove(agent: BodyAgent, asker: string, does: ThreadDeed): Promise<ThreadAnswer> {
  const { environment, deps } = agent;
  if (does.type === 'look') {
    const child = childOfReference(agent, does.reference);
    return { ok: true, status: statusOf(agent.state), ...(child ? { child: foundChild(child) } : {}) };
  }
  const key = JSON.stringify([asker, does.key]);
  try {
    if (deps.store.receipt(key, environment.now()) === undefined) {
      const event = await eventOfDeed(agent, key, does);
      const applied = agent.apply(event, () => keep(deps.store, key, environment.now()));
      if (!applied.ok) return { ok: false, error: applied.refused };
    }
    await deps.durable();
  } catch (error) {
    return { ok: false, error: failureOf(error) };
  }
  return { ok: true, status: statusOf(agent.state) };
}

function foundChild(child: RegisteredChild): FoundChild {
  const { address, sessionId, registered } = child;
  const { terminatedAt, receives } = registered;
  return {
    ...{ address, sessionId, entry: entryOf(child) },
    ...(terminatedAt === undefined ? {} : { terminatedAt }),
    ...(receives === undefined ? {} : { receives }),
  };
}

/** @throws OffshootError `not_found`, and as the changes of a message are refused */
async function eventOfDeed(
  agent: BodyAgent,
  by: string,
  does: Exclude<ThreadDeed, { type: 'look' }>,
): Promise<AgentEvent> {
  const moment = () => ({ at: agent.environment.now(), token: agent.environment.token(), by });
  if (does.type === 'update') {
    const { run } = agent.state;
    const { signal } = new AbortController();
    const fence = { by, idempotencyKey: by, runId: run?.runId ?? '', epoch: 0, signal };
    const { message, changes } = await changed(agent, does, fence, (given) => given);
    return { type: 'thread_updates', ...moment(), message, changes };
  }
  const { reference } = does;
  const child = childOfReference(agent, reference);
  if (child === undefined) throw new OffshootError('not_found', `There is no child with the reference "${reference}".`);
  const children = knownByReference(agent, child);
  if (does.type === 'end') return { type: 'thread_ends', ...moment(), reference, children };
  const off = await switchedOff(agent, agent.seat);
  const disabled = off.length > 0 ? { disabled: off } : {};
  return { type: 'thread_tells', ...moment(), reference, message: does.message, children, ...disabled };
}

/** Only while its task is open it reads what that allows. */
async function readFor(
  object: ThreadObject,
  state: AgentState,
  { childId }: Child,
  reads: Reading,
): Promise<ThreadAnswer> {
  try {
    const read = await answerReading(object, state, childId, reads);
    return { ok: true, status: statusOf(state), ...read };
  } catch (error) {
    return { ok: false, error: failureOf(error) };
  }
}

function childOf({ children }: AgentState, store: Pick<AgentStore, 'children'>, sessionId: string) {
  const open = [...children.values()].find((child) => child.sessionId === sessionId);
  return open ?? store.children().find((child) => child.sessionId === sessionId);
}

/** What a child says: its metadata name the child, whatever it says of that. */
function eventOf(told: NewMessage, entry: SubagentRegistryEntry | undefined, { now, token }: Environment): AgentEvent {
  const { metadata } = told;
  const given = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata : {};
  const facts = entry ? { metadata: { ...given, subagent_id: entry.reference } } : {};
  const message: NewMessage = { ...told, ...facts, from: 'child', wakes: true };
  return { type: 'thread_message', at: now(), token: token(), message };
}
