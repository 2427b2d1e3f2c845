/** One contract for every placement: a child in its parent's object, and in one of its own. */
import { expect, it } from 'vitest';
import { SCENARIOS } from '../contract/delegation';
import { inWorker, played } from '../support/played';

it.each(Object.entries(SCENARIOS))('[OP1] a child is seen alike in each placement: %s', async (_name, scenario) => {
  const facet = await played(inWorker('facet'), scenario);
  expect(facet.problems).toEqual([]);
  expect(await played(inWorker('object'), scenario)).toEqual(facet);
});
