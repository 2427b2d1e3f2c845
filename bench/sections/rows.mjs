// Rows written, by SQLite's own count with the entries of indexes. These figures do not depend on the machine.
import { table } from '../lib/report.mjs';
import { withTarget } from '../lib/target.mjs';

/**
 * @typedef {import('../lib/target.mjs').RowCounts} RowCounts
 * @typedef {import('../lib/target.mjs').Target} Target
 */

/** Each figure is the difference between a turn with so many and one with twice as many, so what is written once drops out. */
const MANY = 10;

/** @param {RowCounts} counts */
function ours(counts) {
  return Object.values(counts.tables).reduce((sum, rows) => sum + rows, 0);
}

/** Over HTTP, to the end. @param {Target} target @param {string} path */
async function startOf(target, path) {
  const url = new URL(path, target.url);
  await target.post(`${url.pathname.slice(1)}/start`, { message: url.searchParams.get('number'), wait: true });
}

/** @param {Target} target @param {string} path @param {string} className @returns {Promise<RowCounts>} */
async function counted(target, path, className) {
  await target.ask('count');
  if (path.startsWith('agents/')) await startOf(target, path);
  else await target.ask(path);
  const counts = (await target.facts()).rows[className];
  if (counts === undefined) throw new Error(`Nothing was counted for ${className}.`);
  return counts;
}

/**
 * What one more step, or one more child, writes.
 * @param {Target} target @param {string} root @param {string} className
 */
async function each(target, root, className) {
  /** @param {string} name @param {number} number */
  const path = (name, number) =>
    root === 'team' ? `agents/team/${name}?number=${number}` : `${root}?name=${className}-${name}&number=${number}`;
  const few = await counted(target, path('few', MANY), className);
  const many = await counted(target, path('many', 2 * MANY), className);
  const tables = Object.entries(many.tables).map(([name, rows]) => [name, (rows - (few.tables[name] ?? 0)) / MANY]);
  /** @type {RowCounts} */
  const counts = { ...many, tables: Object.fromEntries(tables.filter(([, rows]) => rows !== 0)) };
  return { ...counts, sdk: (many.sdk - few.sdk) / MANY };
}

/** The rows of a child with two steps, which the floor then writes as well. @param {string} root @param {string} className */
export async function rowsOfChild(root, className) {
  return ours(await withTarget((target) => each(target, root, className)));
}

export async function rows() {
  const lines = await withTarget(async (target) => [
    { what: 'a step with one tool call, in a root', counts: await each(target, 'talker', 'Talker') },
    { what: 'a child: two steps, one tool call', counts: await each(target, 'fan', 'Kid') },
    { what: 'the same, with five deltas a step', counts: await each(target, 'team', 'Helper') },
    { what: 'the parent of such a child, a root', counts: await each(target, 'fan', 'Fan') },
  ]);
  table(
    'Rows written (`rowsWritten`, entries of indexes included)',
    ['what', 'ours', 'SDK', 'ours by table'],
    lines.map(({ what, counts }) => {
      const named = Object.entries(counts.tables).map(([name, count]) => `${name} ${count}`);
      return [what, String(ours(counts)), String(counts.sdk), named.join(', ')];
    }),
  );
}
