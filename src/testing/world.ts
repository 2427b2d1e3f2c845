/**
 * Objects in one process: what Durable Objects are to an app, over `node:sqlite`. Each object has a store of its own,
 * reaches others only by calls whose data is copied, and can be lost from memory with all others at any moment.
 *
 * Keeps TT1.
 */

import { CAPABILITIES } from '../capabilities';
import { type Seat, seatOf } from '../core/agent/seat';
import type { AgentState, RootLocation } from '../core/agent/state';
import type { AgentDefinition } from '../core/definition/definition';
import type { ModelPort } from '../core/definition/model-port';
import type { ChildRef, ChildTransport } from '../core/ports/child-transport';
import type { Capability } from '../engine/capability';
import type { Environment } from '../engine/environment';
import { ObjectRuntime } from '../engine/object/object';
import type { ChildCalls, ObjectAnswer, ObjectCall, VerbAnswer, VerbCall } from '../engine/object/object-calls';
import { answerRefused } from '../engine/object/object-calls';
import { formatAddress, isWithin, parseAddress } from '../protocol/address';
import { NEWER_FORMAT_AGAIN_MS, OffshootError } from '../protocol/errors';
import { createFileStore } from '../store/files';
import { sqlStores } from '../store/object-stores';
import type { ObjectStorage } from '../store/storage';
import { vaultIn } from '../store/vault';
import { copied } from './copied';
import { copyStorage, type NodeStorage, nodeStorage } from './node-storage';

/** Seals the variables of a world that is given no key of its own: 32 bytes of zeros. */
const KEY = `${'A'.repeat(43)}=`;

/** How a world is made. */
export interface WorldOptions {
  readonly agents: readonly AgentDefinition[];
  readonly environment: Environment;
  model(definition: AgentDefinition, at: number): ModelPort;
  /** What a session of that state works by; nothing, or nothing given: by the definition of its class. */
  seat?(state: AgentState): Seat | undefined;
  /** Those of its objects; by default those of this version. */
  readonly capabilities?: readonly Capability[];
  verb?(object: ObjectRuntime, call: VerbCall): Promise<VerbAnswer>;
  /** Stands between objects: performs a call, answers it itself, or loses it or its answer by throwing. */
  network?(address: string, call: ObjectCall, perform: () => Promise<AnyAnswer>): Promise<AnyAnswer>;
  /** Called before each transaction of an object; it fails with what this throws. */
  transaction?(address: string): void;
  /** Whether the object of a child cannot reach its root, so that its parent relays for it; by default all can. */
  isRelayed?(address: string): boolean;
  /** When what an object has committed survives a crash; at once by default. */
  durable?(address: string): Promise<void>;
  /** The empty storage of a new object; by default a new database. */
  storage?(address: string): NodeStorage;
}

/** The answer to a call of any kind. */
export type AnyAnswer = ObjectAnswer<ObjectCall>;

interface HeldObject {
  readonly storage: NodeStorage;
  readonly definition: AgentDefinition;
  readonly topLevel: RootLocation | undefined;
  alarm: (() => void) | undefined;
  /** How often it was lost from memory alone. */
  losses: number;
  /** Told when it is: whoever waits for its answer gets none. */
  readonly awaiting: Set<() => void>;
}

/** A timer or a call that keeps an object in memory. */
interface Hold {
  readonly address: string;
  readonly what: string;
  /** False once the life is over that set it. */
  alive(): boolean;
}

const CLOSED = 'The test runtime is closed. Await the run, and read from it, before `runtime.close()`.';

/** All objects of one process. */
export class World {
  readonly #held = new Map<string, HeldObject>();
  readonly #objects = new Map<string, ObjectRuntime>();
  /** The sessions of those in objects of their own, by address: each is a process with what lies in it. */
  readonly #alone = new Map<string, string>();
  readonly #definitions: Map<string, AgentDefinition>;
  readonly #holds = new Set<Hold>();
  readonly #closed = new AbortController();
  #life = 0;
  /** How often an object, or all of them, was lost from memory. */
  losses = 0;
  /** Timers that were set, calls that came and alarms that rang so far, by address. */
  readonly #active = new Map<string, number>();

  constructor(readonly options: WorldOptions) {
    this.#definitions = new Map(options.agents.map((agent) => [agent.className, agent]));
  }

  /**
   * The object at an address. An object that does not exist is made, as `idFromName` would.
   * @throws OffshootError `gone` once the world is closed: the object would continue its work
   */
  object(address: string): ObjectRuntime {
    const known = this.#objects.get(address);
    if (known) return known;
    if (this.closed.aborted) throw new OffshootError('gone', CLOSED);
    const held = this.#held.get(address) ?? this.#make(address);
    const object = new ObjectRuntime(this.#ports(address, held));
    object.open();
    this.#objects.set(address, object);
    return object;
  }

  get #capabilities(): readonly Capability[] {
    return this.options.capabilities ?? CAPABILITIES;
  }

  #make(address: string): HeldObject {
    const { root, below } = parseAddress(address);
    const className = (below.at(-1) ?? root).className;
    const definition = this.#definitions.get(className);
    if (definition === undefined)
      throw new Error(`No agent of class "${className}" was given to this runtime. Add its definition to \`agents\`.`);
    const topLevel = below.length === 0 ? { className: root.className, name: root.name } : undefined;
    const held: HeldObject = {
      storage: this.options.storage?.(address) ?? nodeStorage(),
      definition,
      topLevel,
      alarm: undefined,
      losses: 0,
      awaiting: new Set(),
    };
    this.#held.set(address, held);
    return held;
  }

  #ports(address: string, held: HeldObject): ConstructorParameters<typeof ObjectRuntime>[0] {
    const { environment } = this.options;
    const life = this.#life;
    const { losses } = held;
    const alive = (): boolean => life === this.#life && losses === held.losses;
    const storage = this.#storage(address, held, alive);
    return {
      environment: {
        ...environment,
        timer: (ms, callback) => {
          const release = this.#hold({ address, what: `a timer of ${ms} ms`, alive });
          const cancel = environment.timer(ms, () => {
            release();
            if (alive()) callback();
          });
          return () => {
            release();
            cancel();
          };
        },
        report: (problem, error) => alive() && environment.report(problem, error),
      },
      definition: held.definition,
      seat: (state) => this.options.seat?.(state) ?? seatOf(held.definition, this.#capabilities).at(state),
      capabilities: this.#capabilities,
      stores: sqlStores(storage, held.topLevel !== undefined),
      files: createFileStore(storage, { now: environment.now, limits: held.definition.limits }),
      vault: vaultIn(() => ({ ENCRYPTION_KEY: KEY, ...Object(environment.bindings) })),
      durable: () => this.options.durable?.(address) ?? Promise.resolve(),
      isAt: (at) => at === plain(address),
      topLevel: held.topLevel,
      model: async (definition, at) => (alive() ? this.options.model(definition, at) : never()),
      transports: { facet: this.#facets(address, alive), object: this.#objectsAlone(alive) },
      ...(this.#alone.has(address) ? { standsAlone: true as const } : {}),
      askRoot: ({ className, name }, request) => {
        const root = formatAddress({ addressClass: this.#addressClass(className), name }, []);
        return this.#call(this.options.isRelayed?.(address) ? above(address) : root, { kind: 'root', request }, alive);
      },
      askFiles: ({ className, name }, call) =>
        this.#call(formatAddress({ addressClass: this.#addressClass(className), name }, []), call, alive),
      askVariables: ({ className, name }, call) =>
        this.#call(formatAddress({ addressClass: this.#addressClass(className), name }, []), call, alive),
      askThread: ({ className, name }, call) =>
        this.#call(formatAddress({ addressClass: this.#addressClass(className), name }, []), call, alive),
      askOther: ({ className, name }, call) =>
        this.#call(formatAddress({ addressClass: this.#addressClass(className), name }, []), call, alive),
      arm: (time) => this.#arm(held, time),
      erase: () => void environment.timer(0, () => alive() && this.remove(address)),
      verb: async (object, call) => {
        if (this.options.verb === undefined) throw new Error('This runtime has no verbs.');
        return this.options.verb(object, call);
      },
    };
  }

  /** A store as one life of its object sees it: code of a life that has ended cannot write any more. */
  #storage(address: string, { storage }: HeldObject, alive: () => boolean): ObjectStorage {
    const guard = (): void => {
      if (!alive()) throw new Error('This object was lost from memory.');
    };
    return {
      sql: {
        exec(query, ...bindings) {
          guard();
          return storage.sql.exec(query, ...bindings);
        },
      },
      transactionSync: (body) => {
        guard();
        this.options.transaction?.(address);
        return storage.transactionSync(body);
      },
    };
  }

  #addressClass(className: string): string {
    return this.#definitions.get(className)?.addressClass ?? className;
  }

  /** Children, each an object of this world at its address, lost and removed with the one above. */
  #facets(parent: string, alive: () => boolean): ChildTransport<ChildCalls> {
    const at = (child: ChildRef) => `${parent}${child.address.slice(plain(parent).length)}`;
    return {
      send: (child, message) => this.#call(at(child), message, alive),
      remove: async (child) => (alive() ? this.remove(at(child)) : never()),
      copy: async (source, child) => (alive() ? this.#copy(at(source), at(child)) : never()),
    };
  }

  /** Children in objects of their own, found by their sessions: what is there of another session stays until that is removed. */
  #objectsAlone(alive: () => boolean): ChildTransport<ChildCalls> {
    return {
      // Whose object it is counts when the message is there: until then another one may have gone.
      send: (child, message) => this.#call(child.address, message, alive, () => this.#standAlone(child)),
      remove: async ({ address, sessionId }) => {
        if (!alive()) return never();
        const there = this.#alone.get(address) === sessionId ? address : aside(address, sessionId);
        this.remove(there);
      },
      copy: async () => false,
    };
  }

  #standAlone({ address, sessionId }: ChildRef): void {
    const before = this.#alone.get(address);
    if (before === sessionId) return;
    if (before !== undefined) this.#setAside(address, aside(address, before));
    const again = aside(address, sessionId);
    if (this.#alone.has(again)) this.#setAside(again, address);
    this.#alone.set(address, sessionId);
  }

  /** Another session is at this address from now on. */
  #setAside(address: string, to: string): void {
    this.evict(address);
    for (const [key, held] of this.#processOf(address)) {
      this.#held.delete(key);
      this.#held.set(`${to}${key.slice(address.length)}`, held);
    }
    this.#alone.set(to, this.#alone.get(address) ?? '');
    this.#alone.delete(address);
  }

  /** What is lost together with an object: whatever lies in it, but for what is in an object of its own. */
  #processOf(address: string): [string, HeldObject][] {
    const host = this.#hostOf(address);
    return [...this.#held].filter(([key]) => isWithin(key, address) && this.#hostOf(key) === host);
  }

  #hostOf(address: string): string {
    for (let at = address; at.includes('/sub/'); at = above(at)) if (this.#alone.has(at)) return at;
    return address.split('/sub/')[0] ?? address;
  }

  /** Whoever stands between answers a call with what fits its kind. */
  #call<Call extends ObjectCall>(
    address: string,
    call: Call,
    alive: () => boolean,
    arrives?: () => void,
  ): Promise<ObjectAnswer<Call>>;
  async #call(address: string, call: ObjectCall, alive: () => boolean, arrives?: () => void): Promise<AnyAnswer> {
    if (!alive()) return never();
    const perform = async (): Promise<AnyAnswer> => {
      arrives?.();
      const refusal = this.#refusalAt(address);
      if (refusal) return answerRefused(call, refusal);
      return this.#answerOf(address, this.object(address).call(copyOf(call)));
    };
    const release = this.#hold({ address, what: `a call: ${call.kind}`, alive });
    try {
      const answer = await (this.options.network?.(address, call, perform) ?? perform());
      if (!alive()) return never();
      return copyOf(answer);
    } finally {
      release();
    }
  }

  #hold(hold: Hold): () => void {
    this.#acts(hold.address);
    this.#holds.add(hold);
    return () => void this.#holds.delete(hold);
  }

  #acts(address: string): void {
    this.#active.set(address, (this.#active.get(address) ?? 0) + 1);
  }

  /** The timers that objects of a tree have set, and their calls that are not answered: these hold them in memory. */
  holding(root: string): string[] {
    const now = [...this.#holds].filter(({ address, alive }) => alive() && isWithin(address, root));
    return now.map(({ address, what }) => `${address}: ${what}`);
  }

  /** The number of timers, calls and alarms of the objects of a tree so far. */
  activity(root: string): number {
    return [...this.#active].reduce((sum, [address, count]) => sum + (isWithin(address, root) ? count : 0), 0);
  }

  /** Why the rows of an object are not read: a newer version has written them. */
  #refusalAt(address: string): OffshootError | undefined {
    const held = this.#objects.has(address) ? undefined : this.#held.get(address);
    return held && sqlStores(held.storage, held.topLevel !== undefined).refusal();
  }

  /** What an object answers, unless it is lost from memory before. */
  #answerOf<Answer>(address: string, answer: Promise<Answer>): Promise<Answer> {
    const awaiting = this.#held.get(address)?.awaiting;
    return new Promise((resolve, reject) => {
      const lost = () => reject(new Error(`The object at ${address} was lost from memory.`));
      awaiting?.add(lost);
      answer.then(resolve, reject).finally(() => awaiting?.delete(lost));
    });
  }

  #arm(held: HeldObject, time: number | undefined): void {
    held.alarm?.();
    held.alarm = undefined;
    if (time === undefined) return;
    const { environment } = this.options;
    held.alarm = environment.timer(Math.max(0, time - environment.now()), () => {
      held.alarm = undefined;
      // It may have been set aside since, or removed.
      const there = [...this.#held].find(([, one]) => one === held)?.[0];
      if (there === undefined) return;
      this.#acts(there);
      if (this.#refusalAt(there)) return this.#arm(held, environment.now() + NEWER_FORMAT_AGAIN_MS);
      const object = this.object(there);
      object.alarm().catch((error: unknown) => object.environment.report('The alarm failed.', error));
    });
  }

  /** Makes an object, and those below it, with what the stores of others hold now; nothing where it is there. */
  #copy(source: string, address: string): boolean {
    if (this.#held.has(address)) return true;
    if (!this.#held.has(source)) return false;
    for (const [key, held] of this.#processOf(source)) {
      const storage = nodeStorage();
      copyStorage(held.storage, storage);
      this.#held.set(`${address}${key.slice(source.length)}`, {
        ...held,
        storage,
        alarm: undefined,
        losses: 0,
        awaiting: new Set(),
      });
    }
    return true;
  }

  /** Removes an object and everything that lies in it, with its alarm. */
  remove(address: string): void {
    for (const [key, held] of this.#processOf(address)) {
      this.#objects.get(key)?.stop();
      this.#objects.delete(key);
      held.alarm?.();
      this.#held.delete(key);
      this.#alone.delete(key);
    }
  }

  /** Everything in memory is lost at once; what was committed stays. Alarms that were set still ring. */
  crash(): void {
    this.losses++;
    this.#life++;
    const objects = [...this.#objects.values()];
    this.#objects.clear();
    for (const object of objects) object.stop();
  }

  /**
   * An object is lost from memory with everything that lies in it, or `alone`, as the platform does with an idle object
   * whose facets work. What was committed stays.
   */
  evict(address: string, alone = false): void {
    this.losses++;
    for (const [key, held] of this.#processOf(address)) {
      if (alone && key !== address) continue;
      held.losses++;
      this.#objects.get(key)?.stop();
      this.#objects.delete(key);
      for (const lost of held.awaiting) lost();
    }
  }

  /** Aborts when the world ends. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Ends the world: nothing rings any more. */
  close(): void {
    this.crash();
    this.#closed.abort();
    for (const held of this.#held.values()) held.alarm?.();
  }

  /** The object at an address; undefined where nothing of it is in memory. */
  awake(address: string): ObjectRuntime | undefined {
    return this.#objects.get(address);
  }

  /** The addresses of all objects that exist. */
  addresses(): string[] {
    return [...this.#held.keys()].sort();
  }

  /** The storage of an object, to look at. */
  storage(address: string): NodeStorage | undefined {
    return this.#held.get(address)?.storage;
  }
}

/** The class segment of an agent's address by its definition's name. */
export function addressOf(definition: AgentDefinition, name: string): string {
  return formatAddress({ addressClass: definition.addressClass, name }, []);
}

/** The place of a child's own object, once another session is at its address. */
const aside = (address: string, sessionId: string): string => `${address}#${sessionId}`;

/** The address of an agent, also of one whose object is set aside. */
const plain = (address: string): string => address.replace(/#[^/]*/, '');

/** The address of the agent above one that has a parent. */
function above(address: string): string {
  return address.slice(0, address.lastIndexOf('/sub/'));
}

/** A copy of what goes from one object to another. Bytes go on as they are, as a stream does between real objects. */
function copyOf<Said extends object>(said: Said): Said {
  if (!('bytes' in said)) return copied(said);
  const { bytes, ...rest } = said;
  return { ...said, ...copied(rest), bytes };
}

function never<Value>(): Promise<Value> {
  return new Promise(() => undefined);
}
