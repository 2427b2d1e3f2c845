import { Bt as OutputOf, Ft as EnvOf, Ht as StateOf, Jt as ToolFileInfo, Lt as InitialStateOf, Rt as InputOf, t as AgentDefinition, zt as JsonOf } from "./shared/definition.js";
import { g as PendingCall } from "./shared/directory.js";
import { E as Json, O as JsonObject, g as Usage, l as SequencedChunk, x as Failure } from "./shared/chunks.js";
import { D as SuspendedStatus, E as SessionStatus, l as Message } from "./shared/sides.js";
import { n as MessagePart } from "./shared/requests.js";
import { n as OutputOf$1 } from "./shared/verb-types.js";
import { n as routingScriptedModel, r as scriptedModel } from "./shared/scripted.js";
import { r as RemoteAgentTransport } from "./shared/remote-transport.js";
/** How a run begins: a message, or what a start takes. */
type TestInput<Agent extends AgentDefinition = AgentDefinition> = string | TestStart<Agent>;
/** What a start takes, as over HTTP: at least one of `message` and `input`. */
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
  /** Values of variables for the session, kept encrypted; null forgets one. The runtime has a key where `env` gives none. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly displayName?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Json;
}
/** Who starts, and under which key: a start that is repeated with its key within 24 hours begins nothing. */
interface TestBy {
  /** `test` by default. */
  readonly caller?: string;
  readonly idempotencyKey?: string;
  /** The trace that the run belongs to (W3C). */
  readonly traceparent?: string;
}
/** What an accepted start is told; `queued` behind a run that is at work. */
interface TestAccepted {
  readonly sessionId: string;
  readonly runId: string;
  readonly status: SessionStatus;
}
/** How a run ended; `output` is there where it completed, `error` where it failed, `reason` where it was stopped. */
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
/** A call that waits for a person, with the agent that asks. Times in ms since 1970. */
interface TestPending extends Omit<PendingCall, 'stepId'> {
  readonly address: string;
  readonly agentType: string;
}
/** How a run stands that nobody has to wait for: it has ended, or it waits for a person or for a resume. */
type TestSettled<Output = Json> = TestResult<Output> | {
  readonly status: SuspendedStatus;
  readonly pending: readonly TestPending[];
};
/** A person's answer to a call: a yes or no, or what a client's tool gave. */
type TestAnswer = {
  readonly kind: 'approval-response';
  readonly toolCallId: string;
  readonly approved: boolean;
  /** The model reads it. */
  readonly reason?: string;
  /** Other arguments to run with, instead of the requested ones. */
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
 * A run of a tree. What takes an `address` means that agent of the tree, the root by default; an address that no agent
 * has is an OffshootError `not_found`. What is asked of a run that does not allow it is an OffshootError with the code
 * and the advice that a client would get.
 */
interface TestRun<Output = Json, State = Json> {
  /** The root's address. */
  readonly address: string;
  /** Resolves when the root's latest run has ended; a failed run is a result, too. It waits through any suspension, and reports one that lasts. */
  result(): Promise<TestResult<Output>>;
  /** Resolves when the root's latest run has ended, or waits for a person's answer, or a resume or retry of what is below. */
  settled(): Promise<TestSettled<Output>>;
  /** The chunks of the whole tree from a sequence on (1 by default), up to the end of the root's run. */
  stream(from?: number): AsyncIterable<SequencedChunk>;
  /**
   * Starts the root once more: as `onConcurrentStart` of the agent says while it is at work, its next turn otherwise.
   * @throws OffshootError `already_running`, `awaiting_input`, `too_many_starts`, `terminated`, `invalid_input`
   */
  start(input: TestInput, by?: TestBy): Promise<TestAccepted>;
  /** Sends a message; an agent at rest takes a turn. */
  send(content: string | MessagePart[], address?: string): Promise<void>;
  /** Stops a run softly with all below it; resolves when that is committed. `resume` goes on with it. */
  interrupt(reason?: string, address?: string): Promise<void>;
  /** Stops a run hard: it fails with `aborted`. `retry` tries it again. */
  abort(reason?: string, address?: string): Promise<void>;
  /** Ends a session for good. */
  terminate(reason?: string, address?: string): Promise<void>;
  /** Goes on with what was interrupted. @throws OffshootError `not_resumable`, `already_running`, `awaiting_input` */
  resume(message?: string | MessagePart[], address?: string): Promise<void>;
  /**
   * Tries a failed run again: the root's, or that of a sub-agent whose tool says `onFailure: 'wait'`; `abort` gives that
   * one up. @throws OffshootError `not_retryable`, `already_running`, `owned_by_parent`
   */
  retry(message?: string | MessagePart[], address?: string): Promise<void>;
  /** What of the tree waits for a person, at or below an agent; the call asked first comes first. */
  pending(address?: string): TestPending[];
  /**
   * Answers a call wherever in the tree it waits, checked by the schemas of its tool.
   * @throws OffshootError `unknown_tool_call`, `kind_mismatch`, `already_answered`, `late_answer`, `interrupted`,
   *   `invalid_arguments`, `invalid_input`
   */
  submit(answer: TestAnswer): Promise<void>;
  /** The transcript of any agent of the tree, the root's by default; a call that is still open has no result in it. */
  messages(address?: string): Message[];
  /** The custom state of the root. */
  state(): State;
  /** That of any agent of the tree. */
  state(address: string): Json;
  /** The addresses of the tree. */
  agents(): string[];
  /** The status document of any agent of the tree, as a client reads it. @throws OffshootError `not_found`, `gone` */
  status(address?: string): Promise<OutputOf$1<'status'>>;
  /**
   * The files of an agent of the tree, by path: the first 100 below a prefix, with the `version` that its model reads.
   * @throws OffshootError `invalid_request` for an address in place of a prefix
   */
  files(prefix?: string, address?: string): Promise<TestFile[]>;
  /** The text of a file of an agent of the tree. @throws OffshootError `not_found` */
  readFile(path: string, address?: string): Promise<string>;
  /** What the whole tree has spent. */
  usage(): Usage;
}
/** What is tried. */
interface RemoteUnderTest {
  readonly transport: RemoteAgentTransport;
  /** What the class of a root is called in addresses there, in kebab case. */
  readonly addressClass: string;
  /** The body of a start whose run completes by itself, in at least 4 chunks. */
  readonly completes: JsonObject;
  /** The body of a start whose run waits for the result of one client tool, and that result: with it, the run completes. */
  readonly waits: {
    readonly start: JsonObject;
    readonly result: Json;
  };
  /**
   * Loses what is in the memory of the other side, as a crash does, and resolves once it may be asked again. The cases
   * about crashes are left out where this is missing.
   */
  readonly crash?: () => Promise<void>;
  /** A name that no root has; random by default. */
  readonly newName?: () => string;
  /** How long a case may take, in ms. 60 s by default. */
  readonly caseMs?: number;
}
/** One promise, by its name, and the trial of it. */
interface ConformanceCase {
  readonly name: string;
  /** @throws Error that says what is otherwise */
  run(): Promise<void>;
}
/**
 * The promises that a parent relies on, each as a case.
 * @example
 * const tried = async (remote: RemoteUnderTest): Promise<void> => {
 *   for (const { name, run } of remoteConformance(remote)) {
 *     await run();
 *     console.log('kept:', name);
 *   }
 * };
 */
export declare function remoteConformance(remote: RemoteUnderTest): readonly ConformanceCase[];
/** What a test runtime is made of. */
export interface TestRuntimeOptions<Agent extends AgentDefinition = AgentDefinition> {
  /** Every agent of the tree, but for those that live elsewhere. */
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
  execute<Agent extends AgentDefinition>(definition: Agent, input: TestInput<Agent>, by?: TestBy): Promise<TestRun<JsonOf<OutputOf<Agent>>, JsonOf<StateOf<Agent>>>>;
  /** Loses everything that is in memory, as a crash does, and goes on from what was committed. */
  crash(): void;
  /** Ends everything. */
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