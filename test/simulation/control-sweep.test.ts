/**
 * A crash of the whole process, in memory, at each commit of what people do to trees: stops, answers, resumes, the
 * cascade, a deletion during a spawn; and a second crash soon after the first. OFFSHOOT_NIGHTLY leaves none out.
 */
import { describe, expect, it } from 'vitest';
import { PLAYS, type Play, played } from '../support/plays';
import { figures, moments, NIGHTLY, onceEach } from '../support/sizes';

/** So many commits of a play are crashed at with `npm test`, once and twice. */
const MOST = 3;
const MOST_OF_TWO = 1;
/** How many commits later the second crash comes. */
const GAPS = NIGHTLY ? [1, 2, 4, 8] : [1, 4];

const totals = { schedules: 0, crashes: 0, bodies: 0, models: 0 };

/** A play without a crash: once for all that is compared with it. */
const calmly = onceEach((play: Play) => played(play));

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

figures('crashes under control', () => {
  const { schedules, crashes, bodies, models } = totals;
  return `${schedules} schedules, ${crashes} crashes, ${bodies} bodies and ${models} model calls run again, each at most once for each crash`;
});

describe.each(PLAYS.map((play, at) => ({ ...play, at })))('$name', (play) => {
  it('[SP9, SP5, EN2, RS1, SU1, AN1, CS2, DG10, DG22, DG23, DG24, MS1, RN4, RC6] ends as without a crash, wherever one comes', async () => {
    const calm = await calmly(play);
    expect(calm.problems).toEqual([]);
    for (const commit of moments(calm.kinds, MOST, play.at)) await ends(play, calm, [commit]);
  });

  it.each(GAPS)('[SP9, SP5, EN2, RC6, RC5] and after another crash %i commits later', async (gap) => {
    const calm = await calmly(play);
    for (const commit of moments(calm.kinds, MOST_OF_TWO, play.at + gap))
      await ends(play, calm, [commit, commit + gap]);
  });
});
