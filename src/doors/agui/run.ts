/**
 * One run of the protocol, from its request to its last event.
 *
 * AU8. A run ends when the tree rests: at its end, or when all that is left of it waits for a person.
 * AU12. A client that joins reads the log from the beginning of the run, and a bounded part of the transcript.
 */
import { OffshootError } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import { isSuspended } from '../../protocol/status';
import type { Document } from '../../protocol/wire/wire-types';
import { isAtWork } from '../at-work';
import { readLog } from '../read-log';
import type { Thread } from '../thread';
import { act, type Done } from './act';
import { AGUI_VERSION, type AguiEvent, type Interrupt } from './events';
import { AGUI_LIMITS, givenResults, hasHistory, type RunInput } from './input';
import { interruptOf, waitOf } from './interrupts';
import { messagesIn } from './transcript';
import { type Seen, safeTitle, Translation } from './translate';

type Status = Document<'status'>;

/** A run that has begun. */
export interface Begun {
  readonly thread: Thread;
  readonly run: RunInput;
  readonly done: Done;
  readonly seen: Seen;
  /** Events before those of the log. */
  readonly first: readonly AguiEvent[];
  readonly bytes: ReadableStream<Uint8Array>;
}

/**
 * Does what a request asks for, and opens the log.
 * @throws OffshootError for what is refused: nothing was said yet
 */
export async function begin(thread: Thread, run: RunInput): Promise<Begun> {
  await thread.allow([{ verb: 'status' }, { verb: 'messages' }, { verb: 'pending' }, { verb: 'stream' }]);
  const before = await thread.status();
  const last = before?.lastSequence ?? 0;
  const answers = givenResults(run).size + (run.resume?.length ?? 0) > 0;
  const done = await act(thread, run, last, before && answers ? await thread.pending() : []);
  const isNew = done.messageId !== undefined || done.answered.length > 0;
  const joins = !(isNew && (hasHistory(run) || last === 0));
  const { snapshots, seen } =
    joins || last === 0 ? await look(thread, joins, last) : { snapshots: [], seen: all(last) };
  const { threadId, runId, parentRunId } = run;
  const parent = parentRunId ? { parentRunId } : {};
  const bytes = await thread.log(Math.min(before?.run?.startSequence ?? 1, seen.root + 1));
  return {
    ...{ thread, run, done, seen, bytes },
    first: [
      { type: 'RUN_STARTED', threadId, runId, ...parent, protocolVersion: AGUI_VERSION },
      ...snapshots,
      ...done.refused.map(
        ({ toolCallId, error: { code } }): AguiEvent => ({
          type: 'CUSTOM',
          name: 'offshoot.answer_refused',
          value: { toolCallId, code, message: safeTitle(code) },
        }),
      ),
    ],
  };
}

/** A client that joins is given so many messages of the transcript, the newest: the time of it stays the same. */
export const JOINED_MESSAGES = 1_000;

/** A client that has everything up to a sequence. */
const all = (sequence: number): Seen => ({ root: sequence, below: sequence, state: sequence });

/** The present state for a client that has not seen it: the transcript where it joins, and the custom state. */
async function look(thread: Thread, joins: boolean, last: number): Promise<{ snapshots: AguiEvent[]; seen: Seen }> {
  const snapshots: AguiEvent[] = [];
  let root = last;
  if (joins) {
    const { items, asOfSequence } = await thread.transcript(JOINED_MESSAGES);
    const sessionId = (await thread.status())?.sessionId ?? '';
    snapshots.push({ type: 'MESSAGES_SNAPSHOT', messages: messagesIn(items, sessionId) });
    root = asOfSequence;
  }
  const state = await thread.ask<{ state: Json; asOfSequence: number }>('state');
  if (state.ok) snapshots.push({ type: 'STATE_SNAPSHOT', snapshot: state.body.state });
  return { snapshots, seen: { root, below: 0, state: state.ok ? state.body.asOfSequence : 0 } };
}

/** Chunks of its own changes, which a run has to see before it can be over. */
class Awaited {
  readonly #calls: Set<string>;
  #messageId: string | undefined;

  constructor({ answered, messageId }: Done) {
    this.#calls = new Set(answered);
    this.#messageId = messageId;
  }

  see(chunk: { readonly type: string; readonly toolCallId?: string; readonly messageId?: string }): void {
    if (chunk.type === 'tool_answered' && chunk.toolCallId !== undefined) this.#calls.delete(chunk.toolCallId);
    if (chunk.messageId !== undefined && chunk.messageId === this.#messageId) this.#messageId = undefined;
  }

  /** The log begins later now: its own changes are in what was compacted. */
  compacted(): void {
    this.#calls.clear();
    this.#messageId = undefined;
  }

  /** True where the tree cannot rest yet, whatever its status says. */
  get hasAnswers(): boolean {
    return this.#calls.size > 0;
  }

  /** True where its message is not in the log; behind questions it is read once these are answered. */
  get hasMessage(): boolean {
    return this.#messageId !== undefined;
  }
}

/** The status of a tree at rest; undefined while something in it works. */
async function atRest(thread: Thread): Promise<Status | undefined> {
  const status = await thread.status();
  return status === undefined || isAtWork(status) ? undefined : status;
}

/** The events of a run. `undefined` is a sign of life. */
export async function* eventsOf(begun: Begun): AsyncGenerator<AguiEvent | undefined, void, void> {
  const { thread, seen, done, first, bytes } = begun;
  yield* first;
  const translation = new Translation(thread.address, seen);
  const awaited = new Awaited(done);
  let rests = false;
  try {
    for await (const event of readLog(bytes)) {
      switch (event.kind) {
        case 'chunk':
          rests = false;
          awaited.see(event.chunk);
          yield* translation.push(event.sequence, event.chunk);
          break;
        case 'refused': {
          const { code, title } = event.problem;
          yield* translation.finish([]);
          yield { type: 'RUN_ERROR', message: title, code };
          return;
        }
        case 'end':
          rests = true;
          break;
        case 'alive':
          yield undefined;
          break;
        case 'reset':
          awaited.compacted();
          break;
        case 'broken':
          throw new OffshootError('unavailable', 'The log was interrupted.');
        default:
      }
      if (!rests || awaited.hasAnswers || (event.kind !== 'end' && event.kind !== 'alive')) continue;
      const status = await atRest(thread);
      if (status === undefined || (awaited.hasMessage && !isSuspended(status.status))) continue;
      yield* lastOf(begun, translation, status);
      return;
    }
  } catch (error) {
    const code = error instanceof OffshootError ? error.failure.code : 'internal';
    if (code === 'internal') console.error('offshoot agui:', error);
    yield* translation.finish([]);
    yield { type: 'RUN_ERROR', message: safeTitle(code), code };
  }
}

/** The last event of a run. */
async function* lastOf(
  { thread, run: { threadId, runId } }: Begun,
  translation: Translation,
  status: Status,
): AsyncGenerator<AguiEvent, void, void> {
  const { usage } = translation;
  const finished = { type: 'RUN_FINISHED', threadId, runId, ...(usage.length > 0 ? { usage } : {}) } as const;
  if (isSuspended(status.status)) {
    const pending = (await thread.pending()).slice(0, AGUI_LIMITS.maxResume);
    const interrupts: Interrupt[] = pending.map((item) => interruptOf(item, translation.subagentAt(item.address)));
    if (interrupts.length === 0) interrupts.push(waitOf(status.run?.runId ?? status.sessionId));
    yield* translation.finish(interrupts);
    yield { ...finished, outcome: { type: 'interrupt', interrupts } };
    return;
  }
  yield* translation.finish([]);
  const end = translation.end ?? endOf(status);
  if (end.kind === 'failed') yield { type: 'RUN_ERROR', message: end.message, code: end.code };
  else if (end.kind === 'stopped') yield { ...finished, outcome: { type: 'cancelled' } };
  else yield { ...finished, outcome: { type: 'success' }, result: end.output };
}

/** The outcome of the run of a status document. */
function endOf({ status, run }: Status): NonNullable<Translation['end']> {
  const code = run?.error?.code ?? 'internal';
  if (status === 'failed') return { kind: 'failed', code, message: safeTitle(code) };
  if (status === 'interrupted' || status === 'terminated') return { kind: 'stopped' };
  return { kind: 'completed', output: run?.output ?? null };
}
