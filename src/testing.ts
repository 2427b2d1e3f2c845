/**
 * `offshoot/testing`: run an agent or a whole tree in Node, without workerd. The same core, engine and stores as in a
 * Worker, over `node:sqlite` in memory.
 */
import { createHash } from 'node:crypto';
import { workersOf } from './core/definition/children/handoffs';
import type { AgentDefinition } from './core/definition/definition';
import { checkKinds, invalidDefinition, refuseUnknown } from './core/definition/invalid';
import type { EnvOf, JsonOf, OutputOf, StateOf } from './core/definition/types';
import type { Environment } from './engine/environment';
import { ModelPorts, portOf } from './model/port';
import { identifierOf } from './protocol/ids';
import { type TestBy, type TestInput, type TestRun, token, WorldRun } from './testing/handle';
import { addressOf, World } from './testing/world';
import { answerVerb } from './verbs/table';

export type { PendingCall } from './core/agent/calls/answer';
export { routingScriptedModel, scriptedModel } from './model/scripted';
export type {
  TestAccepted,
  TestAnswer,
  TestBy,
  TestFile,
  TestInput,
  TestPending,
  TestResult,
  TestRun,
  TestSettled,
  TestStart,
} from './testing/handle';

export { type ConformanceCase, type RemoteUnderTest, remoteConformance } from './testing/remote-conformance';

/**
 * Whoever an agent has here as a sub-agent is in the list too, and nobody who would not be asked.
 * @throws OffshootError `invalid_definition`
 */
function checkAgents(agents: readonly AgentDefinition[]): void {
  const related = agents.flatMap((agent) =>
    [...workersOf(agent).values()]
      .flatMap(({ relationships }) => relationships)
      .map(({ child, placement }) => ({ name: agent.name, child, isHere: placement !== 'remote' })),
  );
  const isListed = ({ className }: AgentDefinition) => agents.some((agent) => agent.className === className);
  const isHad = ({ className }: AgentDefinition) =>
    related.some(({ child, isHere }) => isHere && child.className === className);
  for (const { name, child, isHere } of related) {
    if (isHere && !isListed(child)) {
      const add = `agents: [${[...agents, child].map((agent) => identifierOf(agent.name)).join(', ')}]`;
      invalidDefinition(
        `The agent "${name}" uses "${child.name}", which createTestRuntime does not know. Add it to the list: ${add}.`,
      );
    }
    if (!isHere && isListed(child) && !isHad(child))
      invalidDefinition(
        `The agent "${name}" calls "${child.name}" remotely, so createTestRuntime would never use the definition in the list. Remove it. To replace the remote agent in a test, pass another \`transport\` in \`env\`.`,
      );
  }
}

/** Options of a test runtime. */
export interface TestRuntimeOptions<Agent extends AgentDefinition = AgentDefinition> {
  /** Every agent of the tree, except remote ones. */
  readonly agents: readonly Agent[];
  /** The bindings and variables that models and tools need in the test. None by default. */
  readonly env?: Partial<EnvOf<Agent>>;
  /** A model for every agent, in place of those of their definitions. */
  readonly model?: AgentDefinition['model'];
  /** Called for problems that no call returns; `console.error` by default. */
  readonly report?: (problem: string, error?: unknown) => void;
}

/** A runtime for tests. */
export interface TestRuntime {
  /**
   * Starts a new root, as a Worker does.
   * @throws OffshootError `invalid_input`, `invalid_request`, `payload_too_large`, `not_a_root`
   */
  execute<Agent extends AgentDefinition>(
    definition: Agent,
    input: TestInput<Agent>,
    by?: TestBy,
  ): Promise<TestRun<JsonOf<OutputOf<Agent>>, JsonOf<StateOf<Agent>>>>;
  /** Drops everything in memory, as a crash does, and continues from committed state. */
  crash(): void;
  /** Ends everything. What still waits for a run rejects with `gone`. */
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
  refuseUnknown('createTestRuntime', options, ['agents', 'env', 'model', 'report']);
  checkKinds('createTestRuntime', options, { agents: 'list', report: 'function' });
  checkAgents(options.agents);
  const environment = environmentOf(options);
  const ports = new ModelPorts();
  const forAll = options.model && portOf(options.model, environment.bindings);
  const world = new World({
    agents: options.agents,
    environment,
    verb: answerVerb,
    model: (definition, at) => forAll ?? ports.of(definition, at, environment.bindings),
  });
  const roots: string[] = [];
  let named = 0;
  // What the definition's schemas have checked is of their types, which the compiler cannot see any more in a store.
  function execute<Root extends AgentDefinition>(
    definition: Root,
    input: TestInput<Root>,
    by?: TestBy,
  ): Promise<TestRun<JsonOf<OutputOf<Root>>, JsonOf<StateOf<Root>>>>;
  async function execute(definition: AgentDefinition, input: TestInput, by?: TestBy): Promise<TestRun> {
    // Counted before the start: two starts at once are two roots.
    named += 1;
    const address = addressOf(definition, `test-${named}`);
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
