import { Bt as OutputOf, Ft as EnvOf, Ht as StateOf, Jt as ToolFileInfo, Lt as InitialStateOf, Rt as InputOf, t as AgentDefinition, zt as JsonOf } from "./shared/definition.js";
import { g as PendingCall } from "./shared/directory.js";
import { E as Json, O as JsonObject, g as Usage, l as SequencedChunk, x as Failure } from "./shared/chunks.js";
import { D as SuspendedStatus, E as SessionStatus, l as Message } from "./shared/sides.js";
import { n as MessagePart } from "./shared/requests.js";
import { n as OutputOf$1 } from "./shared/verb-types.js";
import { n as routingScriptedModel, r as scriptedModel } from "./shared/scripted.js";
import { r as RemoteAgentTransport } from "./shared/remote-transport.js";
/** The input of a run: a message, or the fields of a start. */
type TestInput<Agent extends AgentDefinition = AgentDefinition> = string | TestStart<Agent>;
/** The fields of a start, as over HTTP: at least one of `message` and `input`. */
interface TestStart<Agent extends AgentDefinition = AgentDefinition> {
  readonly message?: string | MessagePart[];
  readonly input?: InputOf<Agent>;
  /** Replaces the custom state. */
  readonly state?: InitialStateOf<Agent>;
  /** `content` is text or bytes. */
  readonly files?: readonly {
    readonly path: string;
    readonly mediaType?: string;
    readonly content: string | Uint8Array;
  }[];
  /**
   * Values of variables for the session, stored encrypted; null removes one. The runtime has a key if `env` has none.
   */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly displayName?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Json;
}
/**
 * The caller and the idempotency key of a start. A start repeated with its key within 24 hours does not start another
 * run.
 */
interface TestBy {
  /** `test` by default. */
  readonly caller?: string;
  readonly idempotencyKey?: string;
  /** The trace (W3C) of the run. */
  readonly traceparent?: string;
}
/** The response to an accepted start; `queued` if another run is in progress. */
interface TestAccepted {
  readonly sessionId: string;
  readonly runId: string;
  readonly status: SessionStatus;
}
/** The end of a run, with `output` if it completed, `error` if it failed, `reason` if it was stopped. */
type TestResult<Output = Json> = {
  readonly status: 'completed';
  readonly output: Output;
  readonly error?: never;
  readonly reason?: never;
} | {
  readonly status: 'failed';
  readonly error: Failure;
  readonly output?: never;
  readonly reason?: never;
} | {
  readonly status: 'interrupted' | 'terminated';
  readonly reason: string;
  readonly output?: never;
  readonly error?: never;
};
/** A pending call, with its agent. Times are in ms since 1970. */
interface TestPending extends Omit<PendingCall, 'stepId'> {
  readonly address: string;
  readonly agentType: string;
}
/** The state of a settled run: it has ended, or it is waiting for a person or a resume. */
type TestSettled<Output = Json> = TestResult<Output> | {
  readonly status: SuspendedStatus;
  readonly pending: readonly TestPending[];
};
/** A person's answer to a call: a decision, or the result of a client tool. */
type TestAnswer = {
  readonly kind: 'approval-response';
  readonly toolCallId: string;
  readonly approved: boolean;
  /** The reason, which the model reads. */
  readonly reason?: string;
  /** Arguments that replace the requested ones. */
  readonly input?: Json;
} | {
  readonly kind: 'client-tool-result';
  readonly toolCallId: string;
  readonly result: Json;
} | {
  readonly kind: 'client-tool-result';
  readonly toolCallId: string;
  readonly error: string;
};
/** A file of an agent, with the version that its model reads; `etag` is the SHA-256 of the content. */
interface TestFile extends ToolFileInfo {
  readonly etag: string;
}
/**
 * A run of a tree. The parameter `address` selects an agent of the tree; the default is the root. An unknown address
 * throws an OffshootError `not_found`. A request that the run's state does not allow throws an OffshootError with the
 * code and advice that a client would get.
 */
interface TestRun<Output = Json, State = Json> {
  /** The root's address. */
  readonly address: string;
  /**
   * Resolves when the root's latest run has ended, even if it failed. It waits while the run is suspended, and reports
   * a long suspension.
   * @throws OffshootError `gone` if the runtime is closed before
   */
  result(): Promise<TestResult<Output>>;
  /**
   * Resolves when the root's latest run has ended, or has to wait for a person's answer, or for a resume or retry of a
   * sub-agent.
   * @throws OffshootError `gone` if the runtime is closed before
   */
  settled(): Promise<TestSettled<Output>>;
  /**
   * The chunks of the whole tree from a sequence number (1 by default). It ends when the root's run has ended, or when
   * nothing in the tree works because it waits for a person. To read on, call it again with the next sequence number.
   * @throws OffshootError `gone` if the runtime is closed before
   */
  stream(from?: number): AsyncIterable<SequencedChunk>;
  /**
   * Starts the root again: its next turn, or during a run, as the agent's `onConcurrentStart` says.
   * @throws OffshootError `already_running`, `awaiting_input`, `too_many_starts`, `terminated`, `invalid_input`
   */
  start(input: TestInput, by?: TestBy): Promise<TestAccepted>;
  /** Sends a message; an idle agent starts a turn. */
  send(content: string | MessagePart[], address?: string): Promise<void>;
  /** Interrupts a run and all agents below it; resolves once that is committed. `resume` continues it. */
  interrupt(reason?: string, address?: string): Promise<void>;
  /** Aborts a run: it fails with `aborted`. `retry` continues it. */
  abort(reason?: string, address?: string): Promise<void>;
  /** Terminates a session. */
  terminate(reason?: string, address?: string): Promise<void>;
  /** Resumes an interrupted run. @throws OffshootError `not_resumable`, `already_running`, `awaiting_input` */
  resume(message?: string | MessagePart[], address?: string): Promise<void>;
  /**
   * Retries a failed run: the root's, or that of a sub-agent with `onFailure: 'wait'`, which `abort` abandons. @throws
   * OffshootError `not_retryable`, `already_running`, `owned_by_parent`
   */
  retry(message?: string | MessagePart[], address?: string): Promise<void>;
  /** The pending calls at and below an agent, the oldest first. */
  pending(address?: string): TestPending[];
  /**
   * Answers a call anywhere in the tree, checked by the schemas of its tool.
   * @throws OffshootError `unknown_tool_call`, `kind_mismatch`, `already_answered`, `late_answer`, `interrupted`,
   *   `invalid_arguments`, `invalid_input`
   */
  submit(answer: TestAnswer): Promise<void>;
  /** The transcript of an agent of the tree, the root's by default. An open call has no result in it. */
  messages(address?: string): Message[];
  /** The custom state of the root. */
  state(): State;
  /** The custom state of any agent of the tree. */
  state(address: string): Json;
  /** The addresses of the tree. */
  agents(): string[];
  /** The status document of any agent of the tree, as a client reads it. @throws OffshootError `not_found`, `gone` */
  status(address?: string): Promise<OutputOf$1<'status'>>;
  /**
   * The files of an agent of the tree, by path: the first 100 below a prefix, with the `version` that its model reads.
   * @throws OffshootError `invalid_request` if the prefix is an address
   */
  files(prefix?: string, address?: string): Promise<TestFile[]>;
  /** The text of a file of an agent of the tree. @throws OffshootError `not_found` */
  readFile(path: string, address?: string): Promise<string>;
  /** The usage of the whole tree. */
  usage(): Usage;
}
/** The server to check. */
interface RemoteUnderTest {
  readonly transport: RemoteAgentTransport;
  /** The class of a root in the server's addresses, in kebab case. */
  readonly addressClass: string;
  /** The body of a start whose run completes without an answer, in at least 4 chunks. */
  readonly completes: JsonObject;
  /** The body of a start whose run waits for the result of one client tool, and that result: with it, the run completes. */
  readonly waits: {
    readonly start: JsonObject;
    readonly result: Json;
  };
  /**
   * Restarts the server without its memory, as a crash does, and resolves once it answers again. Without it, the cases
   * about crashes are skipped.
   */
  readonly crash?: () => Promise<void>;
  /** A name that no root has; random by default. */
  readonly newName?: () => string;
  /** How long a case may take, in ms. 60 s by default. */
  readonly caseMs?: number;
}
/** One case: the name of a promise, and a function that checks it. */
interface ConformanceCase {
  readonly name: string;
  /** @throws Error that describes the difference */
  run(): Promise<void>;
}
/**
 * Cases that check the promises on which a parent relies.
 * @example
 * const tried = async (remote: RemoteUnderTest): Promise<void> => {
 *   for (const { name, run } of remoteConformance(remote)) {
 *     await run();
 *     console.log('kept:', name);
 *   }
 * };
 */
export declare function remoteConformance(remote: RemoteUnderTest): readonly ConformanceCase[];
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
  execute<Agent extends AgentDefinition>(definition: Agent, input: TestInput<Agent>, by?: TestBy): Promise<TestRun<JsonOf<OutputOf<Agent>>, JsonOf<StateOf<Agent>>>>;
  /** Drops everything in memory, as a crash does, and continues from committed state. */
  crash(): void;
  /** Ends everything. What still waits for a run rejects with `gone`. */
  close(): void;
}
/**
 * A runtime for the tests of one agent or a tree.
 * @example
 * const runtime = createTestRuntime({ agents: [planner, timekeeper], model });
 * const run = await runtime.execute(planner, 'Plan a call.');
 * expect(await run.result()).toEqual({ status: 'completed', output: 'At ten.' });
 * runtime.close();
 */
export declare function createTestRuntime<Agent extends AgentDefinition>(options: TestRuntimeOptions<Agent>): TestRuntime;
export { type ConformanceCase, type PendingCall, type RemoteUnderTest, type TestAccepted, type TestAnswer, type TestBy, type TestFile, type TestInput, type TestPending, type TestResult, type TestRun, type TestSettled, type TestStart, routingScriptedModel, scriptedModel };