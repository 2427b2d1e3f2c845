// The time of a step by the length of the conversation before it.
import { fixed, median, table } from '../lib/report.mjs';
import { withTarget } from '../lib/target.mjs';

const ROUNDS = 7;
const STEPS = 40;
/** Messages before, and who has them: one that sends them all, or one within a context. A turn without tools leaves two. */
const HISTORIES = [
  { messages: 10, agent: 'talker' },
  { messages: 1_000, agent: 'talker' },
  { messages: 10, agent: 'keeper' },
  { messages: 1_000, agent: 'keeper' },
];

/** @param {import('../lib/target.mjs').Target} target */
async function measure(target) {
  const times = HISTORIES.map(() => /** @type {number[]} */ ([]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [place, { messages, agent }] of HISTORIES.entries()) {
      const name = `h${messages}r${round}`;
      await target.ask(`${agent}?name=${name}&number=0&times=${messages / 2 - 1}`);
      const empty = await target.time(`${agent}?name=${name}&number=0`);
      const full = await target.time(`${agent}?name=${name}&number=${STEPS}`);
      if (round > 0) times[place]?.push((full - empty) / STEPS);
    }
  }
  return times.map(median);
}

export async function history() {
  const times = await withTarget(measure);
  const [first = 0] = times;
  table(
    `A step with one tool call, medians of ${ROUNDS} turns of ${STEPS} steps in ms, without the model's share`,
    ['messages before', 'context', 'step', 'ratio'],
    HISTORIES.map(({ messages, agent }, place) => {
      const step = times[place] ?? 0;
      return [String(messages), agent === 'keeper' ? '4,000 tokens' : 'all', fixed(step, 2), fixed(step / first, 2)];
    }),
  );
}
