/**
 * A child that lives elsewhere, at work: what its parent's object does for it. Its state is in the parent's store, its words
 * go to the root as those of any child, and the other side is asked until it answers or the patience with it is over.
 *
 * Decides: how often one is looked at that gives nothing, and when the other side counts as lost.
 *
 * RM1. It is kept before anything is sent.
 * RM5. How it stands is decided by `status` there, never by a stream that ended: what completed is not run again.
 * RM6. Its end is told after all its chunks, in one commit of the parent with the result of the call.
 */
import type { Outcome } from '../../core/agent/state';
import {
  type Came,
  cameOf,
  isAbsence,
  isToBeRepeated,
  REMOTE_BOUNDS,
  type RemoteAgentTransport,
  type RemoteAnswer,
  RemoteError,
} from '../../core/definition/remote-transport';
import { askAgainMs, LONGEST_AGAIN_MS } from '../../core/tree/ask-again';
import {
  contradictsLog,
  endedUnbegun,
  failedHere,
  isToldAtRest,
  isUnheard,
  lastOf,
  leaving,
  mailFactsOf,
  mayWaitThere,
  nameThere,
  type OwedStop,
  outcomeOf,
  owesStop,
  owesThere,
  type RemoteRun,
  refusedStart,
  relayed,
  saying,
  startOf,
  startSent,
  toldByStart,
  withoutStart,
  withoutTold,
  withSpent,
  withStop,
} from '../../core/tree/remote-run';
import {
  adopted,
  begunThere,
  isAwaited,
  isKnownThere,
  isStoppedBefore,
  isTakenFromQueue,
  isUnknownThere,
  stopAfter,
  unadopted,
  withStopSent,
} from '../../core/tree/remote-stop';
import { boundedText, failure, failureOf } from '../../protocol/errors';
import type { Json, JsonObject } from '../../protocol/json';
import { startAccepted } from '../../protocol/requests';
import { statusDocument } from '../../protocol/shapes';
import { isEnded, isSuspended } from '../../protocol/status';
import { pause, untilRung } from '../environment';
import type { Delivery } from '../tree-messages';
import { checkedAnswer } from './checked-answer';
import { gathered } from './event-groups';
import { closeSoon, lookBeside } from './look-beside';
import { removeThere } from './remove-there';
import type { RunnerHost } from './runner-host';
import { stopThere } from './stop-there';
import { Tells } from './tell-there';

/** A side of which nothing lawful came for so long, in ms, is given up. */
const SILENT_MS = 300_000;
/** Waits before the root is asked again, in ms; the last one again and again. */
const ROOT_AGAIN_MS = [20, 100, 500, 1_000];
/** One that waits for a person is looked at so often, in ms, where its stream does not stay open. */
const LOOK_AGAIN_MS = LONGEST_AGAIN_MS;
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
  /** How often one was looked at that waits for a person since it was answered: then it may go on at any moment. */
  #looks = Number.POSITIVE_INFINITY;
  #flushing: Promise<boolean> | undefined;
  /** Ends with the last try to begin it there. */
  #beginning: Promise<void> | undefined;
  #telling = false;
  readonly #tells = new Tells(this);
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

  /** Commits a change, then goes on with what it asks for. */
  change(run: RemoteRun): void {
    this.#set(run);
    this.go();
  }

  /** Commits a further task, or that the last one goes on, and goes on with it. */
  begin(run: RemoteRun, input?: Json): void {
    this.heard();
    this.#set(run, 'remote', input);
    this.go();
  }

  /** Commits a change, and goes on with nothing but what is owed; one that has left and owes nothing more is forgotten. */
  keep(run: RemoteRun): void {
    if (run.left && !owesThere(run)) this.#forget();
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
    if (run.outcome) this.#stream?.abort();
    this.host.environment.committed?.(what);
    this.#goStop();
    this.#goTell();
  }

  /** Goes on with what is owed, if it does not already; what waits to be tried again is tried now. */
  go(): void {
    this.#kick.abort();
    this.#kick = new AbortController();
    if (!this.#working && !this.#isSettled) {
      this.#working = true;
      this.#guard(this.#work(), (isDone) => {
        this.#working = false;
        // A further task may have come in the moment in which this one was done.
        if (isDone && !this.#isSettled) this.go();
      });
    }
    this.#goStop();
    this.#goTell();
  }

  #goStop(): void {
    if (this.#stopping || this.#isClosed || !(owesStop(this.#run) || owesThere(this.#run))) return;
    this.#stopping = true;
    this.#guard(this.#payOwed(), () => {
      this.#stopping = false;
    });
  }

  #goTell(): void {
    if (this.#telling || this.#isClosed || this.#tells.next === undefined) return;
    this.#telling = true;
    this.#guard(this.#tells.send(this.#closed.signal), () => {
      this.#telling = false;
    });
  }

  #guard(work: Promise<void>, ended: (isDone: boolean) => void): void {
    const done = (): void => ended(true);
    work.then(done, (error: unknown) => {
      ended(false);
      if (!this.#isClosed)
        this.host.environment.report(`The cleanup of the remote sub-agent ${this.#run.address} failed.`, error);
    });
  }

  /** Ends everything in memory. */
  close(): void {
    this.#closed.abort();
    this.#kick.abort();
    this.#stream?.abort();
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Whether nothing is owed here any more but a stop. */
  get #isSettled(): boolean {
    return this.#isClosed || this.#run.left === true || this.#run.told === true;
  }

  async #work(): Promise<void> {
    while (!this.#isSettled) {
      const { outcome, phase, asked, stop, status } = this.#run;
      // The last chunks go with the end: who is woken for the one has the other.
      if (outcome) await this.#tellEnd(outcome);
      else if (!isEnded(status) && !(await this.#flush())) return;
      // Whether it has begun there is found out by whoever sends the stop.
      else if (phase !== 'following' && stop) {
        if (!asked) this.#set(endedUnbegun(this.#run, stop, this.#now));
        else await this.#rest(LOOK_AGAIN_MS);
      } else if (phase !== 'following') {
        this.#beginning = this.#begin();
        await this.#beginning;
      } else if (isToldAtRest(this.#run)) await this.#rest(LOOK_AGAIN_MS);
      else {
        await this.#tellWait();
        await this.#follow();
      }
    }
  }

  /** It was given what it may have waited for: it is looked at soon, and then less and less often. */
  answered(): void {
    this.#looks = 0;
    this.go();
  }

  #pause(ms: number): Promise<void> {
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
  async #call(verb: string, body?: JsonObject, idempotencyKey?: string): Promise<RemoteAnswer | undefined> {
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

  /** What comes of one call of a verb there, for whoever asked for the run. */
  ask(verb: string, body?: JsonObject, idempotencyKey?: string): Promise<Came> {
    const { actor: subject, traceparent } = this.#run;
    const asked = { verb, agent: this.#agent, body, idempotencyKey, subject, traceparent };
    return cameOf(() => checkedAnswer(this.#transport(), { ...asked, signal: this.#closed.signal }));
  }

  #transport(): RemoteAgentTransport {
    const transport = this.host.transport();
    if (transport === undefined)
      throw new RemoteError('remote_not_configured', `The transport "${this.#run.way}" is gone.`);
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
    if (this.#isClosed || this.#run.outcome) return;
    const why = boundedText(failureOf(error).message, 500);
    const lasting = !isToBeRepeated({ threw: error });
    const silent = environment.now() - this.#heardAt >= SILENT_MS;
    if (lasting || silent) {
      const code = error instanceof RemoteError ? error.code : 'remote_unreachable';
      const said = lasting ? why : `It did not answer for ${SILENT_MS} ms: ${why}`;
      const text = `The remote sub-agent ${this.#run.agentType} was abandoned. ${said}`;
      const failed = failure(lasting ? 'subagent_failed' : 'subagent_lost', text, false, { remote: code });
      return this.#set(failedHere(this.#run, failed, environment.now()));
    }
    // What is stopped before it has begun is not tried again.
    if (this.#run.phase !== 'following' && owesStop(this.#run)) return;
    await this.#pause(askAgainMs(this.#failures++));
  }

  /** Begins the run there, or lets it go on: repeated with its key it is the same one. */
  async #begin(): Promise<void> {
    const { asked: isAgain } = this.#run;
    const { phase, runId, tell: [next] = [] } = this.#run;
    const starts = phase === 'starting';
    if (!isAgain) this.#set(starts ? startSent(this.#run, this.#now) : { ...this.#run, asked: true });
    const input = this.host.input();
    const first = starts ? toldByStart(this.#run, input) : next;
    const resumes = first ? { message: first.text } : {};
    const answer = await this.#call(starts ? 'start' : 'resume', starts ? startOf(this.#run, input) : resumes, runId);
    if (answer === undefined || this.#isClosed || this.#run.outcome) return;
    if (!answer.ok) {
      // It may have come through although its answer was lost; then how it stands says so.
      if (phase === 'resuming' && answer.status === 409) return this.#set({ ...this.#run, phase: 'following' });
      if (starts && isStoppedBefore(this.#run, answer)) return;
      return this.#refused(answer, isAgain || phase === 'resuming' ? this.#run : refusedStart(this.#run));
    }
    const told = first ? withoutTold(this.#run, first) : this.#run;
    if (phase === 'resuming') return this.#set({ ...told, phase: 'following' });
    const accepted = startAccepted.safeParse(answer.body);
    if (!accepted.success) return this.#failed(new RemoteError('remote_invalid', 'Its start response is malformed.'));
    const { sessionId, runId: chainRunId, status } = accepted.data;
    const waits = first && status === 'queued' ? { toldInQueue: first } : {};
    const begun: RemoteRun = { ...told, ...waits, phase: 'following', theirs: { sessionId, chainRunId } };
    if (begun.memory !== undefined && begun.memory !== sessionId)
      return this.#lost('The remote sub-agent was removed on its server, with its memory.', begun);
    this.#set(begun);
  }

  #lost(why: string, run = this.#run): void {
    this.#set(failedHere(run, failure('subagent_lost', why), this.#now));
  }

  /** What the other side refuses for good. */
  #refused(refusal: Extract<RemoteAnswer, { ok: false }>, run = this.#run): void {
    const { code, title, detail, status } = refusal;
    const said = boundedText(detail ?? title, 2_000);
    const error = isAbsence(refusal)
      ? failure('subagent_lost', `The remote sub-agent is gone: ${said}`)
      : failure('subagent_failed', `The remote server refused: ${said}`, false, {
          code: boundedText(code, 100),
          status,
        });
    this.#set(failedHere(run, error, this.#now));
  }

  /** Takes the log there until it ends or is cut, then asks how the child stands. */
  async #follow(): Promise<void> {
    const { environment } = this.host;
    const cut = new AbortController();
    this.#stream = cut;
    const from = this.#run.cursor + 1;
    void closeSoon(this, cut);
    lookBeside(this, cut).catch((error: unknown) => environment.report('A stream was not looked after.', error));
    try {
      const transport = this.#transport();
      const bounds = { ...REMOTE_BOUNDS, ...transport.bounds };
      const stream = transport.stream({ agent: this.#agent, from, signal: cut.signal });
      for await (const events of gathered(stream, environment)) {
        if (this.#isClosed || this.#run.outcome) return;
        const next = relayed(this.#run, events, { now: environment.now(), bounds });
        // A stream that ends, or begins anew, is no sign of more.
        if (next.cursor > this.#run.cursor) this.heard();
        this.#set(next, 'relayed');
        if (isEnded(this.#run.status)) break;
        if (!(await this.#flush())) return;
        await this.#tellWait();
        void closeSoon(this, cut);
      }
    } catch (error) {
      if (!isToBeRepeated({ threw: error })) return this.#failed(error);
      if (!cut.signal.aborted && !(error instanceof RemoteError))
        environment.report(`The log of the remote sub-agent ${this.#run.address} was cut.`, error);
    } finally {
      cut.abort();
    }
    if (this.#isClosed || this.#run.outcome) return;
    await this.#judge(this.#run.cursor >= from);
  }

  /** Asks how the child stands there. `moved`: its log gave something since it was asked last. */
  async #judge(moved: boolean): Promise<void> {
    if (isUnknownThere(this.#run)) return this.#set(unadopted(this.#run, this.#now));
    const patience = [this.#heardAt, this.#failures] as const;
    const answer = await this.#call('status');
    if (answer === undefined || this.#isClosed || this.#run.outcome) return;
    if (!answer.ok) return this.#refused(answer);
    const document = statusDocument.safeParse(answer.body);
    if (!document.success) return this.#failed(new RemoteError('remote_invalid', 'Its status is unknown.'));
    const { run, sessionId, lastSequence, status } = document.data;
    if (run === undefined) return this.#failed(new RemoteError('remote_invalid', 'Its status does not name the run.'));
    const theirs = this.#run.theirs ?? { sessionId, chainRunId: run.chainRunId };
    if (sessionId !== theirs.sessionId || run.chainRunId !== theirs.chainRunId) {
      // Its log may have told its end before somebody else had a turn there.
      if (this.#run.end && sessionId === theirs.sessionId) return this.#settle(this.#run.end);
      if (mayWaitThere(this.#run, document.data))
        return this.#pause(status === 'interrupted' ? LOOK_AGAIN_MS : WORKS_AGAIN_MS);
      return this.#lost('Another run has replaced the run of the remote sub-agent.');
    }
    if (!this.#run.theirs) this.#set({ ...this.#run, theirs });
    if (lastSequence < this.#run.cursor)
      return this.#lost('The log of the remote sub-agent has lost events that were already read.');
    const ended = outcomeOf(run);
    const isWhole = this.#run.cursor >= lastSequence && isEnded(this.#run.status);
    if (ended && isWhole && contradictsLog(this.#run, ended))
      return this.#failed(
        new RemoteError('remote_invalid', `Its status is ${ended.status}, but its log has another end.`),
      );
    // What its stop is answered with says whether it has begun.
    if (ended && isWhole) return isTakenFromQueue(this.#run, ended) ? undefined : this.#settle(ended);
    // A status is no sign of the rest of the log, nor of work behind an end.
    const isBehind = ended !== undefined || (isEnded(this.#run.status) && this.#run.cursor >= lastSequence);
    if (isBehind && !moved) {
      [this.#heardAt, this.#failures] = patience;
      const what = ended ? 'The rest of its log did not arrive.' : 'Its status is running, but its log has ended.';
      return this.#failed(new RemoteError('remote_unreachable', what));
    }
    if (ended || moved) return;
    await (isSuspended(status) ? this.#rest(askAgainMs(this.#looks++)) : this.#pause(WORKS_AGAIN_MS));
  }

  /** The end, with what was spent there and an output that fits. */
  async #settle(ended: Outcome): Promise<void> {
    const spent = await this.#call('usage', { includeSubAgents: true });
    if (spent === undefined || this.#isClosed || this.#run.outcome) return;
    try {
      if (spent.ok) this.#set(withSpent(this.#run, spent.body, this.#now));
    } catch (error) {
      return this.#failed(error);
    }
    if (ended.status !== 'completed') return this.#end(ended);
    const fitted = await this.host.fit(ended.output);
    if (this.#isClosed || this.#run.outcome) return;
    if (fitted.ok) return this.#end({ ...ended, output: fitted.json });
    const error = failure('output_invalid', `The output of the remote sub-agent does not fit: ${fitted.problem}`);
    this.#end({ status: 'failed', error, failureReason: error.code });
  }

  #end(outcome: Outcome): void {
    const { end: _told, ...run } = this.#run;
    const { stop } = run;
    const settled = stop && stop.settled === undefined ? { stop: { ...stop, settled: 'taken' as const } } : {};
    this.#set({ ...run, ...settled, outcome });
  }

  async #tellEnd(outcome: Outcome): Promise<void> {
    const { task, runId, usage } = this.#run;
    const mail = mailFactsOf(this.#run);
    const facts = { task, outcome, usage, runId, ...(mail ? { mail } : {}) };
    const unbegun = isUnheard(this.#run) ? ({ unbegun: true } as const) : {};
    const told = await this.#tell([{ type: 'child_settled', ...facts, ...unbegun }]);
    // Its parent may have begun a further task before this was acknowledged: that has not ended.
    if (told && this.#run.runId === runId) this.#set({ ...this.#run, told: true });
  }

  /** The parent is told that it waits for a person, or goes on. */
  async #tellWait(): Promise<void> {
    const { status, waitTold, task, runId } = this.#run;
    const waits = isSuspended(status);
    if (waits === (waitTold === true) || isEnded(status)) return;
    if (!(await this.#tell([{ type: 'child_waits', task, runId, waits }])) || this.#run.runId !== runId) return;
    const { waitTold: _before, ...rest } = this.#run;
    this.#set(waits ? { ...rest, waitTold: true } : rest);
  }

  /** What the root has not acknowledged goes there; whether the child is still part of the tree. */
  #flush(): Promise<boolean> {
    this.#flushing ??= this.#tell([]).finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #tell(deliver: readonly Delivery[]): Promise<boolean> {
    const { environment } = this.host;
    for (let tries = 0; !this.#isClosed && !this.#run.left; tries++) {
      const { sessionId, kept } = this.#run;
      if (kept.length === 0 && deliver.length === 0) return true;
      const batches = kept.map((batch) => ({ ...batch, sessionId }));
      try {
        const answer = await this.host.askRoot({ sessionId, batches, deliver, admit: [], withdraw: [], lost: [] });
        if (this.#isClosed) return false;
        if (answer.merge === 'gone') return this.#gone(kept.every(({ chunks }) => chunks.length === 0));
        if (answer.merge === 'merged' && answer.merged >= lastOf(kept)) {
          this.#set({ ...this.#run, kept: this.#run.kept.slice(kept.length) });
          return true;
        }
      } catch (error) {
        environment.report('The root did not answer; what a remote sub-agent said is sent again.', error);
      }
      await this.#pause(ROOT_AGAIN_MS[Math.min(tries, ROOT_AGAIN_MS.length - 1)] ?? 0);
    }
    return false;
  }

  /** Nobody here wants its words any more: what it does there is stopped. `forGood`: it is not in the record either. */
  #gone(forGood: boolean): boolean {
    const { kept, last, outcome, asked } = this.#run;
    const first = kept.find(({ chunks }) => chunks.length > 0)?.first ?? last + 1;
    const gone: RemoteRun = { ...this.#run, kept: [], last: first - 1, told: true };
    const reason = 'No call waits for it any longer.';
    // Who takes a place away asks what is owed; here nobody does.
    if (forGood) this.#leave(gone, reason, true);
    else this.change(outcome || !asked ? gone : withStop(gone, 'abort', reason, this.#now));
    return false;
  }

  /** It leaves its place here: what is owed there is kept until it is paid (RM18). */
  leave(reason: string): void {
    this.#leave(this.#run, reason);
  }

  #leave(run: RemoteRun, reason: string, tellsRoot = false): void {
    const left = leaving(run, reason, this.#now);
    if (!owesThere(left)) return this.#forget();
    if (!tellsRoot) return this.change(left);
    const before = this.#run;
    // What is owed is told in the transaction that writes it.
    this.#run = left;
    try {
      this.host.writeRemaining(left);
    } catch (error) {
      this.#run = before;
      throw error;
    }
    this.#written(left, 'remote');
    this.go();
  }

  /** Resolves once what it owes was tried since it left, or is paid. */
  async tried(): Promise<void> {
    await this.#firstTry;
  }

  get #now(): number {
    return this.host.environment.now();
  }

  /** Sends a stop until it is acknowledged, then the removal of what has left, each with growing delays. */
  async #payOwed(): Promise<void> {
    await this.#sendStops();
    await removeThere(this, { closed: this.#closed.signal, rest: (ms) => this.#rest(ms) }, () => this.#tried());
    if (!this.#isClosed && this.#run.left && !owesThere(this.#run)) this.#forget();
  }

  async #sendStops(): Promise<void> {
    const { environment } = this.host;
    for (let stop = this.#run.stop; stop && owesStop(this.#run) && !this.#isClosed; stop = this.#run.stop) {
      if (!this.#run.asked) return;
      const wait = stop.nextAt - environment.now();
      if (wait > 0) {
        await this.#rest(wait);
        continue;
      }
      await this.#sendStop(stop);
      if (this.#isClosed) return;
      // Readers see that it is owed, and the alarm of the root comes for it.
      if (!this.#run.left && (stop.attempts > 0 || owesStop(this.#run)))
        this.#set(saying(this.#run, [], environment.now()));
      if (!this.#run.left && (this.#run.told || !isEnded(this.#run.status)))
        this.#flush().catch((error: unknown) => environment.report('A stop could not be reported.', error));
      if (this.#run.left) this.#tried();
    }
  }

  async #sendStop(stop: OwedStop): Promise<void> {
    const knew = isKnownThere(this.#run);
    const came = await stopThere(this, stop, knew);
    if (!this.#isAsked(stop)) return;
    if ('ok' in came && !isToBeRepeated(came)) this.heard();
    // A start that is under way may come there after it: the stop is for what that begins.
    if (isAwaited(this.#run, came)) await this.#beginning?.catch(() => undefined);
    if (!this.#isAsked(stop)) return;
    const run = adopted(this.#run, came, this.host.input());
    const begun = begunThere(run, came, knew || run !== this.#run);
    const next = stopAfter(stop, came, begun, this.#now);
    if (next === stop) return this.change({ ...this.#run, phase: 'following' });
    if (begun === 'yet' && isAbsence(came) && !next.settled && !run.left)
      return this.change(withoutStart(run, next, nameThere(this.host.environment.token()), this.#now));
    const sent = withStopSent(run, next, came, this.#now);
    if (next.settled === 'taken') this.change(sent);
    else this.#set(sent);
  }

  /** Whether that stop is still the one that is owed: a stronger one has answers of its own. */
  #isAsked(stop: OwedStop): boolean {
    return !this.#isClosed && this.#run.stop === stop;
  }

  #forget(): void {
    this.close();
    this.#tried();
    this.host.write(undefined);
  }
}
