/**
 * `offshoot/testing`: run an agent or a whole tree in Node, without workerd. The same core, engine and stores as in a
 * Worker, over `node:sqlite` in memory.
 */
import { randomUUID } from 'node:crypto';
import type { SequencedChunk } from './core/chunks';
import type { AgentDefinition } from './core/definition';
import { type Failure, OffshootError } from './core/errors';
import type { NewMessage } from './core/events';
import type { Json } from './core/json';
import type { Message } from './core/messages';
import type { ModelPort } from './core/model';
import { fit } from './core/plan';
import type { Outcome } from './core/state';
import { transcriptOf } from './core/transcript';
import { addUsage, NO_USAGE, type Usage } from './core/usage';
import type { Environment } from './engine/environment';
import { portOf } from './model/port';
import { SqlAgentStore } from './store/agent-store';
import type { ObjectStorage } from './store/storage';
import { addressOf, World } from './testing/world';

export { routingScriptedModel, scriptedModel } from './model/scripted';

/** What a test runtime is made of. */
export interface TestRuntimeOptions {
  /** Every agent of the tree. */
  readonly agents: readonly AgentDefinition[];
  /** Bindings and variables, for models and tools. */
  readonly env?: unknown;
  /** Answers for every agent, in place of the models of their definitions. */
  readonly model?: AgentDefinition['model'];
  /** Where problems are reported that nobody waits for; `console.error` by default. */
  readonly report?: (problem: string, error?: unknown) => void;
}

/** How a run begins: a message, or what a start takes. */
export type TestInput = string | { readonly message?: string; readonly input?: Json; readonly state?: Json };

/** How a run ended. */
export interface TestResult {
  readonly status: Outcome['status'];
  readonly output?: Json;
  readonly error?: Failure;
  readonly reason?: string;
}

/** A run of a tree. */
export interface TestRun {
  /** The root's address. */
  readonly address: string;
  /** Resolves when the root's run has ended; a failed run is a result, too. */
  result(): Promise<TestResult>;
  /** The chunks of the whole tree from a sequence on (1 by default), up to the end of the root's run. */
  stream(from?: number): AsyncIterable<SequencedChunk>;
  /** Sends a message; an agent at rest takes a turn. */
  send(content: string): void;
  /** The transcript of any agent of the tree, the root's by default. */
  messages(address?: string): Message[];
  /** The custom state of any agent of the tree. */
  state(address?: string): Json;
  /** The addresses of the tree. */
  agents(): string[];
  /** What the whole tree has spent. */
  usage(): Usage;
}

/** A runtime for tests. */
export interface TestRuntime {
  /** Starts a new root. @throws OffshootError `invalid_input` when the input does not fit. */
  execute(definition: AgentDefinition, input: TestInput): Promise<TestRun>;
  /** Loses everything that is in memory, as a crash does, and goes on from what was committed. */
  crash(): void;
  /** Ends everything. */
  close(): void;
}

function environmentOf(options: TestRuntimeOptions): Environment {
  return {
    now: Date.now,
    token,
    timer(ms, callback) {
      const id = setTimeout(callback, ms);
      return () => clearTimeout(id);
    },
    bindings: options.env ?? {},
    report: options.report ?? ((problem, error) => console.error(problem, error ?? '')),
  };
}

const token = (): string => randomUUID().replaceAll('-', '').slice(0, 20);

/** A runtime for the tests of one agent or a tree. */
export function createTestRuntime(options: TestRuntimeOptions): TestRuntime {
  const environment = environmentOf(options);
  const ports = new Map<AgentDefinition, ModelPort>();
  const world = new World({
    agents: options.agents,
    environment,
    model(definition) {
      const port = ports.get(definition) ?? portOf(options.model ?? definition.model, environment.bindings);
      ports.set(definition, port);
      return port;
    },
  });
  const roots: string[] = [];
  return {
    async execute(definition, input) {
      const address = addressOf(definition, `test-${roots.length + 1}`);
      const run = new WorldRun(world, environment, address);
      await run.begin(definition, typeof input === 'string' ? { message: input } : input);
      roots.push(address);
      return run;
    },
    crash() {
      world.crash();
      for (const address of roots) world.object(address);
    },
    close: () => world.close(),
  };
}

class WorldRun implements TestRun {
  constructor(
    readonly world: World,
    readonly environment: Environment,
    readonly address: string,
  ) {}

  async begin(definition: AgentDefinition, { message, input, state }: Exclude<TestInput, string>): Promise<void> {
    const object = this.world.object(this.address);
    const checked = await checkedInput(definition, input);
    const texts = [
      ...(checked === undefined ? [] : [JSON.stringify(checked)]),
      ...(message === undefined ? [] : [message]),
    ];
    if (texts.length === 0) throw new OffshootError('invalid_request', 'Give at least one of `message` and `input`.');
    const messages = texts.map(
      (content): NewMessage => ({ messageId: `m_${token()}`, role: 'user', content, from: 'caller' }),
    );
    const started = await object.create(object.newRootSession({ tags: [] }), state ?? (await object.firstState()), {
      type: 'start',
      at: this.environment.now(),
      token: token(),
      runId: `r_${token()}`,
      messages,
      ...(checked === undefined ? {} : { input: checked }),
    });
    if (!started.ok) throw new OffshootError(started.refused.code, started.refused.message);
  }

  /** The outcome of the root's latest run, once it has ended. */
  #outcome(): Outcome | undefined {
    const run = this.world.object(this.address).agent?.state.run;
    return run?.phase === 'ended' ? run.outcome : undefined;
  }

  async result(): Promise<TestResult> {
    for await (const _ of this.stream()) if (this.#outcome()) break;
    const outcome = this.#outcome();
    if (outcome === undefined) throw new OffshootError('internal', 'The stream ended before the run did.');
    switch (outcome.status) {
      case 'completed':
        return { status: outcome.status, output: outcome.output };
      case 'failed':
        return { status: outcome.status, error: outcome.error };
      default:
        return { status: outcome.status, reason: outcome.reason };
    }
  }

  async *stream(from = 1): AsyncIterable<SequencedChunk> {
    for (let next = from; ; ) {
      const log = this.#log();
      const page = log.page(next, this.address);
      yield* page.chunks;
      next = page.next;
      if (next <= this.#log().last) continue;
      if (this.#outcome()) return;
      await this.#grown(next);
    }
  }

  #log() {
    const { tree } = this.world.object(this.address);
    if (tree === undefined) throw new OffshootError('not_found');
    return tree.log;
  }

  /** Resolves when the log holds a sequence; looks again now and then, because a crash loses listeners. */
  #grown(sequence: number): Promise<void> {
    const log = this.#log();
    if (log.last >= sequence) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        stop();
        cancel();
        resolve();
      };
      const stop = log.listen(done);
      const cancel = this.environment.timer(1_000, done);
    });
  }

  send(content: string): void {
    const sent = this.world.object(this.address).agent?.apply({
      type: 'send',
      at: this.environment.now(),
      token: token(),
      runId: `r_${token()}`,
      message: { messageId: `m_${token()}`, role: 'user', content, from: 'caller' },
    });
    if (sent?.ok === false) throw new OffshootError(sent.refused.code, sent.refused.message);
  }

  #store(address: string): SqlAgentStore {
    const storage = this.world.storage(address);
    if (storage === undefined) throw new OffshootError('not_found', `There is no agent at ${address}.`);
    return new SqlAgentStore(storage as unknown as ObjectStorage);
  }

  messages(address = this.address): Message[] {
    const store = this.#store(address);
    return transcriptOf(store.messages({}), store.steps({}));
  }

  state(address = this.address): Json {
    return this.#store(address).load()?.custom ?? null;
  }

  agents(): string[] {
    return this.world
      .addresses()
      .filter((address) => address === this.address || address.startsWith(`${this.address}/sub/`));
  }

  usage(): Usage {
    return this.agents().reduce(
      (sum, address) => addUsage(sum, this.#store(address).load()?.spent ?? NO_USAGE),
      NO_USAGE,
    );
  }
}

async function checkedInput(definition: AgentDefinition, input: Json | undefined): Promise<Json | undefined> {
  if (input === undefined || definition.inputSchema === undefined) return input;
  const checked = await fit(definition.inputSchema, input);
  if (!checked.ok) throw new OffshootError('invalid_input', `The input does not fit: ${checked.problem}`);
  return checked.json;
}
