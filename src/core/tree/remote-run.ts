/**
 * A child that lives elsewhere, as its parent's object keeps it: who it is there, how far its log was taken, how it
 * stands, and what is owed to it. Pure: `engine/remote` performs.
 *
 * Decides: how addresses there are mapped; what of the stream there is taken.
 *
 * RM2. The name there is minted before anything is sent, and kept with the child: a start that is repeated is the same run.
 * RM3. Chunks and the cursor behind them are one commit; a sequence that was taken is never taken again.
 * RM34. The log of a run ends with its end, and a status says the same of it.
 * RM22. A name there under which a start may still come is given up for another one, and what comes there is owed a stop.
 * RM4. Addresses and session ids there are mapped below the child's: nothing that a remote says can mean another agent here.
 */
import type * as z from 'zod';
import type { Chunk } from '../../protocol/chunks';
import { beginningOf } from '../../protocol/content/cut';
import { type Failure, failure, isErrorCode } from '../../protocol/errors';
import type { Json, JsonObject } from '../../protocol/json';
import type { MessageRole } from '../../protocol/messages';
import { statusDocument, usageDocument } from '../../protocol/shapes';
import type { SideName } from '../../protocol/sides';
import { isEndChunk, isEnded, isSuspended, type SessionStatus } from '../../protocol/status';
import { statusAfter } from '../../protocol/status/after';
import { countedUsage, largerUsage, NO_USAGE, type Usage } from '../../protocol/usage';
import type { TaskKey } from '../agent/child';
import { wordsOf } from '../agent/enclosures';
import type { Mail, MailFacts, NewMessage } from '../agent/inbound';
import type { Outcome, RootLocation } from '../agent/state';
import { unbegunOutcome } from '../agent/stop';
import { failureByStop, isResumable, STOP_VERBS, type StopVerb } from '../agent/stop-verb';
import { type Came, type RemoteBounds, RemoteError, type RemoteEvent } from '../definition/remote-transport';
import type { Batch } from './merge';
import { type Held, heldAfter, NOTHING_HELD, nothingWaits } from './remote/held';
import { localChunk, remoteRoot } from './remote/ids';
import { checkTaken, withTimes } from './remote/numbers';
import { isTriedEnough, owedNow, type Tries, triedAgain } from './tries';

/** A stop that the other side has not taken yet, or took. */
export interface OwedStop extends Tries {
  readonly verb: StopVerb;
  readonly reason: string;
  /** It was acknowledged, or is not asked for any more. */
  readonly settled?: 'taken' | 'given_up';
}

/** A start that was sent. */
export interface SentStart {
  readonly key: string;
  /** In ms since 1970. */
  readonly at: number;
}

/** A message that it is to be told there. */
export interface Tell {
  /** A repeated one is known by it. */
  readonly key: string;
  readonly text: string;
  readonly role: MessageRole;
  readonly to?: SideName;
}

/** What the other side is asked for next: to begin, to go on, or nothing but how it stands. */
export type RemotePhase = 'starting' | 'resuming' | 'following';

/** One child. */
export interface RemoteRun {
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  readonly root: RootLocation;
  /** Whose transport leads there: a tool, or the kind of a companion. */
  readonly way: string;
  readonly addressClass: string;
  /** Of the root there. */
  readonly name: string;
  readonly task: TaskKey;
  /** The run here, and who asked for it. */
  readonly runId: string;
  readonly actor?: string;
  readonly traceparent?: string;
  readonly startedAt: number;
  readonly phase: RemotePhase;
  /** It was sent at least once: whether the other side has it is known by its answer alone. */
  readonly asked?: true;
  /** The start of this task that was sent last: its key, and since when it is sent. */
  readonly start?: SentStart;
  /** The session there, and the first run of the chain of this task. */
  readonly theirs?: { readonly sessionId: string; readonly chainRunId: string };
  /** The session there of the tasks before: it remembers them. */
  readonly memory?: string;
  /** What it is to be told there, in order; the first of them begins a task that has no arguments, or goes with a resume. */
  readonly tell?: readonly Tell[];
  /** What it was told with a start that waited there: it is told that again where this never begins. */
  readonly toldInQueue?: Tell;
  /** The number of the last message of its parent that was taken here. */
  readonly mailTaken?: number;
  /** What its log says before this task begins there is of others, and is passed over. */
  readonly passing?: true;
  /** The last sequence of the log there that was taken. */
  readonly cursor: number;
  /** The child's own number of its last chunk. */
  readonly last: number;
  /** What the root has not acknowledged. */
  readonly kept: readonly Omit<Batch, 'sessionId'>[];
  readonly status: SessionStatus;
  /** How it ended, as its log has told it; its status there may be of another run by then. */
  readonly end?: Outcome;
  readonly step: number;
  readonly attempt: number;
  readonly held: Held;
  readonly usage: Usage;
  /** Whether the parent was told that it waits. */
  readonly waitTold?: true;
  readonly stop?: OwedStop;
  readonly outcome?: Outcome;
  /** The parent knows the outcome, or wants none. */
  readonly told?: true;
  /** The child left its place here; only its stop, and the removal of what is there, are still owed. */
  readonly left?: true;
  /** Another task, or somebody else, may be there by now: its stop goes by its start alone. */
  readonly astray?: true;
  /** Of the root there, whose child has left. */
  readonly removal?: Tries;
  /** Whose way it is, by the name of that agent, where another one has taken over what is owed to it. */
  readonly by?: string;
}

/** What is known of a task when it is given. */
interface GivenTask {
  readonly task: TaskKey;
  readonly runId: string;
  readonly actor?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly mail?: readonly Mail[] | undefined;
}

/** A child with its first task; nothing was sent yet. */
export function firstRun(
  child: Pick<RemoteRun, 'sessionId' | 'address' | 'agentType' | 'root' | 'way' | 'addressClass' | 'name'>,
  given: GivenTask,
  now: number,
): RemoteRun {
  const begun = { phase: 'starting', cursor: 0, last: 0, kept: [], status: 'running', step: 0, attempt: 0 } as const;
  return withMail(
    { ...child, ...taskOf(given), ...begun, startedAt: now, held: NOTHING_HELD, usage: NO_USAGE },
    given.mail,
  );
}

/** The next task of a child that stays; what is owed still for the one before is kept apart. */
export function nextRun(before: RemoteRun, given: GivenTask, now: number): RemoteRun {
  const { theirs, memory = theirs?.sessionId, actor: _actor, traceparent: _trace, ...known } = before;
  const {
    outcome: _outcome,
    told: _told,
    stop: _stop,
    waitTold: _waits,
    asked: _asked,
    start: _start,
    end: _end,
    toldInQueue: _waited,
    ...rest
  } = known;
  const begins = { phase: 'starting', status: 'running', startedAt: now, held: NOTHING_HELD, passing: true } as const;
  return withMail({ ...rest, ...taskOf(given), ...begins, ...(memory ? { memory } : {}) }, given.mail);
}

const taskOf = ({ task, runId, actor, traceparent }: GivenTask) => ({
  task,
  runId,
  ...(actor === undefined ? {} : { actor }),
  ...(traceparent === undefined ? {} : { traceparent }),
});

/** The same child with what its parent has told it; what was taken already is not taken again (CO4). */
export function withMail(run: RemoteRun, mail: readonly Mail[] = []): RemoteRun {
  const fresh = mail.filter(({ number }) => number > (run.mailTaken ?? 0));
  const last = fresh.at(-1);
  if (last === undefined) return run;
  const told = fresh.map(({ number, message }) => tellOf(message, `${run.sessionId}.mail.${number}`));
  return { ...run, tell: [...(run.tell ?? []), ...told], mailTaken: last.number };
}

/** The same child with a message that comes with its run, once. */
export function withMessage(run: RemoteRun, message: NewMessage | undefined): RemoteRun {
  const { tell = [] } = run;
  if (message === undefined || tell.some(({ key }) => key === message.messageId)) return run;
  return { ...run, tell: [...tell, tellOf(message, message.messageId)] };
}

function tellOf({ content, role, to }: NewMessage, key: string): Tell {
  return { key, text: wordsOf(content), role, ...(to === undefined ? {} : { to }) };
}

/** The same child, to which that was told. */
export function withoutTold(run: RemoteRun, { key }: Tell): RemoteRun {
  const { tell = [], ...rest } = run;
  const left = tell.filter((one) => one.key !== key);
  return left.length === 0 ? rest : { ...rest, tell: left };
}

/** What it is to be told next while it works there; nothing where it does not, or is being stopped. */
export function tellNext({ tell, phase, theirs, outcome, stop, status }: RemoteRun): Tell | undefined {
  const works = phase === 'following' && theirs !== undefined && outcome === undefined && stop === undefined;
  return works && !isEnded(status) ? tell?.[0] : undefined;
}

/** How far it has come with what it was told, for its parent. */
export function mailFactsOf({ mailTaken, tell = [] }: RemoteRun): MailFacts | undefined {
  return mailTaken === undefined ? undefined : { taken: mailTaken, unseen: tell.length };
}

/** What begins a task that was left without words. */
const RESUME_MESSAGE = 'Continue with your last task.';

/** The same child whose start is sent from now on, under its key. */
export const startSent = (run: RemoteRun, now: number): RemoteRun => ({
  ...run,
  asked: true,
  start: { key: run.runId, at: now },
});

/** What it is told with its start; nothing where that has arguments. */
export const toldByStart = ({ mailTaken, tell: [first] = [] }: RemoteRun, input: Json): Tell | undefined =>
  input === null && mailTaken !== undefined ? first : undefined;

/** What its task is there: its arguments, or what it is told first. */
export function startOf(run: RemoteRun, input: Json): JsonObject {
  if (input !== null || run.mailTaken === undefined) return { input };
  const first = toldByStart(run, input);
  if (first === undefined) return { message: RESUME_MESSAGE };
  return { message: first.text, ...(first.to === undefined ? {} : { to: first.to }) };
}

/** The same child whose removal there was not acknowledged; it is not asked for any more after a day (RM18). */
export function removalAgain(run: RemoteRun, now: number): RemoteRun {
  const { removal, ...rest } = run;
  return removal && !isTriedEnough(removal, now) ? { ...rest, removal: triedAgain(removal, now) } : rest;
}

/** The same child, of which nothing is left there that this side could remove. */
export function withoutRemoval({ removal: _removal, ...run }: RemoteRun): RemoteRun {
  return run;
}

/** A child that leaves its place here: what works there is stopped, and what was begun there is removed (RM18). */
export function leaving(run: RemoteRun, reason: string, now: number): RemoteRun {
  if (run.left) return run;
  const { asked, outcome, memory } = run;
  const stopped = outcome || !asked ? run : withStop(run, 'abort', reason, now);
  const removal = asked || memory !== undefined ? { removal: owedNow(now) } : {};
  return { ...stopped, ...removal, kept: [], left: true, address: '' };
}

/** What a root there is called, by a token that nothing else has. */
export const nameThere = (token: string): string => `r-${token}`;

/** Whether nobody knows that its root is there, although it was asked for: its start may come there yet. */
export const isInDoubt = ({ asked, theirs, memory }: RemoteRun): boolean =>
  asked === true && theirs === undefined && memory === undefined;

/** The same child under another name there: nothing was taken of the log of that. */
export const renamed = (run: RemoteRun, name: string): RemoteRun => ({ ...run, name, cursor: 0 });

/**
 * What a child leaves behind that is called otherwise there from now on: nobody knows of a run that begins under the name
 * before, so it is owed a stop, and its removal, apart (RM22).
 */
export function lateStart({ outcome: _outcome, tell: _tell, memory, ...before }: RemoteRun, now: number): RemoteRun {
  const late = leaving(before, 'It was abandoned before it began.', now);
  const gone = memory === undefined ? {} : { astray: true as const };
  return { ...late, ...gone, sessionId: `${before.sessionId}.${before.name}`, held: NOTHING_HELD, told: true };
}

/** A child whose start, which was sent once, was refused: nothing of it is there. */
export function refusedStart({ asked: _asked, start: _start, stop: _stop, ...never }: RemoteRun): RemoteRun {
  return never;
}

/** A child that nobody there knows although it was asked for: it never began, and begins under another name if it does. */
export function withoutStart(run: RemoteRun, stop: OwedStop, name: string, now: number): RemoteRun {
  const { asked: _asked, start: _start, ...unasked } = run;
  const child: RemoteRun = { ...renamed(unasked, name), stop: { ...stop, settled: 'taken' } };
  return child.outcome ? child : endedUnbegun(child, stop, now);
}

/** One that has left, as whoever takes over what is owed to it keeps it: no more than that needs. */
export function handedOver(run: RemoteRun, by: string): RemoteRun {
  const { tell: _tell, mailTaken: _taken, outcome: _outcome, end: _end, ...owed } = run;
  return { ...owed, by: run.by ?? by, told: true, kept: [], held: NOTHING_HELD };
}

/** Whether anything is owed to a child that has left its place. */
export function owesThere(run: RemoteRun): boolean {
  return run.left === true && (owesStop(run) || run.removal !== undefined);
}

/** Whether a stop is still to be sent. */
export function owesStop({ stop }: RemoteRun): boolean {
  return stop !== undefined && stop.settled === undefined;
}

/** A stop is owed from now on; one that is owed already stays, unless the new one is harder. */
export function withStop(run: RemoteRun, verb: StopVerb, reason: string, now: number): RemoteRun {
  if (run.stop && STOP_VERBS.indexOf(run.stop.verb) >= STOP_VERBS.indexOf(verb)) return run;
  return { ...run, stop: { verb, reason, ...owedNow(now) } };
}

/** One that waits for a person is looked at so often, in ms, also after a crash: the root's alarm comes for it. */
const LOOK_MS = 60_000;

/** When somebody has to look after the child next although nothing comes of it, in ms since 1970. */
export function dueAt(run: RemoteRun, now: number): number | undefined {
  if (run.stop && owesStop(run)) return run.stop.nextAt;
  if (run.removal) return run.removal.nextAt;
  return run.outcome === undefined && isSuspended(run.status) ? now + LOOK_MS : undefined;
}

/** What a batch tells of the child beside its chunks. */
function factsOf(run: RemoteRun, now: number): Omit<Batch, 'sessionId' | 'first' | 'chunks'> {
  const { status, usage, held, stop, runId } = run;
  const { waiting } = held;
  const effectAt = dueAt(run, now);
  const owed = stop && owesStop(run) && stop.attempts > 0 ? stop : undefined;
  const { verb, since, attempts, nextAt } = owed ?? {};
  return {
    status,
    usage,
    ...(waiting.length > 0 ? { pending: waiting } : {}),
    ...(effectAt === undefined ? {} : { effectAt }),
    ...(verb && since && attempts && nextAt ? { stopOwed: { verb, runId, since, attempts, nextAt } } : {}),
  };
}

/** The same child that has something more to say. */
export function saying(run: RemoteRun, chunks: readonly Chunk[], now: number): RemoteRun {
  const batch = { first: run.last + 1, chunks, ...factsOf(run, now) };
  return { ...run, last: run.last + chunks.length, kept: [...run.kept, batch] };
}

/**
 * The same child with the usage that the answer reports. No part of it falls.
 * @throws RemoteError `remote_invalid` for an invalid answer
 */
export function withSpent(run: RemoteRun, answer: unknown, now: number): RemoteRun {
  const reported = usageDocument.safeParse(answer).data;
  if (reported === undefined) throw new RemoteError('remote_invalid', 'It reported an invalid usage.');
  const usage = largerUsage(run.usage, countedUsage(reported.total).usage);
  return saying({ ...run, usage }, [], now);
}

/** Whether a chunk is the first of the task: what comes before is of turns that others gave it, or were given up here. */
const beginsTask = (run: RemoteRun, { type, runId, address }: Chunk): boolean =>
  type === 'run_started' && runId === run.theirs?.chainRunId && address === remoteRoot(run);

/** Whether a chunk begins a turn that somebody else gave the session once the task had ended. */
const beginsOthers = (run: RemoteRun, chunk: Chunk): boolean =>
  isEnded(run.status) &&
  chunk.type === 'run_started' &&
  chunk.resumedFrom === undefined &&
  chunk.address === remoteRoot(run);

/** Words of a run at work. */
const AT_WORK: ReadonlySet<Chunk['type']> = new Set<Chunk['type']>([
  ...(['step_started', 'step_committed', 'step_discarded', 'text_delta', 'thinking'] as const),
  ...(['tool_arg_stream_start', 'tool_arg_stream_delta', 'tool_start', 'tool_approval_request'] as const),
  ...(['client_tool_request', 'suspended', 'run_completed', 'run_failed', 'run_interrupted'] as const),
]);

/** @throws RemoteError for a word of a run that has ended, and was not interrupted */
function checkOrder({ status }: RemoteRun, { type }: Chunk): void {
  if (isEnded(status) && status !== 'interrupted' && AT_WORK.has(type))
    throw new RemoteError('remote_invalid', `Its log continues after its end (${type}).`);
}

/** The child after a chunk of its own. */
function afterOwn({ end: before, ...run }: RemoteRun, chunk: Chunk): RemoteRun {
  checkOrder(run, chunk);
  const status = statusAfter(run.status, chunk);
  const next: RemoteRun = { ...run, status, step: chunk.step, attempt: chunk.attempt };
  if (!isEnded(status)) return next;
  const end = isEndChunk(chunk) ? outcomeOf({ ...chunk, status }) : before;
  return { ...next, held: nothingWaits(run.held), ...(end ? { end } : {}) };
}

/**
 * Where the log there is read on after a reset: what was taken already is passed over when it comes again.
 * @throws RemoteError where the log begins behind something of this task that was not taken
 */
function afterReset(run: RemoteRun, from: number): RemoteRun {
  if (from <= run.cursor + 1) return run;
  if (run.passing) return { ...run, cursor: from - 1 };
  throw new RemoteError('remote_invalid', `Its log begins at sequence ${from}: what came after ${run.cursor} is gone.`);
}

/** The time now, in ms since 1970, and the bounds of one child. */
export interface Taking {
  readonly now: number;
  readonly bounds: RemoteBounds;
}

/**
 * What events of the log there change (RM3). One that was taken already changes nothing.
 * @throws RemoteError for a sequence that leaves some out, for what is of another agent, for a number out of its range,
 *     and for more than one child may hold
 */
export function relayed(before: RemoteRun, events: readonly RemoteEvent[], { now, bounds }: Taking): RemoteRun {
  let run = before;
  const chunks: Chunk[] = [];
  for (const event of events) {
    if (event.type === 'reset') run = afterReset(run, event.from);
    if (event.type !== 'chunk' && event.type !== 'passed_over') continue;
    if (event.sequence <= run.cursor) continue;
    if (event.sequence > run.cursor + 1)
      throw new RemoteError('remote_invalid', `It left out what comes after sequence ${run.cursor}.`, {
        retryable: true,
      });
    if (event.type === 'passed_over') {
      run = { ...run, cursor: event.sequence };
      continue;
    }
    if (run.passing) {
      if (!beginsTask(run, event.chunk)) {
        run = { ...run, cursor: event.sequence };
        continue;
      }
      const { passing: _passed, ...begun } = run;
      run = begun;
    }
    if (beginsOthers(run, event.chunk)) break;
    checkTaken(event.chunk);
    const chunk = withTimes(localChunk(run, event.chunk), { from: run.startedAt, now });
    chunks.push(chunk);
    run = { ...run, cursor: event.sequence, held: heldAfter(run.held, chunk, bounds, now) };
    if (chunk.address === run.address) run = afterOwn(run, chunk);
  }
  return chunks.length === 0 ? run : saying(run, chunks, now);
}

/** Whether a stream that gives nothing is behind what `status` there says: then it is left. */
export function isStreamBehind({ cursor }: RemoteRun, came: Came): boolean {
  const said = 'ok' in came && came.ok ? statusDocument.safeParse(came.body).data : undefined;
  return said?.lastSequence !== cursor;
}

/**
 * Whether a task whose start was taken may wait there still, behind the turn of somebody else (EN1): its beginning is not
 * in the log yet, and that turn has not ended, or was interrupted.
 */
export const mayWaitThere = (
  { passing, theirs }: RemoteRun,
  { sessionId, status }: z.output<typeof statusDocument>,
): boolean => passing === true && sessionId === theirs?.sessionId && (!isEnded(status) || status === 'interrupted');

/** As long as a stop may say one. Unit: characters. */
const reasonOf = (reason: string): string => beginningOf(reason, 1_000);

/** True where a status and the log name different ends. */
export const contradictsLog = ({ end }: RemoteRun, said: Outcome): boolean =>
  end !== undefined && end.status !== said.status;

/** How a run there ended, as the outcome of the task here; its words are bounded, its codes those of this release. */
export function outcomeOf(run: {
  readonly status: string;
  readonly output?: Json | undefined;
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean } | undefined;
  readonly reason?: string | undefined;
}): Outcome | undefined {
  switch (run.status) {
    case 'completed':
      return { status: 'completed', output: run.output ?? null, completionReason: 'finish' };
    case 'failed': {
      const { code = 'subagent_failed', message, retryable } = run.error ?? {};
      const error = failureFrom(code, message, retryable);
      return { status: 'failed', error, failureReason: error.code };
    }
    case 'interrupted':
      return { status: 'interrupted', reason: reasonOf(run.reason ?? 'It was interrupted on its server.') };
    case 'terminated':
      return { status: 'terminated', reason: reasonOf(run.reason ?? 'It was terminated on its server.') };
    default:
      return undefined;
  }
}

/** A failure there as one here; a code of another release is `subagent_failed`. */
export function failureFrom(code: string, message: string | undefined, retryable?: boolean): Failure {
  return isErrorCode(code)
    ? failure(code, message, retryable)
    : failure('subagent_failed', message, retryable, { code: beginningOf(code, 100) });
}

type EndSaidHere = Extract<Outcome, { status: 'failed' | 'interrupted' }>;

/** The end that is said for a child whose own end cannot come any more; what it has begun there is to be stopped. */
export function failedHere(run: RemoteRun, error: Failure, now: number): RemoteRun {
  const said = endedHere(run, { status: 'failed', error, failureReason: error.code }, now);
  return run.asked ? withStop(said, 'abort', error.message, now) : said;
}

/** The same child with an end that is said here, where it has not said one. */
function endedHere(run: RemoteRun, outcome: EndSaidHere, now: number): RemoteRun {
  const { sessionId: agentId, agentType, address, runId, step, attempt } = run;
  const ended: RemoteRun = { ...run, status: outcome.status, held: nothingWaits(run.held), outcome };
  if (isEnded(run.status)) return ended;
  const base = { agentId, agentType, address, runId, step, attempt, timestamp: now };
  const chunk: Chunk =
    outcome.status === 'failed'
      ? { type: 'run_failed', error: outcome.error, failureReason: outcome.error.code, ...base }
      : { type: 'run_interrupted', reason: outcome.reason, ...base };
  return saying(ended, [chunk], now);
}

/**
 * The end of a run that never began there. Nothing is said of one of which nothing was heard before: its parent has the
 * last word of it (R17). Of one that has worked before, the record has to know that it rests again.
 */
export function endedUnbegun(run: RemoteRun, { verb, reason }: StopWish, now: number): RemoteRun {
  const outcome = unbegunOutcome(verb, failureByStop(verb, reason));
  return isUnheard(run) ? { ...run, outcome } : endedHere(run, outcome, now);
}

/** What a stop says. */
type StopWish = Pick<OwedStop, 'verb' | 'reason'>;

/**
 * A child at rest that its parent stops: for a run that it was not given yet, which begins stopped (SP8), or to end it for
 * good. What has worked there is told so there; what never began ends here.
 */
export function stoppedAtRest(run: RemoteRun, stop: StopWish & { readonly runId: string }, now: number): RemoteRun {
  const { outcome, told: _told, stop: _stop, waitTold: _waits, ...rest } = run;
  const isNext = stop.runId !== run.runId;
  if (outcome?.status !== 'interrupted' || (isResumable(stop.verb) && !isNext)) return run;
  const next: RemoteRun = { ...rest, runId: stop.runId };
  if (!next.theirs) return endedUnbegun(next, stop, now);
  return withStop({ ...next, asked: true, phase: 'following' }, stop.verb, stop.reason, now);
}

/** Whether one at rest is being told of a stop: only then it is known what comes of that. */
export const isToldAtRest = (run: RemoteRun): boolean => isEnded(run.status) && owesStop(run);

/** Whether nothing was ever said of a child: its end is that of one that never began. */
export const isUnheard = ({ last }: RemoteRun): boolean => last === 0;

/** The child's own number of the last chunk of these batches; one without any comes after the one before it. */
export const lastOf = (kept: RemoteRun['kept']): number =>
  kept.reduce((last, { first, chunks }) => Math.max(last, first + chunks.length - 1), 0);
