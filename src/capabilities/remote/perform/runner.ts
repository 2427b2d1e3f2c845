/**
 * A remote child at work in its parent's object. Its state is in the parent's store, its chunks go to the root as those of
 * any child, and the other side is asked until it answers or the patience with it is over.
 *
 * Decides: how often one is looked at that gives nothing, and when the other side counts as lost.
 *
 * RM1. It is kept before anything is sent.
 * RM5. How it stands is decided by `status` there, never by a stream that ended: what completed is not run again.
 * RM6. Its end is told after all its chunks, in one commit of the parent with the result of the call.
 */
import type * as z from 'zod';
import type { Outcome } from '../../../core/agent/state';
import {
  type Came,
  cameOf,
  isAbsence,
  isToBeRepeated,
  REMOTE_BOUNDS,
  type RemoteAgentTransport,
  type RemoteAnswer,
  RemoteError,
} from '../../../core/definition/remote-transport';
import { askAgainMs, LONGEST_AGAIN_MS } from '../../../core/tree/ask-again';
import { pause, untilRung } from '../../../engine/environment';
import { failure } from '../../../protocol/errors';
import type { Json, JsonObject } from '../../../protocol/json';
import { isEnded, isSuspended } from '../../../protocol/status';
import { startAccepted } from '../../../protocol/wire/requests';
import { statusDocument } from '../../../protocol/wire/shapes';
import { hasPendingCleanup, removed, withoutStart } from '../machine/cleanup';
import {
  ended,
  endedUnbegun,
  failedHere,
  failureByFault,
  failureByRefusal,
  isStoppedAtRest,
  outcomeOf,
  outputFailed,
  unwanted,
} from '../machine/ends';
import { contradictsLog, endOf, mayWaitThere, relayed, withSpent } from '../machine/log';
import {
  bodyOfResume,
  bodyOfStart,
  messageInDoubt,
  messageOfResume,
  messageOfStart,
  withoutFirst,
} from '../machine/messages';
import {
  begunAs,
  chainOf,
  following,
  followingUnanswered,
  hasPendingStop,
  isSent,
  isToBegin,
  refusedStart,
  remoteName,
  saying,
  startSent,
} from '../machine/run';
import type { PlacedRun, RemoteRun, RemoteStop } from '../machine/state';
import {
  adopted,
  begunThere,
  endsWithoutRest,
  isAwaited,
  isKnownThere,
  isStoppedBefore,
  isTakenFromQueue,
  lookAgainMs,
  stopAfter,
  withStopSent,
} from '../machine/stop';
import { checkedAnswer } from './checked-answer';
import { gathered } from './event-groups';
import { Messages } from './forward-messages';
import { closeSoon, pollStatus } from './poll-status';
import { Reports } from './reports';
import type { RunnerHost } from './runner-host';
import { sendRemoval } from './send-removal';
import { sendStop } from './send-stop';

/** A side of which nothing lawful came for so long, in ms, is given up. */
const SILENT_MS = 300_000;
/** One that works is looked at again after so long, in ms, where its log has given nothing. */
const WORKS_AGAIN_MS = 1_000;

/** One child. */
export class RemoteRunner {
  #run: RemoteRun;
  readonly #closed = new AbortController();
  #kick = new AbortController();
  #stream: AbortController | undefined;
  #working = false;
  #stopping = false;
  /** When something lawful came last in this life, in ms since 1970. */
  #heardAt: number;
  #failures = 0;
  #patience: readonly [heardAt: number, failures: number] = [0, 0];
  /** When its end there was seen first without the rest of its log, in this life and since its stop, in ms since 1970. */
  #endSeenAt: number | undefined;
  /** How often one was looked at that waits for a person since it was answered: then it may go on at any moment. */
  #looks = Number.POSITIVE_INFINITY;
  /** Ends with the last try to begin it there. */
  #beginning: Promise<void> | undefined;
  #sending = false;
  readonly #messages = new Messages(this);
  readonly #reports = new Reports(this);
  #tried: () => void = () => undefined;
  readonly #firstTry = new Promise<void>((resolve) => {
    this.#tried = resolve;
  });

  constructor(
    readonly host: RunnerHost,
    run: RemoteRun,
  ) {
    this.#run = run;
    this.#heardAt = host.environment.now();
  }

  get run(): RemoteRun {
    return this.#run;
  }

  /** The same while it is in its place here. */
  get placed(): PlacedRun | undefined {
    return this.#run.is === 'placed' ? this.#run : undefined;
  }

  /** The same while nothing has ended it. */
  get #open(): PlacedRun | undefined {
    const { placed } = this;
    return this.isClosed || placed?.local.is === 'ended' ? undefined : placed;
  }

  /** Commits a change, then goes on with what it asks for. */
  change(run: RemoteRun): void {
    this.#set(run);
    this.go();
  }

  /** Commits a further task, or that the last one goes on, and goes on with it. */
  begin(run: RemoteRun, input?: Json): void {
    this.heard();
    this.#endSeenAt = undefined;
    this.#set(run, 'remote', input);
    this.go();
  }

  /** Commits a change, and continues with what is pending alone; one that was removed is forgotten once nothing is. */
  keep(run: RemoteRun): void {
    if (run.is === 'removed' && !hasPendingCleanup(run)) this.#forget();
    else this.#set(run);
  }

  #set(run: RemoteRun, what = 'remote', input?: Json): void {
    if (run === this.#run) return;
    this.host.write(run, input);
    this.#written(run, what);
  }

  #written(run: RemoteRun, what: string): void {
    this.#run = run;
    // Its end is told also where nothing comes of its log.
    if (run.is === 'removed' || run.local.is === 'ended') this.#stream?.abort();
    this.host.environment.committed?.(what);
    this.#goStop();
    this.#goSend();
  }

  /** Goes on with what is owed, if it does not already; what waits to be tried again is tried now. */
  go(): void {
    this.#kick.abort();
    this.#kick = new AbortController();
    if (!this.#working && !this.isSettled) {
      this.#working = true;
      this.#guard('Running', this.#work(), (isDone) => {
        this.#working = false;
        // A further task may have come in the moment in which this one was done.
        if (isDone && !this.isSettled) this.go();
      });
    }
    this.#goStop();
    this.#goSend();
  }

  #goStop(): void {
    if (this.#stopping || this.isClosed || !(hasPendingStop(this.#run) || hasPendingCleanup(this.#run))) return;
    this.#stopping = true;
    this.#guard('Stopping or removing', this.#stopAndRemove(), () => {
      this.#stopping = false;
    });
  }

  #goSend(): void {
    if (this.#sending || this.isClosed || this.#messages.next === undefined) return;
    this.#sending = true;
    this.#guard('Sending messages to', this.#messages.send(this.#closed.signal), () => {
      this.#sending = false;
    });
  }

  #guard(doing: string, work: Promise<void>, ended: (isDone: boolean) => void): void {
    const done = (): void => ended(true);
    work.then(done, (error: unknown) => {
      ended(false);
      if (!this.isClosed) this.host.environment.report(`${doing} the remote sub-agent ${this.#label} failed.`, error);
    });
  }

  /** Ends everything in memory. */
  close(): void {
    this.#closed.abort();
    this.#kick.abort();
    this.#stream?.abort();
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Whether nothing is to be done here any more but its stop and its cleanup. */
  get isSettled(): boolean {
    const { placed } = this;
    if (this.isClosed || placed === undefined) return true;
    const { local } = placed;
    return local.is === 'unwanted' || (local.is === 'ended' && local.isAcknowledged);
  }

  /** As reports name it. */
  get #label(): string {
    return this.placed?.address ?? this.#run.sessionId;
  }

  async #work(): Promise<void> {
    while (!this.isSettled && this.placed) {
      const { local, status } = this.placed;
      // The last chunks go with the end: who is woken for the one has the other.
      if (local.is === 'ended') await this.#reports.end(local.outcome);
      else if (!isEnded(status) && !(await this.#reports.flush())) return;
      else await this.#workThere(this.placed);
    }
  }

  async #workThere(run: PlacedRun): Promise<void> {
    const { stop } = run;
    if (isToBegin(run) && stop) {
      // Whether it has begun there is found out by whoever sends the stop.
      if (isSent(run)) return this.#rest(LONGEST_AGAIN_MS);
      return this.#set({ ...endedUnbegun(run, stop, this.#now), stop: { ...stop, settled: 'taken' } });
    }
    if (isToBegin(run)) {
      if (!chainOf(run) && messageInDoubt(run)) return void (await this.#messages.isKnown(true));
      this.#beginning = chainOf(run) ? this.#resume(run) : this.#begin(run);
      return this.#beginning;
    }
    if (isStoppedAtRest(run)) return this.#rest(LONGEST_AGAIN_MS);
    await this.#reports.wait();
    await this.#follow();
  }

  /** It was given what it may have waited for: it is looked at soon, and then less and less often. */
  answered(): void {
    this.#looks = 0;
    this.go();
  }

  /** Waits, unless something new comes. */
  pause(ms: number): Promise<void> {
    return pause(this.host.environment, ms, this.#kick.signal);
  }

  /** Waits for what the alarm of the root comes for, too (`dueAt`). */
  #rest(ms: number): Promise<void> {
    return untilRung(this.host.environment, ms, this.#kick.signal);
  }

  /** The agent there. */
  get #agent() {
    const { addressClass, name } = this.#run;
    return { addressClass, name };
  }

  /** A call of a verb there; undefined where none was lawful, which counts against the patience. */
  async call(verb: string, body?: JsonObject, idempotencyKey?: string): Promise<RemoteAnswer | undefined> {
    const came = await this.ask(verb, body, idempotencyKey);
    if ('threw' in came) await this.#failed(came.threw);
    else if (!came.ok && isToBeRepeated(came))
      await this.#failed(new RemoteError('remote_unreachable', `It answered ${came.code}: ${came.title}`));
    else {
      this.heard();
      return came;
    }
    return undefined;
  }

  /** The answer to one call of a remote verb, for whoever asked for the run. */
  ask(verb: string, body?: JsonObject, idempotencyKey?: string): Promise<Came> {
    const { actor: subject, traceparent } = this.#run.caller;
    const asked = { verb, agent: this.#agent, body, idempotencyKey, subject, traceparent };
    return cameOf(() => checkedAnswer(this.#transport(), { ...asked, signal: this.#closed.signal }));
  }

  #transport(): RemoteAgentTransport {
    const transport = this.host.transport();
    if (transport === undefined)
      throw new RemoteError('remote_not_configured', `The transport "${this.#run.transport}" is gone.`);
    return transport;
  }

  /** Something lawful came. */
  heard(): void {
    this.#heardAt = this.host.environment.now();
    this.#failures = 0;
  }

  /** Waits after what went wrong, or gives the child up. */
  async #failed(error: unknown): Promise<void> {
    const { environment } = this.host;
    const run = this.#open;
    if (run === undefined) return;
    const lasting = !isToBeRepeated({ threw: error });
    const silent = environment.now() - this.#heardAt >= SILENT_MS;
    if (lasting || silent) {
      return this.#set(failedHere(run, failureByFault(run, error, lasting ? undefined : SILENT_MS), environment.now()));
    }
    // What is stopped before it has begun is not tried again.
    if (isToBegin(run) && hasPendingStop(run)) return;
    await this.pause(lookAgainMs(run, askAgainMs(this.#failures++)));
  }

  /** Begins the run there: repeated with its key it is the same one. */
  async #begin(run: PlacedRun): Promise<void> {
    const { runId } = run;
    const isAgain = isSent(run);
    if (!isAgain) this.#set(startSent(run, this.#now));
    const input = this.host.input();
    const first = messageOfStart(run, input);
    const answer = await this.call('start', bodyOfStart(run, input), runId);
    const now = this.#ofRun(runId);
    if (answer === undefined || now === undefined) return;
    if (!answer.ok) {
      if (isStoppedBefore(now, answer)) return;
      return this.#set(failedHere(isAgain ? now : refusedStart(now), failureByRefusal(answer), this.#now));
    }
    const accepted = startAccepted.safeParse(answer.body);
    if (!accepted.success || now.remote.is === 'unsent')
      return this.#failed(new RemoteError('remote_invalid', 'Its start response is malformed.'));
    const begun = begunAs(now, { ...accepted.data, start: now.remote.start }, first);
    if (begun.memory !== undefined && begun.memory !== accepted.data.sessionId)
      return this.#lost('The remote sub-agent was removed on its server, with its memory.', begun);
    this.#set(begun);
  }

  /** Lets the run there continue: repeated with its key it is the same one. */
  async #resume(run: PlacedRun): Promise<void> {
    const { runId, remote } = run;
    if (remote.is === 'to_resume') this.#set({ ...run, remote: { ...remote, is: 'resuming' } });
    if (messageInDoubt(run)) return void (await this.#messages.isKnown(true));
    const first = messageOfResume(run);
    const answer = await this.call('resume', bodyOfResume(first), runId);
    const now = this.#ofRun(runId);
    if (answer === undefined || now === undefined) return;
    if (answer.ok) return this.#set(following(withoutFirst(now, first)));
    // It may have come through although its answer was lost; then how it stands says so.
    if (answer.status === 409) return this.#set(following(now));
    this.#set(failedHere(now, failureByRefusal(answer), this.#now));
  }

  /** The child as it is now, where no other run has taken the place of that one, and it has not ended. */
  #ofRun(runId: string): RemoteRun | undefined {
    const run = this.#run;
    const hasEnded = run.is === 'placed' && run.local.is === 'ended';
    return this.isClosed || hasEnded || run.runId !== runId ? undefined : run;
  }

  #lost(why: string, run: RemoteRun): void {
    this.#set(failedHere(run, failure('subagent_lost', why), this.#now));
  }

  /** Takes the log there until it ends or is cut, then asks how the child stands. */
  async #follow(): Promise<void> {
    const { environment } = this.host;
    const before = this.#open;
    if (before === undefined) return;
    const cut = new AbortController();
    this.#stream = cut;
    const from = before.cursor + 1;
    let isRead = false;
    void closeSoon(this, cut);
    pollStatus(this, cut).catch((error: unknown) => environment.report('A stream could not be followed.', error));
    try {
      const transport = this.#transport();
      const bounds = { ...REMOTE_BOUNDS, ...transport.bounds };
      const stream = transport.stream({ agent: this.#agent, from, signal: cut.signal });
      for await (const events of gathered(stream, environment)) {
        const run = this.#open;
        if (run === undefined) return;
        isRead ||= events.some(({ type }) => type === 'end');
        const next = relayed(run, events, { now: environment.now(), bounds });
        // A stream that ends, or begins anew, is no sign of more.
        if (next.cursor > run.cursor) this.heard();
        this.#set(next, 'relayed');
        if (isEnded(next.status)) break;
        if (!(await this.#reports.flush())) return;
        await this.#reports.wait();
        void closeSoon(this, cut);
      }
    } catch (error) {
      if (!isToBeRepeated({ threw: error })) return this.#failed(error);
      if (!cut.signal.aborted && !(error instanceof RemoteError))
        environment.report(`The log of the remote sub-agent ${before.address} was cut.`, error);
    } finally {
      cut.abort();
    }
    const run = this.#open;
    if (run) await this.#judge(run.cursor >= from, isRead);
  }

  /** Asks for the remote status. `moved`: its log gave something since it was asked last; `isRead`: the log came to its end. */
  async #judge(moved: boolean, isRead: boolean): Promise<void> {
    this.#patience = [this.#heardAt, this.#failures];
    const answer = await this.call('status');
    const run = this.#open;
    if (answer === undefined || run === undefined) return;
    if (!answer.ok) return this.#set(failedHere(run, failureByRefusal(answer), this.#now));
    const document = statusDocument.safeParse(answer.body);
    if (!document.success) return this.#failed(new RemoteError('remote_invalid', 'Its status is unknown.'));
    const { run: there, sessionId, lastSequence, status } = document.data;
    if (there === undefined)
      return this.#failed(new RemoteError('remote_invalid', 'Its status does not name the run.'));
    const chain = chainOf(run) ?? { sessionId, chainRunId: there.chainRunId };
    if (sessionId !== chain.sessionId || there.chainRunId !== chain.chainRunId)
      return this.#judgeOther(run, document.data);
    const { remote } = run;
    if (remote.is === 'stopped') {
      const as = { sessionId, runId: chain.chainRunId, start: remote.start };
      this.#set(begunAs(run, as, messageOfStart(run, this.host.input())));
    }
    if (lastSequence < run.cursor)
      return this.#lost('The log of the remote sub-agent has lost events that were already read.', this.#run);
    const end = outcomeOf(there);
    const isWhole = run.cursor >= lastSequence && (isRead || isEnded(run.status));
    if (end && isWhole && contradictsLog(run, end))
      return this.#failed(
        new RemoteError('remote_invalid', `Its status is ${end.status}, but its log ends differently.`),
      );
    // The answer to its stop says whether it has begun.
    if (end && isWhole) return isTakenFromQueue(run, end) ? undefined : this.#settle(end);
    const isBehind = end !== undefined || (isEnded(run.status) && run.cursor >= lastSequence);
    if (isBehind && !moved) {
      this.#endSeenAt ??= this.#now;
      if (end && endsWithoutRest(run, this.#endSeenAt, this.#now)) return this.#settle(end);
      // A status is no sign of the rest of the log, nor of work behind an end.
      [this.#heardAt, this.#failures] = this.#patience;
      const what = end ? 'The rest of its log did not arrive.' : 'Its status is running, but its log has ended.';
      return this.#failed(new RemoteError('remote_unreachable', what));
    }
    this.#endSeenAt = undefined;
    if (end || moved) return;
    await (isSuspended(status) ? this.#rest(askAgainMs(this.#looks++)) : this.pause(WORKS_AGAIN_MS));
  }

  /** Another run is there: the log of the child may have told its end before, or its turn has not come. */
  async #judgeOther(run: PlacedRun, said: z.output<typeof statusDocument>): Promise<void> {
    const end = endOf(run);
    if (end && said.sessionId === chainOf(run)?.sessionId) return this.#settle(end);
    if (mayWaitThere(run, said)) return this.pause(said.status === 'interrupted' ? LONGEST_AGAIN_MS : WORKS_AGAIN_MS);
    this.#lost('Another run has replaced the run of the remote sub-agent.', run);
  }

  /** The end, with what was spent there and an output that fits. */
  async #settle(end: Outcome): Promise<void> {
    // A status is no sign that the rest is answered.
    [this.#heardAt, this.#failures] = this.#patience;
    if (!(await this.#messages.isKnown(end.status !== 'interrupted'))) return;
    const spent = await this.call('usage', { includeSubAgents: true });
    const run = this.#open;
    if (spent === undefined || run === undefined) return;
    try {
      if (spent.ok) this.#set(withSpent(run, spent.body, this.#now));
    } catch (error) {
      return this.#failed(error);
    }
    if (end.status !== 'completed') return this.#end(end);
    const fitted = await this.host.fit(end.output);
    this.#end(fitted.ok ? { ...end, output: fitted.json } : outputFailed(fitted.problem));
  }

  #end(outcome: Outcome): void {
    if (this.#open) this.#set(ended(this.#open, outcome, this.#now));
  }

  /** Nobody here waits for it any more: what it does there is stopped. `isRemoved`: it is not in the record either. */
  gone(isRemoved: boolean): void {
    const run = this.placed;
    const reason = 'The call that waited for it has ended.';
    // Who takes a place away collects what is pending; here nobody does.
    if (isRemoved) this.#leave(reason, true);
    else if (run) this.change(unwanted(run, reason, this.#now));
  }

  /** Gives up its place here: its cleanup is kept until it is done (RM18). */
  leave(reason: string): void {
    this.#leave(reason);
  }

  #leave(reason: string, isForRoot = false): void {
    const run = removed(this.#run, reason, this.#now);
    if (!hasPendingCleanup(run)) return this.#forget();
    if (!isForRoot) return this.change(run);
    const before = this.#run;
    // The root learns of its cleanup in the transaction that writes it.
    this.#run = run;
    try {
      this.host.writeRemaining(run);
    } catch (error) {
      this.#run = before;
      throw error;
    }
    this.#written(run, 'remote');
    this.go();
  }

  /** Resolves once its cleanup was tried since it was removed, or is done. */
  async tried(): Promise<void> {
    await this.#firstTry;
  }

  get #now(): number {
    return this.host.environment.now();
  }

  /** Sends a stop until it is acknowledged, then the removal of one that was removed here, each with growing delays. */
  async #stopAndRemove(): Promise<void> {
    await this.#sendStops();
    await sendRemoval(this, { closed: this.#closed.signal, rest: (ms) => this.#rest(ms) }, () => this.#tried());
    if (!this.isClosed && this.#run.is === 'removed' && !hasPendingCleanup(this.#run)) this.#forget();
  }

  async #sendStops(): Promise<void> {
    const { environment } = this.host;
    for (let { stop } = this.#run; stop && hasPendingStop(this.#run) && !this.isClosed; { stop } = this.#run) {
      if (!isSent(this.#run)) return;
      const wait = stop.nextAt - environment.now();
      if (wait > 0) {
        await this.#rest(wait);
        continue;
      }
      await this.#sendStop(stop);
      if (this.isClosed) return;
      this.#showStop(stop);
    }
  }

  /** Readers see that a stop is pending, and the alarm of the root comes for it. */
  #showStop({ attempts }: RemoteStop): void {
    const { environment } = this.host;
    if (this.placed === undefined) return this.#tried();
    if (attempts > 0 || hasPendingStop(this.placed)) this.#set(saying(this.placed, [], environment.now()));
    if (this.isSettled || !isEnded(this.placed.status))
      this.#reports.flush().catch((error: unknown) => environment.report('A stop could not be reported.', error));
  }

  async #sendStop(stop: RemoteStop): Promise<void> {
    const knew = isKnownThere(this.#run);
    const came = await sendStop(this, stop, knew);
    if (!this.#isAsked(stop)) return;
    if ('ok' in came && !isToBeRepeated(came)) this.heard();
    // A start that is under way may come there after it: the stop is for what that begins.
    if (isAwaited(this.#run, came)) await this.#beginning?.catch(() => undefined);
    if (!this.#isAsked(stop)) return;
    const run = adopted(this.#run, came, this.host.input());
    const begun = begunThere(run, came, knew || run !== this.#run);
    const next = stopAfter(stop, came, begun, this.#now);
    if (next === stop) return this.change(followingUnanswered(this.#run));
    if (begun === 'yet' && isAbsence(came) && !next.settled && run.is === 'placed')
      return this.change(withoutStart(run, next, remoteName(this.host.environment.token()), this.#now));
    const sent = withStopSent(run, next, came, this.#now);
    if (next.settled !== 'taken') return this.#set(sent);
    this.#endSeenAt = undefined;
    this.change(sent);
    if (this.#stream) void closeSoon(this, this.#stream);
  }

  /** Whether that stop is still the pending one: a stronger one has answers of its own. */
  #isAsked(stop: RemoteStop): boolean {
    return !this.isClosed && this.#run.stop === stop;
  }

  #forget(): void {
    this.close();
    this.#tried();
    this.host.write(undefined);
  }
}
