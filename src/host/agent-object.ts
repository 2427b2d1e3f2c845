/** The class that an app exports for each agent: the SDK's `Agent`, extended once and thinly. */
import { Agent } from 'agents';
import type { AgentDefinition } from '../core/definition';
import type { ModelPort } from '../core/model';
import type { RootLocation } from '../core/state';
import type { ObjectAnswer, ObjectCall, ObjectStub } from '../engine/calls';
import type { Environment } from '../engine/environment';
import { ObjectRuntime } from '../engine/object';
import { createFileStore } from '../store/files';
import { TreeAlarm } from './alarm';
import { type Composition, compositionOf } from './composition';
import { Facets } from './facets';

/** 20 characters of randomness, as ids take it. */
function token(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, 20);
}

function timer(ms: number, callback: () => void): () => void {
  const id = setTimeout(callback, ms);
  return () => clearTimeout(id);
}

/**
 * An agent as a Durable Object or a facet. Use `AgentObject.of(definition)`:
 * `export class Researcher extends AgentObject.of(researcher) {}`.
 */
export class AgentObject extends Agent {
  /** Set by `of`. */
  static readonly definition: AgentDefinition | undefined;

  readonly #facets: Facets;
  readonly #alarm = new TreeAlarm(() => this.#ready().alarm());
  #object: ObjectRuntime | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#facets = new Facets({
      ctx,
      dynamicAgents: this.dynamicAgents,
      rootClassName: () => this.#rootClassName(),
    });
    this.lifecycle.use(this.#alarm);
  }

  /** The class for an agent. Its name must be the definition's `className`, because facets are found by it. */
  static of(definition: AgentDefinition): typeof AgentObject {
    return class extends AgentObject {
      static override readonly definition = definition;
    };
  }

  override onStart(): void {
    this.#ready();
  }

  /** What other objects of this Worker say to this one. */
  async offshoot<Call extends ObjectCall>(call: Call): Promise<ObjectAnswer<Call>> {
    return this.#ready().call(call);
  }

  /** Prepares the store of a template; nothing else is ever asked of one. */
  offshootPrepare(): void {
    this.#assemble(undefined).prepare();
  }

  #ready(): ObjectRuntime {
    if (this.#object === undefined) {
      const top = this.parentPath.length === 0 ? { className: this.constructor.name, name: this.name } : undefined;
      this.#object = this.#assemble(top);
      this.#object.open();
    }
    return this.#object;
  }

  #assemble(top: RootLocation | undefined): ObjectRuntime {
    const { definition } = this.constructor as typeof AgentObject;
    if (definition === undefined) throw new Error(`The class ${this.constructor.name} extends AgentObject: extend AgentObject.of(definition).`);
    const composition = compositionOf();
    return new ObjectRuntime({
      environment: this.#environment(composition),
      definition,
      storage: this.ctx.storage,
      files: createFileStore(this.ctx.storage, { now: Date.now }),
      top,
      model: (of) => this.#model(composition, of),
      child: (hop) => this.#facets.stub(hop),
      forget: (hop) => this.#facets.forget(hop),
      remove: (hop) => this.#facets.remove(hop),
      prepare: (due) => this.#prepare(due),
      root: (location) => this.#root(location),
      arm: (time) => this.#alarm.arm(time),
      verb: (object, call) => composition.verb(object, call),
    });
  }

  #environment(composition: Composition): Environment {
    return {
      now: Date.now,
      token,
      timer,
      bindings: this.env,
      report: (problem, error) => console.error(`offshoot ${this.constructor.name}: ${problem}`, error ?? ''),
      ...(composition.committed ? { committed: composition.committed } : {}),
    };
  }

  async #model(composition: Composition, definition: AgentDefinition): Promise<ModelPort> {
    return composition.model(definition, this.env);
  }

  async #prepare(due: ReadonlyMap<string, number>): Promise<void> {
    await Promise.all([...due].map(([className, count]) => this.#facets.prepare(className, count)));
  }

  #rootClassName(): string {
    return this.parentPath[0]?.className ?? this.constructor.name;
  }

  #root({ className, name }: RootLocation): ObjectStub {
    const namespace: unknown = (this.ctx.exports as unknown as Record<string, unknown>)[className];
    return (namespace as { getByName(name: string): ObjectStub }).getByName(name);
  }
}
