/**
 * Many crashes of the whole process, in memory, at random commits of a scenario.
 * OFFSHOOT_SEED repeats a run of them; OFFSHOOT_NIGHTLY makes many more.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crashed, SCENARIOS, tellRuns } from '../support/crashes';
import { always, sized } from '../support/sizes';

const ROUNDS = sized(8, 100);

tellRuns('random crashes');

/** Commits to crash at: from one crash to the next often only a few, so that a recovery itself is hit. */
const schedules = (commits: number) =>
  fc
    .array(fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: commits })), {
      minLength: 2,
      maxLength: 9,
    })
    .map((gaps) => gaps.map((_, index) => gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0)));

describe.each(SCENARIOS)('crashes: $name', ({ make }) => {
  it('[RC6, RC2, RC5, DL3, LG1] ends in the same transcripts after any sequence of crashes', async () => {
    const calm = await crashed(make, []);
    const holds = fc.asyncProperty(schedules(calm.kinds.length), async (crashAt) => {
      expect((await crashed(make, crashAt)).transcripts).toEqual(calm.transcripts);
    });
    await always(holds, ROUNDS);
  });
});
