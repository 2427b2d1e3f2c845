/** A small capability of the tests: a tool that counts, a row that keeps the sum, and pending work that confirms it. */
import { z } from 'zod';
import { Slice } from '../../../src/core/agent/capability';
import { refuse } from '../../../src/core/agent/draft';
import type { SliceRow } from '../../../src/core/agent/state';
import type { Capability } from '../../../src/engine/capability';
import type { WorkingAgent } from '../../../src/engine/performer';

const COUNTER = 'counter';
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

/** A row of the list of capabilities. `confirmed` collects the sums that its work was performed for. */
export const counter = (confirmed: number[]): Capability<WorkingAgent> => ({
  name: COUNTER,
  tools: [
    {
      name: '__count__',
      of: () => ({
        description: 'Counts.',
        endsRun: false,
        inputSchema: argsSchema,
        apply(draft, { args, at }) {
          const sum = (countsOf(draft.state)[0]?.sum ?? 0) + argsSchema.parse(args).by;
          slice.put(draft, { id: 1, sum, dueAt: at + AFTER_MS });
          return { kind: 'immediate', result: { success: true, value: sum } };
        },
      }),
    },
  ],
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
});
