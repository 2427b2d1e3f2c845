// Stop latency: trees whose leaves are inside model calls that never end, timed by the client from its request on,
// beside a floor in the same facets: a call to each agent that is at work, which writes one row.
import { setTimeout as delay } from 'node:timers/promises';
import { STOPPED } from '../lib/bundle.mjs';
import { AFTER_STOP_MS, SETTLE_MS, untilRest } from '../lib/rest.mjs';
import { openStream } from '../lib/stream.mjs';

/**
 * @typedef {import('../lib/bench.mjs').Bench} Bench
 * @typedef {import('../lib/target.mjs').Target} Target
 *
 * @typedef {object} Shape
 * @property {string} title
 * @property {string} root the class of its root in addresses
 * @property {'interrupt' | 'abort'} verb
 * @property {number} number children of the root
 * @property {number} below children of each of these
 * @property {number} [calls] children of the root that are at work before the stop; default: all
 *
 * @typedef {object} Times in ms from the request on
 * @property {number} answer the caller has its answer
 * @property {number} chunk the root's first chunk about the stop is on an open stream
 * @property {number} end the root's last chunk is there: every stop below is committed, and its run has ended
 *
 * @typedef {{ status: string, address: string, nodes: Node[] }} Node of the tree document
 */

/** A round of all shapes takes 35 s of a quiet machine with 2 cores. */
const RUNS = 10;
/** Rounds before them that only warm a tree up. */
const WARM_UP = 2;
const BEGIN_TIMEOUT_MS = 60_000;
/** Of the default limits: sub-agents at work at once. */
const AT_ONCE = 48;

/** @type {readonly Shape[]} */
const SHAPES = [
  { title: '1 child', root: 'house', verb: 'interrupt', number: 1, below: 0 },
  { title: '10 children', root: 'house', verb: 'interrupt', number: 10, below: 0 },
  { title: '100 children', root: 'house', verb: 'interrupt', number: 100, below: 0 },
  { title: '1 + 10 + 90', root: 'hospital', verb: 'interrupt', number: 10, below: 9 },
  { title: '10 children', root: 'house', verb: 'abort', number: 10, below: 0 },
  { title: '100 children', root: 'house', verb: 'abort', number: 100, below: 0 },
  { title: '1 + 10 + 90', root: 'hospital', verb: 'abort', number: 10, below: 9 },
  { title: '10 children that ignore aborts', root: 'asylum', verb: 'interrupt', number: 10, below: 0 },
  { title: '100 children that ignore aborts', root: 'asylum', verb: 'interrupt', number: 100, below: 0 },
  { title: `100 children, ${AT_ONCE} at once`, root: 'inn', verb: 'interrupt', number: 100, below: 0, calls: AT_ONCE },
];

/** Children at rest. One in the queue stays there until the run is resumed or another one begins. */
const AT_REST = ['interrupted', 'failed', 'queued'];

/** @param {Shape} shape */
function figuresOf({ title, verb }) {
  const name = `${verb} of ${title}`;
  const floor = { name: `${name}: a call and a row for each`, unit: 'ms' };
  return {
    answer: { name: `${name}: answer`, unit: 'ms' },
    chunk: { name: `${name}: first chunk`, unit: 'ms' },
    end: { name: `${name}: all ended`, unit: 'ms', floor: floor.name },
    floor,
  };
}

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
  await untilRest(target, SETTLE_MS);
}

/** @param {string} agent @param {Shape} shape @returns {Promise<Times>} */
async function stopOnce(agent, { verb }) {
  const status = await (await fetch(`${agent}/status`)).json();
  const stream = await openStream(`${agent}/stream?from=${status.lastSequence + 1}&follow=1`);
  try {
    const own = (/** @type {Record<string, unknown>} */ chunk) => chunk.agentId === status.sessionId;
    const noticed = stream.first((chunk) => own(chunk) && chunk.type === 'subagent_status');
    const ended = stream.first((chunk) => own(chunk) && String(chunk.type).startsWith('run_'));
    const begun = performance.now();
    const answered = post(`${agent}/${verb}`).then(() => performance.now());
    const [answer, chunk, end] = await Promise.all([answered, noticed, ended]);
    return { answer: answer - begun, chunk: chunk - begun, end: end - begun };
  } finally {
    await stream.close();
  }
}

/** @param {string} agent @returns {Promise<Node>} */
async function treeOf(agent) {
  return /** @type {Node} */ (await (await fetch(`${agent}/tree`)).json());
}

/** Counts what a stop should have ended: agents of this turn that still live, and tokens of the whole tree. @param {string} agent */
async function remaining(agent) {
  /** @param {Node} node @returns {string[]} */
  const statuses = (node) => [node.status, ...node.nodes.flatMap(statuses)];
  const live = statuses(await treeOf(agent)).filter((one) => !AT_REST.includes(one)).length;
  const { total } = await (await fetch(`${agent}/usage?includeSubAgents=1`)).json();
  return { live, tokens: total.inputTokens + total.outputTokens };
}

/**
 * The floor of one turn: the slots of the agents at work are asked of the tree, so that the floor calls the same facets.
 * @param {Shape} shape @param {string} agent
 */
async function floorOf({ title, root, number, below, calls = number }, agent) {
  const { nodes } = await treeOf(agent);
  const slots = nodes
    .filter(({ status }) => !AT_REST.includes(status))
    .map(({ address }) => Number(/(\d+)~\d+$/.exec(address)?.[1]))
    .toSorted((one, other) => one - other);
  const [first = 0] = slots;
  if (slots.length !== calls || slots.at(-1) !== first + calls - 1) {
    throw new Error(`${title}: ${calls} children in a row should be at work, but those in slots ${slots} are.`);
  }
  return `floor?root=${root}&name=${agent.split('/').at(-1)}&first=${first}&number=${calls}&below=${below}`;
}

/**
 * Runs one turn of a tree: begun, measured by the floor, stopped.
 * @param {Target} target @param {Shape} shape
 */
async function turn(target, shape) {
  const { root, title, verb } = shape;
  const agent = `${target.url}/agents/${root}/of-${`${title} ${verb}`.replaceAll(/[^0-9a-z]+/g, '-')}`;
  await begin(target, shape, agent);
  const path = await floorOf(shape, agent);
  // The first call makes the table.
  await target.ask(path);
  const floor = await target.time(path);
  const times = await stopOnce(agent, shape);
  await untilRest(target, AFTER_STOP_MS);
  const left = await remaining(agent);
  const deaf = root === 'asylum' ? 0 : (await hanging(target)).now;
  return { times: { ...times, floor }, live: left.live + deaf, tokens: left.tokens };
}

/** The shapes and the checkouts take turns, so that whatever slows the machine slows all of them. @param {Bench} bench @param {readonly Target[]} targets */
async function stops(bench, targets) {
  let live = 0;
  let tokens = 0;
  const runs = bench.rounds(RUNS);
  for (let round = 0; round < runs + WARM_UP; round++) {
    console.error(`stop: round ${round + 1} of ${runs + WARM_UP}`);
    for (const shape of SHAPES) {
      const figures = figuresOf(shape);
      for (const target of bench.inTurn(targets, round)) {
        const done = await turn(target, shape);
        live += done.live;
        tokens += done.tokens;
        if (round < WARM_UP) continue;
        for (const key of /** @type {const} */ (['answer', 'chunk', 'end', 'floor']))
          bench.record(target.side, round, figures[key], done.times[key]);
      }
    }
  }
  bench.note(0, `After all stops: ${live} agents or model calls that still live, ${tokens} tokens spent.`);
}

/** @type {import('../lib/bench.mjs').Section} */
export const stop = {
  what: 'interrupts and aborts of trees inside model calls that never end',
  minutes: 7,
  figures: SHAPES.flatMap((shape) => Object.values(figuresOf(shape))),
  async measure(bench) {
    await bench.withTargets((targets) => stops(bench, targets), STOPPED);
    bench.note(0, 'Deaf: models that ignore their signals. Beside: one call and one row for each agent at work.');
  },
};
