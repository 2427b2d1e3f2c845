/**
 * A root that is copied under another name: it sends its memory to the object of the copy, in portions.
 *
 * CP9. What may still change is read first, in one piece; what lies before that does not change any more.
 */
import type { Change } from '../core/agent/changes';
import { type CopyFacts, type Cut, copiedMessage, copiedRun, copiedStep, goesOn } from '../core/agent/copy';
import { sidesIn } from '../core/agent/sides';
import type { AgentState, Run, Step } from '../core/agent/state';
import type { AgentStore, Range } from '../core/ports/agent-store';
import { failure, failureOf } from '../protocol/errors';
import { cutIn } from './copy-checkpoint';
import { pause } from './environment';
import type { ObjectRuntime } from './object';
import { type CopyAnswer, type CopyAsk, type CopyBy, NOTHING_HERE } from './object-calls';

/** A portion of a memory has about so many characters of JSON, or one row that is longer. */
export const PORTION = 1_000_000;
/** Rows that are read at once. */
const ROWS = 32;
/** A copy is begun anew so often whose object was lost meanwhile. */
const TRIES = 3;
/** An object that is just leaving is asked again so often, after so many ms. */
const [LEAVING_TRIES, LEAVING_MS] = [20, 50];
/** So many copies of one root are made at once. */
export const MAX_COPIES = 4;

/** What is asked for. */
export interface RootCopy {
  readonly name: string;
  /** The step that the copy remembers last. */
  readonly facts: Pick<CopyFacts, 'cut'>;
  /** It goes on with its run at once. */
  readonly resume: boolean;
  readonly by: CopyBy;
}

const going = new WeakMap<ObjectRuntime, number>();

/** Copies a root; resolves when the copy is there. */
export async function copyRoot(object: ObjectRuntime, wanted: RootCopy): Promise<CopyAnswer> {
  const count = going.get(object) ?? 0;
  if (count >= MAX_COPIES)
    return {
      ok: false,
      error: failure('unavailable', `${MAX_COPIES} copies of this root are being made. Ask again in a moment.`),
    };
  going.set(object, count + 1);
  try {
    for (let tried = 1; ; tried++) {
      const answer = await new CopyOut(object, wanted).make();
      if (answer.ok || answer.error.code !== 'superseded') return answer;
      if (tried === TRIES)
        return { ok: false, error: failure('unavailable', 'The copy was lost while it was made. Ask again.') };
    }
  } finally {
    going.set(object, (going.get(object) ?? 1) - 1);
  }
}

/** One try. */
class CopyOut {
  readonly #copy: string;

  constructor(
    readonly object: ObjectRuntime,
    readonly wanted: RootCopy,
  ) {
    this.#copy = object.environment.token();
  }

  async make(): Promise<CopyAnswer> {
    const begun = await this.#begin();
    if (!begun.ok || begun.body !== undefined) return begun;
    try {
      const answer = await this.#send();
      if (!answer.ok) await this.#drop();
      return answer;
    } catch (error) {
      this.object.environment.report('A root could not be copied.', error);
      await this.#drop();
      return { ok: false, error: failureOf(error, 'unavailable') };
    }
  }

  async #begin(): Promise<CopyAnswer> {
    for (let tried = 1; ; tried++) {
      const answer = await this.#ask({ op: 'begin', by: this.wanted.by });
      if (answer.ok || answer.error.message !== NOTHING_HERE || tried === LEAVING_TRIES) return answer;
      await pause(this.object.environment, LEAVING_MS);
    }
  }

  async #send(): Promise<CopyAnswer> {
    const { object, wanted } = this;
    const state = object.agent?.state;
    if (state === undefined) return { ok: false, error: failure('not_found') };
    const { session, custom } = state;
    // The original has gone on since it was asked where the copy is to end.
    const found = wanted.facts.cut && cutIn(object.store, session, wanted.facts.cut.step);
    if (found && 'code' in found) return { ok: false, error: found };
    const cut = found && withSides(object, found);
    const sessionId = `s_${object.environment.token()}`;
    const facts: CopyFacts = {
      session: { ...session, sessionId },
      original: session.sessionId,
      token: object.environment.token(),
      at: object.environment.now(),
      ...(cut ? { cut } : {}),
    };
    for (const rows of portions(memoryOf(object.store, state, facts))) {
      const answer = await this.#ask({ op: 'rows', rows });
      if (!answer.ok) return answer;
    }
    const failed = await this.#files();
    if (failed) return failed;
    const { displayName, tags, metadata, address } = session;
    const then = cut?.state ?? { custom, changed: session.customStep ?? 0 };
    const upTo = cut ? { upTo: cut.step } : {};
    const { active } = cut ?? session;
    return this.#ask({
      op: 'end',
      custom: then.custom,
      resume: wanted.resume,
      session: {
        sessionId,
        tags,
        copyOf: { sessionId: session.sessionId, address, ...upTo },
        ...(displayName === undefined ? {} : { displayName }),
        ...(metadata === undefined ? {} : { metadata }),
        ...(active === undefined ? {} : { active }),
        ...(then.changed === 0 ? {} : { customStep: then.changed }),
      },
    });
  }

  /** Each file as it stands when its turn comes; one that has gone by then is left out. */
  async #files(): Promise<CopyAnswer | undefined> {
    const { files } = this.object.ports;
    for (let cursor: string | undefined; ; ) {
      const page = await files.list(cursor === undefined ? {} : { cursor });
      for (const { path } of page.items) {
        if ((await files.stat(path)) === undefined) continue;
        const { file, body } = await files.open(path);
        const { mediaType, size } = file;
        const answer = await this.#ask({ op: 'file', path, mediaType, size }, body);
        if (!answer.ok) return answer;
      }
      cursor = page.cursor;
      if (cursor === undefined) return undefined;
    }
  }

  async #ask(ask: CopyAsk, bytes?: ReadableStream<Uint8Array>): Promise<CopyAnswer> {
    const { ports } = this.object;
    const className = ports.topLevel?.className ?? '';
    const call = { kind: 'copy', copy: this.#copy, ask, ...(bytes ? { bytes } : {}) } as const;
    return ports.copyTo({ className, name: this.wanted.name }, call);
  }

  /** What is left goes by itself when its time is up. */
  async #drop(): Promise<void> {
    await this.#ask({ op: 'drop' }).catch((error: unknown) =>
      this.object.environment.report('What was left of a copy goes later.', error),
    );
  }
}

/** The rows of a memory as its copy has them. What may still change is read when the first one is asked for. */
function memoryOf(store: AgentStore, state: AgentState, facts: CopyFacts): Iterable<Change> {
  const { cut } = facts;
  const run = cut ? store.runs({ after: cut.turn - 1, limit: 1 })[0] : state.run;
  const step = cut ? store.steps({ after: cut.step - 1, limit: 1 })[0] : state.step;
  // One that is kept does not change any more; those behind come while the original goes on.
  const changed = cut?.state?.changed ?? state.session.customStep ?? 0;
  return rowsOf(store, facts, { changed, ...(run ? { run } : {}), ...(step ? { step } : {}) });
}

/** The same cut with whose turn it was in its step, where the agent has two sides and its run goes on from there. */
function withSides({ store, agent }: ObjectRuntime, cut: Cut): Cut {
  const rules = agent?.seat.rules.sides;
  const [run] = store.runs({ after: cut.turn - 1, limit: 1 });
  if (rules === undefined || run === undefined || !cut.inRun) return cut;
  const sides = sidesIn(rules, chainUpTo(store, cut.step, run.chainTurn));
  return sides ? { ...cut, sides } : cut;
}

/** The steps of a chain up to one of them, in order. */
function* chainUpTo(store: AgentStore, step: number, chainTurn: number): Generator<Step> {
  let first = step;
  const isOfChain = (id: number): boolean => (store.steps({ after: id - 1, limit: 1 })[0]?.turn ?? 0) >= chainTurn;
  while (first > 1 && isOfChain(first - 1)) first--;
  for (let id = first; id <= step; id++) yield* store.steps({ after: id - 1, limit: 1 });
}

/** Whether the copy can go on with its run at once. */
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
    step?.messagesUpTo ?? 0,
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
