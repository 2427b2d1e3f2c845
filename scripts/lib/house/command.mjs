// The command `npm run house`: its table, its lists, and the two ways in which it uses the ratchet.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtApp, bundled } from '../app.mjs';
import { UserError } from '../fail.mjs';
import { root } from '../paths.mjs';
import { BANNED } from './banned.mjs';
import { BUNDLE, measure, readComments, readFolders, readPromises, readRecords, readWords } from './figures.mjs';
import { MAX_WORDS } from './promises.mjs';
import { kept, verdict } from './ratchet.mjs';
import { sizeOf } from './records.mjs';

/** @typedef {import('./figures.mjs').Figure} Figure */

const FILE = join(root, 'scripts', 'house.json');
/** Left alone by a run that builds nothing. */
const UNMEASURED = new Set([BUNDLE]);

/** @returns {{ [key: string]: number }} */
const readBest = () => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {});

/** The compressed size of the smallest app, as PK1 measures it. */
async function bundleKib() {
  const app = await builtApp();
  try {
    return (await bundled(app.folder)).gzipKib;
  } finally {
    app.remove();
  }
}

/** @param {number | undefined} value @param {string} [unit] */
const shown = (value, unit = '') => (value === undefined ? '' : `${value.toLocaleString('en-US')}${unit}`);

/** @param {Figure[]} figures @param {{ [key: string]: number }} best */
function table(figures, best) {
  const rows = figures.map(({ key, label, now, unit, aim, note }) => [
    label,
    now === undefined ? (note ?? '') : shown(now, unit),
    shown(best[key], unit),
    shown(aim, unit),
  ]);
  const all = [['figure', 'now', 'ratchet', 'aim'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (/** @type {string[]} */ row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ');
  return all.map((row) => line(row).trimEnd()).join('\n');
}

/** @param {Figure[]} figures @returns {number} the exit code */
function check(figures) {
  const { ok, lines } = verdict(figures, readBest(), UNMEASURED);
  for (const line of lines) console.log(line);
  return ok ? 0 : 1;
}

/** @param {Figure[]} figures */
function write(figures) {
  const { next, lines } = kept(figures, readBest());
  writeFileSync(FILE, `${JSON.stringify(next, null, 2)}\n`);
  for (const line of lines) console.log(line);
}

/** Banned words with their places, of a kind or a word where one is named. @param {string} [only] */
function listWords(only) {
  const places = readWords().filter(({ kind, word }) => only === undefined || only === kind || only === word);
  /** @type {Map<string, Map<string, number>>} */
  const counts = new Map();
  for (const { kind, path, line, word, found } of places) {
    console.log(`${path}:${line}: ${found}${found.toLowerCase() === word ? '' : ` (${word})`} in ${kind}`);
    const kinds = counts.get(word) ?? new Map();
    counts.set(word, kinds.set(kind, (kinds.get(kind) ?? 0) + 1));
  }
  for (const { word, means, instead } of BANNED) {
    const kinds = [...(counts.get(word) ?? [])].map(([kind, count]) => `${kind} ${count}`).join(', ');
    if (kinds !== '') console.log(`${word} (${means}): ${kinds}. Write: ${instead}.`);
  }
  console.log(`${places.length} places`);
}

/** @type {{ [topic: string]: (only?: string) => void }} */
const LISTS = {
  words: listWords,
  comments: () => {
    for (const { path, line, word } of readComments().barred) console.log(`${path}:${line}: ${word}`);
  },
  promises: () => {
    const long = readPromises().filter(({ words }) => words > MAX_WORDS);
    for (const { path, line, id, words } of long.sort((a, b) => b.words - a.words)) {
      console.log(`${path}:${line}: ${id} has ${words} words`);
    }
  },
  folders: () => {
    const { source, other } = readFolders();
    for (const { folder, files } of [...source.over, ...other.over]) console.log(`${folder}: ${files} files`);
  },
  records: (only) => {
    const { records, messages } = readRecords();
    for (const { name, cases } of [...records, ...messages].filter(
      (record) => only === undefined || record.name === only,
    )) {
      const { fields, optional, flags } = sizeOf(cases);
      console.log(
        `${name}: ${cases.length > 1 ? `${cases.length} cases, at most ` : ''}${fields} fields, ${optional} optional, ${flags} flags`,
      );
      for (const each of cases) {
        const names = [...each].map(([field, { optional: may, literals }]) => {
          const value = literals.length === 1 && literals[0] !== 'true' ? ` = ${literals[0]}` : '';
          return `${field}${may ? '?' : ''}${value}`;
        });
        console.log(`  ${names.join(', ')}`);
      }
    }
  },
};

/**
 * Runs the command.
 * @param {string[]} args
 * @returns {Promise<number>} its exit code
 */
export async function house(args) {
  const options = args.filter((arg) => arg.startsWith('--'));
  const [topic, only] = args.filter((arg) => !arg.startsWith('--'));
  const unknown = options.find((option) => !['--json', '--write', '--check'].includes(option));
  if (unknown !== undefined) throw new UserError(`npm run house has no option ${unknown}.`);
  if (topic !== undefined) {
    const list = LISTS[topic];
    if (!list) throw new UserError(`npm run house lists ${Object.keys(LISTS).join(', ')}.`);
    list(only);
    return 0;
  }
  if (options.includes('--check')) return check(measure());
  const figures = measure(await bundleKib());
  const best = readBest();
  if (options.includes('--write')) write(figures);
  else if (options.includes('--json')) {
    const rows = figures.map(({ places: _places, ...figure }) => ({ ...figure, best: best[figure.key] }));
    console.log(JSON.stringify(rows, null, 2));
  } else console.log(table(figures, best));
  return 0;
}
