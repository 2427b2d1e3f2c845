/** A crash of the whole process, in memory, at each commit of a scenario in turn; OFFSHOOT_NIGHTLY leaves none out. */
import { describe, expect, it } from 'vitest';
import { crashed, SCENARIOS, tellRuns } from '../support/crashes';
import { moments } from '../support/sizes';

/** So many commits of a scenario are crashed at with `npm test`. */
const MOST = 12;

tellRuns('a crash at each commit');

describe.each(SCENARIOS.map((scenario, at) => ({ ...scenario, at })))('a crash: $name', ({ make, at }) => {
  it('[RC6, RC2, RC5, MS1, RN4, TR1, TR2] ends in the same transcripts after a crash at any one commit', async () => {
    const calm = await crashed(make, []);
    for (const commit of moments(calm.kinds, MOST, at)) {
      const found = await crashed(make, [commit]);
      expect(found.crashes, `commit ${commit}`).toBe(1);
      expect(found.transcripts, `commit ${commit}`).toEqual(calm.transcripts);
    }
  });
});
