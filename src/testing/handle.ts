/**
 * A run of a tree in this process, as tests handle it: what they see of it, and what people do to it.
 *
 * Keeps TT4, TT6, TT12, TT13.
 */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { PendingCall } from '../core/agent/calls/answer';
import { statusOf } from '../core/agent/runs/status';
import { openCalls } from '../core/agent/state';
import { transcriptOf } from '../core/agent/transcript';
import type { AgentDefinition } from '../core/definition/definition';
import type { ToolFileInfo } from '../core/definition/tool-context';
import type { InputOf as AgentInput, InitialStateOf } from '../core/definition/types';
import { isWaitedFor, type TreeNode } from '../core/tree/node';
import type { AgentRuntime } from '../engine/agent';
import type { Environment } from '../engine/environment';
import { LogReader } from '../engine/log-reader';
import type { VerbAnswer, VerbCall } from '../engine/object/object-calls';
import { versionOf } from '../engine/workspace/bytes';
import { isWithin } from '../protocol/address';
import type { SequencedChunk } from '../protocol/chunks';
import { type Failure, OffshootError, refuseWith } from '../protocol/errors';
import { type Json, toJson } from '../protocol/json';
import type { Message } from '../protocol/messages';
import { isSuspended, type SessionStatus, type SuspendedStatus } from '../protocol/status';
import { addUsage, NO_USAGE, type Usage } from '../protocol/usage';
import { type MessagePart, startAccepted } from '../protocol/wire/requests';
import { WIRE_LIMITS } from '../protocol/wire/wire-limits';
import { SqlAgentStore } from '../store/agent-store';
import { callOf, command, commandAsGiven } from '../verbs/command';
import type { InputOf, OutputOf, VerbName } from '../verbs/verb-types';
import type { World } from './world';

/** The input of a run: a message, or the fields of a start. */
export type TestInput<Agent extends AgentDefinition = AgentDefinition> = string | TestStart<Agent>;

/** The fields of a start, as over HTTP: at least one of `message` and `input`. */
export interface TestStart<Agent extends AgentDefinition = AgentDefinition> {
  readonly message?: string | MessagePart[];
  readonly input?: AgentInput<Agent>;
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
export interface TestBy {
  /** `test` by default. */
  readonly caller?: string;
  readonly idempotencyKey?: string;
  /** The trace (W3C) of the run. */
  readonly traceparent?: string;
}

/** The response to an accepted start; `queued` if another run is in progress. */
export interface TestAccepted {
  readonly sessionId: string;
  readonly runId: string;
  readonly status: SessionStatus;
}

/** The end of a run, with `output` if it completed, `error` if it failed, `reason` if it was stopped. */
export type TestResult<Output = Json> =
  | { readonly status: 'completed'; readonly output: Output; readonly error?: never; readonly reason?: never }
  | { readonly status: 'failed'; readonly error: Failure; readonly output?: never; readonly reason?: never }
  | {
      readonly status: 'interrupted' | 'terminated';
      readonly reason: string;
      readonly output?: never;
      readonly error?: never;
    };

/** A pending call, with its agent. Times are in ms since 1970. */
export interface TestPending extends Omit<PendingCall, 'stepId'> {
  readonly address: string;
  readonly agentType: string;
}

/** The state of a settled run: it has ended, or it is waiting for a person or a resume. */
export type TestSettled<Output = Json> =
  | TestResult<Output>
  | { readonly status: SuspendedStatus; readonly pending: readonly TestPending[] };

/** A person's answer to a call: a decision, or the result of a client tool. */
export type TestAnswer =
  | {
      readonly kind: 'approval-response';
      readonly toolCallId: string;
      readonly approved: boolean;
      /** The reason, which the model reads. */
      readonly reason?: string;
      /** Arguments that replace the requested ones. */
      readonly input?: Json;
    }
  | { readonly kind: 'client-tool-result'; readonly toolCallId: string; readonly result: Json }
  | { readonly kind: 'client-tool-result'; readonly toolCallId: string; readonly error: string };

/** A file of an agent, with the version that its model reads; `etag` is the SHA-256 of the content. */
export interface TestFile extends ToolFileInfo {
  readonly etag: string;
}

/**
 * A run of a tree. The parameter `address` selects an agent of the tree; the default is the root. An unknown address
 * throws an OffshootError `not_found`. A request that the run's state does not allow throws an OffshootError with the
 * code and advice that a client would get.
 */
export interface TestRun<Output = Json, State = Json> {
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
  status(address?: string): Promise<OutputOf<'status'>>;
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

/** Fresh randomness for ids. */
export const token = (): string => randomUUID().replaceAll('-', '').slice(0, 20);

/** How long a crash may hide from who listens, in ms. */
const LOOK_AGAIN_MS = 1_000;

/** A run in a world. */
export class WorldRun implements TestRun<Json, Json> {
  constructor(
    readonly world: World,
    readonly environment: Environment,
    readonly address: string,
  ) {}

  async start(input: TestInput, by: TestBy = {}): Promise<TestAccepted> {
    const { files, ...given } = typeof input === 'string' ? { message: input } : input;
    const encoded = files?.map(({ path, mediaType, content }) => ({
      path,
      ...(mediaType === undefined ? {} : { mediaType }),
      base64: Buffer.from(content).toString('base64'),
    }));
    const body = plainJson({ ...given, ...(encoded ? { files: encoded } : {}) }, 'The start');
    const answer = await this.#asGiven('start', body, this.address, by);
    const { sessionId, runId, status } = startAccepted.parse(answer);
    return { sessionId, runId, status };
  }

  /** What a person does to an agent, as a Worker would have it done. */
  #command<Name extends VerbName>(
    name: Name,
    input: InputOf<Name>,
    address = this.address,
    by: TestBy = {},
  ): Promise<OutputOf<Name>> {
    return command(this.world.object(this.address), address, name, input, { caller: 'test', ...by });
  }

  /** The same for what a test gave, which only the verb's schema knows to be an input. */
  #asGiven<Name extends VerbName>(
    name: Name,
    input: Json,
    address = this.address,
    by: TestBy = {},
  ): Promise<OutputOf<Name>> {
    return commandAsGiven(this.world.object(this.address), address, name, input, { caller: 'test', ...by });
  }

  #tree() {
    const { tree } = this.world.object(this.address);
    if (tree === undefined) throw new OffshootError('not_found');
    return tree;
  }

  #node(address: string): TreeNode {
    const node = this.#tree().tree.byAddress(address);
    if (node === undefined) throw new OffshootError('not_found', `There is no agent at ${address} in this tree.`);
    return node;
  }

  /** An agent of the tree; looking for one makes none. */
  #agent(address: string): AgentRuntime {
    const { agent } = this.world.object(this.#node(address).address);
    if (agent === undefined) throw new OffshootError('unavailable', `The agent at ${address} has not begun yet.`);
    return agent;
  }

  /** The result of the root's latest run, once it has ended. */
  #result(): TestResult | undefined {
    const { run } = this.#agent(this.address).state;
    if (run?.phase !== 'ended') return undefined;
    const { outcome } = run;
    if (outcome.status === 'completed') return { status: outcome.status, output: outcome.output };
    if (outcome.status === 'failed') return { status: outcome.status, error: outcome.error };
    return { status: outcome.status, reason: outcome.reason };
  }

  /** How the root is suspended. Between an answer and the parent that hears of it nothing waits: that is no suspension. */
  #suspension(): TestSettled | undefined {
    const status = statusOf(this.#agent(this.address).state);
    if (!isSuspended(status)) return undefined;
    const pending = this.pending();
    const { tree } = this.#tree();
    const halted = [...tree.allChildren()].some(
      (node) => (node.status === 'interrupted' && tree.hasOpenTask(node)) || this.#isWaitedFor(node),
    );
    return pending.length > 0 || halted ? { status, pending } : undefined;
  }

  /** Looks whenever the log grows; `idle` is called for each second in which it did not. */
  async #until<Found>(look: () => Found | undefined, idle: () => void = () => undefined): Promise<Found> {
    for (;;) {
      const { last } = this.#tree().log;
      const found = look();
      if (found !== undefined) return found;
      await this.#grown(last + 1);
      if (this.#tree().log.last === last) idle();
    }
  }

  /** Reports a wait that only the test can end: without it, a test that forgot the answer times out in silence. */
  #reportWait(): boolean {
    const suspension = this.#suspension();
    if (suspension === undefined) return false;
    const calls = this.pending().map(
      ({ toolName, toolCallId, address }) => `${toolName} (${toolCallId}) of ${address}`,
    );
    const advice =
      calls.length > 0
        ? `These calls wait for an answer: ${calls.join(', ')}. Answer with run.submit(), or await run.settled().`
        : 'A stopped or failed sub-agent waits for run.resume(), run.retry() or run.abort() with its address.';
    this.environment.report(`run.result() cannot resolve yet: the run is ${suspension.status}. ${advice}`);
    return true;
  }

  result(): Promise<TestResult> {
    let reported = false;
    return this.#until(
      () => this.#result(),
      () => {
        if (!reported) reported = this.#reportWait();
      },
    );
  }

  settled(): Promise<TestSettled> {
    return this.#until<TestSettled>(() => this.#result() ?? this.#suspension());
  }

  async *stream(from = 1): AsyncIterable<SequencedChunk> {
    for (let next = from; ; ) {
      const page = this.#tree().log.page(next, this.address);
      yield* page.chunks;
      next = page.next;
      if (next <= this.#tree().log.last) continue;
      if (this.#result() ?? this.#rest()) return;
      await this.#grown(next);
    }
  }

  /** The root's suspended status where nothing of the tree works. */
  #rest(): TestSettled | undefined {
    const suspension = this.#suspension();
    const isAtWork = suspension === undefined || new LogReader(this.#tree(), this.address, 1).ended === undefined;
    return isAtWork ? undefined : suspension;
  }

  /**
   * Resolves when the log holds a sequence; looks again now and then, because a crash loses listeners.
   * @throws OffshootError `gone` once the runtime is closed
   */
  async #grown(sequence: number): Promise<void> {
    const { log } = this.#tree();
    if (log.last >= sequence) return;
    const { closed } = this.world;
    await new Promise<void>((resolve) => {
      const done = () => {
        stop();
        cancel();
        closed.removeEventListener('abort', done);
        resolve();
      };
      const stop = log.listen(done);
      const cancel = this.environment.timer(LOOK_AGAIN_MS, done);
      closed.addEventListener('abort', done);
      if (closed.aborted) done();
    });
  }

  async send(content: string | MessagePart[], address = this.address): Promise<void> {
    await this.#command('send', { content }, address);
  }

  async interrupt(reason = 'The test interrupted it.', address = this.address): Promise<void> {
    await this.#command('interrupt', { reason }, address);
  }

  async abort(reason = 'The test aborted it.', address = this.address): Promise<void> {
    await this.#command('abort', { reason }, address);
  }

  async terminate(reason = 'The test ended it.', address = this.address): Promise<void> {
    await this.#command('terminate', { reason }, address);
  }

  async resume(message?: string | MessagePart[], address = this.address): Promise<void> {
    await this.#command('resume', message === undefined ? {} : { message }, address);
  }

  async retry(message?: string | MessagePart[], address = this.address): Promise<void> {
    await this.#command('retry', message === undefined ? {} : { message }, address);
  }

  /** Whether an agent failed and its parent waits for a person to decide. */
  #isWaitedFor(node: TreeNode): boolean {
    const parent = this.#tree().tree.parentOf(node);
    if (!isWaitedFor(node) || parent === undefined) return false;
    const child = this.#store(parent.address).load()?.children.get(node.childId);
    return child?.task.number === node.task.number && child.state.is === 'failed';
  }

  pending(address = this.address): TestPending[] {
    return this.#tree()
      .pending(this.#node(address))
      .map(({ node, item: { stepId: _stepId, ...item } }) => ({
        ...item,
        address: node.address,
        agentType: node.agentType,
      }));
  }

  async submit(answer: TestAnswer): Promise<void> {
    await this.#asGiven('submit', plainJson(answer, 'The answer'));
  }

  #store(address: string): SqlAgentStore {
    const storage = this.world.storage(address);
    if (storage === undefined) throw new OffshootError('not_found', `There is no agent at ${address}.`);
    return new SqlAgentStore(storage);
  }

  messages(address = this.address): Message[] {
    const store = this.#store(address);
    const steps = store.steps({});
    const open = new Set(steps.flatMap((step) => (step.phase === 'calls' ? openCalls(step) : [])).map((c) => c.callId));
    return transcriptOf(store.messages({}), steps).filter((one) => one.role !== 'tool' || !open.has(one.toolCallId));
  }

  state(address = this.address): Json {
    return this.#store(address).load()?.custom ?? null;
  }

  async status(address = this.address): Promise<OutputOf<'status'>> {
    return this.#command('status', {}, address);
  }

  async files(prefix?: string, address = this.address): Promise<TestFile[]> {
    if (prefix?.startsWith('/agents/'))
      throw new OffshootError(
        'invalid_request',
        `The first argument of run.files() is a prefix of paths. Pass the address second: run.files('', '${prefix}').`,
      );
    const { items } = await this.#command(
      'files',
      { limit: 100, ...(prefix === undefined ? {} : { prefix }) },
      address,
    );
    return items.map((file) => ({ ...file, version: versionOf(file) }));
  }

  async readFile(path: string, address = this.address): Promise<string> {
    const call: VerbCall = callOf(address, 'readFile', { path }, { caller: 'test' });
    const answer: VerbAnswer = await this.world.object(this.address).call(call);
    return answer.ok ? new Response(answer.bytes).text() : refuseWith(answer.error);
  }

  agents(): string[] {
    return this.world.addresses().filter((address) => isWithin(address, this.address));
  }

  usage(): Usage {
    return this.agents().reduce(
      (sum, address) => addUsage(sum, this.#store(address).load()?.spent ?? NO_USAGE),
      NO_USAGE,
    );
  }
}

function plainJson(value: unknown, what: string): Json {
  const plain = toJson(value, WIRE_LIMITS.maxBodyBytes);
  if (!plain.ok) throw new OffshootError('invalid_input', `${what} is not accepted: ${plain.problem}.`);
  return plain.json;
}
