/**
 * Children as facets: where they are, how they are made, and the template that makes many of them fast.
 *
 * Keeps F5, F6.
 *
 * - A stub is kept and used again; after a failure it is resolved anew.
 * - A template is a facet that no registry knows: its store is prepared once and cloned for each new child of a class.
 * - Children that are due together enter the registry together, in one commit; until it is made, such a facet is not there
 *     for anybody else.
 * - The SDK of a facet starts when it is used (decision 29).
 */
import type { Agent } from 'agents';
import type { ChildRef, ChildTransport } from '../core/ports/child-transport';
import { agentNamed, type IsShared, objectNamed } from '../core/ports/object-names';
import type { ObjectRuntime } from '../engine/object/object';
import type { ChildCalls, ObjectAnswer, ObjectCall, ObjectStub } from '../engine/object/object-calls';
import type { Segment } from '../engine/tree-messages';
import { parseAddress, parseSlot } from '../protocol/address';
import { kebabCase } from '../protocol/ids';
import { isChildObject, objectName } from './object-children';
import { ownCopy } from './own-copy';
import {
  type FacetIdentity,
  type FacetLevel,
  type FacetRegistry,
  facetKey,
  hasListedFacets,
  type RegisteredIdentity,
} from './sdk-internals';
import { isShared } from './worker-ports';

/** The facets of one object. */
export interface FacetDeps {
  readonly ctx: DurableObjectState;
  readonly dynamicAgents: Agent['dynamicAgents'];
  /** The SDK's record of the facets of this object. */
  registry(): FacetRegistry;
  /** From the root to this object. */
  path(): readonly FacetLevel[];
  /** Resolves once the SDK of this object has started: only then does it delete facets. */
  started(): Promise<void>;
  /** The class and the name of the object itself, as its parent knows it. */
  self(): FacetLevel;
}

const TEMPLATE = 'template:1';
/** The name of a facet that only says what its class has. */
const HOOKS = 'hooks:1';
/** From the second child of a class on, children are cloned. */
const CLONE_FROM = 2;

/**
 * The facet of an agent below an object: slots lie under a prefix that no address can spell.
 * - It is never that of its parent, if both are of one class: the SDK would give the sockets of the one to the other.
 */
export function facetOf({ className, name }: FacetLevel, parent: FacetLevel, shares: IsShared = isShared): FacetLevel {
  const slot = parseSlot(name)?.slot;
  if (slot === undefined) return objectNamed({ className, name }, shares);
  const first = objectNamed({ className, name: `slot:${slot}` }, shares);
  if (first.className !== parent.className || first.name !== parent.name) return first;
  return objectNamed({ className, name: `again:${slot}` }, shares);
}

/** Whether the objects from a root down are those of an address. */
export function isPathOf(path: readonly FacetLevel[], address: string): boolean {
  const { root, below } = parseAddress(address);
  const [top] = path;
  const agent = top && agentNamed(top);
  const standsAlone = agent !== undefined && isChildObject(agent.name);
  // A child's own object is called by its session, and lies at any level.
  const levels = standsAlone ? [root, ...below].slice(-path.length) : [root, ...below];
  if (levels.length !== path.length) return false;
  return levels.every((level, at) => {
    const parent = path[at - 1];
    if (parent === undefined && standsAlone) return level.className === agent.className;
    const { className, name } = parent === undefined ? objectNamed(level, isShared) : facetOf(level, parent);
    return path[at]?.className === className && path[at]?.name === name;
  });
}

/** The slot of an agent that is a facet; undefined for one that an author made. */
export function slotOf(name: string): number | undefined {
  const match = /^(?:slot|again):([1-9][0-9]*)$/.exec(name);
  return match ? Number(match[1]) : undefined;
}

/** Reaches, makes and removes the children of one object. */
export class Facets implements ChildTransport<ChildCalls> {
  readonly #stubs = new Map<string, Promise<ObjectStub>>();
  readonly #made = new Map<string, number>();
  readonly #templates = new Set<string>();
  /** Facets that the registry has already, and that are not made yet. */
  readonly #due = new Map<string, RegisteredIdentity>();

  constructor(readonly deps: FacetDeps) {}

  async send<Kind extends keyof ChildCalls>(
    child: ChildRef,
    message: ChildCalls[Kind]['message'] & { readonly kind: Kind },
  ): Promise<ChildCalls[Kind]['answer']> {
    const { className, name } = this.#facet(child);
    const key = facetKey(className, name);
    const resolved = this.#stubs.get(key) ?? this.#resolve(className, name);
    this.#stubs.set(key, resolved);
    try {
      const stub = await resolved;
      return ownCopy(await stub.offshoot(message));
    } catch (error) {
      // Another call may have resolved it anew since.
      if (this.#stubs.get(key) === resolved) this.#stubs.delete(key);
      throw error;
    }
  }

  async remove(child: ChildRef): Promise<void> {
    const { className, name } = this.#facet(child);
    this.#stubs.delete(facetKey(className, name));
    this.#due.delete(facetKey(className, name));
    await this.deps.started();
    await ownTurn();
    await this.deps.dynamicAgents.delete(named(className), name);
  }

  /** A facet's life has ended, not by its tree: the next message begins another one. */
  aborted({ className, name }: FacetLevel): void {
    this.#stubs.delete(facetKey(className, name));
  }

  /** The copy is in the registry from the moment on at which it is made, so that none is made twice. */
  async copy(source: ChildRef, child: ChildRef): Promise<boolean> {
    const [from, to] = [this.#facet(source), this.#facet(child)];
    const key = facetKey(to.className, to.name);
    const [original, identity] = await Promise.all([this.#identity(from), this.#identity(to)]);
    if (identity.existing || this.#stubs.has(key)) return true;
    // One that is due is not there yet, though the registry has it.
    if (!original.existing || this.#due.has(facetKey(from.className, from.name))) return false;
    this.#class(to.className);
    this.deps.ctx.facets.clone(facetKey(from.className, from.name), key);
    this.deps.registry().record(to.className, to.name, identity);
    return true;
  }

  async prepare(due: readonly ChildRef[]): Promise<void> {
    const counts = new Map<string, number>();
    for (const { placement } of due) counts.set(placement.className, (counts.get(placement.className) ?? 0) + 1);
    await Promise.all([...counts].map(([agent, count]) => this.#prepare(agent, count)));
    if (due.length > 1) await this.#register(due.map((child) => this.#facet(child)));
  }

  /** This object's name of a sub-agent: that of its object, also where there is none any more. */
  nameOf({ className, name }: Segment, known: ReturnType<ObjectRuntime['childAt']>): FacetLevel {
    if (known.ok && known.child.placement.via === 'object')
      return objectNamed({ className, name: objectName(known.child) }, isShared);
    return facetOf({ className, name }, this.deps.self());
  }

  /** The facets of the object that none of its agent's children has. */
  ofAuthor(object: Pick<ObjectRuntime, 'childAt'>): { className: string; name: string; createdAt: number }[] {
    const { ctx, dynamicAgents } = this.deps;
    if (!hasListedFacets(ctx.storage)) return [];
    return dynamicAgents.list().filter(({ className, name }) => {
      const agent = agentNamed({ className, name });
      if (agent === undefined) return true;
      if (slotOf(agent.name) !== undefined) return false;
      return !object.childAt({ ...agent, addressClass: kebabCase(agent.className) }).ok;
    });
  }

  /** Asks a facet that holds nothing whether its class has an author's hook. */
  async learn(className: string): Promise<boolean> {
    const { facets } = this.deps.ctx;
    const key = facetKey(className, HOOKS);
    const id = this.#root().idFromName(`${HOOKS}:${className}`);
    const isHooked = await this.#stub(key, className, id).offshootHooked();
    facets.delete(key);
    return isHooked;
  }

  /** Whether a facet is in the registry and was never made. */
  isDue(className: string, name: string): boolean {
    return this.#due.has(facetKey(className, name));
  }

  /** All at once, so that they share a commit: each begins in a turn of its own. */
  async #register(facets: readonly FacetLevel[]): Promise<void> {
    const identities = await Promise.all(facets.map((facet) => this.#identity(facet)));
    const registry = this.deps.registry();
    for (const [at, identity] of identities.entries()) {
      const { className, name } = facets[at] ?? { className: '', name: '' };
      const key = facetKey(className, name);
      // Whoever sends to it meanwhile makes it.
      if (identity.existing || this.#stubs.has(key)) continue;
      registry.record(className, name, identity);
      this.#due.set(key, identity);
    }
  }

  #identity({ className, name }: FacetLevel): Promise<RegisteredIdentity> {
    return this.deps.registry().identity(className, name, [...this.deps.path(), { className, name }]);
  }

  /** The facet of a child. */
  #facet({ placement }: ChildRef): FacetLevel {
    const { className, segment } = placement;
    const agent = { className, name: segment };
    const facet = facetOf(agent, this.deps.self());
    if (Reflect.has(this.deps.ctx.exports, facet.className)) return facet;
    // Its agent was removed from the list, and has no class here: only the registry knows which class it had.
    const shared = facetOf(agent, this.deps.self(), () => true);
    return this.deps.dynamicAgents.has(shared.className, shared.name) ? shared : facet;
  }

  /** As the SDK resolves a facet, but for the start of its SDK: that comes when it is used. */
  async #resolve(className: string, name: string): Promise<ObjectStub> {
    const parentPath = this.deps.path();
    const key = facetKey(className, name);
    const due = this.#due.get(key);
    const identity = due ?? (await this.#identity({ className, name }));
    this.#due.delete(key);
    if (!identity.existing) this.#clone(className, name);
    const facet = { name, parentPath, identity: identity.name };
    const id = this.#root().idFromName(identity.name);
    const stub = this.#stub(key, className, id);
    if (due === undefined) this.deps.registry().record(className, name, identity);
    return {
      offshoot: (call) => stub.offshoot(call, facet),
      offshootPrepare: (name) => stub.offshootPrepare(name),
      fetch: (request) => stub.fetch(request),
    };
  }

  #root(): DurableObjectNamespace {
    const className = this.deps.path()[0]?.className ?? '';
    return (this.deps.ctx.exports as Record<string, unknown>)[className] as DurableObjectNamespace;
  }

  #clone(className: string, name: string): void {
    const agent = agentNamed({ className, name })?.className ?? className;
    const made = (this.#made.get(agent) ?? 0) + 1;
    this.#made.set(agent, made);
    if (made < CLONE_FROM || !this.#templates.has(agent)) return;
    this.deps.ctx.facets.clone(templateKey(agent), facetKey(className, name));
  }

  /** Prepares a template where several children of an agent are due. */
  async #prepare(agent: string, due: number): Promise<void> {
    if (due < CLONE_FROM || this.#templates.has(agent)) return;
    const { ctx } = this.deps;
    const root = this.#root();
    const key = templateKey(agent);
    const { className, name } = templateOf(agent);
    await this.#stub(key, className, root.idFromName(name)).offshootPrepare(name);
    ctx.facets.abort(key, new Error('The template is prepared.'));
    this.#templates.add(agent);
    this.#made.set(agent, CLONE_FROM);
  }

  /** The facet under a key, made where there is none. */
  #stub(key: string, className: string, id: DurableObjectId): FacetStub {
    const cls = this.#class(className);
    const made: unknown = this.deps.ctx.facets.get(key, () => ({ class: cls as never, id }));
    return made as FacetStub;
  }

  #class(className: string): unknown {
    const cls = (this.deps.ctx.exports as Record<string, unknown>)[className];
    if (cls === undefined) {
      throw new Error(
        `The Worker does not export a class "${className}". Add: export class ${className} extends AgentObject.of(...) {}`,
      );
    }
    return cls;
  }
}

const templateOf = (className: string): FacetLevel => objectNamed({ className, name: TEMPLATE }, isShared);

function templateKey(agent: string): string {
  const { className, name } = templateOf(agent);
  return facetKey(className, name);
}

/** A facet as the platform gives it. */
interface FacetStub extends Omit<ObjectStub, 'offshoot'> {
  offshoot<Call extends ObjectCall>(call: Call, facet: FacetIdentity): Promise<ObjectAnswer<Call>>;
  offshootHooked(): Promise<boolean>;
}

/**
 * A turn of its own: workerd ends its whole process ("Promise callback destroyed itself") where a facet is deleted in the
 * turn in which its own word was taken, as happens when it has a socket and its removal waits for its end.
 */
function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** The SDK reads the name of the class alone; what the Worker exports under it is an opaque handle. */
function named(className: string): never {
  return { name: className } as never;
}
