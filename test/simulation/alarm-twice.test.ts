/** Every alarm rings twice, at once or again right after: nothing is done that one would not have done. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ObjectRuntime } from '../../src/engine/object/object';
import { inObjects } from '../support/alone';
import { crashed, type Make, SCENARIOS, tellRuns } from '../support/crashes';
import { moments } from '../support/sizes';

/** Commits of a scenario after which everything is lost with `npm test`. */
const MOST = 3;

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

describe.each(Object.entries(PLACES).map(([place, placed], from) => ({ place, placed, from })))(
  'alarms that ring twice in trees of $place',
  ({ placed, from }) => {
    it.each(SCENARIOS.map((scenario, at) => ({ ...scenario, at })))(
      '[RT9] are as one after a crash, at once and one after the other: $name',
      async ({ name, make, at }) => {
        const { kinds } = await crashed(placed(make), []);
        const rung = new Map<string, number>();
        for (const commit of moments(kinds, MOST, at + from)) {
          const once = await crashed(placed(make), [commit]);
          for (const [way, ring] of Object.entries(WAYS)) {
            const twice = ringing(ring);
            const found = await crashed(placed(make), [commit]);
            rung.set(way, (rung.get(way) ?? 0) + twice.rung());
            vi.restoreAllMocks();
            const what = `commit ${commit}, ${way}`;
            expect(found.transcripts, what).toEqual(once.transcripts);
            if (!name.includes('past their time')) expect(found.work, what).toEqual(once.work);
            // Whom a stop has not reached when it rings again is taken up before that, as with the next beat: once (RC2).
            else expect(found.work.bodies.filter((times) => times > 2)).toEqual([]);
          }
        }
        for (const way of Object.keys(WAYS)) expect(rung.get(way), way).toBeGreaterThan(0);
      },
    );
  },
);
