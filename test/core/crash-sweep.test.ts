/** A crash of the whole process, in memory, at each commit of a scenario in turn. */
import { describe, expect, it } from 'vitest';
import { crashed, SCENARIOS } from '../support/crashes';

describe.each(SCENARIOS)('a crash: $name', ({ make }) => {
  it('[RC6, RC2, RC5, MS1, RN4, TR1, TR2] ends in the same transcripts after a crash at any one commit', {
    timeout: 600_000,
  }, async () => {
    const calm = await crashed(make, []);
    for (let commit = 1; commit <= calm.commits; commit++) {
      const found = await crashed(make, [commit]);
      expect(found.crashes, `commit ${commit}`).toBe(1);
      expect(found.transcripts, `commit ${commit}`).toEqual(calm.transcripts);
    }
  });
});
