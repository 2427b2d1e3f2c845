// npm run bench: lists the sections. npm run bench -- SECTION …: what Offshoot costs on this machine, beside a floor.
// Each section has servers of its own on free ports, each with a state of its own, and ends them.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { run, UserError } from '../scripts/lib/fail.mjs';
import { ensureInstalled } from '../scripts/lib/install.mjs';
import { Bench } from './lib/bench.mjs';
import { checkoutAt, thisCheckout } from './lib/checkouts.mjs';
import { fixed, table } from './lib/report.mjs';
import { asJson, printFigures } from './lib/tables.mjs';
import { SECTIONS } from './sections.mjs';

const MOST_ROUNDS = 1_000;
const ALL = 'all';
const USAGE = `npm run bench -- SECTION …       measures these sections, each figure beside its floor
npm run bench -- ${ALL}              measures all of them
  --beside PATH                  the same on another checkout, interleaved, with the ratio pair by pair
  --rounds N                     how often each figure is measured
  --json FILE                    writes every sample to a file`;

/** @typedef {import('./lib/checkouts.mjs').Checkout} Checkout */

function list() {
  table(
    'Sections',
    ['section', 'minutes', 'what'],
    Object.entries(SECTIONS).map(([name, { what, minutes }]) => [name, String(minutes), what]),
    ['Minutes on a quiet machine with two cores; with --beside twice that.', '', USAGE],
  );
}

/** @param {string | undefined} text @returns {number | undefined} @throws {UserError} */
function roundsOf(text) {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= MOST_ROUNDS) return number;
  throw new UserError(`--rounds is "${text}": it takes a whole number from 1 to ${MOST_ROUNDS}.`);
}

function argumentsOf() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { beside: { type: 'string' }, rounds: { type: 'string' }, json: { type: 'string' } },
    });
    return { ...values, sections: positionals };
  } catch (error) {
    throw new UserError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

/** @param {readonly string[]} wanted @returns {string[]} in the order of the list @throws {UserError} */
function sectionsOf(wanted) {
  const names = Object.keys(SECTIONS);
  const unknown = wanted.find((name) => name !== ALL && !names.includes(name));
  if (unknown !== undefined) {
    throw new UserError(`There is no section "${unknown}". Sections: ${[...names, ALL].join(', ')}.`);
  }
  return wanted.includes(ALL) ? names : names.filter((name) => wanted.includes(name));
}

/** @param {string} name @param {Checkout[]} checkouts @param {number | undefined} rounds */
async function measured(name, checkouts, rounds) {
  const section = SECTIONS[name];
  if (section === undefined) throw new Error(`There is no section "${name}".`);
  const bench = new Bench(checkouts, rounds);
  const before = loadavg()[0] ?? 0;
  for (bench.server = 0; bench.server < bench.pairs; bench.server++) {
    if (bench.pairs > 1) console.error(`${name}: pair of servers ${bench.server + 1} of ${bench.pairs}`);
    await section.measure(bench);
  }
  const load = { before, after: loadavg()[0] ?? 0 };
  bench.note(0, `Load of the machine: ${fixed(load.before, 2)} before, ${fixed(load.after, 2)} after.`);
  printFigures(`${name}: ${section.what}`, bench);
  return { ...asJson(name, bench), load };
}

// Ends what was begun: servers and their state.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

await run(async () => {
  const { sections, beside, rounds: asked, json } = argumentsOf();
  const wanted = sectionsOf(sections);
  const rounds = roundsOf(asked);
  if (wanted.length === 0) {
    list();
    return 0;
  }
  ensureInstalled();
  const checkouts = beside === undefined ? [thisCheckout()] : [thisCheckout(), checkoutAt(beside)];
  console.log(`${cpus().length} cores, Node ${process.versions.node}, ${checkouts.map(said).join(' beside ')}`);
  const results = [];
  for (const name of wanted) results.push(await measured(name, checkouts, rounds));
  if (json !== undefined) {
    const machine = { cores: cpus().length, node: process.versions.node, at: new Date().toISOString() };
    const commits = checkouts.map(({ commit }) => commit);
    writeFileSync(json, `${JSON.stringify({ machine, commits, sections: results }, null, 1)}\n`);
  }
  return 0;
});

/** @param {Checkout} checkout */
function said({ root, commit }) {
  return commit === '' ? root : commit;
}
