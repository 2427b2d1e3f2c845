/** The table of docs/reference/standard-agents.md: every row is there, its promises are promised, and tests that it names cite it. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { promisePages } from '../../scripts/lib/house/folders.mjs';
import { root } from '../../scripts/lib/paths.mjs';

const PAGE = 'docs/reference/standard-agents.md';
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** How many rows there are of each kind. */
const KINDS = { SA: 78, SAW: 43, SAQ: 13 } as const;
const ALL = Object.entries(KINDS).flatMap(([kind, count]) =>
  Array.from({ length: count }, (_, at) => `${kind}${at + 1}`),
);

interface Row {
  readonly id: string;
  readonly promises: readonly string[];
  readonly tests: readonly string[];
}

/** The rows of a page, in order. */
function rowsOf(markdown: string): Row[] {
  return [...markdown.matchAll(/^\| (SA[WQ]?\d+) \| ([^|]+) \| ([^|]*) \| ([^|]*) \|$/gm)].map(
    ([, id = '', , promises = '', tests = '']) => ({
      id,
      promises: promises.match(/[A-Z]+\d+/g) ?? [],
      tests: [...tests.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)/g)].map(([, path = '']) => path),
    }),
  );
}

/** The promises that the titles of a test file cite. */
function citedIn(path: string): ReadonlySet<string> {
  const titles = read(path).match(/['"`](?:\[[A-Z0-9, ]+\] ?)+/g) ?? [];
  return new Set(titles.flatMap((title) => title.match(/[A-Z]+\d+/g) ?? []));
}

/** What is wrong with rows. */
function problemsOf(rows: readonly Row[], promised: ReadonlySet<string>): string[] {
  const ids = rows.map(({ id }) => id);
  const problems = ALL.filter((id) => !ids.includes(id)).map((id) => `${id} is missing`);
  problems.push(...ids.filter((id, at) => ids.indexOf(id) !== at || !ALL.includes(id)).map((id) => `${id} is no row`));
  for (const { id, promises, tests } of rows) {
    const unknown = promises.filter((promise) => !promised.has(promise));
    problems.push(...unknown.map((promise) => `${id}: SPEC.md does not promise ${promise}`));
    if (!promises.includes(id)) problems.push(`${id}: its own promise is not named`);
    if (tests.length === 0) problems.push(`${id}: no test is named`);
    for (const path of tests) {
      if (!existsSync(join(root, path))) problems.push(`${id}: there is no ${path}`);
      else if (!citedIn(path).has(id)) problems.push(`${id}: no title of ${path} cites it`);
    }
  }
  return problems;
}

describe('the table of Standard Agents', () => {
  const rows = rowsOf(read(PAGE));
  const promised = new Set(
    promisePages().flatMap((page) => [...read(page).matchAll(/^- \*\*([A-Z]+\d+)\*\*/gm)].map(([, id = '']) => id)),
  );

  it('[DF17] has every row once and in order, with promises that there are and tests whose titles cite it', () => {
    expect(problemsOf(rows, promised)).toEqual([]);
    expect(rows.map(({ id }) => id)).toEqual(ALL);
  });

  it('[DF17] is told where a row is missing, names what is not promised, or has no test', () => {
    const [first, second, ...others] = rows;
    if (first === undefined || second === undefined) throw new Error('There are no rows.');
    const wrong = [
      { ...second, promises: ['SA9999', second.id], tests: ['test/nowhere.test.ts', 'test/core/json.test.ts'] },
      { ...second, id: 'SA3', tests: [] },
      ...others,
    ];
    expect(problemsOf(wrong, promised)).toEqual([
      'SA1 is missing',
      'SA3 is no row',
      'SA2: SPEC.md does not promise SA9999',
      'SA2: there is no test/nowhere.test.ts',
      'SA2: no title of test/core/json.test.ts cites it',
      'SA3: its own promise is not named',
      'SA3: no test is named',
    ]);
  });

  it('[DF17] names no promise of Standard Agents in SPEC.md that is no row, but handoffs and threads', () => {
    const own = [...promised].filter((id) => /^SA[A-Z]?\d/.test(id));
    expect(own.filter((id) => !/^SA[HT]\d/.test(id) && !ALL.includes(id))).toEqual([]);
  });

  it('[DF17] is on a page whose links lead somewhere', () => {
    const links = [...read(PAGE).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, path = '']) => join(dirname(PAGE), path));
    expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
