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

/** @param {Target} target @param {string} path @param {string} className @returns {Promise<RowCounts>} */
async function counted(target, path, className) {
  await target.ask('count');
  await target.ask(path);
  const counts = (await target.facts()).rows[className];
  if (counts === undefined) throw new Error(`Nothing was counted for ${className}.`);
  return counts;
}

/**
 * What one more step, or one more child, writes.
 * @param {Target} target @param {string} root @param {string} className
 */
async function each(target, root, className) {
  const few = await counted(target, `${root}?name=${className}-few&number=${MANY}`, className);
  const many = await counted(target, `${root}?name=${className}-many&number=${2 * MANY}`, className);
  const tables = Object.entries(many.tables).map(([name, rows]) => [name, (rows - (few.tables[name] ?? 0)) / MANY]);
  /** @type {RowCounts} */
  const counts = { ...many, tables: Object.fromEntries(tables.filter(([, rows]) => rows !== 0)) };
  return { ...counts, sdk: (many.sdk - few.sdk) / MANY };
}

/** The rows of a child with two steps, which the floor then writes as well. */
export async function rowsOfChild() {
  return ours(await withTarget((target) => each(target, 'fan', 'Kid')));
}

export async function rows() {
  const lines = await withTarget(async (target) => [
    { what: 'a step with one tool call, in a root', counts: await each(target, 'talker', 'Talker') },
    { what: 'a child: two steps, one tool call', counts: await each(target, 'fan', 'Kid') },
    { what: 'its parent, a root', counts: await each(target, 'fan', 'Fan') },
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
