/**
 * A root that is copied under another name: it sends its memory to the object of the copy, in portions, and lets those
 * below it who come along do the same.
 *
 * Decides: in which portions.
 *
 * CP9. Rows that may still change are read first, in one piece; older rows do not change any more.
 * CP14. Agents below are planned in the same turn. The copy's record has all of them before any of their memory goes.
 * CP24. A receiver that hangs is not waited for.
 */
import type { Change } from '../../core/agent/changes';
import { sidesIn } from '../../core/agent/standard-agents/sides';
import type { AgentState, RootLocation, Step } from '../../core/agent/state';
import type { AgentStore } from '../../core/ports/agent-store';
import { inTime, pause } from '../../engine/environment';
import type { ObjectRuntime } from '../../engine/object/object';
import { NOTHING_HERE } from '../../engine/object/object-calls';
import type { AgentAnswer } from '../../engine/tree-messages';
import { formatAddress } from '../../protocol/address';
import { failure, failureOf } from '../../protocol/errors';
import { planBelow, sendBelow, sendings } from './below-root';
import type { CopyFacts, Cut } from './memory';
import { type CopyAnswer, type CopyAsk, type CopyBy, copyCall, ofCopies, type SendCopyMessage } from './messages';
import { COPIES_AT_ONCE, type PlannedCopy, whyNotWhole } from './plan';
import { ANSWER_MS, CopyProgress, SILENT } from './progress';
import { type AskCopy, cutIn, memoryOf, sendMemory } from './rows';
import { type CopiedSession, ownSession } from './source';

/** The most tries of a copy whose object was lost, or whose original has changed. */
const TRIES = 3;
/** An object that is just leaving is asked again so often, after so many ms. */
const LEAVING_TRIES = 20;
const LEAVING_MS = 50;

/** What is asked for. */
export interface RootCopy {
  readonly name: string;
  /** The step that the copy remembers last. */
  readonly facts: Pick<CopyFacts, 'cut'>;
  /** It continues its run at once. */
  readonly resume: boolean;
  readonly by: CopyBy;
}

const going = new WeakMap<ObjectRuntime, number>();

/** Copies a root; resolves when the copy is there. */
export async function copyRoot(object: ObjectRuntime, wanted: RootCopy): Promise<CopyAnswer> {
  const count = going.get(object) ?? 0;
  if (count >= COPIES_AT_ONCE)
    return {
      ok: false,
      error: failure('unavailable', `${COPIES_AT_ONCE} copies of this root are being made. Try again in a moment.`),
    };
  going.set(object, count + 1);
  try {
    for (let tried = 1; ; tried++) {
      const answer = await new CopyOut(object, wanted).make();
      if (answer.ok || answer.error.code !== 'superseded') return answer;
      if (tried === TRIES)
        return { ok: false, error: failure('unavailable', 'The copy was lost while it was made. Try again.') };
    }
  } finally {
    going.set(object, (going.get(object) ?? 1) - 1);
  }
}

/** One try. */
class CopyOut {
  readonly #copy: string;
  readonly #to: RootLocation;
  readonly #progress: CopyProgress<RootLocation>;
  /** Something of it may be there. */
  #begun = false;

  constructor(
    readonly object: ObjectRuntime,
    readonly wanted: RootCopy,
  ) {
    this.#copy = object.environment.token();
    this.#to = { className: object.ports.topLevel?.className ?? '', name: wanted.name };
    this.#progress = new CopyProgress(object.environment, ({ to, way }, ask) =>
      object.ports.askOther(to, copyCall({ copy: this.#copy, way, ask })),
    );
  }

  async make(): Promise<CopyAnswer> {
    const { object } = this;
    let answer: CopyAnswer;
    try {
      answer = await this.#progress.until(() => this.#progress.follow({ to: this.#to, way: [] }, this.#make()));
    } catch (error) {
      object.environment.report('A root could not be copied.', error);
      answer = { ok: false, error: failureOf(error, 'unavailable') };
    }
    if (!answer.ok && this.#begun) await this.#drop();
    return answer;
  }

  async #make(): Promise<CopyAnswer> {
    const known = await this.#there({ op: 'look', by: this.wanted.by });
    return known.ok && known.body === undefined ? this.#plan() : known;
  }

  /** What is there now of the root, and of those who come along. Nothing is begun before that fits. */
  async #plan(): Promise<CopyAnswer> {
    const { object, wanted } = this;
    const state = object.agent?.state;
    if (state === undefined) return { ok: false, error: failure('not_found') };
    // The original may have worked since it was asked where the copy is to end.
    const found = wanted.facts.cut && cutIn(object.store, state.session, wanted.facts.cut.step);
    if (found && 'code' in found) return { ok: false, error: found };
    const cut = found && withSides(object, found);
    const { environment, store, ports } = object;
    const session = this.#session(state);
    const facts: CopyFacts = {
      session: { ...ownSession(session), createdAt: state.session.createdAt },
      original: state.session.sessionId,
      token: environment.token(),
      at: environment.now(),
      ...(cut ? { cut } : {}),
    };
    const rows = memoryOf(store, state, facts);
    const bytes = store.bytes() + ports.files.bytes();
    const limits = object.agent?.seat.rules.limits ?? { maxTreeChildren: 0 };
    // Nothing was waited for since its state was read: its further messages come to its children later.
    const plan = await planBelow(object, { original: state.session, session, cut, most: limits.maxTreeChildren });
    if (!plan.ok) return plan;
    const all = plan.planned.reduce((sum, one) => sum + one.bytes, bytes);
    const unfit = whyNotWhole(plan.planned.length, all, limits);
    if (unfit) return { ok: false, error: unfit };
    const below = plan.planned.map(({ request }) => request);
    const begun = await this.#there({
      ...{ op: 'begin', format: store.format, by: wanted.by, session: session.sessionId, below },
    } as const);
    if (!begun.ok || begun.body !== undefined) return begun;
    this.#begun = true;
    const children = plan.children.map((child) => ({ put: 'child', child, reuses: false }) as const);
    return this.#send([rows, children], plan.planned, endOf(session, state, { cut, wanted }));
  }

  /** The session of the copy, as far as the agents below it know it. */
  #session({ session }: AgentState): CopiedSession {
    const { wanted, object } = this;
    const { createdAt: _createdAt, claim: _claim, terminated: _terminated, ...kept } = session;
    const upTo = wanted.facts.cut ? { upTo: wanted.facts.cut.step } : {};
    return {
      ...kept,
      sessionId: `s_${object.environment.token()}`,
      address: formatAddress({ addressClass: object.ports.definition.addressClass, name: wanted.name }, []),
      root: this.#to,
      copyOf: { sessionId: session.sessionId, address: session.address, ...upTo },
    };
  }

  async #send(
    memory: readonly Iterable<Change>[],
    planned: readonly PlannedCopy[],
    end: Extract<CopyAsk, { op: 'end' }>,
  ): Promise<CopyAnswer> {
    const { ports } = this.object;
    const to = this.#to;
    const sent = await sendMemory(allOf(memory), ports.files, (ask, bytes) => this.#ask(ask, bytes));
    if (!sent.ok) return sent;
    const send = async (address: string, message: SendCopyMessage): Promise<AgentAnswer> => {
      if (this.#progress.over.aborted) return { answer: 'refused', error: SILENT.error };
      return this.#progress.follow({ to, way: message.way }, this.object.send(address, ofCopies(message)));
    };
    const failed = await sendBelow({ send }, sendings({ copy: this.#copy, to, planned }));
    return failed ?? this.#ask(end);
  }

  /** Asks an object that may just be leaving. */
  async #there(ask: CopyAsk): Promise<CopyAnswer> {
    for (let tried = 1; ; tried++) {
      const answer = await this.#ask(ask);
      if (answer.ok || answer.error.message !== NOTHING_HERE || tried === LEAVING_TRIES) return answer;
      await pause(this.object.environment, LEAVING_MS);
    }
  }

  #ask: AskCopy = async (ask, bytes) => {
    // A copy that was given up is not continued, whatever is answered then.
    if (this.#progress.over.aborted) return SILENT;
    const call = copyCall({ copy: this.#copy, way: [], ask, ...(bytes ? { bytes } : {}) });
    return this.object.ports.askOther(this.#to, call);
  };

  /** What is left goes by itself when its time is up. */
  async #drop(): Promise<void> {
    const { environment } = this.object;
    const dropped = this.#progress.ask({ to: this.#to, way: [] }, { op: 'drop' });
    await inTime(environment, ANSWER_MS, dropped).catch((error: unknown) =>
      environment.report('The remains of a copy will be removed later.', error),
    );
  }
}

function* allOf(memory: readonly Iterable<Change>[]): Generator<Change> {
  for (const rows of memory) yield* rows;
}

/** The last word: the copy is there from here on. */
function endOf(
  { sessionId, tags, displayName, metadata, copyOf }: CopiedSession,
  state: AgentState,
  { cut, wanted }: { readonly cut: Cut | undefined; readonly wanted: RootCopy },
): Extract<CopyAsk, { op: 'end' }> {
  const then = cut?.state ?? { custom: state.custom, changed: state.session.customStep ?? 0 };
  const { active } = cut ?? state.session;
  return {
    op: 'end',
    custom: then.custom,
    resume: wanted.resume,
    session: {
      sessionId,
      tags,
      ...(copyOf ? { copyOf } : {}),
      ...(displayName === undefined ? {} : { displayName }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(active === undefined ? {} : { active }),
      ...(then.changed === 0 ? {} : { customStep: then.changed }),
    },
  };
}

/** The same cut with the side whose turn it was, where the agent has two sides and its run continues from there. */
function withSides({ store, agent }: ObjectRuntime, cut: Cut): Cut {
  const rules = agent?.seat.rules.sides;
  const [run] = store.runs({ after: cut.turn - 1, limit: 1 });
  if (rules === undefined || run === undefined || !cut.inRun) return cut;
  const sides = sidesIn(rules, chainUpTo(store, cut.step, run.lineage.chainTurn));
  return sides ? { ...cut, sides } : cut;
}

/** The steps of a chain up to one of them, in order. */
function* chainUpTo(store: AgentStore, step: number, chainTurn: number): Generator<Step> {
  let first = step;
  const isOfChain = (id: number): boolean => (store.steps({ after: id - 1, limit: 1 })[0]?.turn ?? 0) >= chainTurn;
  while (first > 1 && isOfChain(first - 1)) first--;
  for (let id = first; id <= step; id++) yield* store.steps({ after: id - 1, limit: 1 });
}
