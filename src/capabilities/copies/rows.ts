/** The memory of an agent as its copy has it, on its way there: rows in portions that one call takes, then files (CP36). A memory that continues behind a checkpoint is cut there (CP7). */
import type { Change } from '../../core/agent/changes';
import { customAt } from '../../core/agent/custom-state';
import { handingIn } from '../../core/agent/standard-agents/handoff';
import type { AgentState, Run, Session, Step } from '../../core/agent/state';
import type { AgentStore, Range } from '../../core/ports/agent-store';
import type { FileStore } from '../../core/ports/file-store';
import type { Failure } from '../../protocol/errors';
import { type CopyFacts, type Cut, copiedMessage, copiedRun, copiedStep, cutAt, goesOn } from './memory';
import type { CopyAnswer, CopyAsk } from './messages';

/** A portion of a memory has about so many characters of JSON, or one row that is longer. */
export const PORTION = 1_000_000;
/** Rows that are read at once. */
const ROWS = 32;

/** The rows of a memory as its copy has them. Rows that may still change are read when the first one is asked for. */
export function memoryOf(store: AgentStore, state: AgentState, facts: CopyFacts): Iterable<Change> {
  const { cut } = facts;
  const run = cut ? rowAt((range) => store.runs(range), cut.turn) : state.run;
  const step = cut ? rowAt((range) => store.steps(range), cut.step) : state.step;
  // A kept one does not change any more; later ones come while the original works.
  const changed = cut?.state?.changed ?? state.session.customStep ?? 0;
  return rowsOf(store, facts, { changed, ...(run ? { run } : {}), ...(step ? { step } : {}) });
}

/** The row of a key; keys begin with 1. */
function rowAt<Row>(read: (range: Range) => Row[], key: number): Row | undefined {
  return key === 0 ? undefined : read({ after: key - 1, upTo: key, limit: 1 })[0];
}

/** True where the copy can continue its run at once. */
export function canGoOn(store: AgentStore, state: AgentState, cut: CopyFacts['cut']): boolean {
  const run = cut ? store.runs({ after: cut.turn - 1, limit: 1 })[0] : state.run;
  return run !== undefined && goesOn(run, cut);
}

function* rowsOf(
  store: AgentStore,
  facts: CopyFacts,
  { run, step, changed }: { readonly run?: Run; readonly step?: Step; readonly changed: number },
): Generator<Change> {
  if (run) yield { put: 'run', run: copiedRun(run, facts) };
  if (step) yield* rowsOfStep(copiedStep(step, facts));
  const before = <Row>(read: (range: Range) => Row[], keyOf: (row: Row) => number, upTo: number) =>
    pages(read, keyOf, upTo);
  for (const one of before(
    (range) => store.runs(range),
    ({ turn }) => turn,
    (run?.turn ?? 0) - 1,
  ))
    yield { put: 'run', run: copiedRun(one, facts) };
  for (const one of before(
    (range) => store.steps(range),
    ({ id }) => id,
    (step?.id ?? 0) - 1,
  ))
    yield* rowsOfStep(copiedStep(one, facts));
  for (const one of before(
    (range) => store.messages(range),
    ({ id }) => id,
    Math.min(step?.messagesUpTo ?? 0, facts.cut?.message ?? Number.POSITIVE_INFINITY),
  ))
    yield { put: 'message', message: copiedMessage(one, facts) };
  for (const one of before(
    (range) => store.customBefore(range),
    ({ step }) => step,
    changed,
  ))
    yield { put: 'custom_before', before: one };
}

function* rowsOfStep(step: Step): Generator<Change> {
  yield { put: 'step', step };
  for (const { index, settled } of step.phase === 'calls' ? step.calls : [])
    if (settled) yield { put: 'settlement', stepId: step.id, index, settlement: settled };
}

function* pages<Row>(read: (range: Range) => Row[], keyOf: (row: Row) => number, upTo: number): Generator<Row> {
  for (let after = 0; after < upTo; ) {
    const rows = read({ after, upTo, limit: ROWS });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return;
    after = keyOf(last);
  }
}

/** Rows in portions that one call takes. */
export function* portions(rows: Iterable<Change>): Generator<Change[]> {
  let [portion, size]: [Change[], number] = [[], 0];
  for (const row of rows) {
    const length = JSON.stringify(row).length;
    if (portion.length > 0 && size + length > PORTION) {
      yield portion;
      [portion, size] = [[], 0];
    }
    portion.push(row);
    size += length;
  }
  if (portion.length > 0) yield portion;
}

/** Says something to the object that a memory is to be in. */
export type AskCopy = (ask: CopyAsk, bytes?: ReadableStream<Uint8Array>) => Promise<CopyAnswer>;

/** Sends rows, and then each file as it is when its turn comes; a file that was removed by then is left out. */
export async function sendMemory(
  rows: Iterable<Change>,
  files: Pick<FileStore, 'list' | 'stat' | 'open'>,
  ask: AskCopy,
): Promise<CopyAnswer> {
  for (const portion of portions(rows)) {
    const answer = await ask({ op: 'rows', rows: portion });
    if (!answer.ok) return answer;
  }
  for (let cursor: string | undefined; ; ) {
    const page = await files.list(cursor === undefined ? {} : { cursor });
    for (const { path } of page.items) {
      if ((await files.stat(path)) === undefined) continue;
      const { file, body } = await files.open(path);
      const { mediaType, size } = file;
      const answer = await ask({ op: 'file', path, mediaType, size }, body);
      if (!answer.ok) return answer;
    }
    cursor = page.cursor;
    if (cursor === undefined) return { ok: true };
  }
}

/** The cut behind a step of a session; or why there is none. */
export function cutIn(store: AgentStore, session: Session, wanted: number): Cut | Failure {
  const active = activeAfter(store, session, wanted);
  const cut = cutOf(store, session, wanted);
  return 'code' in cut || active === undefined ? cut : { ...cut, active };
}

/** Who worked for a session behind a step: the next handoff says who had it before. */
function activeAfter(store: AgentStore, { active }: Session, wanted: number): string | undefined {
  if (active === undefined) return undefined;
  for (let after = wanted; ; ) {
    const steps = store.steps({ after, limit: PAGE });
    const handing = steps.map(handingIn).find((plan) => plan !== undefined);
    if (handing) return handing.handsOver?.from;
    const last = steps.at(-1);
    if (last === undefined || steps.length < PAGE) return active;
    after = last.id;
  }
}

/** Steps that are read at once. */
const PAGE = 100;

function cutOf(store: AgentStore, session: Session, wanted: number): Cut | Failure {
  const [step, next] = store.steps({ after: wanted - 1, limit: 2 });
  const [before] = store.customBefore({ after: wanted, limit: 1 });
  return cutAt(wanted, {
    session,
    ...(step ? { step } : {}),
    ...(next ? { next } : {}),
    ...(before ? { before } : {}),
  });
}

/** The custom state at a cut, with the step of its last change; undefined where it is not known any more. */
export function stateAt(store: AgentStore, { session, custom }: AgentState, { step }: Cut): Cut['state'] {
  const [before] = store.customBefore({ after: step, limit: 1 });
  const state = customAt(session, step, before);
  return state === 'as_now' ? { custom, changed: session.customStep ?? 0 } : state;
}
