/** A run of a tree in this process, as tests handle it: what they see of it, and what people do to it. */
import { randomUUID } from 'node:crypto';
import type { PendingCall } from '../core/agent/answer';
import type { AgentEvent, PersonsAnswer } from '../core/agent/events';
import type { NewMessage } from '../core/agent/inbound';
import { type Outcome, openCalls } from '../core/agent/state';
import { statusOf } from '../core/agent/status';
import { failureByStop, isResumable, type StopVerb } from '../core/agent/stop-verb';
import { transcriptOf } from '../core/agent/transcript';
import type { AgentDefinition } from '../core/definition/definition';
import { asChild, hasBegun, isLive, isWaitedFor, isYetToBegin, type TreeNode } from '../core/tree/node';
import type { AgentRuntime } from '../engine/agent';
import type { Environment } from '../engine/environment';
import { fit } from '../engine/plan';
import { checkAnswer, takeAnswer } from '../engine/take-answer';
import { isWithin } from '../protocol/address';
import type { SequencedChunk } from '../protocol/chunks';
import { type Failure, failure, OffshootError } from '../protocol/errors';
import { type Json, toJson } from '../protocol/json';
import type { Message } from '../protocol/messages';
import { isSuspended, type SuspendedStatus } from '../protocol/status';
import { addUsage, NO_USAGE, type Usage } from '../protocol/usage';
import { WIRE_LIMITS } from '../protocol/wire-limits';
import { SqlAgentStore } from '../store/agent-store';
import type { ObjectStorage } from '../store/storage';
import type { World } from './world';

/** How a run begins: a message, or what a start takes. */
export type TestInput = string | { readonly message?: string; readonly input?: Json; readonly state?: Json };

/** How a run ended. */
export interface TestResult {
  readonly status: Outcome['status'];
  readonly output?: Json;
  readonly error?: Failure;
  readonly reason?: string;
}

/** A call that waits for a person, with the agent that asks. Times in ms since 1970. */
export interface TestPending extends Omit<PendingCall, 'stepId'> {
  readonly address: string;
  readonly agentType: string;
}

/** How a run stands that nobody has to wait for: it has ended, or it waits for a person or for a resume. */
export type TestSettled = TestResult | { readonly status: SuspendedStatus; readonly pending: readonly TestPending[] };

/** A person's answer to a call: a yes or no, or what a client's tool gave. */
export type TestAnswer =
  | {
      readonly kind: 'approval-response';
      readonly toolCallId: string;
      readonly approved: boolean;
      /** The model reads it. */
      readonly reason?: string;
      /** Other arguments to run with, in place of those that were asked for. */
      readonly input?: Json;
    }
  | { readonly kind: 'client-tool-result'; readonly toolCallId: string; readonly result: Json }
  | { readonly kind: 'client-tool-result'; readonly toolCallId: string; readonly error: string };

/**
 * A run of a tree. What takes an `address` means that agent of the tree, the root by default; an address that no agent
 * has is an OffshootError `not_found`. What is asked of a run that does not allow it is an OffshootError with the code
 * and the advice that a client would get.
 */
export interface TestRun {
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

/** Fresh randomness for ids. */
export const token = (): string => randomUUID().replaceAll('-', '').slice(0, 20);

/** How long a crash may hide from who listens, and how long an agent may take to be heard of; in ms. */
const LOOK_AGAIN_MS = 1_000;
const HEARD_MS = 10_000;

const thrown = ({ code, message, details }: Failure): OffshootError =>
  new OffshootError(code, message, details === undefined ? {} : { details });

/** A run in a world. */
export class WorldRun implements TestRun {
  constructor(
    readonly world: World,
    readonly environment: Environment,
    readonly address: string,
  ) {}

  /** Starts the root. @throws OffshootError `invalid_input`, `invalid_request` */
  async begin(definition: AgentDefinition, { message, input, state }: Exclude<TestInput, string>): Promise<void> {
    const checked = await checkedInput(definition, input);
    const texts = [
      ...(checked === undefined ? [] : [JSON.stringify(checked)]),
      ...(message === undefined ? [] : [message]),
    ];
    if (texts.length === 0) throw new OffshootError('invalid_request', 'Give at least one of `message` and `input`.');
    const object = this.world.object(this.address);
    const custom = state === undefined ? await object.firstState() : plainJson(state, 'The state');
    const started = await object.create(object.newRootSession({ tags: [] }), custom, {
      type: 'start',
      ...this.#facts(),
      messages: texts.map(messageOf),
      ...(checked === undefined ? {} : { input: checked }),
    });
    if (!started.ok) throw thrown(started.refused);
  }

  #facts(): { at: number; token: string; runId: string } {
    return { at: this.environment.now(), token: token(), runId: `r_${token()}` };
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

  #apply(address: string, event: AgentEvent): void {
    const applied = this.#agent(address).apply(event);
    if (!applied.ok) throw thrown(applied.refused);
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
    const halted = [...this.#tree().tree.all()].some(
      (node) => node.status === 'interrupted' || this.#isWaitedFor(node),
    );
    return pending.length > 0 || halted ? { status, pending } : undefined;
  }

  async #until<Found>(look: () => Found | undefined): Promise<Found> {
    for (;;) {
      const { last } = this.#tree().log;
      const found = look();
      if (found !== undefined) return found;
      await this.#grown(last + 1);
    }
  }

  result(): Promise<TestResult> {
    return this.#until(() => this.#result());
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
      if (this.#result()) return;
      await this.#grown(next);
    }
  }

  /** Resolves when the log holds a sequence; looks again now and then, because a crash loses listeners. */
  #grown(sequence: number): Promise<void> {
    const { log } = this.#tree();
    if (log.last >= sequence) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        stop();
        cancel();
        resolve();
      };
      const stop = log.listen(done);
      const cancel = this.environment.timer(LOOK_AGAIN_MS, done);
    });
  }

  send(content: string, address = this.address): void {
    this.#apply(address, { type: 'send', ...this.#facts(), message: messageOf(content) });
  }

  interrupt(reason = 'The test interrupted it.', address = this.address): Promise<void> {
    return this.#stop('interrupt', reason, address);
  }

  abort(reason = 'The test aborted it.', address = this.address): Promise<void> {
    return this.#stop('abort', reason, address);
  }

  terminate(reason = 'The test ended it.', address = this.address): Promise<void> {
    return this.#stop('terminate', reason, address);
  }

  async #stop(verb: StopVerb, reason: string, address: string): Promise<void> {
    const node = this.#node(address);
    if (!isResumable(verb) && this.#isWaitedFor(node)) {
      await this.#sendToParent(node, { type: 'child_decided', decision: 'give_up' });
      if (verb === 'abort') return;
    }
    const { at, token: fresh } = this.#facts();
    if (!isYetToBegin(node)) {
      this.#apply(address, { type: 'stop', at, token: fresh, verb, reason });
      return this.#recorded(address);
    }
    // One that has not begun is stopped through its parent, which alone can take it out of the queue.
    if (!isLive(node)) return;
    await this.#sendToParent(node, { type: 'child_stop', error: failureByStop(verb, reason), verb });
  }

  /** Resolves when the root has heard of what an agent has just done, so that what is asked next knows of it. */
  async #recorded(address: string): Promise<void> {
    const { number } = this.#agent(address).link.sink;
    await this.#tree().until(() => this.#node(address).lastChunk >= number, HEARD_MS);
  }

  async #sendToParent(
    node: TreeNode,
    message:
      | { type: 'child_resume' }
      | { type: 'child_decided'; decision: 'retry' | 'give_up'; message?: NewMessage }
      | { type: 'child_stop'; error: Failure; verb: StopVerb },
  ): Promise<void> {
    const { task } = asChild(node);
    const parent = this.#tree().tree.parentOf(node)?.address ?? this.address;
    const reply = await this.world.object(this.address).send(parent, { ...message, task });
    if (reply.answer === 'refused') throw thrown(reply.error);
    if (reply.answer === 'absent') throw new OffshootError('unavailable', 'The agent above could not be told.');
  }

  async resume(message?: string, address = this.address): Promise<void> {
    const node = this.#node(address);
    const rests = !isLive(node) || !hasBegun(node);
    if (address === this.address || !rests) return this.#continueRun('resume', message, address);
    await this.#sendToParent(node, { type: 'child_resume' });
    if (message === undefined) return;
    const begun = await this.#tree().until(() => this.#node(address).lastChunk > node.lastChunk, HEARD_MS);
    if (!begun) throw new OffshootError('unavailable', 'It has not begun yet: send the message once it works.');
    this.send(message, address);
  }

  async retry(message?: string, address = this.address): Promise<void> {
    if (address === this.address) return this.#continueRun('retry', message, address);
    const given = message === undefined ? {} : { message: messageOf(message) };
    await this.#sendToParent(this.#node(address), { type: 'child_decided', decision: 'retry', ...given });
  }

  /** Whether an agent failed and its parent waits for a person to decide. */
  #isWaitedFor(node: TreeNode): boolean {
    const parent = this.#tree().tree.parentOf(node);
    if (!isWaitedFor(node) || parent === undefined) return false;
    const { task } = node;
    const child = this.#store(parent.address).load()?.children.get(task.childId);
    return child?.task.number === task.task && child.state.is === 'failed';
  }

  #continueRun(type: 'resume' | 'retry', message: string | undefined, address: string): void {
    this.#apply(address, {
      type,
      ...this.#facts(),
      ...(message === undefined ? {} : { message: messageOf(message) }),
    });
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
    const { toolCallId: callId } = answer;
    const owner = this.#tree().ownerOf(callId);
    if (owner === undefined)
      throw new OffshootError('unknown_tool_call', 'No call of that id waits in this tree. See `pending()`.');
    const given = { callId, answer: personsAnswer(answer), actor: 'test', stepId: owner.item.stepId };
    const agent = this.#agent(owner.node.address);
    const looked = await checkAnswer(agent, given);
    const received = looked.ok ? takeAnswer(agent, looked.checked) : looked;
    if (!received.ok) throw thrown(received.error);
    await this.#recorded(owner.node.address);
  }

  #store(address: string): SqlAgentStore {
    const storage = this.world.storage(address);
    if (storage === undefined) throw new OffshootError('not_found', `There is no agent at ${address}.`);
    return new SqlAgentStore(storage as unknown as ObjectStorage);
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

const messageOf = (content: string): NewMessage => ({
  messageId: `m_${token()}`,
  role: 'user',
  content,
  from: 'caller',
});

function personsAnswer(answer: TestAnswer): PersonsAnswer {
  const { toolCallId: _toolCallId, ...given } = answer;
  if (given.kind === 'approval-response') return given;
  if ('result' in given) return { kind: given.kind, result: { success: true, value: given.result } };
  return { kind: given.kind, result: { success: false, error: failure('client_tool_failed', given.error) } };
}

async function checkedInput(definition: AgentDefinition, input: Json | undefined): Promise<Json | undefined> {
  if (input === undefined) return input;
  const given = plainJson(input, 'The input');
  if (definition.inputSchema === undefined) return given;
  const checked = await fit(definition.inputSchema, given);
  if (!checked.ok) throw new OffshootError('invalid_input', `The input does not fit: ${checked.problem}`);
  return checked.json;
}

function plainJson(value: unknown, what: string): Json {
  const plain = toJson(value, WIRE_LIMITS.maxBodyBytes);
  if (!plain.ok) throw new OffshootError('invalid_input', `${what} is not taken: ${plain.problem}.`);
  return plain.json;
}
