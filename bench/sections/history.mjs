// The time of a step by the length of the conversation before it.
import { fixed, median, table } from '../lib/report.mjs';
import { withTarget } from '../lib/target.mjs';

const ROUNDS = 7;
const STEPS = 40;
/** Messages before; a turn without a step of tools leaves two. */
const HISTORIES = [10, 1_000];

/** @param {import('../lib/target.mjs').Target} target */
async function measure(target) {
  const times = HISTORIES.map(() => /** @type {number[]} */ ([]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [place, messages] of HISTORIES.entries()) {
      const name = `h${messages}r${round}`;
      await target.ask(`talker?name=${name}&number=0&times=${messages / 2 - 1}`);
      const empty = await target.time(`talker?name=${name}&number=0`);
      const full = await target.time(`talker?name=${name}&number=${STEPS}`);
      if (round > 0) times[place]?.push((full - empty) / STEPS);
    }
  }
  return times.map(median);
}

export async function history() {
  const [short = 0, long = 0] = await withTarget(measure);
  table(
    `A step with one tool call, medians of ${ROUNDS} turns of ${STEPS} steps in ms, without the model's share`,
    ['messages before', 'step', 'ratio'],
    [
      [String(HISTORIES[0]), fixed(short, 2), '1.00'],
      [String(HISTORIES[1]), fixed(long, 2), fixed(long / short, 2)],
    ],
  );
}
