import { n as routingScriptedModel, r as scriptedModel, s as AgentDefinition } from "./scripted.js";
import { m as Outcome, p as PendingCall } from "./object.js";
import { C as Failure, F as Json, g as Usage, u as SequencedChunk } from "./chunks.js";
import { a as Message } from "./messages.js";
import { a as SuspendedStatus } from "./status.js";
/** How a run begins: a message, or what a start takes. */
type TestInput = string | {
  readonly message?: string;
  readonly input?: Json;
  readonly state?: Json;
};
/** How a run ended. */
interface TestResult {
  readonly status: Outcome['status'];
  readonly output?: Json;
  readonly error?: Failure;
  readonly reason?: string;
}
/** A call that waits for a person, with the agent that asks. Times in ms since 1970. */
interface TestPending extends Omit<PendingCall, 'stepId'> {
  readonly address: string;
  readonly agentType: string;
}
/** How a run stands that nobody has to wait for: it has ended, or it waits for a person or for a resume. */
type TestSettled = TestResult | {
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
  /** Other arguments to run with, in place of those that were asked for. */
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
/**
 * A run of a tree. What takes an `address` means that agent of the tree, the root by default; an address that no agent
 * has is an OffshootError `not_found`. What is asked of a run that does not allow it is an OffshootError with the code
 * and the advice that a client would get.
 */
interface TestRun {
  /** The root's address. */
  readonly address: string;
  /** Resolves when the root's latest run has ended; a failed run is a result, too. It waits through any suspension. */
  result(): Promise<TestResult>;
  /** Resolves when the root's latest run has ended, or waits for a person's answer, or a resume or retry of what is below. */
  settled(): Promise<TestSettled>;
  /** The chunks of the whole tree from a sequence on (1 by default), up to the end of the root's run. */
  stream(from?: number): AsyncIterable<SequencedChunk>;
  /** Sends a message; an agent at rest takes a turn. */
  send(content: string, address?: string): void;
  /** Stops a run softly with all below it; resolves when that is committed. `resume` goes on with it. */
  interrupt(reason?: string, address?: string): Promise<void>;
  /** Stops a run hard: it fails with `aborted`. `retry` tries it again. */
  abort(reason?: string, address?: string): Promise<void>;
  /** Ends a session for good. */
  terminate(reason?: string, address?: string): Promise<void>;
  /** Goes on with what was interrupted. @throws OffshootError `not_resumable`, `already_running`, `awaiting_input` */
  resume(message?: string, address?: string): Promise<void>;
  /**
   * Tries a failed run again: the root's, or that of a sub-agent whose tool says `onFailure: 'wait'`; `abort` gives that
   * one up. @throws OffshootError `not_retryable`, `already_running`, `owned_by_parent`
   */
  retry(message?: string, address?: string): Promise<void>;
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
  /** The custom state of any agent of the tree. */
  state(address?: string): Json;
  /** The addresses of the tree. */
  agents(): string[];
  /** What the whole tree has spent. */
  usage(): Usage;
}
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
/** A runtime for tests. */
export interface TestRuntime {
  /** Starts a new root. @throws OffshootError `invalid_input` when the input does not fit. */
  execute(definition: AgentDefinition, input: TestInput): Promise<TestRun>;
  /** Loses everything that is in memory, as a crash does, and goes on from what was committed. */
  crash(): void;
  /** Ends everything. */
  close(): void;
}
/** A runtime for the tests of one agent or a tree. */
export declare function createTestRuntime(options: TestRuntimeOptions): TestRuntime;
export { type TestAnswer, type TestInput, type TestPending, type TestResult, type TestRun, type TestSettled, routingScriptedModel, scriptedModel };