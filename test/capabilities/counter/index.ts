/**
 * A small capability of the tests, in one folder: a tool that counts, a row that keeps the sum, pending work that confirms
 * it, an event for that, and the sum as a message and as a call of an object. A further tool begins a companion, which needs
 * a count of its own first.
 */
import { z } from 'zod';
import { plannedTask } from '../../../src/core/agent/calls/call-plan';
import { Slice } from '../../../src/core/agent/capability';
import { refuse } from '../../../src/core/agent/draft';
import type { BuiltInTool } from '../../../src/core/agent/rules';
import { needOf, type SliceRow } from '../../../src/core/agent/state';
import type { Capability } from '../../../src/engine/capability';
import type { Prepared, Preparing } from '../../../src/engine/children/child-needs';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import type { ObjectPart } from '../../../src/engine/object/object-part';
import type { ParentAgent, WorkingAgent } from '../../../src/engine/perform/performer';
import type { AssignMessage } from '../../../src/engine/tree-messages';
import { mintId } from '../../../src/protocol/ids';

/** Its rows are stored under this name. */
export const COUNTER = 'counter';
/** The sum is confirmed so long after it was counted, in ms. */
const AFTER_MS = 1_000;

interface Count extends SliceRow {
  readonly sum: number;
  /** Missing once it is confirmed. */
  readonly dueAt?: number;
}

interface Confirmed {
  readonly type: 'confirmed';
  readonly sum: number;
}

const slice = new Slice<Count>(COUNTER);
const argsSchema = z.object({ by: z.number() });

/** The rows of the counter. */
export const countsOf = (state: Parameters<typeof slice.rows>[0]): readonly Count[] => slice.rows(state);

const sumOf = (state: Parameters<typeof slice.rows>[0]): number =>
  countsOf(state).find(({ childId }) => childId === undefined)?.sum ?? 0;

const countTool: BuiltInTool = {
  name: '__count__',
  of: () => ({
    description: 'Counts.',
    endsRun: false,
    inputSchema: argsSchema,
    apply(draft, { args, at }) {
      const sum = sumOf(draft.state) + argsSchema.parse(args).by;
      slice.put(draft, { id: 1, sum, dueAt: at + AFTER_MS });
      return { kind: 'immediate', result: { success: true, value: sum } };
    },
  }),
};

/** Begins the companion `ada`, which is prepared first. */
const beginTool: BuiltInTool = {
  name: '__begin__',
  of({ companions: [companion] }) {
    return (
      companion && {
        description: 'Begins a companion.',
        endsRun: false,
        inputSchema: z.object({}),
        needs: () => ({ names: ['ada'] }),
        apply: (_draft, { token }) => ({
          ...plannedTask(companion.relationship, null),
          childName: 'ada',
          message: { messageId: mintId('message', token), role: 'user', content: 'Go', from: 'agent' },
          first: { capability: COUNTER, row: { sum: 1 }, via: 'facet', runsBefore: 0 },
        }),
      }
    );
  },
};

/** Prepares children: each is there when the promise of the test resolves. */
class Counts implements Preparing<ParentAgent> {
  readonly #made = new Map<string, { readonly done: Promise<void>; made?: Prepared }>();

  constructor(readonly ready: () => Promise<Prepared>) {}

  prepare({ state }: ParentAgent): void {
    for (const child of state.children.values()) {
      if (needOf(state, child)?.capability !== COUNTER || this.#made.has(child.sessionId)) continue;
      const making: { done: Promise<void>; made?: Prepared } = {
        done: this.ready().then((made) => {
          making.made = made;
        }),
      };
      this.#made.set(child.sessionId, making);
    }
  }

  awaited({ sessionId }: { readonly sessionId: string }): Promise<void>[] {
    const making = this.#made.get(sessionId);
    return making && making.made === undefined ? [making.done] : [];
  }

  prepared({ sessionId }: { readonly sessionId: string }): Prepared | undefined {
    return this.#made.get(sessionId)?.made;
  }

  async giveUp(): Promise<void> {}
}

/** Answers with the sum. */
const partOf = (object: ObjectRuntime): ObjectPart => {
  const sum = (): number => (object.agent ? sumOf(object.agent.state) : 0);
  return {
    isBusy: false,
    isOccupied: false,
    isUnconfirmed: false,
    unknownIn: () => undefined,
    take: async () => ({ ok: true, body: { sum: sum() } }),
    receive: () => ({ answer: 'done', body: { sum: sum() } }),
    begin: (message: AssignMessage) => object.startAsChild(message),
    found() {},
    clear: () => undefined,
    async alarm() {},
    confirmed() {},
  };
};

/**
 * A row of the list of capabilities. `confirmed` collects the sums that its work was performed for; `prepared` resolves when
 * a child may begin, or is to be lost.
 */
export const counter = (
  confirmed: number[],
  prepared: () => Promise<Prepared> = async () => ({ is: 'made', below: [] }),
): Capability<WorkingAgent, ObjectRuntime> => ({
  name: COUNTER,
  tools: [countTool, beginTool],
  on(draft, { sum }: Confirmed & { readonly at: number }) {
    const [row] = countsOf(draft.state);
    if (row?.sum !== sum) return refuse('superseded', 'It was counted further.');
    slice.put(draft, { id: row.id, sum });
    return draft.done();
  },
  pending: (state, by) =>
    countsOf(state)
      .filter(({ dueAt = Number.POSITIVE_INFINITY }) => dueAt <= by)
      .map((row) => ({ id: `${row.sum}`, row })),
  nextAt: (state) => countsOf(state)[0]?.dueAt,
  async perform(agent, row: Count) {
    confirmed.push(row.sum);
    const event: Confirmed = { type: 'confirmed', sum: row.sum };
    agent.apply({ type: 'capability', capability: COUNTER, at: agent.environment.now(), event });
  },
  beforeChildren: () => new Counts(prepared),
  atObject: partOf,
});
