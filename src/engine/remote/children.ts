/**
 * The children of one object that live elsewhere: the transport of the placement `remote`. Toward the parent and the root
 * each is a child like any other; what is said to it is kept here, and done there (`runner.ts`).
 */
import type { TaskKey } from '../../core/agent/child';
import { nothingToStop } from '../../core/agent/controls';
import { STOP_VERBS, type StopVerb } from '../../core/agent/stop-verb';
import type { AnyTool } from '../../core/definition/definition';
import { transportOf } from '../../core/definition/remote-agent';
import type { AgentStore } from '../../core/ports/agent-store';
import type { ChildRef, ChildTransport } from '../../core/ports/child-transport';
import { dueAt, failureFrom, owesStop, type RemoteRun, withStop } from '../../core/tree/remote-run';
import { failure, failureOf, shownFailure } from '../../protocol/errors';
import { isObject, type JsonLike, toJson } from '../../protocol/json';
import { NO_USAGE } from '../../protocol/usage';
import type { Environment } from '../environment';
import type { ChildCalls, VerbAnswer, VerbCall } from '../object-calls';
import { fit } from '../plan';
import type { AgentAnswer, AgentMessage, AssignMessage, RootAnswer, RootRequest } from '../tree-messages';
import { RemoteRunner } from './runner';

/** A stop that the other side has yet to take may take so long, in ms: its parent asks again after that. */
const STOP_TAKES_MS = 30_000;

const LIVES_ELSEWHERE = 'This agent lives elsewhere: ask it there.';

/** The verbs that an agent elsewhere answers itself when it is asked here. */
const PASSED_ON = ['submit', 'state', 'audit', 'checkpoints', 'calls', 'logs', 'usage'];

/** The object whose children they are. */
export interface RemoteParent {
  readonly environment: Environment;
  readonly store: AgentStore;
  /** The tool of that name that the agent has now. */
  tool(name: string): AnyTool | undefined;
  /** @throws where the root was not reached, or its answer was lost */
  askRoot(root: RemoteRun['root'], request: RootRequest): Promise<RootAnswer>;
}

/** What is said to children that live elsewhere. */
export class RemoteChildren implements ChildTransport<ChildCalls> {
  readonly #runners = new Map<string, RemoteRunner>();

  constructor(readonly parent: RemoteParent) {}

  async send<Kind extends keyof ChildCalls>(
    child: ChildRef,
    message: ChildCalls[Kind]['message'] & { readonly kind: Kind },
  ): Promise<ChildCalls[Kind]['answer']> {
    return this.#answer(child, message);
  }

  async #answer(child: ChildRef, said: ChildCalls[keyof ChildCalls]['message']) {
    switch (said.kind) {
      case 'agent':
        return said.path.length === 0 ? this.#receive(child, said.message) : { answer: 'absent' as const };
      case 'verb':
        return this.#verb(child, said);
      case 'files':
      case 'variables':
      case 'thread':
        return { ok: false as const, error: failure('not_found', 'That agent lives elsewhere: ask it there.') };
    }
  }

  /** A child that is left with an owed stop keeps its record until that is settled. */
  async remove({ address }: ChildRef): Promise<void> {
    const runner = this.#at(address);
    if (runner === undefined) return;
    const { sessionId, outcome, asked } = runner.run;
    const stopped =
      outcome || !asked ? runner.run : withStop(runner.run, 'abort', 'Its place was given up.', this.#now);
    if (owesStop(stopped)) return runner.change({ ...stopped, kept: [], left: true, address: '' });
    runner.close();
    this.#runners.delete(sessionId);
    this.#write(sessionId, undefined);
  }

  /** Memory elsewhere cannot be copied from here. */
  copy(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** Goes on with what is owed to those that nobody else asks for: those that have left with a stop. */
  open(): void {
    for (const sessionId of this.parent.store.remotes()) {
      const runner = this.#load(sessionId);
      if (runner && (owesStop(runner.run) || runner.run.told !== true)) runner.go();
    }
  }

  /** Ends everything in memory. */
  stop(): void {
    for (const runner of this.#runners.values()) runner.close();
  }

  get #now(): number {
    return this.parent.environment.now();
  }

  #at(address: string): RemoteRunner | undefined {
    for (const runner of this.#runners.values()) if (runner.run.address === address) return runner;
    for (const sessionId of this.parent.store.remotes()) {
      const runner = this.#load(sessionId);
      if (runner?.run.address === address) return runner;
    }
    return undefined;
  }

  #load(sessionId: string): RemoteRunner | undefined {
    const known = this.#runners.get(sessionId);
    if (known) return known;
    const run = this.parent.store.remote(sessionId);
    return run && this.#runner(run);
  }

  #runner(run: RemoteRun): RemoteRunner {
    const { store, environment } = this.parent;
    const { sessionId, tool: name } = run;
    const tool = (): AnyTool | undefined => this.parent.tool(name);
    const runner = new RemoteRunner(
      {
        environment,
        write: (next) => store.transaction(() => this.#write(sessionId, next)),
        input: () => store.remoteInput(sessionId) ?? null,
        transport: () => {
          const found = tool();
          return found && transportOf(found, environment.bindings);
        },
        fit: async (output) => {
          const schema = tool()?.outputSchema;
          return schema ? fit(schema, output) : { ok: true, json: output };
        },
        askRoot: (request) => this.parent.askRoot(run.root, request),
      },
      run,
    );
    this.#runners.set(sessionId, runner);
    return runner;
  }

  #write(sessionId: string, run: RemoteRun | undefined): void {
    const { store } = this.parent;
    if (run) store.setRemote(run);
    else store.dropRemote(sessionId);
  }

  #receive(child: ChildRef, message: AgentMessage): AgentAnswer {
    if (message.type === 'assign') return this.#assign(child, message);
    const runner = this.#at(child.address);
    if (runner === undefined) return { answer: 'absent' };
    const { run } = runner;
    switch (message.type) {
      case 'wake':
      case 'effects_due':
        if (message.sessionId !== run.sessionId) return { answer: 'absent' };
        runner.go();
        return { answer: 'done', ...effectOf(run, this.#now) };
      case 'stop': {
        if (!isTask(run, message.task)) return superseded();
        if (run.outcome) runner.go();
        else runner.change(withStop(run, message.verb, message.reason, this.#now));
        return { answer: 'done', endsWithinMs: STOP_TAKES_MS };
      }
      case 'resume': {
        if (!isTask(run, message.task)) return superseded();
        if (message.runId !== run.runId) this.#resume(runner, message.runId);
        else runner.go();
        return { answer: 'done' };
      }
      default:
        return { answer: 'refused', error: failure('not_found', 'An agent that lives elsewhere does not take this.') };
    }
  }

  /** A new child begins with its record: its name there is minted before anything is sent (RM2). */
  #assign(
    { placement }: ChildRef,
    { session, begun, input, task, runId, actor, traceparent }: AssignMessage,
  ): AgentAnswer {
    const known = this.#load(session.sessionId);
    if (known) {
      if (!isTask(known.run, task)) return superseded();
      known.go();
      return { answer: 'done' };
    }
    if (begun) return { answer: 'absent' };
    const tool = placement.via === 'remote' ? placement.transport : '';
    const { environment, store } = this.parent;
    const addressClass = session.address.split('/').at(-2) ?? '';
    const run: RemoteRun = {
      sessionId: session.sessionId,
      address: session.address,
      agentType: session.agentType,
      root: session.root,
      tool,
      addressClass,
      name: `r-${environment.token()}`,
      task,
      runId,
      startedAt: environment.now(),
      ...(actor === undefined ? {} : { actor }),
      ...(traceparent === undefined ? {} : { traceparent }),
      phase: 'starting',
      cursor: 0,
      last: 0,
      kept: [],
      status: 'running',
      step: 0,
      attempt: 0,
      waiting: [],
      usage: NO_USAGE,
    };
    store.transaction(() => store.setRemote(run, input ?? null));
    environment.committed?.('remote');
    this.#runner(run).go();
    return { answer: 'done' };
  }

  #resume(runner: RemoteRunner, runId: string): void {
    const { outcome, told: _told, stop: _stop, waitTold: _waits, asked: _asked, ...rest } = runner.run;
    // What never began there begins now.
    const phase = rest.theirs ? 'resuming' : 'starting';
    if (outcome?.status === 'interrupted') runner.change({ ...rest, runId, phase, status: 'running' });
  }

  /** A person stops it here: it is told so there, and ends by itself. */
  #stopped(runner: RemoteRunner, verb: StopVerb, input: JsonLike): VerbAnswer {
    const { run } = runner;
    const { runId, reason }: { runId?: JsonLike; reason?: JsonLike } = isObject(input) ? input : {};
    if (runId !== undefined && runId !== run.runId)
      return { ok: false, error: failure('run_superseded', 'This is no run of that agent; look at the status.') };
    const body = { runId: run.runId, status: run.status };
    if (run.outcome) return { ok: true, status: 200, body };
    runner.change(withStop(run, verb, typeof reason === 'string' ? reason : `A person has said ${verb}.`, this.#now));
    return { ok: true, status: 202, body };
  }

  async #verb({ address }: ChildRef, call: VerbCall): Promise<VerbAnswer> {
    const runner = this.#at(address);
    if (runner === undefined) return { ok: false, error: failure('not_found') };
    const { run } = runner;
    if (call.path.length === 0 && call.verb === 'status') return { ok: true, body: standing(run) };
    if (call.path.length === 0 && isStop(call.verb)) return this.#stopped(runner, call.verb, call.input);
    if (!PASSED_ON.includes(call.verb) || call.path.length > 0)
      return { ok: false, error: failure('unavailable', LIVES_ELSEWHERE, false) };
    const tool = this.parent.tool(run.tool);
    const body = toJson(call.input);
    if (!body.ok) return { ok: false, error: failure('invalid_request', body.problem) };
    try {
      const transport = tool && transportOf(tool, this.parent.environment.bindings);
      if (transport === undefined)
        return { ok: false, error: failure('subagent_lost', 'The tool that leads there is gone.') };
      const { idempotencyKey, caller, traceparent } = call;
      const answer = await transport.call({
        verb: call.verb,
        agent: { addressClass: run.addressClass, name: run.name },
        body: isObject(body.json) ? body.json : {},
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(caller === undefined ? {} : { caller: { subject: caller, ...(traceparent ? { traceparent } : {}) } }),
        signal: new AbortController().signal,
      });
      if (answer.ok) {
        runner.answered();
        return { ok: true, body: answer.body };
      }
      return { ok: false, error: failureFrom(answer.code, answer.detail ?? answer.title) };
    } catch (error) {
      return { ok: false, error: failure('unavailable', failureOf(error).message) };
    }
  }
}

const isStop = (verb: string): verb is StopVerb => STOP_VERBS.some((stop) => stop === verb);

/** What the child says of how it stands, as an agent here would. */
function standing({ runId, startedAt, step, status, outcome, usage, traceparent }: RemoteRun): JsonLike {
  const error = outcome?.status === 'failed' ? { error: shownFailure(outcome.error) } : {};
  const output = outcome?.status === 'completed' ? { output: outcome.output } : {};
  const reason = outcome && 'reason' in outcome ? { reason: outcome.reason } : {};
  const trace = traceparent === undefined ? {} : { traceparent };
  const chain = { epoch: 1, turn: 1, chainTurn: 1, chainRunId: runId };
  return {
    tags: [],
    run: { runId, ...chain, status, startedAt, step, ...trace, ...output, ...error, ...reason },
    usage,
    controls: controlsOf(outcome !== undefined),
  };
}

/** What can be asked of it here: what its parent says of it, and stops. */
function controlsOf(ended: boolean): JsonLike {
  const elsewhere = failure('unavailable', LIVES_ELSEWHERE, false);
  const stop = ended ? nothingToStop() : true;
  return {
    ...{ start: elsewhere, send: elsewhere, resume: elsewhere, retry: elsewhere },
    ...{ interrupt: stop, abort: stop, terminate: stop },
  };
}

/** When it is to be looked after again. */
function effectOf(run: RemoteRun, now: number): { readonly effectAt?: number } {
  const at = dueAt(run, now);
  return at === undefined ? {} : { effectAt: Math.max(now + 1_000, at) };
}

const superseded = (): AgentAnswer => ({
  answer: 'refused',
  error: failure('superseded', 'Another task is in this place.'),
});

const isTask = (run: RemoteRun, task: TaskKey | undefined): boolean =>
  task?.childId === run.task.childId && task.task === run.task.task;
