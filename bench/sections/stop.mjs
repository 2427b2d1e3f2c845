// Stop latency: trees whose leaves are inside model calls that never end, timed by the client from its request on,
// beside a floor in the same facets: a call to each child that writes one row.
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { STOPPED } from '../lib/bundle.mjs';
import { fixed, median, table } from '../lib/report.mjs';
import { rounds } from '../lib/rounds.mjs';
import { openStream } from '../lib/stream.mjs';
import { withTarget } from '../lib/target.mjs';

/** @typedef {import('../lib/target.mjs').Target} Target */

/**
 * @typedef {object} Shape
 * @property {string} title
 * @property {string} root the class of its root in addresses
 * @property {'interrupt' | 'abort'} verb
 * @property {number} number children of the root
 * @property {number} below children of each of these
 * @property {number} [calls] model calls that hang before the stop; default: one for each leaf
 *
 * @typedef {object} Times in ms from the request on
 * @property {number} answer the caller has its answer
 * @property {number} chunk the root's first chunk about the stop is on an open stream
 * @property {number} end the root's last chunk is there: every stop below is committed, and its run has ended
 * @property {number} floor how long the floor took
 */

/** A round of all shapes takes 12 s of a quiet machine with 2 cores. */
const RUNS = 10;
/** Rounds before them that only warm a tree up. */
const WARM_UP = 2;
/** What a start, or a stop, leaves to be done goes on for less than this, in ms. */
const SETTLE_MS = 150;
const BEGIN_TIMEOUT_MS = 60_000;
/** Of the default limits: sub-agents at work at once. */
const AT_ONCE = 48;

/** @type {readonly Shape[]} */
const SHAPES = [
  { title: '1', root: 'house', verb: 'interrupt', number: 1, below: 0 },
  { title: '10', root: 'house', verb: 'interrupt', number: 10, below: 0 },
  { title: '100', root: 'house', verb: 'interrupt', number: 100, below: 0 },
  { title: '1 + 10 + 90', root: 'hospital', verb: 'interrupt', number: 10, below: 9 },
  { title: '10, abort', root: 'house', verb: 'abort', number: 10, below: 0 },
  { title: '100, abort', root: 'house', verb: 'abort', number: 100, below: 0 },
  { title: '1 + 10 + 90, abort', root: 'hospital', verb: 'abort', number: 10, below: 9 },
  { title: '10, deaf', root: 'asylum', verb: 'interrupt', number: 10, below: 0 },
  { title: '100, deaf', root: 'asylum', verb: 'interrupt', number: 100, below: 0 },
  { title: `100, ${AT_ONCE} at once`, root: 'inn', verb: 'interrupt', number: 100, below: 0, calls: AT_ONCE },
];

/** @param {Target} target @returns {Promise<{ begun: number, now: number }>} */
async function hanging({ ask }) {
  return /** @type {{ begun: number, now: number }} */ (await ask('facts'));
}

/** @param {string} url @param {object} [body] */
async function post(url, body = {}) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** Starts a turn, and waits until every leaf is inside its model call. @param {Target} target @param {Shape} shape @param {string} agent */
async function begin(target, { number, below, calls }, agent) {
  const { begun } = await hanging(target);
  await post(`${agent}/start`, { message: JSON.stringify({ number, below }) });
  const leaves = calls ?? number * Math.max(1, below);
  for (const from = Date.now(); (await hanging(target)).begun < begun + leaves; await delay(20))
    if (Date.now() - from > BEGIN_TIMEOUT_MS) throw new Error('The agents did not begin.');
  await delay(SETTLE_MS);
}

/** @param {string} agent @param {Shape} shape @returns {Promise<Omit<Times, 'floor'>>} */
async function stopOnce(agent, { verb }) {
  const status = await (await fetch(`${agent}/status`)).json();
  const stream = await openStream(`${agent}/stream?from=${status.lastSequence + 1}&follow=1`);
  try {
    const own = (/** @type {Record<string, unknown>} */ chunk) => chunk.agentId === status.sessionId;
    const told = stream.first((chunk) => own(chunk) && chunk.type === 'subagent_status');
    const ended = stream.first((chunk) => own(chunk) && String(chunk.type).startsWith('run_'));
    const begun = performance.now();
    const answered = post(`${agent}/${verb}`).then(() => performance.now());
    const [answer, chunk, end] = await Promise.all([answered, told, ended]);
    return { answer: answer - begun, chunk: chunk - begun, end: end - begun };
  } finally {
    await stream.close();
  }
}

/**
 * What a stop has left: agents of this turn that still live, and tokens of the whole tree.
 * @param {string} agent
 */
async function leftOver(agent) {
  const tree = await (await fetch(`${agent}/tree`)).json();
  /** @param {{ status: string, nodes: { status: string, nodes: [] }[] }} node @returns {string[]} */
  const statuses = (node) => [node.status, ...node.nodes.flatMap(statuses)];
  // Who was still in the queue stays so until the run is resumed or another one begins: nobody is at work there.
  const atRest = ['interrupted', 'failed', 'queued'];
  const live = statuses(tree).filter((one) => !atRest.includes(one)).length;
  const { total } = await (await fetch(`${agent}/usage?includeSubAgents=1`)).json();
  return { live, tokens: total.inputTokens + total.outputTokens };
}

/**
 * One turn of a tree: begun, measured by the floor, stopped.
 * @param {Target} target @param {Shape} shape @param {number} round from 0
 */
async function turn(target, shape, round) {
  const { root, number, below } = shape;
  const name = `of-${shape.title.replaceAll(/[^0-9a-z]+/g, '-')}`;
  const agent = `${target.url}/agents/${root}/${name}`;
  await begin(target, shape, agent);
  // Every turn has children of its own, in slots that follow those of the turn before.
  const floor = `floor?root=${root}&name=${name}&first=${round * number + 1}&number=${shape.calls ?? number}&below=${below}`;
  // The first call makes the table.
  await target.ask(floor);
  const floorMs = await target.time(floor);
  const times = await stopOnce(agent, shape);
  await delay(SETTLE_MS);
  const left = await leftOver(agent);
  const deaf = root === 'asylum' ? 0 : (await hanging(target)).now;
  return { times: { ...times, floor: floorMs }, live: left.live + deaf, tokens: left.tokens };
}

/** @param {Target} target @param {number} runs */
async function measure(target, runs) {
  /** @type {Map<Shape, Times[]>} */
  const measured = new Map(SHAPES.map((shape) => [shape, []]));
  let live = 0;
  let tokens = 0;
  // The shapes take turns, so that whatever slows the machine slows all of them.
  for (let round = 0; round < runs + WARM_UP; round++) {
    console.error(`Stops: round ${round + 1} of ${runs + WARM_UP}`);
    for (const [shape, all] of measured) {
      const done = await turn(target, shape, round);
      if (round >= WARM_UP) all.push(done.times);
      live += done.live;
      tokens += done.tokens;
    }
  }
  return { measured, live, tokens };
}

export async function stop() {
  const runs = rounds(RUNS);
  const before = loadavg()[0] ?? 0;
  const { measured, live, tokens } = await withTarget((target) => measure(target, runs), STOPPED);
  table(
    `Stops of trees inside model calls that never end, medians of ${runs} in ms`,
    ['children', 'answer', 'first chunk', 'all ended', 'slowest', 'floor', 'ended / floor'],
    [...measured].map(([{ title }, all]) => {
      const of = (/** @type {keyof Times} */ key) => all.map((times) => times[key]);
      const [end, floor] = [median(of('end')), median(of('floor'))];
      return [
        title,
        fixed(median(of('answer'))),
        fixed(median(of('chunk'))),
        fixed(end),
        fixed(Math.max(...of('end'))),
        fixed(floor),
        fixed(end / floor, 2),
      ];
    }),
    [
      'Interrupted where nothing else is said. deaf: models that ignore their signals. floor: one call and one row for each child.',
      `After all stops: ${live} agents or model calls that still live, ${tokens} tokens spent.`,
      `Load of the machine: ${fixed(before, 2)} before, ${fixed(loadavg()[0] ?? 0, 2)} after.`,
    ],
  );
}
