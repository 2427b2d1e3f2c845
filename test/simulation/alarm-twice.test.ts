/** Every alarm rings twice, at once or again right after: nothing is done that one would not have done. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ObjectRuntime } from '../../src/engine/object';
import { inObjects } from '../support/alone';
import { crashed, type Make, SCENARIOS, tellRuns } from '../support/crashes';
import { sample } from '../support/sizes';

/** Commits of a scenario after which everything is lost with `npm test`. */
const MOST = 4;

tellRuns('alarms that ring twice');

type Ring = (alarm: () => Promise<void>) => Promise<unknown>;

/** How an alarm may come twice. */
const WAYS: Readonly<Record<string, Ring>> = {
  'at once': (alarm) => Promise.all([alarm(), alarm()]),
  'one after the other': async (alarm) => {
    await alarm();
    await alarm();
  },
};

/** From now on every alarm of every object rings so; counts them. */
function ringing(ring: Ring): { readonly rung: () => number } {
  const { alarm } = ObjectRuntime.prototype;
  const spy = vi.spyOn(ObjectRuntime.prototype, 'alarm').mockImplementation(async function (this: ObjectRuntime) {
    await ring(() => alarm.call(this));
  });
  return { rung: () => spy.mock.calls.length };
}

afterEach(() => vi.restoreAllMocks());

const PLACES: Readonly<Record<string, (make: Make) => Make>> = {
  facets: (make) => make,
  'objects of their own': inObjects,
};
const CASES = Object.entries(PLACES).flatMap(([place, placed]) =>
  Object.entries(WAYS).map(([way, ring]) => ({ place, placed, way, ring })),
);

describe.each(CASES)('alarms that ring twice, $way, in trees of $place', ({ placed, ring }) => {
  it.each(SCENARIOS.map((scenario, at) => ({ ...scenario, at })))(
    '[RT9] are as one after a crash: $name',
    async ({ name, make, at }) => {
      const commits = (await crashed(placed(make), [])).commits;
      let rung = 0;
      for (const commit of sample(commits, MOST, at)) {
        const once = await crashed(placed(make), [commit]);
        const twice = ringing(ring);
        const found = await crashed(placed(make), [commit]);
        rung += twice.rung();
        vi.restoreAllMocks();
        const what = `commit ${commit}`;
        expect(found.transcripts, what).toEqual(once.transcripts);
        if (!name.includes('past their time')) expect(found.work, what).toEqual(once.work);
        // Whom a stop has not reached when it rings again is taken up before that, as with the next beat: once (RC2).
        else expect(found.work.bodies.filter((times) => times > 2)).toEqual([]);
      }
      expect(rung).toBeGreaterThan(0);
    },
  );
});
