/**
 * Children as facets: where they are, how they are made, and the template that makes many of them fast.
 *
 * - A stub is kept and used again; after a failure it is resolved anew.
 * - A template is a facet that no registry knows: its store is prepared once and cloned for each new child of a class.
 */
import type { Agent } from 'agents';
import { parseSlot } from '../core/address';
import type { ObjectStub } from '../engine/calls';
import type { Hop } from '../engine/messages';

/** The facets of one object. */
export interface FacetHost {
  readonly ctx: DurableObjectState;
  readonly dynamicAgents: Agent['dynamicAgents'];
  rootClassName(): string;
  /** The class and the name of the object itself, as its parent knows it. */
  self(): FacetLevel;
}

/** A facet, or the object at the top. */
export interface FacetLevel {
  readonly className: string;
  readonly name: string;
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

  constructor(readonly host: FacetHost) {}

  /** The stub of a child; made if it is not there. */
  stub(hop: Hop): Promise<ObjectStub> {
    const name = facetName(hop, this.host.self());
    const key = keyOf(hop.className, name);
    const known = this.#stubs.get(key);
    if (known) return known;
    const stub = this.#resolve(hop.className, name);
    this.#stubs.set(key, stub);
    stub.catch(() => this.#stubs.delete(key));
    return stub;
  }

  /** Forgets a stub that failed. */
  forget(hop: Hop): void {
    this.#stubs.delete(keyOf(hop.className, facetName(hop, this.host.self())));
  }

  /** Removes a child with its store and everything below it. */
  async remove(hop: Hop): Promise<void> {
    this.forget(hop);
    await this.host.dynamicAgents.delete(named(hop.className), facetName(hop, this.host.self()));
  }

  async #resolve(className: string, name: string): Promise<ObjectStub> {
    this.#class(className);
    if (!this.host.dynamicAgents.has(className, name)) this.#clone(className, name);
    const stub: unknown = await this.host.dynamicAgents.get(named(className), name);
    return stub as ObjectStub;
  }

  #clone(className: string, name: string): void {
    const made = (this.#made.get(className) ?? 0) + 1;
    this.#made.set(className, made);
    if (made < CLONE_FROM) return;
    const { ctx } = this.host;
    const template = keyOf(className, TEMPLATE);
    if (!this.#templates.has(className)) return;
    ctx.facets.clone(template, keyOf(className, name));
  }

  /** Prepares a template where several children of a class are due. */
  async prepare(className: string, due: number): Promise<void> {
    if (due < CLONE_FROM || this.#templates.has(className)) return;
    const { ctx } = this.host;
    const root = (ctx.exports as Record<string, unknown>)[this.host.rootClassName()] as DurableObjectNamespace;
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
    const cls = (this.host.ctx.exports as Record<string, unknown>)[className];
    if (cls === undefined) {
      throw new Error(
        `The Worker does not export a class "${className}". Add: export class ${className} extends AgentObject.of(...) {}`,
      );
    }
    return cls;
  }
}

function keyOf(className: string, name: string): string {
  return `${className}\0${name}`;
}

/** The SDK reads the name of the class alone; what the Worker exports under it is an opaque handle. */
function named(className: string): never {
  return { name: className } as never;
}
