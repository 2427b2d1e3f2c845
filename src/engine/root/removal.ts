/**
 * Removing: a whole tree, or one agent with everything below it.
 *
 * Decides: how long a deletion waits for what works.
 *
 * A16. A tree that is being deleted is marked so before anything of it goes: a crash at any point ends in its deletion.
 *      What works is stopped first, for a bounded time; then it goes, whether it has stopped or not.
 * A17. An agent leaves the record before its object goes, so that nothing it still sends enters the log. That its object
 *      has to go is committed with it, and tried again until it is gone.
 * CO35. A companion whose deletion failed takes further tasks as before.
 * RM18. What agents elsewhere are owed, their removal there included, is paid before those of the tree go that owe it.
 * RM23. Agents that do not say what they owe elsewhere hold a deletion up for a day.
 * OP6. Objects of children do not go with what is above them: the root erases each, by what its record holds, before a
 *      deleted tree is gone, and before an address that was deleted is free again.
 * OP10. While they are erased the root takes nothing in: whoever begins meanwhile is told so, and erases itself.
 * OP12. What is removed or erased now is not once more, when the alarm comes.
 * OP13. What cannot be erased is tried again ever less often, and not forgotten; a deletion that fails is gone on with so.
 */
import { keyOf } from '../../core/agent/children/child';
import type { AgentDefinition } from '../../core/definition/definition';
import type { AgentStore } from '../../core/ports/agent-store';
import type { ChildRef, ChildTransport, Messages } from '../../core/ports/child-transport';
import type { DirectoryPort } from '../../core/ports/directory';
import type { Dues } from '../../core/tree/merge';
import { type ChildNode, isLive, type RemovedNode } from '../../core/tree/node';
import { deletionAt, deletionInVain, failedAgain } from '../../core/tree/removed-agents';
import { PARENT_LEAVES_MS } from '../../core/tree/tries';
import { formatAddress, parseAddress } from '../../protocol/address';
import { failure } from '../../protocol/errors';
import { type Environment, inTime } from '../environment';
import { few } from '../object/pacing';
import type { WorkingAgent } from '../perform/performer';
import { beganAtRoot } from '../receipt-key';
import { type AgentAnswer, type AgentMessage, endedChild, segmentOf } from '../tree-messages';
import type { RootRuntime } from './root';
import { type ClaimedObject, giveBackClaim } from './root-claims';

/** The object of a root, as far as removals go. */
export interface RemovalObject extends ClaimedObject {
  readonly agent: Pick<WorkingAgent, 'state' | 'apply'> | undefined;
  readonly tree: RootRuntime | undefined;
  readonly environment: Environment;
  readonly store: Pick<AgentStore, 'children' | 'receiptKeys'>;
  readonly ports: ClaimedObject['ports'] & {
    readonly definition: AgentDefinition;
    arm(time: number): void;
    directory?(): DirectoryPort | undefined;
    erase?(): void;
  };
  readonly children: Pick<ChildTransport<Messages>, 'remove'>;
  readonly elsewhere: { readonly mayOwe: boolean };
  /** What its own agent owes to agents elsewhere that have left, also of those whose debts it has taken over. */
  readonly dues: Dues;
  /** Ends with the last clearing away that began as agents left the record. */
  readonly cleared: Promise<void>;
  send(address: string, message: AgentMessage): Promise<AgentAnswer>;
  stop(): void;
}

/** How long what works may take to stop before it is cut off, in ms. */
const STOP_WAIT_MS = 5_000;
/** A tree that only owes something elsewhere asks so long after, in ms, at the earliest whether that is paid. */
const OWED_AGAIN_MS = 1_000;

/** Deletes the tree of a root. Its data is gone soon after this resolves; from the first commit on it does not answer. */
export async function removeTree(object: RemovalObject, key?: string): Promise<void> {
  const { tree, agent, environment } = object;
  if (tree === undefined || agent === undefined) return;
  if (tree.self()?.top.removing === undefined) {
    tree.note({ removing: key === undefined ? {} : { key } });
    object.ports.arm(environment.now() + STOP_WAIT_MS);
    agent.apply({
      type: 'stop',
      at: environment.now(),
      token: environment.token(),
      verb: 'terminate',
      reason: 'The agent was deleted.',
    });
  }
  await tree.until(() => ![...tree.tree.all()].some(isLive), STOP_WAIT_MS);
  await goOn(object, 'now');
}

/** Deletions that are gone on with now: the alarm may ring while an agent is asked. */
const UNDER_WAY = new WeakMap<RemovalObject, Promise<void>>();

/** Goes on with a deletion; the alarm does so after a crash, or when the directory could not be told. */
export const finishRemoval = (object: RemovalObject): Promise<void> => goOn(object, 'when due');

function goOn(object: RemovalObject, when: 'now' | 'when due'): Promise<void> {
  const known = UNDER_WAY.get(object);
  if (known) return known;
  const work = goOnRemoving(object, when).finally(() => UNDER_WAY.delete(object));
  UNDER_WAY.set(object, work);
  return work;
}

async function goOnRemoving(object: RemovalObject, when: 'now' | 'when due'): Promise<void> {
  const { tree, agent, ports, environment } = object;
  const removing = tree?.self()?.top.removing;
  if (tree === undefined || removing === undefined || agent === undefined) return;
  const { sessionId, root, address } = agent.state.session;
  const againAt = deletionAt(removing, environment.now());
  if (againAt !== undefined && when === 'when due') return ports.arm(againAt);
  const { key } = removing;
  try {
    const { owedAt, silent } = await leaveElsewhere(object, tree);
    const again = silent.length > 0 ? deletionInVain(removing, environment.now()) : undefined;
    if (again) {
      tree.note({ removing: again });
      return ports.arm(again.tries?.nextAt ?? environment.now());
    }
    for (const one of silent) environment.report(goesAllTheSame(one));
    // Who owes something is there until it is paid, and is asked by the alarm.
    if (owedAt !== undefined) return ports.arm(Math.max(owedAt, environment.now() + OWED_AGAIN_MS));
    tree.close();
    const inVain = await erase(object, ownObjects(object, tree));
    for (const error of inVain.values()) throw error;
    if (object.dues.effectAt !== undefined) return ports.arm(environment.now() + OWED_AGAIN_MS);
    // Before the name is free: whoever takes it next must not find them.
    await ports.definition.documents?.(environment.bindings, address).forget();
    await ports.directory?.()?.recordDeletion({
      ...{ name: root.name, sessionId, begun: begunAt(object) },
      ...(key === undefined ? {} : { key }),
    });
    await giveBackClaim(object);
  } catch (error) {
    const tries = failedAgain(removing.tries, environment.now());
    if (removing.tries === undefined) environment.report(STAYS, error);
    try {
      tree.note({ removing: { ...removing, tries } });
    } finally {
      ports.arm(tries.nextAt);
    }
    return;
  }
  object.stop();
  ports.erase?.();
}

/** What is told of a deletion that fails, once. */
const STAYS =
  'A root could not be deleted completely, or its deletion could not be reported to the directory; the alarm tries again.';

/** What is told of an agent that did not answer until its tree went. */
export const goesAllTheSame = (address: string): string =>
  `The pending cleanup of ${address} on other servers is not known; its tree was deleted anyway.`;

/** What came of asking the agents of a tree what they owe elsewhere. */
interface Asked {
  /** When what is owed is due next, in ms since 1970; missing where nothing is. */
  readonly owedAt?: number;
  /** The addresses of those that did not answer. */
  readonly silent: readonly string[];
}

/** Lets the agents elsewhere of a tree leave, each by way of its parent, so that they are stopped and removed there (RM18). */
async function leaveElsewhere(object: RemovalObject, root: RootRuntime): Promise<Asked> {
  const { tree } = root;
  const { environment, elsewhere } = object;
  // What is being removed is asked first what it owes.
  if (elsewhere.mayOwe && unerasedIn(object).length > 0) await clearAway(object);
  const silent = elsewhere.mayOwe ? unerasedIn(object) : [];
  const leave = [...tree.allChildren()].filter(({ placement }) => placement === 'remote').map(({ address }) => address);
  const ways = byParent(leave);
  for (const { address, owesElsewhere } of tree.all()) if (owesElsewhere && !ways.has(address)) ways.set(address, []);
  const { effectAt: own } = object.dues;
  const times: number[] = own === undefined ? [] : [own];
  const ask = async ([parent, addresses]: readonly [string, readonly string[]]): Promise<void> => {
    try {
      const answer = await askedToLeave(object, parent, addresses);
      if (answer.answer === 'done' && answer.effectAt !== undefined) times.push(answer.effectAt);
    } catch (error) {
      // One that is asked again was told of before.
      if (root.self()?.top.removing?.tries === undefined)
        environment.report(`${parent} did not report its pending cleanup on other servers.`, error);
      silent.push(parent);
    }
  };
  const all = [...ways];
  // Where everything is lost meanwhile, it is gone on with.
  if (all.length > 0) object.ports.arm(environment.now() + PARENT_LEAVES_MS);
  for (const some of few(all)) await Promise.all(some.map(ask));
  return { silent, ...(times.length === 0 ? {} : { owedAt: Math.min(...times) }) };
}

/** The addresses of what has left the record, and is still there. */
const unerasedIn = ({ tree }: RemovalObject): string[] =>
  tree ? [...tree.unerased.map(({ address }) => address), ...tree.pendingRemovals] : [];

/** @throws where it is not reached, or does not answer in time */
async function askedToLeave(object: RemovalObject, parent: string, addresses: readonly string[]): Promise<AgentAnswer> {
  const segments = addresses.flatMap((address) => parseAddress(address).below.slice(-1).map(segmentOf));
  return inTime(object.environment, PARENT_LEAVES_MS, object.send(parent, { type: 'remove', segments }));
}

/** The receipts of requests that began something at the root itself. */
function begunAt({ store, environment }: RemovalObject): string[] {
  return store.receiptKeys(environment.now()).filter(beganAtRoot);
}

/**
 * Removes an agent below the root with everything below it. `inTransaction` is called when it leaves the record; the
 * parent's call has its result by then, so that a crash cannot begin the agent again.
 */
export async function removeAgent(object: RemovalObject, node: ChildNode, inTransaction?: () => void): Promise<void> {
  const { tree } = object;
  const parent = tree?.tree.parentOf(node);
  if (tree === undefined || parent === undefined) return;
  const task = keyOf(node);
  const error = failure('deleted', 'The sub-agent was deleted while it worked.');
  const tell = (message: AgentMessage) => object.send(parent.address, message);
  const works = (): boolean => tree.tree.subtree(node.id).some(isLive);
  // A further task that its parent gives it meanwhile does not begin: nobody would ever tell of its end.
  tree.tree.deleted.add(node.sessionId);
  try {
    if (works()) {
      await tell({ type: 'child_stop', task, error });
      await tree.until(() => !works(), STOP_WAIT_MS);
    }
    await tell(endedChild(task, error));
    await tell({ type: 'child_gone', task, error: failure('deleted', 'A person deleted it.') });
    tree.remove(node, inTransaction);
  } catch (failed) {
    tree.tree.deleted.delete(node.sessionId);
    throw failed;
  }
  await object.cleared;
}

/** Works on those of these that nobody works on, some at once (OP12). */
async function once<One>({ atWork }: RootRuntime, all: readonly One[], work: (free: readonly One[]) => Promise<void>) {
  for (const some of few(all)) {
    const free = some.filter((one) => !atWork.has(one));
    for (const one of free) atWork.add(one);
    try {
      if (free.length > 0) await work(free);
    } finally {
      for (const one of free) atWork.delete(one);
    }
  }
}

/**
 * Removes the objects of agents that left the record, those of one parent together; what cannot be removed now is tried
 * again by the alarm.
 */
export async function clearAway(object: RemovalObject): Promise<void> {
  const { tree, environment } = object;
  if (tree === undefined) return;
  const due = tree.unerased.filter(({ tries }) => (tries?.nextAt ?? 0) <= environment.now());
  await once(tree, due, (some) => eraseObjects(object, tree, some));
  for (const [parent, addresses] of byParent(tree.dueRemovals))
    await once(tree, addresses, (some) => clearBelow(object, tree, parent, some));
}

async function eraseObjects(object: RemovalObject, tree: RootRuntime, nodes: readonly RemovedNode[]): Promise<void> {
  const inVain = await erase(object, nodes.map(refOf));
  tree.owing(tree.self()?.address ?? '', object.dues);
  const stay = nodes.filter(({ sessionId }) => inVain.has(sessionId));
  if (stay.some(({ tries }) => tries === undefined))
    object.environment.report(
      'Objects of removed agents could not be erased; the alarm tries again.',
      [...inVain.values()][0],
    );
  tree.erased(
    nodes.filter((node) => !stay.includes(node)),
    stay,
  );
}

async function clearBelow(
  object: RemovalObject,
  tree: RootRuntime,
  parent: string,
  leaving: readonly string[],
): Promise<void> {
  try {
    const segments = leaving.flatMap((address) => tree.leaving(address));
    const answer = await inTime(
      object.environment,
      PARENT_LEAVES_MS,
      object.send(parent, { type: 'remove', segments }),
    );
    const { stay = [] } = answer.answer === 'done' ? answer : {};
    if (answer.answer === 'done') tree.owing(parent, answer);
    if (stay.length > 0) tree.removedInVain(stay);
    tree.removed(leaving.filter((address) => !stay.includes(address)));
  } catch (error) {
    if (!leaving.every((address) => tree.wasTried(address)))
      object.environment.report(
        `Agents below ${parent} could not be deleted completely; the alarm tries again.`,
        error,
      );
    tree.removedInVain(leaving);
  }
}

/** All objects of children in a tree, also those of the root's children that are at their places still after they left. */
function ownObjects({ store }: RemovalObject, { tree, unerased }: RootRuntime): ChildRef[] {
  const own = store.children().filter(({ sessionId }) => !tree.bySession(sessionId));
  return [...own, ...[...tree.allChildren(), ...unerased].map(refOf)].filter(
    ({ placement }) => placement.via === 'object',
  );
}

/** Erases objects, those too that come after one that cannot be. Harmless where they are gone. @returns why not, by session */
async function erase({ children }: RemovalObject, refs: readonly ChildRef[]): Promise<Map<string, unknown>> {
  const inVain = new Map<string, unknown>();
  for (const some of few(refs))
    await Promise.all(some.map((ref) => children.remove(ref).catch((error) => inVain.set(ref.sessionId, error))));
  return inVain;
}

/** An agent in this Worker, as its object is found. */
export function refOf({ sessionId, address, placement: via }: ChildNode | RemovedNode): ChildRef {
  const { root, below } = parseAddress(address);
  const { className, name: segment } = below.at(-1) ?? root;
  return { sessionId, address, placement: { via: via === 'object' ? 'object' : 'facet', className, segment } };
}

function byParent(addresses: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const address of addresses) {
    const { root, below } = parseAddress(address);
    const parent = formatAddress(root, below.slice(0, -1));
    const known = found.get(parent);
    if (known) known.push(address);
    else found.set(parent, [address]);
  }
  return found;
}
