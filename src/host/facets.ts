/**
 * Children as facets: where they are, how they are made, and the template that makes many of them fast.
 *
 * - A stub is kept and used again; after a failure it is resolved anew.
 * - A template is a facet that no registry knows: its store is prepared once and cloned for each new child of a class.
 */
import type { Agent } from 'agents';
import { parseSlot } from '../core/protocol/address';
import type { ObjectAnswer, ObjectCall, ObjectStub } from '../engine/calls';
import type { Segment } from '../engine/messages';

/** The facets of one object. */
export interface FacetDeps {
  readonly ctx: DurableObjectState;
  readonly dynamicAgents: Agent['dynamicAgents'];
  /** The SDK's record of the facets of this object. */
  registry(): FacetRegistry;
  /** From the root to this object. */
  path(): readonly FacetLevel[];
  /** Resolves once the SDK of this object has started: only then does it know its path. */
  started(): Promise<void>;
  /** The class and the name of the object itself, as its parent knows it. */
  self(): FacetLevel;
}

/** A facet, or the object at the top. */
export interface FacetLevel {
  readonly className: string;
  readonly name: string;
}

/** What a facet is, told with each call: its class may not know it yet. */
export interface FacetIdentity {
  readonly name: string;
  readonly parentPath: readonly FacetLevel[];
  /** The name that its id is made of. */
  readonly identity: string;
}

/** A part of the SDK that it keeps to itself: where it notes which facets an object has. */
export interface FacetRegistry {
  identity(className: string, name: string, path: readonly FacetLevel[]): Promise<{ readonly name: string }>;
  record(className: string, name: string, identity: { readonly name: string }): void;
}

/** The registry of an object. */
export function registryOf(agent: object): FacetRegistry {
  return (agent as unknown as { _dynamicAgents: { registry: FacetRegistry } })._dynamicAgents.registry;
}

const TEMPLATE = 'template:1';
/** From the second child of a class on, children are cloned. */
const CLONE_FROM = 2;

/**
 * A facet's name: slots lie under a prefix that no address can spell.
 * - It is never that of its parent, if both are of one class: the SDK would give the sockets of the one to the other.
 */
export function facetName({ className, name }: FacetLevel, parent: FacetLevel): string {
  const slot = parseSlot(name)?.slot;
  if (slot === undefined) return name;
  const first = `slot:${slot}`;
  return parent.className === className && parent.name === first ? `again:${slot}` : first;
}

/** The slot that a facet is in; undefined for one that an author made. */
export function slotOf(facet: string): number | undefined {
  const match = /^(?:slot|again):([1-9][0-9]*)$/.exec(facet);
  return match ? Number(match[1]) : undefined;
}

/** Resolves, makes and removes the children of one object. */
export class Facets {
  readonly #stubs = new Map<string, Promise<ObjectStub>>();
  readonly #made = new Map<string, number>();
  readonly #templates = new Set<string>();

  constructor(readonly deps: FacetDeps) {}

  /** The stub of a child; made if it is not there. */
  stub(segment: Segment): Promise<ObjectStub> {
    const name = facetName(segment, this.deps.self());
    const key = keyOf(segment.className, name);
    const known = this.#stubs.get(key);
    if (known) return known;
    const stub = this.#resolve(segment.className, name);
    this.#stubs.set(key, stub);
    stub.catch(() => this.#stubs.delete(key));
    return stub;
  }

  /** Forgets a stub that failed. */
  forget(segment: Segment): void {
    this.#stubs.delete(keyOf(segment.className, facetName(segment, this.deps.self())));
  }

  /** Removes a child with its store and everything below it. */
  async remove(segment: Segment): Promise<void> {
    this.forget(segment);
    await this.deps.dynamicAgents.delete(named(segment.className), facetName(segment, this.deps.self()));
  }

  /** As the SDK resolves a facet, but for the start of its SDK: that comes when it is used. */
  async #resolve(className: string, name: string): Promise<ObjectStub> {
    const cls = this.#class(className);
    await this.deps.started();
    if (!this.deps.dynamicAgents.has(className, name)) this.#clone(className, name);
    const parentPath = this.deps.path();
    const registry = this.deps.registry();
    const identity = await registry.identity(className, name, [...parentPath, { className, name }]);
    const facet = { name, parentPath, identity: identity.name };
    const id = this.#root().idFromName(identity.name);
    const made: unknown = this.deps.ctx.facets.get(keyOf(className, name), () => ({ class: cls as never, id }));
    const stub = made as FacetStub;
    registry.record(className, name, identity);
    return {
      offshoot: (call) => stub.offshoot(call, facet),
      offshootPrepare: () => stub.offshootPrepare(),
      fetch: (request) => stub.fetch(request),
    };
  }

  #root(): DurableObjectNamespace {
    const className = this.deps.path()[0]?.className ?? '';
    return (this.deps.ctx.exports as Record<string, unknown>)[className] as DurableObjectNamespace;
  }

  #clone(className: string, name: string): void {
    const made = (this.#made.get(className) ?? 0) + 1;
    this.#made.set(className, made);
    if (made < CLONE_FROM) return;
    const { ctx } = this.deps;
    const template = keyOf(className, TEMPLATE);
    if (!this.#templates.has(className)) return;
    ctx.facets.clone(template, keyOf(className, name));
  }

  /** Prepares a template where several children of a class are due. */
  async prepare(className: string, due: number): Promise<void> {
    if (due < CLONE_FROM || this.#templates.has(className)) return;
    const { ctx } = this.deps;
    await this.deps.started();
    const root = this.#root();
    const stub: unknown = ctx.facets.get(keyOf(className, TEMPLATE), () => ({
      class: this.#class(className) as never,
      id: root.idFromName(TEMPLATE),
    }));
    await (stub as ObjectStub).offshootPrepare();
    ctx.facets.abort(keyOf(className, TEMPLATE), new Error('The template is prepared.'));
    this.#templates.add(className);
    this.#made.set(className, CLONE_FROM);
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

/** A facet as the platform gives it. */
interface FacetStub extends Omit<ObjectStub, 'offshoot'> {
  offshoot<Call extends ObjectCall>(call: Call, facet: FacetIdentity): Promise<ObjectAnswer<Call>>;
}

function keyOf(className: string, name: string): string {
  return `${className}\0${name}`;
}

/** The SDK reads the name of the class alone; what the Worker exports under it is an opaque handle. */
function named(className: string): never {
  return { name: className } as never;
}
