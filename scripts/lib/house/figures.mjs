// The figures of the house: which there are, how each is measured, and which of them may not get worse.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { readSources } from '../source.mjs';
import { docComments } from './comments.mjs';
import { crowdedFolders, filesBelow, MAX_FILES, promisePages } from './folders.mjs';
import { readHistory } from './history.mjs';
import { MAX_WORDS, median, promisesOf } from './promises.mjs';
import { readTypes, sizeOf } from './records.mjs';
import { placesOfPage, placesOfSource } from './words.mjs';

/**
 * @typedef {import('../source.mjs').Source} Source
 * @typedef {object} Figure
 * @property {string} key its name in scripts/house.json
 * @property {string} label
 * @property {number} [now] missing where it was not measured
 * @property {string} [unit]
 * @property {number} [aim]
 * @property {boolean} held whether the ratchet holds it
 * @property {string} [places] arguments of `npm run house --` that list what is counted
 * @property {string} [note]
 */

/** Committed records, and the most fields, optional ones and flags that each is to have in the end. */
const RECORDS = [
  { name: 'Child', fields: 15, optional: 4 },
  { name: 'ChildNode', fields: 22, optional: 4 },
  { name: 'Session', fields: 12, optional: 4 },
  { name: 'RunBase', fields: 14, optional: 4 },
  { name: 'RemoteRun', optional: 4, flags: 0 },
];

/** Messages between the objects of a tree, and their answers. Of a union the largest case counts. */
const MESSAGES = ['AgentMessage', 'AgentAnswer', 'RootRequest', 'RootAnswer'];

const KINDS = /** @type {const} */ (['docs', 'SPEC', 'comments', 'texts', 'identifiers']);

const SOURCE_FOLDERS = ['src', 'apps'];
const APPS = /^(?:apps|src\/(?:console|cli|desk))\//;

/** @param {string} path */
const textOf = (path) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');

/** @param {string[]} paths */
const linesOf = (paths) => paths.reduce((sum, path) => sum + textOf(path).split('\n').length - 1, 0);

/** The source of the library and the apps, without generated files. */
function sources() {
  return readSources(SOURCE_FOLDERS.filter((folder) => existsSync(join(root, folder))));
}

/** The promises of SPEC.md, and of the RULES.md of each folder. */
export function readPromises() {
  return promisePages().flatMap((path) => promisesOf(textOf(path)).map((promise) => ({ path, ...promise })));
}

/** The folders with too many files. */
export function readFolders() {
  return {
    source: crowdedFolders(filesBelow(SOURCE_FOLDERS)),
    other: crowdedFolders(filesBelow(['test', 'bench', 'scripts'])),
  };
}

/** Places of banned words. @param {Source[]} [from] the source, where it was read already */
export function readWords(from = sources()) {
  const pages = ['README.md', ...filesBelow(['docs']).filter((path) => path.endsWith('.md'))];
  return [
    ...pages.flatMap((path) => placesOfPage('docs', path, textOf(path))),
    ...promisePages().flatMap((path) => placesOfPage('SPEC', path, textOf(path))),
    ...from.flatMap(placesOfSource),
  ];
}

/** Doc comments of the source. @param {Source[]} [from] */
export function readComments(from = sources()) {
  const all = from.map((source) => ({ path: source.path, ...docComments(source) }));
  return {
    all: all.reduce((sum, file) => sum + file.all, 0),
    barred: all.flatMap(({ path, barred }) => barred.map((place) => ({ path, ...place }))),
  };
}

/** Records and messages with their cases. @param {Source[]} [from] */
export function readRecords(from = sources()) {
  const types = readTypes(from);
  const named = (/** @type {string} */ name) => ({ name, cases: types.cases(name) });
  return { records: RECORDS.map(({ name }) => named(name)), messages: MESSAGES.map(named) };
}

/** @returns {Figure[]} */
function historyFigures() {
  const history = readHistory();
  const label = (/** @type {string} */ what) =>
    typeof history === 'string' ? what : `${what} (last ${history.commits} commits to source)`;
  const measured = typeof history === 'string' ? undefined : history;
  const note = typeof history === 'string' ? { note: history } : {};
  const share = label('commits of 4 or more source files that touch 4 or more rooms');
  return [
    { key: 'commits.wide', label: share, ...percent(measured?.wideShare), held: false, ...note },
    {
      key: 'commits.files',
      label: label('source files that a commit touches'),
      ...(measured ? { now: rounded(measured.filesEach) } : {}),
      held: false,
      ...note,
    },
  ];
}

/** @param {number} value */
const rounded = (value) => Math.round(value * 10) / 10;

/** @param {number | undefined} share */
const percent = (share) => (share === undefined ? {} : { now: rounded(share * 100), unit: '%' });

/** @returns {Figure[]} */
function folderFigures() {
  const { source, other } = readFolders();
  const held = { held: true, places: 'folders' };
  return [
    {
      key: 'folders.largest',
      label: 'files in the largest folder of source',
      now: source.largest,
      aim: MAX_FILES,
      ...held,
    },
    {
      key: 'folders.over',
      label: `folders of source with more than ${MAX_FILES} files`,
      now: source.over.length,
      aim: 0,
      ...held,
    },
    { key: 'folders.beyond', label: `files beyond ${MAX_FILES} in such folders`, now: source.beyond, aim: 0, ...held },
    {
      key: 'folders.other',
      label: 'such folders of tests, bench and scripts',
      now: other.over.length,
      aim: 0,
      ...held,
    },
  ];
}

/** @param {Source[]} from @returns {Figure[]} */
function recordFigures(from) {
  const { records, messages } = readRecords(from);
  const ofRecords = records.flatMap(({ name, cases }, at) => {
    const size = sizeOf(cases);
    const aims = RECORDS[at];
    const figures = [
      { key: `${name}.fields`, label: `${name}: fields`, now: size.fields, aim: aims?.fields },
      { key: `${name}.optional`, label: `${name}: optional fields`, now: size.optional, aim: aims?.optional },
      ...(aims?.flags === undefined
        ? []
        : [{ key: `${name}.flags`, label: `${name}: flags`, now: size.flags, aim: aims.flags }]),
    ];
    return figures.map(({ aim, ...figure }) => ({
      ...figure,
      ...(aim === undefined ? {} : { aim }),
      held: true,
      places: `records ${name}`,
    }));
  });
  const over = ofRecords.filter(({ now, aim }) => aim !== undefined && now > aim).length;
  return [
    ...ofRecords,
    { key: 'records.over', label: 'figures of records that are over their aim', now: over, aim: 0, held: false },
    ...messages.flatMap(({ name, cases }) => {
      const size = sizeOf(cases);
      const optional = { key: `${name}.optional`, label: `${name}: optional fields`, now: size.optional, held: true };
      return [
        ...(cases.length > 1
          ? [{ key: `${name}.cases`, label: `${name}: cases`, now: cases.length, held: false }]
          : []),
        {
          ...optional,
          label: cases.length > 1 ? `${name}: optional fields of one case` : optional.label,
          places: `records ${name}`,
        },
      ];
    }),
  ];
}

/** @returns {Figure[]} */
function lineFigures() {
  const paths = filesBelow(SOURCE_FOLDERS).filter((path) => /\.(?:tsx?|css)$/.test(path));
  const tests = filesBelow(['test']).filter((path) => /\.tsx?$/.test(path));
  const files = tests.filter((path) => path.endsWith('.test.ts')).length;
  return [
    {
      key: 'lines.library',
      label: 'lines of the library',
      now: linesOf(paths.filter((path) => !APPS.test(path))),
      held: false,
    },
    { key: 'lines.apps', label: 'lines of apps', now: linesOf(paths.filter((path) => APPS.test(path))), held: false },
    { key: 'tests.files', label: 'files of tests', now: files, held: false },
    { key: 'tests.lines', label: 'lines in test', now: linesOf(tests), held: false },
  ];
}

/** @returns {Figure[]} */
function promiseFigures() {
  const words = readPromises().map((promise) => promise.words);
  const held = { held: true, places: 'promises' };
  const over = words.filter((each) => each > MAX_WORDS).length;
  return [
    { key: 'promises.count', label: 'promises', now: words.length, held: false },
    { key: 'promises.median', label: 'words of a promise, median', now: median(words), held: false },
    {
      key: 'promises.longest',
      label: 'words of the longest promise',
      now: Math.max(0, ...words),
      aim: MAX_WORDS,
      ...held,
    },
    { key: 'promises.over', label: `promises of more than ${MAX_WORDS} words`, now: over, aim: 0, ...held },
  ];
}

/** @param {Source[]} from @returns {Figure[]} */
function wordFigures(from) {
  const places = readWords(from);
  const { all, barred } = readComments(from);
  const begin = 'doc comments that begin with What, Who, Whether or How';
  return [
    ...KINDS.map((kind) => ({
      key: `words.${kind}`,
      label: `banned words: ${kind}`,
      now: places.filter((place) => place.kind === kind).length,
      aim: 0,
      held: true,
      places: `words ${kind}`,
    })),
    { key: 'comments.barred', label: begin, now: barred.length, held: true, places: 'comments' },
    { key: 'comments.share', label: 'their share', ...percent(barred.length / Math.max(1, all)), aim: 5, held: false },
  ];
}

/** The key of the figure that takes a build: PK1 holds it in the tests. */
export const BUNDLE = 'bundle.kib';

/**
 * The compressed size of the smallest app.
 * @param {number} [kib] missing where it was not measured
 * @returns {Figure}
 */
export function bundleFigure(kib) {
  const value = kib === undefined ? { note: 'not measured here' } : { now: Math.ceil(kib) };
  return { key: BUNDLE, label: 'smallest app, compressed', ...value, unit: ' KiB', aim: 450, held: true };
}

/**
 * All figures of the working tree.
 * @param {number} [bundleKib] where it was measured
 * @returns {Figure[]}
 */
export function measure(bundleKib) {
  const from = sources();
  return [
    ...historyFigures(),
    ...folderFigures(),
    ...recordFigures(from),
    ...lineFigures(),
    ...promiseFigures(),
    ...wordFigures(from),
    bundleFigure(bundleKib),
  ];
}
