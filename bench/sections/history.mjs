// The time of a step by the length of the conversation before it.

/** @typedef {import('../lib/bench.mjs').Bench} Bench */

const ROUNDS = 7;
const STEPS = 40;
const [FEW, MANY] = [10, 1_000];
/** Who has the messages: one that sends all of them, or one within a context. */
const AGENTS = [
  { agent: 'talker', suffix: '' },
  { agent: 'keeper', suffix: ', context of 4,000 tokens' },
];

/** @param {number} messages @param {string} suffix */
const nameOf = (messages, suffix) => `a step after ${messages} messages${suffix}`;

const HISTORIES = AGENTS.flatMap(({ agent, suffix }) => [
  { agent, messages: FEW, figure: { name: nameOf(FEW, suffix), unit: 'ms' } },
  { agent, messages: MANY, figure: { name: nameOf(MANY, suffix), unit: 'ms', floor: nameOf(FEW, suffix) } },
]);

/** @param {Bench} bench @param {readonly import('../lib/target.mjs').Target[]} targets */
async function steps(bench, targets) {
  for (let round = 0; round <= bench.rounds(ROUNDS); round++) {
    for (const { agent, messages, figure } of HISTORIES) {
      for (const target of bench.inTurn(targets, round)) {
        const name = `h${messages}r${round}s${bench.server}`;
        // A turn without tools leaves two messages.
        await target.ask(`${agent}?name=${name}&number=0&times=${messages / 2 - 1}`);
        const empty = await target.time(`${agent}?name=${name}&number=0`);
        const full = await target.time(`${agent}?name=${name}&number=${STEPS}`);
        if (round > 0) bench.record(target.side, round, figure, (full - empty) / STEPS);
      }
    }
  }
}

/** @type {import('../lib/bench.mjs').Section} */
export const history = {
  what: `a step with one tool call after ${FEW} and ${MANY} messages, without the time of the model`,
  minutes: 2,
  figures: HISTORIES.map(({ figure }) => figure),
  measure: (bench) => bench.withTargets((targets) => steps(bench, targets)),
};
