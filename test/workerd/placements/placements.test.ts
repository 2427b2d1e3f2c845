/** The contract of placements on the platform: in a facet and in an object. */
import { expect, it } from 'vitest';
import { SCENARIOS } from '../../contract/delegation';
import { played } from './played';

it.each(Object.entries(SCENARIOS))('[OP1] a child is seen alike in each placement: %s', async (_name, scenario) => {
  const facet = await played('by-facet', scenario);
  expect(JSON.stringify(facet)).toContain('/sub/far/');
  for (const place of ['by-object', 'one-facet', 'one-object'])
    expect(await played(place, scenario), place).toEqual(facet);
});
