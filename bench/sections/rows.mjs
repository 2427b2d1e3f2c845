// Rows written, by SQLite's own count with the entries of indexes. These figures do not depend on the machine.

/**
 * @typedef {import('../lib/bench.mjs').Bench} Bench
 * @typedef {import('../lib/target.mjs').RowCounts} RowCounts
 * @typedef {import('../lib/target.mjs').Target} Target
 */

/** Each figure is the difference between a turn with so many and one with twice as many, so what is written once drops out. */
const MANY = 10;

/** What is counted, and in which class. */
const COUNTED = [
  { name: 'rows of a step with one tool call, of a root', root: 'talker', className: 'Talker' },
  { name: 'rows of a child with two steps', root: 'fan', className: 'Kid' },
  { name: 'rows of a child with two steps of five deltas each', root: 'team', className: 'Helper' },
  { name: 'rows of a root for each child', root: 'fan', className: 'Fan' },
];

/** @param {RowCounts} counts */
function ours(counts) {
  return Object.values(counts.tables).reduce((sum, rows) => sum + rows, 0);
}

/** Runs a turn over HTTP to the end. @param {Target} target @param {string} path */
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
 * Counts what one more step, or one more child, writes.
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

/**
 * Counts the rows of a child with two steps, which floors then write as well.
 * @param {Bench} bench @param {string} root @param {string} className
 */
export function rowsOfChild(bench, root, className) {
  return bench.withTargets(async ([target]) => (target ? ours(await each(target, root, className)) : 0));
}

/** @param {string} name */
const figureOf = (name) => ({ name, unit: 'rows' });

/** @type {import('../lib/bench.mjs').Section} */
export const rows = {
  what: 'rows that a step, a child and its root write; the same on every machine',
  minutes: 1,
  figures: COUNTED.map(({ name }) => figureOf(name)),
  measure: (bench) =>
    bench.withTargets(async (targets) => {
      for (const target of targets) {
        for (const { name, root, className } of COUNTED) {
          const counts = await each(target, root, className);
          bench.record(target.side, 1, figureOf(name), ours(counts));
          const tables = Object.entries(counts.tables).map(([table, count]) => `${table} ${count}`);
          bench.note(target.side, `${name}: ${tables.join(', ')}; of the SDK ${counts.sdk}`);
        }
      }
    }),
};
