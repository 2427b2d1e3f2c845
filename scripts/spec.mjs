// Holds SPEC.md and the tests together. SPEC.md lists promises as `- **A1** text`; the title of every test names the
// promises that it proves in square brackets: `it('[A1, B2] …')`. Fails on promises without a test, on tests that
// name none or unknown ones, and on tests that are skipped without a reason, run alone or repeated until they pass.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './lib/fail.mjs';
import { root } from './lib/paths.mjs';
import { asNode, literalText, readSources } from './lib/source.mjs';
import { testCalls } from './lib/structure.mjs';

const CITATION = /\[([A-Z]+\d+(?:, ?[A-Z]+\d+)*)\]/g;
/** What a test may be marked with. A skip goes through `context.skip(reason)`, which gives its reason. */
const MODIFIERS = new Set(['each', 'for', 'concurrent', 'sequential']);

/** @returns {{ ids: string[], problems: string[] }} */
function readSpec() {
  const file = join(root, 'SPEC.md');
  if (!existsSync(file)) return { ids: [], problems: ['SPEC.md is missing'] };
  const ids = [...readFileSync(file, 'utf8').matchAll(/^- \*\*([^*]+)\*\*/gm)].map(([, id]) => id ?? '');
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
    for (const { kind, modifiers, args, line } of testCalls(source)) {
      const report = (/** @type {string} */ what) => problems.push(`${source.path}:${line}: ${what}`);
      for (const each of modifiers.filter((modifier) => !MODIFIERS.has(modifier))) {
        report(`.${each} is not allowed: skip with context.skip('reason'), and leave no test focused or unwritten`);
      }
      const options = args.find(({ type }) => type === 'ObjectExpression');
      const names = /** @type {{ key?: unknown }[]} */ (options?.properties ?? []).map(({ key }) => asNode(key)?.name);
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

await run(async () => {
  const spec = readSpec();
  const { tests, proven, problems } = readTests(new Set(spec.ids));
  const unproven = spec.ids.filter((id) => !proven.has(id));
  console.log(`${spec.ids.length} promises, ${tests} tests`);
  for (const problem of [...spec.problems, ...problems]) console.log(problem);
  if (unproven.length > 0) console.log(`promises without a test: ${unproven.join(', ')}`);
  return spec.problems.length + problems.length + unproven.length > 0 ? 1 : 0;
});
