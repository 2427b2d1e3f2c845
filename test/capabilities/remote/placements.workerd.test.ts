/** The contract of placements on the platform: over a service binding and over HTTP. */
import { expect, it } from 'vitest';
import { SCENARIOS } from '../../contract/delegation';
import { played } from '../../workerd/placements/played';

it.each(Object.entries(SCENARIOS))(
  '[RM1, RM16] F82, F86, F116: a remote child is seen as a local one: %s',
  async (_name, scenario) => {
    const facet = await played('by-facet', scenario);
    for (const place of ['by-binding', 'by-http']) expect(await played(place, scenario), place).toEqual(facet);
  },
);
