/**
 * `offshoot/testing`: run an agent or a whole tree in Node, without workerd. The same core, engine and stores as in a
 * Worker, over `node:sqlite` in memory.
 */
import { createHash } from 'node:crypto';
import type { AgentDefinition } from './core/definition/definition';
import { workersOf } from './core/definition/handoffs';
import type { ModelPort } from './core/definition/model-port';
import type { EnvOf, JsonOf, OutputOf, StateOf } from './core/definition/types';
import type { Environment } from './engine/environment';
import { portOf } from './model/port';
import { OffshootError } from './protocol/errors';
import { type TestBy, type TestInput, type TestRun, token, WorldRun } from './testing/handle';
import { addressOf, World } from './testing/world';
import { answerVerb } from './verbs/table';

export type { PendingCall } from './core/agent/answer';
export { routingScriptedModel, scriptedModel } from './model/scripted';
export type {
  TestAccepted,
  TestAnswer,
  TestBy,
  TestInput,
  TestPending,
  TestResult,
  TestRun,
  TestSettled,
  TestStart,
} from './testing/handle';

export { type ConformanceCase, type RemoteUnderTest, remoteConformance } from './testing/remote-conformance';

/** Whoever an agent has as a sub-agent is in the list too. @throws OffshootError `invalid_definition` */
function checkAgents(agents: readonly AgentDefinition[]): void {
  for (const agent of agents) {
    const { name } = agent;
    const workers = [...workersOf(agent).values()];
    for (const { child } of workers.flatMap(({ relationships }) => relationships)) {
      if (agents.some(({ className }) => className === child.className)) continue;
      const add = `agents: [${[...agents, child].map((agent) => agent.name).join(', ')}]`;
      throw new OffshootError(
        'invalid_definition',
        `The agent "${name}" uses "${child.name}", which createTestRuntime does not know. Add it to the list: ${add}.`,
      );
    }
  }
}

/** What a test runtime is made of. */
export interface TestRuntimeOptions<Agent extends AgentDefinition = AgentDefinition> {
  /** Every agent of the tree. */
  readonly agents: readonly Agent[];
  /** Bindings and variables, for models and tools: those that the test needs. None by default. */
  readonly env?: Partial<EnvOf<Agent>>;
  /** Answers for every agent, in place of the models of their definitions. */
  readonly model?: AgentDefinition['model'];
  /** Where problems are reported that nobody waits for; `console.error` by default. */
  readonly report?: (problem: string, error?: unknown) => void;
}

/** A runtime for tests. */
export interface TestRuntime {
  /**
   * Starts a new root, by what a Worker starts one by.
   * @throws OffshootError `invalid_input`, `invalid_request`, `payload_too_large`, `not_a_root`
   */
  execute<Agent extends AgentDefinition>(
    definition: Agent,
    input: TestInput<Agent>,
    by?: TestBy,
  ): Promise<TestRun<JsonOf<OutputOf<Agent>>, JsonOf<StateOf<Agent>>>>;
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
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    report: options.report ?? ((problem, error) => console.error(problem, error ?? '')),
  };
}

/**
 * A runtime for the tests of one agent or a tree.
 * @example
 * const runtime = createTestRuntime({ agents: [planner, timekeeper], model });
 * const run = await runtime.execute(planner, 'Plan a call.');
 * expect(await run.result()).toEqual({ status: 'completed', output: 'At ten.' });
 * runtime.close();
 */
export function createTestRuntime<Agent extends AgentDefinition>(options: TestRuntimeOptions<Agent>): TestRuntime {
  checkAgents(options.agents);
  const environment = environmentOf(options);
  const ports = new Map<AgentDefinition, ModelPort>();
  const world = new World({
    agents: options.agents,
    environment,
    verb: answerVerb,
    model(definition) {
      const port = ports.get(definition) ?? portOf(options.model ?? definition.model, environment.bindings);
      ports.set(definition, port);
      return port;
    },
  });
  const roots: string[] = [];
  // What the definition's schemas have checked is of their types, which the compiler cannot see any more in a store.
  function execute<Root extends AgentDefinition>(
    definition: Root,
    input: TestInput<Root>,
    by?: TestBy,
  ): Promise<TestRun<JsonOf<OutputOf<Root>>, JsonOf<StateOf<Root>>>>;
  async function execute(definition: AgentDefinition, input: TestInput, by?: TestBy): Promise<TestRun> {
    const address = addressOf(definition, `test-${roots.length + 1}`);
    const run = new WorldRun(world, environment, address);
    await run.start(input, by);
    roots.push(address);
    return run;
  }
  return {
    execute,
    crash() {
      world.crash();
      for (const address of roots) world.object(address);
    },
    close: () => world.close(),
  };
}
