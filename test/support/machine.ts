/** The pure core, driven by hand: a state, the events that a test gives it, and everything that came of them. */
import { z } from 'zod';
import { CAPABILITIES } from '../../src/capabilities';
import { BUILT_IN_TOOLS } from '../../src/core/agent/built-in/table';
import type { CapabilityMachine } from '../../src/core/agent/capability';
import type { Change, Emission, Transition } from '../../src/core/agent/changes';
import { type Child, keyOf, runIdOf, type TaskKey } from '../../src/core/agent/children/child';
import type {
  AgentEvent,
  AnswerTime,
  ClassSlots,
  ModelFence,
  PersonsAnswer,
  PlannedCall,
} from '../../src/core/agent/events';
import type { KnownFiles, MailFacts, NewMessage } from '../../src/core/agent/inbound';
import { type Effect, effects } from '../../src/core/agent/owed-effects';
import type { BuiltInTool, Rules } from '../../src/core/agent/rules';
import { statusOf } from '../../src/core/agent/runs/status';
import type { StopVerb } from '../../src/core/agent/runs/stop-verb';
import { boundTo } from '../../src/core/agent/seat';
import {
  type AgentState,
  type Call,
  childOf,
  currentStep,
  type Outcome,
  type OwedHookName,
  openCalls,
  type RepliedStep,
  type ShownArguments,
} from '../../src/core/agent/state';
import { transition } from '../../src/core/agent/transition';
import type {
  AgentDefinition,
  ConcurrentStartRule,
  FailureRule,
  ParentSuspendRule,
} from '../../src/core/definition/definition';
import { type Limits, limitsOf } from '../../src/core/definition/limits';
import type { KeptReply } from '../../src/core/definition/model-port';
import type { ChunkBody } from '../../src/protocol/chunks';
import { type ErrorCode, type Failure, failure } from '../../src/protocol/errors';
import type { Json } from '../../src/protocol/json';
import type { CallResult } from '../../src/protocol/messages';
import type { SessionStatus } from '../../src/protocol/status';
import { NO_USAGE, type Usage } from '../../src/protocol/usage';
import { lastingOf } from './lasting-children';
import { agentOf } from './trees';

/** Whose tools of the framework a machine has. */
const TYPED = agentOf('top', { outputSchema: z.any(), stateSchema: z.object({}) });

/** When the first event of a machine happens, in ms since 1970. */
const T0 = 1_800_000_000_000;

/** An event without what the machine adds: the time, and fresh randomness where it takes some. */
type Given<Event> = Event extends AgentEvent ? Omit<Event, 'at' | 'token'> : never;

/** A planned call, by its kind. */
export const planned = {
  tool: (
    name = 'note',
    options: {
      replay?: 'never' | 'safe';
      finishWith?: boolean;
      timeoutMs?: number;
      approval?: AnswerTime & ShownArguments;
    } = {},
  ): PlannedCall => ({
    providerId: 'p',
    name,
    input: {},
    kind: 'tool',
    replay: 'safe',
    finishWith: false,
    timeoutMs: 1_000,
    ...options,
  }),
  /** A tool that a person must allow; for ever, unless a time is given. */
  approval: (answerWithinMs?: number, name = 'publish'): PlannedCall =>
    planned.tool(name, { approval: { inputHash: 'h', ...(answerWithinMs === undefined ? {} : { answerWithinMs }) } }),
  /** A tool of the client. */
  client: (answerWithinMs?: number, name = 'ask_user'): PlannedCall => ({
    providerId: 'p',
    name,
    input: { q: 1 },
    kind: 'client',
    ...(answerWithinMs === undefined ? {} : { answerWithinMs }),
  }),
  child: (
    className = 'Leaf',
    onParentSuspend: ParentSuspendRule = 'continue',
    onFailure: FailureRule = 'result',
  ): Extract<PlannedCall, { kind: 'child' }> => ({
    providerId: 'p',
    name: 'subagent__leaf',
    input: { q: 1 },
    kind: 'child',
    agentType: 'leaf',
    className,
    addressClass: className.toLowerCase(),
    timeoutMs: 5_000,
    lifetime: 'call',
    await: 'step',
    deliver: 'result',
    placement: 'facet',
    workspace: 'session',
    onParentSuspend,
    onFailure,
    onIdle: 'keep',
    retention: 'tree',
  }),
  finish: (output: Json): PlannedCall => ({
    providerId: 'p',
    name: '__finish__',
    input: output,
    kind: 'built_in',
    args: output,
  }),
  refused: (code: ErrorCode = 'unknown_tool'): PlannedCall => ({
    providerId: 'p',
    name: 'no',
    input: null,
    kind: 'refused',
    error: failure(code),
  }),
};

/** A reply as the model gives it. */
export interface Reply {
  readonly text?: string;
  readonly calls?: readonly PlannedCall[];
  readonly finishReason?: KeptReply['finishReason'];
  readonly usage?: Partial<Usage>;
  readonly slots?: { readonly [className: string]: ClassSlots };
  readonly files?: KnownFiles;
}

/** What a machine is made with. */
export interface MachineOptions {
  readonly limits?: Partial<Limits>;
  readonly finishTools?: readonly string[];
  /** The tools of the framework; by default all that an agent with an output of any kind has. */
  readonly builtIns?: readonly BuiltInTool[];
  /** Whose tools of the framework it has. */
  readonly definition?: AgentDefinition;
  readonly stopWhen?: boolean;
  /** Those of this version by default. */
  readonly capabilities?: readonly CapabilityMachine[];
  readonly depth?: number;
  readonly onConcurrentStart?: ConcurrentStartRule;
  readonly hooks?: readonly OwedHookName[];
  /** Below a parent, which is told of the outcome. */
  readonly child?: boolean;
}

/** A state with everything that happened to it. */
export class Machine {
  state: AgentState;
  rules: Rules;
  readonly capabilities: readonly CapabilityMachine[];
  readonly chunks: Emission[] = [];
  readonly changes: Change[] = [];
  now = T0;
  #tokens = 0;

  constructor(options: MachineOptions = {}) {
    const { limits, finishTools = [], stopWhen = false, depth = 1, child = false } = options;
    this.capabilities = options.capabilities ?? CAPABILITIES;
    const added = this.capabilities.flatMap(({ tools = [] }) => tools);
    this.rules = {
      limits: limitsOf(limits),
      models: [[]],
      finishTools,
      performed: [],
      builtIns: boundTo(options.definition ?? TYPED, options.builtIns ?? [...BUILT_IN_TOOLS, ...added]),
      onConcurrentStart: options.onConcurrentStart ?? 'refuse',
      hooks: new Map((options.hooks ?? []).map((name) => [name, [undefined]])),
      stopWhen,
    };
    this.state = {
      session: {
        sessionId: 's_me',
        agentType: 'top',
        address: '/agents/top/one',
        root: { className: 'Top', name: 'one' },
        depth,
        createdAt: T0,
        tags: [],
        ...(child ? { parent: { sessionId: 's_parent', address: '/agents/boss/one' } } : {}),
      },
      custom: {},
      lastMessage: 0,
      inbox: [],
      children: new Map(),
      queued: [],
      slices: new Map(),
      spent: NO_USAGE,
    };
  }

  /** Applies an event; gives the transition. */
  apply(given: Given<AgentEvent>): Transition {
    this.now += 1;
    const event = { token: `token${String(++this.#tokens).padStart(11, '0')}`, ...given, at: this.now };
    return this.applyWhole(event);
  }
  /** Applies an event as it is, for a second time or out of the past. */
  applyWhole(event: AgentEvent): Transition {
    const answer = transition(this.state, event, () => this.rules, this.capabilities);
    if (answer.ok) {
      this.state = answer.state;
      this.chunks.push(...answer.chunks);
      this.changes.push(...answer.changes);
    }
    return answer;
  }

  /** A message on its way in. */
  message(content: NewMessage['content']): NewMessage {
    return { messageId: `m_${++this.#tokens}`, role: 'user', content, from: 'caller' };
  }

  start(...contents: string[]): Transition {
    const runId = `r_${this.#tokens + 1}`;
    // A child has its first run from its parent.
    const { session, run } = this.state;
    const task = session.parent && run === undefined ? { task: { childId: 1, task: 1 } } : {};
    return this.apply({
      type: 'start',
      runId,
      ...task,
      messages: (contents.length > 0 ? contents : ['Go']).map((content) => this.message(content)),
    });
  }

  send(content: NewMessage['content']): Transition {
    return this.apply({ type: 'send', runId: `r_${this.#tokens + 1}`, message: this.message(content) });
  }

  /** What a report of the current model call is marked with. */
  get fence(): ModelFence {
    const { run, step } = this.state;
    return {
      runId: run?.runId ?? '',
      epoch: run?.phase === 'active' ? run.epoch : 0,
      stepId: step?.id ?? 0,
      attempt: step?.attempt ?? 0,
    };
  }

  /** The model answers the question that is open. */
  reply({ text, calls = [], finishReason, usage, slots = {}, files = {} }: Reply = {}, fence = this.fence): Transition {
    const lasting = [...this.#children.values()].filter(({ name }) => name !== undefined);
    const next = Math.max(0, ...this.#children.keys()) + 1;
    const ahead = lasting.flatMap(({ name = '' }) => (Number(/-(\d+)$/.exec(name)?.[1] ?? 0) >= next ? [name] : []));
    const children = { next, slots, named: this.#named(calls), lasting: lastingOf(lasting), ahead, files };
    const content: KeptReply['content'] = [
      ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
      ...calls.map((call) => ({
        type: 'tool-call' as const,
        providerId: call.providerId,
        toolName: call.name,
        input: call.input,
      })),
    ];
    const reply: KeptReply = {
      content,
      finishReason: finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
      usage: { ...NO_USAGE, inputTokens: 10, outputTokens: 1, modelCalls: 1, ...usage },
      model: 'test/model',
      responseId: 'resp_1',
    };
    return this.apply({ type: 'model_replied', ...fence, reply, deltas: [], calls, children });
  }

  fail(code: ErrorCode, retryable?: boolean, fence = this.fence): Transition {
    return this.apply({ type: 'model_failed', ...fence, error: failure(code, undefined, retryable) });
  }

  /** A tool's body has ended. */
  settle(index: number, result: CallResult = { success: true, value: index }, usage?: Usage): Transition {
    const { run } = this.state;
    return this.apply({
      type: 'tool_settled',
      callId: this.call(index).callId,
      epoch: run?.phase === 'active' ? run.epoch : 0,
      result,
      startedAt: this.now,
      ...(usage ? { usage } : {}),
    });
  }

  /** A body ended because the run was stopped. */
  cut(index: number, usage?: Usage): Transition {
    const { run } = this.state;
    return this.apply({
      type: 'tool_settled',
      callId: this.call(index).callId,
      epoch: run?.phase === 'active' ? run.epoch : 0,
      result: { success: false, error: failure('aborted') },
      startedAt: this.now,
      cut: 'body',
      ...(usage ? { usage } : {}),
    });
  }

  /** A child has ended. */
  childEnded(
    index: number,
    outcome: Outcome = { status: 'completed', output: index, completionReason: 'text' },
    task?: number,
  ): Transition {
    const { runId, task: key } = this.delegation(index);
    return this.apply({
      type: 'child_settled',
      runId,
      task: { ...key, ...(task === undefined ? {} : { task }) },
      outcome,
      usage: { ...NO_USAGE, modelCalls: 2 },
    });
  }

  /** A child with a name has ended, whichever call gave it its task. */
  namedEnded(
    name: string,
    outcome: Outcome = { status: 'completed', output: name, completionReason: 'text' },
    { gone = false, mail }: { gone?: boolean; mail?: MailFacts } = {},
  ): Transition {
    const child = this.named(name);
    const { last } = child.mailbox ?? {};
    const told = mail ?? (gone || last === undefined ? undefined : { taken: last, unseen: 0 });
    return this.apply({
      type: 'child_settled',
      ...(gone ? {} : { runId: runIdOf(child) }),
      task: keyOf(child),
      outcome,
      usage: { ...NO_USAGE, modelCalls: 2 },
      ...(told ? { mail: told } : {}),
    });
  }

  /** The latest record of the child of a name. */
  named(name: string): Child {
    const child = [...this.#children.values()].find((one) => one.name === name);
    if (child === undefined) throw new Error(`No child is called ${name}.`);
    return child;
  }

  /** What a child's report is marked with: its task, and its current run. */
  delegation(index: number): { task: TaskKey; runId: string } {
    const { plan } = this.call(index);
    const child = plan.kind === 'task' ? this.#children.get(plan.began?.childId ?? 0) : undefined;
    return child ? { task: keyOf(child), runId: runIdOf(child) } : { task: { childId: 0, task: 0 }, runId: '' };
  }

  /** The latest record of the child that works on a call, or did. */
  child(index: number): Child {
    return this.workerOf(this.call(index));
  }

  /** The same for a call of any step. */
  workerOf({ callId, plan }: Call): Child {
    const child = plan.kind === 'task' ? this.#children.get(plan.began?.childId ?? 0) : undefined;
    if (child === undefined) throw new Error(`The call ${callId} has no child.`);
    return child;
  }

  /** All children that there ever were, by id, as they were written last. */
  get #children(): Map<number, Child> {
    const children = new Map<number, Child>();
    for (const change of this.changes) if (change.put === 'child') children.set(change.child.childId, change.child);
    return children;
  }

  #named(calls: readonly PlannedCall[]): { [name: string]: Child } {
    const names = new Set(
      calls.flatMap((call) => {
        if (call.kind === 'child') return call.childName ?? [];
        const tool = call.kind === 'built_in' && this.rules.builtIns.find(({ name }) => name === call.name);
        const needed = tool && call.kind === 'built_in' ? tool.needs?.(call.args) : undefined;
        return needed?.names ?? [];
      }),
    );
    const known = [...this.#children.values()].filter(({ name }) => name !== undefined && names.has(name));
    return Object.fromEntries(known.map((child) => [child.name, child]));
  }

  /** How each call of the step stands: its child, or itself. */
  get stands(): string[] {
    return this.step.calls.map((call) => childOf(this.state, call)?.state.is ?? call.state?.is ?? 'none');
  }

  /** A child's run waits for a person, or goes on again. */
  childWaits(index: number, waits = true): Transition {
    return this.apply({ type: 'child_waits', ...this.delegation(index), waits });
  }

  /** Somebody resumes a child. */
  childResumed(index: number): Transition {
    const { task } = this.delegation(index);
    return this.apply({ type: 'child_resume', task });
  }

  /** Somebody decides about a child that failed. */
  childDecided(index: number, decision: 'retry' | 'give_up', content?: string): Transition {
    const { task } = this.delegation(index);
    const message = content === undefined ? {} : { message: this.message(content) };
    return this.apply({ type: 'child_decided', task, decision, ...message });
  }

  /** A child is to be stopped alone. */
  childStopped(index: number, code: ErrorCode = 'child_timeout', verb?: StopVerb): Transition {
    const { task } = this.delegation(index);
    return this.apply({ type: 'child_stop', task, error: failure(code), ...(verb ? { verb } : {}) });
  }

  /** A child was cleared away and is started anew. */
  respawned(index: number): Transition {
    return this.apply({ type: 'child_respawn', task: this.delegation(index).task });
  }

  answer(index: number, answer: PersonsAnswer, actor = 'ada'): Transition {
    return this.apply({ type: 'answer', callId: this.call(index).callId, answer, actor });
  }

  approve(index: number, input?: Json): Transition {
    const edited = input === undefined ? {} : { input };
    return this.answer(index, { kind: 'approval-response', approved: true, ...edited });
  }

  deny(index: number, reason?: string): Transition {
    const why = reason === undefined ? {} : { reason };
    return this.answer(index, { kind: 'approval-response', approved: false, ...why });
  }

  /** The client gives the result of its tool. */
  give(index: number, value: Json): Transition {
    return this.answer(index, { kind: 'client-tool-result', result: { success: true, value } });
  }

  /** The client says that its tool failed. */
  giveUp(index: number, code: ErrorCode = 'client_tool_failed'): Transition {
    return this.answer(index, { kind: 'client-tool-result', result: { success: false, error: failure(code) } });
  }

  /** Some ms later the times of answers are looked at. */
  expire(later = 0): Transition {
    this.now += later;
    return this.apply({ type: 'expire' });
  }

  resume(message?: string): Transition {
    const given = message === undefined ? {} : { message: this.message(message) };
    return this.apply({ type: 'resume', runId: `r_${this.#tokens + 1}`, ...given });
  }

  retry(message?: string): Transition {
    const given = message === undefined ? {} : { message: this.message(message) };
    return this.apply({ type: 'retry', runId: `r_${this.#tokens + 1}`, ...given });
  }

  /** The hook that is due has ended. */
  hookDone(error?: ErrorCode): Transition {
    const { run } = this.state;
    const [owed] = run?.phase === 'active' ? (run.hooks?.owed ?? []) : [];
    return this.apply({
      type: 'hook_done',
      id: owed?.id ?? 'none',
      epoch: run?.phase === 'active' ? run.epoch : 0,
      ...(error ? { error: failure(error), failsRun: true as const } : {}),
    });
  }

  /** The conditions of `stopWhen` have answered, or failed. */
  stopWhenSaid(stops: boolean, error?: Failure): Transition {
    const [owed] = this.owed.filter((effect) => effect.kind === 'stop_when');
    const facts = { id: owed?.owed ?? 'none', epoch: owed?.epoch ?? 0 };
    return this.apply({ type: 'stop_when_said', ...facts, stops, ...(error ? { error } : {}) });
  }

  /** All hooks that are due end well, one after the other; their names. */
  hooksDone(): string[] {
    const names: string[] = [];
    for (let owed = this.hookDue; owed !== undefined; owed = this.hookDue) {
      names.push(owed);
      this.hookDone();
    }
    return names;
  }

  /** The hook that is owed now. */
  get hookDue(): OwedHookName | 'stopWhen' | undefined {
    const { run } = this.state;
    return run?.phase === 'active' ? run.hooks?.owed[0]?.hook : undefined;
  }

  /** Whatever the parent waits to be told of the wait, it is told. */
  waitAcknowledged(): void {
    for (const effect of this.owed)
      if (effect.kind === 'deliver_wait')
        this.apply({
          type: 'wait_acknowledged',
          runId: effect.runId,
          waits: effect.waits,
          ...(effect.word ? { word: effect.word.number } : {}),
        });
  }

  recover(): Transition {
    return this.apply({ type: 'recover', reason: 'restart' });
  }

  interrupt(): Transition {
    return this.stop('interrupt');
  }

  stop(verb: StopVerb = 'abort', runId?: string): Transition {
    return this.apply({ type: 'stop', verb, reason: 'Enough.', ...(runId === undefined ? {} : { runId }) });
  }

  /** A step as its rows have it: that of its commit, with the calls as they were settled since. */
  rowOf(stepId: number): RepliedStep | undefined {
    let row: RepliedStep | undefined;
    for (const change of this.changes) {
      if (change.put === 'step' && change.step.id === stepId && change.step.phase === 'calls') row = change.step;
      if (row === undefined || change.put !== 'settlement' || change.stepId !== stepId) continue;
      const { index, settlement } = change;
      row = {
        ...row,
        calls: row.calls.map((call) => (call.index === index ? { ...call, settled: settlement } : call)),
      };
    }
    return row;
  }

  /** The latest step, whose reply must be there. */
  get step(): RepliedStep {
    const { step } = this.state;
    if (step?.phase !== 'calls') throw new Error('The latest step has no reply.');
    return step;
  }

  call(index: number): Call {
    const call = this.step.calls[index];
    if (call === undefined) throw new Error(`The step has no call ${index}.`);
    return call;
  }

  /** The indexes of calls without a result. */
  get open(): number[] {
    const step = currentStep(this.state);
    return step?.phase === 'calls' ? openCalls(step).map(({ index }) => index) : [];
  }

  get status(): SessionStatus {
    return statusOf(this.state);
  }

  /** What each owed effect is: its kind, and the index of its call where it has one; `stop_child` with its verb. */
  get due(): string[] {
    return this.owed.map((effect) => {
      if (effect.kind === 'stop_child') return `${effect.verb} child ${this.#indexOf(effect.child)}`;
      if ('child' in effect) return `${effect.kind} ${this.#indexOf(effect.child)}`;
      if (effect.kind === 'tool') return `${effect.stopping ? 'stopping tool' : 'tool'} ${effect.call.index}`;
      if (effect.kind === 'deliver_wait') return effect.waits ? 'deliver waits' : 'deliver goes on';
      return effect.kind;
    });
  }

  #indexOf({ task }: Child): number {
    return this.step.calls.findIndex(({ callId }) => callId === task.callId);
  }

  get outcome(): Outcome | undefined {
    const { run } = this.state;
    return run?.phase === 'ended' ? run.outcome : undefined;
  }

  get owed(): Effect[] {
    return effects(this.state, this.rules);
  }

  /** The types of all chunks so far. */
  get types(): ChunkBody['type'][] {
    return this.chunks.map(({ body }) => body.type);
  }

  /** All chunks of a type. */
  chunksOf<Type extends ChunkBody['type']>(type: Type): Extract<ChunkBody, { type: Type }>[] {
    const isOfType = (body: ChunkBody): body is Extract<ChunkBody, { type: Type }> => body.type === type;
    return this.chunks.map(({ body }) => body).filter(isOfType);
  }
}

/** The code of a refusal, or undefined where there was none. */
export function refusal(answer: Transition): ErrorCode | undefined {
  return answer.ok ? undefined : answer.refused.code;
}
