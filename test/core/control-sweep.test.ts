/**
 * A crash of the whole process, in memory, at each commit of what people do to trees: stops, answers, resumes, the
 * cascade, a deletion during a spawn; and a second crash soon after the first. OFFSHOOT_NIGHTLY leaves none out.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { NIGHTLY } from '../support/crashes';
import { PLAYS, type Play, played } from '../support/plays';

/** From one commit that is crashed at to the next; each play begins elsewhere. */
const STRIDE = NIGHTLY ? 1 : 3;
const STRIDE_OF_TWO = NIGHTLY ? 1 : 12;
/** How many commits later the second crash comes. */
const GAPS = NIGHTLY ? [1, 2, 3, 4, 5, 6, 8, 11] : [1, 4];

const totals = { schedules: 0, crashes: 0, bodies: 0, models: 0 };

/** A play with crashes at these commits; ends as the play without them, and repeats no more than they cut off. */
async function ends(play: Play, calm: Awaited<ReturnType<typeof played>>, crashAt: readonly number[]): Promise<void> {
  const what = `crashes at ${crashAt.join(', ')}`;
  const found = await played(play, { crashAt: new Set(crashAt) }, what);
  expect(found.problems, what).toEqual([]);
  if (play.same) expect(found.transcripts, what).toEqual(calm.transcripts);
  totals.schedules++;
  totals.crashes += found.crashes;
  // What people cut off themselves is run again in every run of the play.
  totals.bodies += Math.max(0, found.again.bodies - calm.again.bodies);
  totals.models += Math.max(0, found.again.models - calm.again.models);
}

afterAll(() => {
  const { schedules, crashes, bodies, models } = totals;
  console.info(
    `Crashes under control: ${schedules} schedules, ${crashes} crashes, ${bodies} bodies and ${models} model calls run again, each at most once for each crash.`,
  );
});

describe.each(PLAYS.map((play, at) => ({ ...play, at })))('$name', (play) => {
  it('[SP9, SP5, EN2, RS1, SU1, AN1, CS2, DG10, MS1, RN4, RC6] ends as without a crash, wherever one comes', {
    timeout: 900_000,
  }, async () => {
    const calm = await played(play);
    expect(calm.problems).toEqual([]);
    for (let commit = 1 + (play.at % STRIDE); commit <= calm.commits; commit += STRIDE)
      await ends(play, calm, [commit]);
  });

  it.each(GAPS)(
    '[SP9, SP5, EN2, RC6, RC5] and after another crash %i commits later',
    { timeout: 900_000 },
    async (gap) => {
      const calm = await played(play);
      for (let commit = 1 + (play.at % STRIDE_OF_TWO); commit <= calm.commits; commit += STRIDE_OF_TWO)
        await ends(play, calm, [commit, commit + gap]);
    },
  );
});
