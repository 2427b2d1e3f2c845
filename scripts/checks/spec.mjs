// Holds SPEC.md and the tests together. SPEC.md, and RULES.md of each capability, list promises as `- **A1** text`; the title of every test names the
// promises that it proves in square brackets: `it('[A1, B2] …')`. Fails on promises without a test, on tests that
// name none or unknown ones, and on tests that are skipped without a reason, run alone or repeated until they pass.
// Comments in src/ and the docs may cite promises, too, and the numbers of design/decisions.md (`decision 3`): what looks
// like either has to be there, and so do files of src that the docs point to.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../lib/fail.mjs';
import { filesBelow, promisePages } from '../lib/house/folders.mjs';
import { root } from '../lib/paths.mjs';
import { asNode, literalText, readSources } from '../lib/source.mjs';
import { hooksOfModule, testCalls } from '../lib/structure.mjs';

const CITATION = /\[([A-Z]+\d+(?:, ?[A-Z]+\d+)*)\]/g;
/** What a test may be marked with. A skip goes through `context.skip(reason)`, which gives its reason. */
const MODIFIERS = new Set(['each', 'for', 'concurrent', 'sequential']);

/** Modules that vitest evaluates for each test file: `setupFiles` of vitest.config.ts. */
const SETUP = new Set([
  ...['test/support/patience.ts', 'test/support/one-scope.ts'],
  ...['test/support/fresh-storage.ts', 'test/browser/after-each.ts'],
]);
/** Tests whose files each have a process to themselves. */
const ISOLATED = /^test\/fault\//;

/** @returns {{ ids: string[], problems: string[] }} */
function readSpec() {
  const text = promisePages()
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  const ids = [...text.matchAll(/^- \*\*([^*]+)\*\*/gm)].map(([, id]) => id ?? '');
  const malformed = ids.filter((id) => !/^[A-Z]+\d+$/.test(id)).map((id) => `SPEC.md: "${id}" is no id like A1`);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `SPEC.md: ${id} is promised twice`);
  return { ids, problems: [...malformed, ...twice] };
}

/** @param {string} title @returns {string[]} the ids that a title names */
function citedIds(title) {
  return [...title.matchAll(CITATION)].flatMap(([, ids]) => (ids ?? '').split(/, ?/));
}

/**
 * The tests of all files with their ids, and what is wrong with how they are declared.
 * @param {Set<string>} known
 */
function readTests(known) {
  /** @type {string[]} */
  const problems = [];
  /** @type {Map<string, string>} each cited id with the first place that cites it */
  const cited = new Map();
  let tests = 0;
  for (const source of readSources(['test'])) {
    if (!source.path.endsWith('.test.ts') && !SETUP.has(source.path) && !ISOLATED.test(source.path))
      for (const line of hooksOfModule(source))
        problems.push(
          `${source.path}:${line}: a hook of a shared module runs for its first file alone: use onTestFinished`,
        );
    for (const { kind, modifiers, args, line } of testCalls(source)) {
      const report = (/** @type {string} */ what) => problems.push(`${source.path}:${line}: ${what}`);
      for (const each of modifiers.filter((modifier) => !MODIFIERS.has(modifier))) {
        report(`.${each} is not allowed: skip with context.skip('reason'), and leave no test focused or unwritten`);
      }
      const options = args.find(({ type }) => type === 'ObjectExpression');
      const names = /** @type {{ key?: unknown }[]} */ (options?.properties ?? []).map(({ key }) => asNode(key)?.name);
      if (names.includes('timeout') || args.at(-1)?.type === 'Literal') {
        report(
          'no test is right or wrong by the time that it takes: remove its limit, vitest.config.ts has one for all',
        );
      }
      if (names.includes('retry')) report('a test that passes at the second try hides a race: remove `retry`');
      if (kind === 'group') continue;
      tests += 1;
      const title = literalText(args[0]);
      const ids = citedIds(title ?? '');
      if (title === undefined) report('the title of a test is a literal that names its promises');
      else if (ids.length === 0) report(`"${title}" names no promise of SPEC.md, like [A1]`);
      for (const id of ids) if (!cited.has(id)) cited.set(id, `${source.path}:${line}`);
    }
  }
  const unknown = [...cited].filter(([id]) => !known.has(id)).map(([id, place]) => `${place}: ${id} is not in SPEC.md`);
  return { tests, proven: new Set(cited.keys()), problems: [...problems, ...unknown] };
}

/** What looks like a promise in a text, and the names that only look so. */
const LOOKS_CITED = /(?<![\w-])[A-Z]{1,3}\d{1,3}(?![\w-])/g;
const NAMES = new Set(['R2', 'FTS5']);

/** Files of src that a page of the docs points to. */
const CITED_FILES = /`((?:api|cli|core|desk|engine|host|model|store|testing)\/[\w./-]+\.ts)`/g;

/** Records that a text cites; in a comment the number may stand on its next line. */
const CITED_DECISIONS = /\bdecisions?[\s*]+(\d+(?:(?:,| and| to)[\s*]+\d+)*)/gi;

/** @returns {{ numbers: Set<string>, problems: string[] }} the numbers of design/decisions.md */
function readDecisions() {
  const text = readFileSync(join(root, 'design/decisions.md'), 'utf8');
  const numbers = [...text.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number ?? '');
  const wrong = numbers.filter((number, at) => Number(number) !== at + 1);
  const problems = wrong.map((number) => `design/decisions.md: ${number} stands where another number comes next`);
  return { numbers: new Set(numbers), problems };
}

/**
 * What texts cite although SPEC.md does not promise it, design/decisions.md does not record it, or src does not hold it.
 * @param {Set<string>} known
 * @param {Set<string>} decisions
 * @returns {string[]}
 */
function readCitations(known, decisions) {
  const comments = readSources(['src']).flatMap(({ path, comments, lineOf }) =>
    comments.map(({ value, start }) => ({ path, text: value, line: lineOf(start) })),
  );
  const docs = ['docs', 'design'].flatMap((folder) =>
    filesBelow([folder])
      .filter((path) => path.endsWith('.md'))
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8'), line: 1 })),
  );
  return [...comments, ...docs].flatMap(({ path, text, line }) => {
    const at = (/** @type {number} */ index) => `${path}:${line + text.slice(0, index).split('\n').length - 1}`;
    const ids = [...text.matchAll(LOOKS_CITED)]
      .filter(([id]) => !known.has(id) && !NAMES.has(id))
      .map(({ 0: id, index }) => `${at(index)}: ${id} is not in SPEC.md`);
    const records = [...text.matchAll(CITED_DECISIONS)].flatMap(({ 1: cited = '', index }) =>
      (cited.match(/\d+/g) ?? [])
        .filter((number) => !decisions.has(number))
        .map((number) => `${at(index)}: decision ${number} is not in design/decisions.md`),
    );
    const files = [...text.matchAll(CITED_FILES)]
      .filter(([, file = '']) => !existsSync(join(root, 'src', file)))
      .map(({ 1: file, index }) => `${at(index)}: src/${file} is not there`);
    return [...ids, ...records, ...files];
  });
}

await run(async () => {
  const spec = readSpec();
  const known = new Set(spec.ids);
  const { tests, proven, problems } = readTests(known);
  const decisions = readDecisions();
  problems.push(...decisions.problems, ...readCitations(known, decisions.numbers));
  const unproven = spec.ids.filter((id) => !proven.has(id));
  console.log(`${spec.ids.length} promises, ${tests} tests`);
  for (const problem of [...spec.problems, ...problems]) console.log(problem);
  if (unproven.length > 0) console.log(`promises without a test: ${unproven.join(', ')}`);
  return spec.problems.length + problems.length + unproven.length > 0 ? 1 : 0;
});
