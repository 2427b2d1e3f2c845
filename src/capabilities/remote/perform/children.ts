/**
 * The children of one object that are in other Workers: the transport of the placement `remote`. For the parent and the root
 * each is a child like any other; messages to it are stored here, and performed by `runner.ts`.
 *
 * Keeps RM2, RM11, RM22, RM25.
 */
import type { TaskKey } from '../../../core/agent/children/child';
import type { Mail, NewMessage } from '../../../core/agent/inbound';
import { isResumable } from '../../../core/agent/runs/stop-verb';
import { transportOf } from '../../../core/definition/children/elsewhere';
import type { AgentDefinition } from '../../../core/definition/definition';
import type { ChildRef, ElsewhereTransport } from '../../../core/ports/child-transport';
import type { RemoteParent } from '../../../engine/children/children-elsewhere';
import { within } from '../../../engine/environment';
import type { ChildCalls, VerbAnswer, VerbCall } from '../../../engine/object/object-calls';
import { fit } from '../../../engine/perform/check-calls';
import { reportUnpricedRemote } from '../../../engine/settings/report-warnings';
import type { AgentAnswer, AgentMessage, AssignMessage } from '../../../engine/tree-messages';
import { failure } from '../../../protocol/errors';
import type { Json } from '../../../protocol/json';
import { isEnded } from '../../../protocol/status';
import { hasPendingCleanup, lateStart, removed, stillToStop, takenOver } from '../machine/cleanup';
import { stoppedAtRest } from '../machine/ends';
import { withMail, withMessage } from '../machine/messages';
import {
  continuedRun,
  dueAt,
  firstRun,
  type GivenTask,
  hasPendingStop,
  isInDoubt,
  nextRun,
  remoteName,
  renamed,
  withStop,
} from '../machine/run';
import type { PlacedRun, RemoteRun, RemovedRun } from '../machine/state';
import { answerAtProxy } from './proxy-verbs';
import { remoteRun } from './rows';
import { RemoteRunner } from './runner';

/** A stop that the other side has yet to take may take so long, in ms: its parent asks again after that. */
const STOP_TAKES_MS = 30_000;
/** Whoever removes a child waits so long for the other side, in ms. */
const REMOVED_WITHIN_MS = 5_000;

/** What is said to children that live elsewhere. */
export class RemoteChildren implements ElsewhereTransport<ChildCalls> {
  readonly #runners = new Map<string, RemoteRunner>();
  /** Called when nothing is kept any more. */
  #paid: () => void = () => undefined;
  /** Resolves once the root knows the cleanups that are pending. */
  #duesKnown: Promise<void> = Promise.resolve();
  /** Whether all that are kept are in memory. */
  #isOpen = false;

  constructor(readonly parent: RemoteParent) {}

  async send<Kind extends keyof ChildCalls>(
    child: ChildRef,
    message: ChildCalls[Kind]['message'] & { readonly kind: Kind },
  ): Promise<ChildCalls[Kind]['answer']> {
    return this.#answer(child, message);
  }

  async #asked({ address }: ChildRef, call: VerbCall): Promise<VerbAnswer> {
    const runner = this.#at(address);
    return runner ? answerAtProxy(this.parent, runner, call) : { ok: false, error: failure('not_found') };
  }

  async #answer(child: ChildRef, said: ChildCalls[keyof ChildCalls]['message']) {
    switch (said.kind) {
      case 'agent':
        return said.path.length === 0 ? this.#receive(child, said.message) : { answer: 'absent' as const };
      case 'verb':
        return this.#asked(child, said);
      case 'files':
      case 'variables':
      case 'thread':
      case 'capability':
        return { ok: false as const, error: failure('lives_elsewhere') };
    }
  }

  /**
   * What is there is stopped and removed (RM18). Where that is not acknowledged soon, its record stays until it is: its
   * place here is free all the same.
   */
  async remove({ address }: ChildRef): Promise<void> {
    const runner = this.#at(address);
    if (runner === undefined) return;
    runner.leave('Its place was given up.');
    await within(this.parent.environment, REMOVED_WITHIN_MS, runner.tried());
  }

  owedAt(): number | undefined {
    const known = this.#isOpen ? [...this.#runners.values()] : [...this.#all()];
    const times = known.flatMap(({ run }) => (hasPendingCleanup(run) ? (dueAt(run, this.#now) ?? []) : []));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  *#all(): Generator<RemoteRunner> {
    for (const sessionId of this.parent.store.remotes()) {
      const runner = this.#load(sessionId);
      if (runner) yield runner;
    }
  }

  /** Memory elsewhere cannot be copied from here. */
  copy(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /**
   * Continues with pending stops and removals that nobody else asks for. Where all runners are in memory, the alarm has
   * rung: those that are due are tried.
   */
  open(): void {
    const all = [...this.#all()];
    const hasCleanup = (run: RemoteRun): boolean => hasPendingStop(run) || hasPendingCleanup(run);
    const isDue = ({ run }: RemoteRunner): boolean => hasCleanup(run) && (dueAt(run, this.#now) ?? 0) <= this.#now;
    const goes = this.#isOpen ? isDue : ({ run, isSettled }: RemoteRunner) => hasCleanup(run) || !isSettled;
    this.#isOpen = true;
    for (const runner of all) if (goes(runner)) runner.go();
  }

  leave(by: string): RemovedRun[] {
    const { store, environment } = this.parent;
    const all = [...this.#all()];
    this.stop();
    this.#runners.clear();
    const pending = all.map(({ run }) => removed(run, 'Its parent was removed.', this.#now)).filter(hasPendingCleanup);
    store.transaction(() => {
      for (const run of pending) store.setRemote(run);
    });
    environment.committed?.('leave');
    return pending.map((run) => takenOver(run, by));
  }

  /** The cleanup of one that is here already may be done in part. */
  adopt(pending: readonly RemovedRun[]): void {
    const { store, environment } = this.parent;
    store.transaction(() => {
      for (const run of pending) if (store.remote(run.sessionId) === undefined) store.setRemote(run);
    });
    environment.committed?.('adopt');
  }

  async paid(): Promise<void> {
    for (const runner of [...this.#all()]) runner.leave('Its tree is gone.');
    if (this.parent.store.remotes().length === 0) return;
    await new Promise<void>((resolve) => {
      this.#paid = resolve;
    });
  }

  /** Ends everything in memory. */
  stop(): void {
    for (const runner of this.#runners.values()) runner.close();
  }

  #name(): string {
    return remoteName(this.parent.environment.token());
  }

  get #now(): number {
    return this.parent.environment.now();
  }

  #at(address: string): (RemoteRunner & { readonly placed: PlacedRun }) | undefined {
    const isAt = (runner: RemoteRunner): runner is RemoteRunner & { readonly placed: PlacedRun } =>
      runner.placed?.address === address;
    return [...this.#runners.values()].find(isAt) ?? [...this.#all()].find(isAt);
  }

  #load(sessionId: string): RemoteRunner | undefined {
    const known = this.#runners.get(sessionId);
    if (known) return known;
    const run = remoteRun(this.parent.store, sessionId);
    return run && this.#runner(run);
  }

  #runner(run: RemoteRun): RemoteRunner {
    const { store, environment } = this.parent;
    const { sessionId, transport } = run;
    const owner = run.is === 'removed' ? run.transportOwner : undefined;
    const root = run.is === 'placed' ? run.root : undefined;
    const there = (): AgentDefinition | undefined => this.parent.agentBy(transport, owner);
    const runner = new RemoteRunner(
      {
        environment,
        write: (next, input) => this.#keep(runner.run, next, input),
        writeRemaining: (remaining) => this.#keepForRoot(() => store.setRemote(remaining)),
        input: () => store.remoteInput(sessionId) ?? null,
        transport: () => {
          const found = there();
          return found && transportOf(found, environment.bindings);
        },
        fit: async (output) => {
          const schema = there()?.outputSchema;
          return schema ? fit(schema, output) : { ok: true, json: output };
        },
        spent: (usage, isWhole) => {
          const definition = this.parent.countsMoney(transport) ? there() : undefined;
          if (definition) reportUnpricedRemote(environment, definition, usage, isWhole);
        },
        askRoot: async (request) => {
          if (root === undefined) throw new TypeError('A child that was removed from its place reports nothing.');
          // The root forgets the stop of a child by its report: by then it knows the cleanup that took its place.
          await this.#duesKnown;
          return this.parent.askRoot(root, request);
        },
      },
      run,
    );
    this.#runners.set(sessionId, runner);
    return runner;
  }

  /** Writes what a child is now; what may begin or work there yet is kept beside it (RM22, RM25). */
  #keep(before: RemoteRun, next: RemoteRun | undefined, input?: Json): void {
    const { store } = this.parent;
    const late = next && this.#behind(before, next);
    if (late === undefined) return store.transaction(() => this.#write(before.sessionId, next, input));
    this.#keepForRoot(() => {
      this.#write(before.sessionId, next, input);
      store.setRemote(late);
      this.#runner(late);
    });
    this.#load(late.sessionId)?.go();
  }

  /** The cleanup of the run that was there before, apart from what comes. */
  #behind(before: RemoteRun, next: RemoteRun): RemovedRun | undefined {
    if (before.is === 'removed' || next.is === 'removed') return undefined;
    if (next.name !== before.name) return lateStart(before, this.#now);
    return next.task.task === before.task.task ? undefined : stillToStop(before);
  }

  /** Writes a pending cleanup: the root wakes this object for it, also where nobody here has anything else to say. */
  #keepForRoot(write: () => void): void {
    const sendDues = this.parent.store.transaction(() => {
      write();
      return this.parent.keepDues();
    });
    this.#duesKnown = sendDues();
  }

  #write(sessionId: string, run: RemoteRun | undefined, input?: Json): void {
    const { store } = this.parent;
    if (run) store.setRemote(run, input);
    else {
      store.dropRemote(sessionId);
      this.#runners.delete(sessionId);
      if (store.remotes().length === 0) this.#paid();
    }
  }

  #receive(child: ChildRef, message: AgentMessage): AgentAnswer {
    if (message.type === 'assign') return this.#assign(child, message);
    const runner = this.#at(child.address);
    if (runner === undefined) return { answer: 'absent' };
    const run = runner.placed;
    switch (message.type) {
      case 'wake':
      case 'effects_due':
        if (message.sessionId !== run.sessionId) return { answer: 'absent' };
        runner.go();
        return { answer: 'done', ...effectOf(run, this.#now) };
      case 'stop':
        return this.#stopByParent(runner, run, message);
      case 'mail':
        return this.#mail(runner, run, message);
      case 'resume': {
        if (!isTask(run, message.task)) return superseded();
        this.#continue(runner, run, message);
        return { answer: 'done' };
      }
      default:
        return { answer: 'refused', error: failure('not_found', 'A remote agent does not accept this.') };
    }
  }

  /** A new child begins with its record: its remote name is minted before anything is sent (RM2). */
  #assign({ placement }: ChildRef, message: AssignMessage): AgentAnswer {
    const { session, begun, input, task } = message;
    const { environment, store } = this.parent;
    const known = this.#load(session.sessionId);
    const before = known?.placed;
    if (known) {
      // Messages that came since may come along with a task that is known already.
      if (before && isTask(before, task)) this.#continue(known, before, message);
      else if (before && isLater(before, task)) this.#next(known, before, message);
      else return superseded();
      return { answer: 'done' };
    }
    if (begun) return { answer: 'absent' };
    const { sessionId, address, agentType, root } = session;
    const transport = placement.via === 'remote' ? placement.way : '';
    const addressClass = address.split('/').at(-2) ?? '';
    const names = { sessionId, address, agentType, root, transport, addressClass, name: this.#name() };
    const run = firstRun(names, message, this.#now);
    store.transaction(() => store.setRemote(run, input ?? null));
    environment.committed?.('remote');
    this.#runner(run).go();
    return { answer: 'done' };
  }

  #next(runner: RemoteRunner, before: PlacedRun, given: GivenTask & { readonly input?: Json }): void {
    const next = nextRun(before, given, this.#now);
    runner.begin(isInDoubt(before) ? renamed(next, this.#name()) : next, given.input ?? null);
  }

  /** A known run works on; where its parent asks for another run, one that was interrupted continues. */
  #continue(runner: RemoteRunner, run: PlacedRun, { runId, message, mail = [] }: NextRun): void {
    if (runId === undefined || runId === run.runId) return runner.change(withMail(run, mail));
    if (run.local.is !== 'ended' || run.local.outcome.status !== 'interrupted') return;
    runner.begin(continuedRun(run, runId, { mail, ...(message ? { message } : {}) }));
  }

  /** Messages of its parent while it works are kept here, and sent there. */
  #mail(runner: RemoteRunner, run: PlacedRun, { task, mail }: Extract<AgentMessage, { type: 'mail' }>): AgentAnswer {
    if (!isTask(run, task) || run.local.is === 'ended' || isEnded(run.status)) return superseded();
    if (run.stop && !isResumable(run.stop.verb)) return superseded();
    runner.change(withMail(run, mail));
    return { answer: 'done' };
  }

  /** A task that is stopped before it is known here is known as one that never began. */
  #stopByParent(runner: RemoteRunner, known: PlacedRun, message: Extract<AgentMessage, { type: 'stop' }>): AgentAnswer {
    const { task, runId } = message;
    if (task && runId !== undefined && isLater(known, task)) this.#next(runner, known, { ...message, task, runId });
    const run = runner.placed ?? known;
    if (!isTask(run, task)) return superseded();
    const stopped =
      run.local.is === 'ended'
        ? stoppedAtRest(run, { ...message, runId: runId ?? run.runId }, this.#now)
        : withStop(run, message.verb, message.reason, this.#now);
    runner.change(stopped === run ? run : withMessage(stopped, message.message));
    return { answer: 'done', endsWithinMs: STOP_TAKES_MS };
  }
}

/** A run of a task that is known. */
interface NextRun {
  readonly runId?: string;
  readonly message?: NewMessage;
  readonly mail?: readonly Mail[];
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

const isLater = (run: PlacedRun, task: TaskKey): boolean =>
  task.childId === run.task.childId && task.task > run.task.task;

const isTask = (run: PlacedRun, task: TaskKey | undefined): boolean =>
  task?.childId === run.task.childId && task.task === run.task.task;
