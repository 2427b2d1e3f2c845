/** A tree of agents in one process under virtual time, whose crashes and losses a test decides. */

import { keyOf } from '../../src/core/agent/children/child';
import type { AgentEvent, PersonsAnswer } from '../../src/core/agent/events';
import type { NewMessage } from '../../src/core/agent/inbound';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import type { AgentState } from '../../src/core/agent/state';
import { transcriptOf } from '../../src/core/agent/transcript';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { ModelPort } from '../../src/core/definition/model-port';
import { asChild, isInTree, type TreeNode } from '../../src/core/tree/node';
import type { PendingRow } from '../../src/core/tree/pending';
import type { ObjectRuntime } from '../../src/engine/object/object';
import type { VerbAnswer, VerbCall } from '../../src/engine/object/object-calls';
import { removeAgent } from '../../src/engine/root/removal';
import { checkAnswer, takeAnswer } from '../../src/engine/take-answer';
import { type AgentAnswer, segmentOf } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { failure } from '../../src/protocol/errors';
import type { JsonLike } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { SqlAgentStore } from '../../src/store/agent-store';
import { formatsOf } from '../../src/store/migrate';
import type { ObjectStorage } from '../../src/store/storage';
import { SqlTreeStore } from '../../src/store/tree-store';
import { addressOf, World, type WorldOptions } from '../../src/testing/world';
import { answerVerb } from '../../src/verbs/table';
import { PooledStorage, reuseLater } from './pooled-storage';
import { present } from './present';
import { type Answers, ScriptedPort } from './scripted-port';
import { VirtualTime } from './virtual-time';

/** The agents of a tree, the first at its top, and what their models answer. */
export interface TreeParts {
  readonly agents: readonly [AgentDefinition, ...AgentDefinition[]];
  readonly scripts: Readonly<Record<string, Answers>>;
  /** Bindings for tools; none by default. */
  readonly env?: unknown;
  /** The model of an agent, in place of its script. */
  readonly models?: (definition: AgentDefinition, at: number) => ModelPort | undefined;
}

/** What a test does to a tree. */
export interface TreeOptions
  extends Pick<WorldOptions, 'network' | 'transaction' | 'durable' | 'isRelayed' | 'seat' | 'capabilities'> {
  /** Called at the end of each transaction of an object; what it throws rolls back all of that. */
  commits?(address: string): void;
  /** Everything in memory is lost right after these commits, counted from 1 over all objects and lives. */
  readonly crashAt?: ReadonlySet<number>;
  /** Called right after each commit, with its number from 1; what it does comes before anything else goes on. */
  onCommit?(tree: Tree, commit: number): void;
}

/** What a person answers. */
type Answered = { readonly callId: string; readonly stepId: number; readonly answer: PersonsAnswer };

/** A tree that runs. */
export class Tree {
  readonly time: VirtualTime;
  readonly world: World;
  readonly port: ScriptedPort;
  readonly address: string;
  /** Bodies of tools begun, by call id. */
  readonly bodies = new Map<string, number>();
  /** What each commit was, in order. */
  readonly commits: string[] = [];
  /** The kind of each: what it was, of which type of agent. */
  readonly kinds: string[] = [];
  #committing = '';
  /** What people have answered; a request says the place. */
  /** What `ended` saw when rows had changed last. */
  #seen: { storage: ObjectStorage; changes: unknown; ended: boolean } | undefined;
  readonly #answers: Answered[] = [];
  readonly #storages: PooledStorage[] = [];
  readonly #looked = new Map<string, { storage: ObjectStorage; changes: unknown; value: unknown }>();
  /** Storages that have the tables of an agent. */
  #made = new WeakSet<ObjectStorage>();
  crashes = 0;

  constructor(make: (tree: Tree) => TreeParts, options: TreeOptions = {}) {
    const { agents, scripts, env = {}, models } = make(this);
    this.port = new ScriptedPort(scripts);
    this.address = addressOf(agents[0], 'one');
    this.time = new VirtualTime({ bindings: env, committed: (what) => this.#committed(what, options) });
    const { environment } = this.time;
    this.world = new World({
      agents,
      environment,
      model: (definition, at) => models?.(definition, at) ?? this.port.at(at),
      verb: (object, call) => this.#verb(object, call),
      ...(options.seat ? { seat: options.seat } : {}),
      ...(options.capabilities ? { capabilities: options.capabilities } : {}),
      ...(options.network ? { network: options.network } : {}),
      transaction: (address) => {
        options.transaction?.(address);
        this.#committing = address;
      },
      ...(options.durable ? { durable: options.durable } : {}),
      ...(options.isRelayed ? { isRelayed: options.isRelayed } : {}),
      storage: (address) => {
        const storage = new PooledStorage(!address.includes('/sub/'), () => options.commits?.(address));
        this.#storages.push(storage);
        return storage;
      },
    });
  }

  #committed(what: string, { crashAt, onCommit }: TreeOptions): void {
    const commit = this.commits.push(what);
    this.kinds.push(`${what} of ${this.#committing}`);
    onCommit?.(this, commit);
    if (crashAt?.has(commit)) this.crash();
  }

  /** Loses everything that is in memory. */
  crash(): void {
    this.crashes++;
    this.world.crash();
  }

  /** Notes that a body of a call begins; gives how many began with it. */
  body(callId: string): number {
    const count = (this.bodies.get(callId) ?? 0) + 1;
    this.bodies.set(callId, count);
    return count;
  }

  #message(content: string): NewMessage {
    return { messageId: `m_${this.time.environment.token()}`, role: 'user', content, from: 'caller' };
  }

  /** What people ask of an agent, on its way down from the root and at the agent. */
  async #verb(object: ObjectRuntime, call: VerbCall): Promise<VerbAnswer> {
    if (call.verb !== 'answer') return answerVerb(object, call);
    if (call.path.length > 0) return object.down(call);
    const { agent } = object;
    if (agent === undefined) return { ok: false, error: failure('not_found') };
    const { callId, stepId, answer } = present(this.#answers[Number(call.input)]);
    const looked = await checkAnswer(agent, { callId, stepId, answer, actor: 'person' });
    const received = looked.ok ? takeAnswer(agent, looked.checked) : looked;
    return received.ok ? { ok: true, body: null } : received;
  }

  /** A request of a person, by way of the root. It is never answered where the process is lost meanwhile. */
  async #request(address: string, verb: string, input: JsonLike): Promise<VerbAnswer> {
    const path = parseAddress(address).below.map(segmentOf);
    const { crashes } = this;
    const said = await this.world.object(this.address).call({ kind: 'verb', path, verb, input, caller: 'person' });
    // Who was lost says nothing: what a left-over promise of it makes of that reaches nobody.
    if (this.crashes > crashes && !said.ok) throw new Error('This object was lost from memory.');
    return said;
  }

  /** The calls that wait for a person, as the root's inbox has them. */
  get pending(): (PendingRow & { readonly address: string })[] {
    if (!this.#isMade(this.address)) return [];
    const nodes = new Map(this.nodes.map(({ id, address }) => [id, address]));
    const rows = new SqlTreeStore(this.#storage(this.address)).openPending();
    return rows.map((row) => ({ ...row, address: nodes.get(row.node) ?? '' }));
  }

  /** Waits for what was asked, letting the time pass that it takes: what comes to a busy root waits a moment there. */
  async soon<Answer>(asked: Promise<Answer>): Promise<Answer> {
    let done = false;
    const ended = (): void => {
      done = true;
    };
    asked.then(ended, ended);
    await this.time.until(() => done);
    return asked;
  }

  /** Answers a call that waits, by way of the root. */
  answer({ address, toolCallId, item }: Tree['pending'][number], answer: PersonsAnswer): Promise<VerbAnswer> {
    const place = this.#answers.push({ callId: toolCallId, stepId: item.stepId, answer }) - 1;
    return this.#request(address, 'answer', place);
  }

  /** Stops an agent, by way of the root. */
  stopAt(address: string, verb: StopVerb): Promise<VerbAnswer> {
    return this.#request(address, verb, { reason: 'Enough.' });
  }

  /** Lets an agent go on: the root itself, another one through its parent. */
  async resume(address = this.address): Promise<boolean> {
    if (address === this.address) {
      const run = `r_${this.time.environment.token()}`;
      return acknowledged(() => this.apply((facts) => ({ type: 'resume', ...facts, runId: run }))).ok;
    }
    const node = this.nodes.find((one) => one.address === address);
    const parent = this.nodes.find(({ id }) => node?.kind === 'child' && id === node.parentId);
    if (node?.kind !== 'child' || parent === undefined) return false;
    const message = { type: 'child_resume', task: keyOf(node) } as const;
    const said = await this.world.object(this.address).send(parent.address, message);
    return said.answer === 'done';
  }

  /** Decides about an agent that failed and whose parent waits for it; gives what the parent says. */
  decide(address: string, decision: 'retry' | 'give_up', content?: string): Promise<AgentAnswer> {
    const node = this.nodes.find((one) => one.address === address);
    const parent = this.nodes.find(({ id }) => node?.kind === 'child' && id === node.parentId);
    if (node?.kind !== 'child' || parent === undefined) throw new Error(`Nobody is at ${address}.`);
    const message = content === undefined ? {} : { message: this.#message(content) };
    const decided = { type: 'child_decided', task: keyOf(node), decision, ...message } as const;
    return this.world.object(this.address).send(parent.address, decided);
  }

  /** Deletes an agent below the root. */
  async remove(address: string): Promise<void> {
    const object = this.world.object(this.address);
    const node = object.tree?.tree.byAddress(address);
    if (node !== undefined) await removeAgent(object, asChild(node));
  }

  /** Runs until nothing can happen any more without a person. */
  async rest(): Promise<void> {
    await this.time.until(() => this.time.pending === 0);
  }

  /** Starts the root, or its next turn, with a message. */
  async start(content = 'Go', actor?: string): Promise<void> {
    const object = this.world.object(this.address);
    const { environment } = this.time;
    const event: AgentEvent = {
      type: 'start',
      at: environment.now(),
      token: environment.token(),
      runId: `r_${environment.token()}`,
      messages: [this.#message(content)],
      ...(actor === undefined ? {} : { actor }),
    };
    const started = await object.create(object.agent?.state.session ?? object.newRootSession({ tags: [] }), {}, event);
    if (!started.ok) throw new Error(started.refused.message);
  }

  /** Applies an event at an agent that is there; gives whether it was taken. */
  apply(event: (facts: { at: number; token: string }) => AgentEvent, address = this.address) {
    const { environment } = this.time;
    const agent = this.world.object(address).agent;
    if (agent === undefined) throw new Error(`Nobody is at ${address}.`);
    return agent.apply(event({ at: environment.now(), token: environment.token() }));
  }

  /** Sends a message to an agent. */
  send(content: string, address = this.address) {
    const message = this.#message(content);
    return this.apply((facts) => ({ type: 'send', ...facts, runId: `r_${facts.token}`, message }), address);
  }

  /** Sends until it is acknowledged: a client tries again when its request was lost with the process. */
  sendSurely(content: string): void {
    acknowledged(() => this.send(content));
  }

  /** Stops the root's run; gives whether there was one to stop. */
  stop(verb: StopVerb = 'abort', reason = 'Enough.'): boolean {
    if (this.ended) return false;
    return this.apply((facts) => ({ type: 'stop', ...facts, verb, reason })).ok;
  }

  /** Stops the root's run, again until it is acknowledged. */
  stopSurely(verb: StopVerb = 'abort'): boolean {
    return acknowledged(() => this.stop(verb));
  }

  /** Whether the root's latest run has ended, as its store has it: looking does not wake anybody. */
  get ended(): boolean {
    const storage = this.world.storage(this.address);
    if (storage === undefined) return false;
    // Asked after each timer, and the rest of a state takes long to read: runs are read again where rows have changed.
    const changes = changesOf(storage);
    if (this.#seen?.storage !== storage || this.#seen.changes !== changes) {
      const ended = this.#isMade(this.address) && this.store().runs({}).at(-1)?.phase === 'ended';
      this.#seen = { storage, changes, ended };
    }
    return this.#seen.ended;
  }

  /** Starts the root and runs until it has ended, and nothing can happen any more. */
  async run(content?: string): Promise<this> {
    await this.start(content);
    return this.finish();
  }

  /** Runs until the root has ended, and nothing can happen any more. */
  async finish(): Promise<this> {
    await this.time.until(() => this.ended);
    await this.time.drain();
    return this;
  }

  #isMade(address: string): boolean {
    const storage = this.world.storage(address);
    if (storage === undefined || this.#made.has(storage)) return storage !== undefined;
    const isMade = (formatsOf(storage).get('agent') ?? 0) > 0;
    if (isMade) this.#made.add(storage);
    return isMade;
  }

  #storage(address: string): ObjectStorage {
    const storage = this.world.storage(address);
    if (storage === undefined) throw new Error(`Nobody is at ${address}.`);
    return storage;
  }

  /** The store of an agent, read past the object. */
  store(address = this.address): SqlAgentStore {
    return new SqlAgentStore(this.#storage(address));
  }

  /** Differs where rows of an agent's store have changed since. */
  changes(address = this.address): number {
    return Number(changesOf(this.#storage(address)));
  }

  /** What an agent's store holds. */
  state(address = this.address): AgentState {
    const state = this.store(address).load();
    if (state === undefined) throw new Error(`No session is at ${address}.`);
    return state;
  }

  /** The addresses of all agents. An object that was only asked has none. */
  get addresses(): string[] {
    const begun = (address: string) =>
      this.#isMade(address) &&
      // A store of an older release is not read before it has woken.
      this.#storage(address).sql.exec('SELECT 1 FROM session').toArray().length > 0;
    return this.world.addresses().filter(begun);
  }

  /** The addresses of all objects that hold something, if only a half. One that was only asked goes by itself (A50). */
  get held(): string[] {
    return this.world.addresses().filter((address) => this.#isMade(address));
  }

  /** The transcript of an agent, as a model would see it. */
  transcript(address = this.address): Message[] {
    const store = this.store(address);
    return transcriptOf(store.messages({}), store.steps({}));
  }

  /** What the root's store holds. Checks look at the same many times: it is read again where rows have changed. */
  #ofRoot<Value>(what: string, read: (store: SqlTreeStore) => Value): Value {
    const storage = this.#storage(this.address);
    const changes = changesOf(storage);
    const known = this.#looked.get(what);
    if (known?.storage === storage && known.changes === changes) return known.value as Value;
    const value = read(new SqlTreeStore(storage));
    this.#looked.set(what, { storage, changes, value });
    return value;
  }

  /** The root's record of its agents. */
  get nodes(): readonly TreeNode[] {
    return this.#ofRoot('nodes', (store) => store.nodes().filter(isInTree));
  }

  /** The rows of the log: chunks of one agent each. */
  get rows() {
    return this.#ofRoot('rows', (store) => store.read(1, 1_000_000, Number.MAX_SAFE_INTEGER));
  }

  /** The log from 1, as a reader gets it. */
  get log(): readonly SequencedChunk[] {
    const { rows } = this;
    return this.#ofRoot('log', () =>
      rows.flatMap(({ first, chunks }) => chunks.map((chunk, index) => ({ sequence: first + index, chunk }))),
    );
  }

  /** How the root's latest run ended. */
  get outcome() {
    const { run } = this.state();
    if (run?.phase !== 'ended') throw new Error('The run has not ended.');
    return run.outcome;
  }

  /** Ends everything. */
  close(): void {
    this.world.close();
    this.#made = new WeakSet();
    reuseLater(this.#storages.splice(0));
  }
}

/** Runs a body with a tree, and ends the tree whatever happens. */
export async function withTree<Result>(
  make: (tree: Tree) => TreeParts,
  options: TreeOptions,
  body: (tree: Tree) => Promise<Result>,
): Promise<Result> {
  const tree = new Tree(make, options);
  try {
    return await body(tree);
  } finally {
    tree.close();
  }
}

/** Differs where rows have changed since. */
function changesOf({ sql }: ObjectStorage): unknown {
  return sql.exec('SELECT total_changes() AS changes').toArray()[0]?.changes;
}

function acknowledged<Result>(request: () => Result): Result {
  for (;;) {
    try {
      return request();
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('lost from memory'))) throw error;
    }
  }
}
