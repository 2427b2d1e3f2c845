/** What lies between objects, where it loses calls, loses answers, and delivers twice. */
import fc from 'fast-check';
import type { TreeOptions } from './harness';

/** What becomes of a call. */
export type Fate = 'fine' | 'unreachable' | 'answer lost' | 'twice' | 'twice at once';

/** A child that cannot be reached so often in a row, and once more, counts as lost, rightly. */
const MOST_IN_A_ROW = 3;

/** A network on which calls meet these fates in order, and are fine from then on; at most so many to one object fail in a row. */
export function network(fates: readonly Fate[], mostInARow = MOST_IN_A_ROW): NonNullable<TreeOptions['network']> {
  const inARow = new Map<string, number>();
  let calls = 0;
  return async (address, call, perform) => {
    const fate = fates[calls++] ?? 'fine';
    const key = `${address} ${call.kind}`;
    const lost = inARow.get(key) ?? 0;
    const fails = (fate === 'unreachable' || fate === 'answer lost') && lost < mostInARow;
    inARow.set(key, fails ? lost + 1 : 0);
    if (fails && fate === 'unreachable') throw new Error('unreachable');
    if (fate === 'twice') await perform();
    const answer = fate === 'twice at once' ? (await Promise.all([perform(), perform()]))[1] : await perform();
    if (fails) throw new Error('The answer was lost.');
    return answer;
  };
}

/** Lists of fates, of which `bad` in three are none that one wishes for. */
export function fates(bad: 1 | 2): fc.Arbitrary<Fate[]> {
  const fine = { weight: 3 - bad, arbitrary: fc.constant<Fate>('fine') };
  const others = {
    weight: bad,
    arbitrary: fc.constantFrom<Fate>('unreachable', 'answer lost', 'twice', 'twice at once'),
  };
  return fc.array(fc.oneof(fine, others), { minLength: 20, maxLength: 300, size: 'max' });
}

/** The same with times at which nothing can be reached, some of them longer than anybody tries to reach a child. */
export const outages: fc.Arbitrary<Fate[]> = fc
  .array(
    fc.oneof(
      { weight: 1, arbitrary: fates(1).map((list) => list.slice(0, 10)) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 40 }).map((times) => Array<Fate>(times).fill('unreachable')) },
    ),
    { minLength: 2, maxLength: 12, size: 'max' },
  )
  .map((parts) => parts.flat());
