/** Programs that people copy from the pages, and mistakes in definitions: one compile and one run for all of them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { appFiles } from '../../scripts/lib/app.mjs';
import { builtPackage } from '../../scripts/lib/package-build.mjs';
import { nodePath, toolPath } from '../../scripts/lib/paths.mjs';
import { ONE_CHECKER } from '../support/compiler';
import { exampleOf, examples, exportsOf } from '../support/examples';
import { type Program, placeOf, programs, programsOf, runnable, written } from '../support/pages';
import { present } from '../support/present';

/** Does something with programs in a folder of their own beside the built package; the folder is removed after it. */
function inFolder<T>(all: readonly Program[], built: string, body: (folder: string) => T): T {
  const folder = written(all, built);
  try {
    return body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a tool in a folder; gives its output. */
function outputOf(folder: string, script: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  return spawnSync(nodePath(), [script, ...args], { cwd: folder, encoding: 'utf8', env, maxBuffer: 100_000_000 })
    .stdout;
}

/** Complaints of the compiler by the place of the program: each with its line. */
function compiled(all: readonly Program[], built: string): Map<string, { line: number; text: string }[]> {
  const args = ['-p', '.', '--pretty', 'false', '--noErrorTruncation', ...ONE_CHECKER];
  const output = inFolder(all, built, (folder) => outputOf(folder, toolPath('typescript', 'tsc'), ...args));
  const found = new Map<string, { line: number; text: string }[]>();
  for (const text of output.split(/^(?=\S)/m).filter(Boolean)) {
    const [, place = text, line] = /^([^(]+)\((\d+),/.exec(text) ?? [];
    found.set(place, [...(found.get(place) ?? []), { line: Number(line), text }]);
  }
  return found;
}

/** The built package at its name, as an app has it: Node reads it as it is. */
const configOf = (built: string) => `const at = ${JSON.stringify(`${built}/`)};
const find = /^offshoot(?:\\/(.+))?$/;
const resolveId = (id) => {
  const [whole, entry = 'index'] = find.exec(id) ?? [];
  return whole && { id: at + entry + '.js', external: true };
};
export default {
  plugins: [{ name: 'offshoot', enforce: 'pre', resolveId }],
  test: { testTimeout: 900_000, isolate: false, maxWorkers: 1 },
};`;

interface Ran {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/** Runs programs in Node: tests as tests, the others by importing them. Gives tests and places by how they ended. */
function ran(all: readonly Program[], built: string): Map<string, string[]> {
  const others = all.filter(({ file }) => !file.endsWith('.test.ts')).map(placeOf);
  const loads = others.map((place) => `it(${JSON.stringify(place)}, () => import(${JSON.stringify(`./${place}`)}));`);
  const { testResults } = inFolder(all, built, (folder): Ran => {
    writeFileSync(join(folder, 'loads.test.ts'), ["import { it } from 'vitest';", ...loads].join('\n'));
    writeFileSync(join(folder, 'vitest.config.mjs'), configOf(built));
    const output = outputOf(
      folder,
      toolPath('vitest'),
      'run',
      '--root',
      '.',
      '--reporter=json',
      '--outputFile=ran.json',
    );
    expect(existsSync(join(folder, 'ran.json')), output).toBe(true);
    return JSON.parse(readFileSync(join(folder, 'ran.json'), 'utf8'));
  });
  const ended = new Map<string, string[]>();
  for (const { name, assertionResults } of testResults)
    for (const { title, status } of assertionResults) {
      const place = all.map(placeOf).find((one) => name.endsWith(`/${one}`)) ?? name;
      const what = name.endsWith('/loads.test.ts') ? title : place;
      ended.set(status, [...(ended.get(status) ?? []), what]);
    }
  return ended;
}

/** The mistakes of `definitions.ts` without their marks, as a program, and what is said behind each mark. */
function mistakes(): { program: Program; marks: (readonly [line: number, says: string])[] } {
  const text = readFileSync(join(import.meta.dirname, 'definitions.ts'), 'utf8');
  const marks = text.split('\n').flatMap((line, index) => {
    const says = /^\s*\/\/ @ts-expect-error (.+)$/.exec(line)?.[1];
    return says === undefined ? [] : [[index + 2, says] as const];
  });
  return {
    program: { page: 'definitions', file: 'mistakes.ts', text: text.replaceAll('@ts-expect-error', '') },
    marks,
  };
}

const ENTRIES = ['', '/worker', '/testing', '/client', '/remote', '/models'];
const all = programs();
const used = exportsOf(ENTRIES.map((entry) => `offshoot${entry}`));
const refused = programsOf('docs/wrong.md', "```ts\nimport { defineAgents } from 'offshoot';\n```\n");
const throwing = programsOf(
  'docs/x.md',
  "```ts\nimport { defineTool } from 'offshoot';\nthrow new Error('no');\n```\n",
);
const { program: mistaken, marks } = mistakes();

describe('the compiler', () => {
  let complaints: ReturnType<typeof compiled>;
  beforeAll(async () => {
    complaints = compiled([...all, ...examples(used), ...refused, mistaken], await builtPackage());
  });

  it('[DF11, DF16] takes every program of the README and of docs/, and every example', () => {
    expect(all.map(placeOf)).toEqual(expect.arrayContaining(['README/1.ts', 'guides-test/timekeeper.test.ts']));
    const places = [...all, ...examples(used)].map(placeOf);
    expect(places.length).toBeGreaterThan(100);
    expect([...complaints].filter(([place]) => !['wrong/1.ts', 'definitions/mistakes.ts'].includes(place))).toEqual([]);
  });

  it('[DF11] refuses a program that does not fit the package, with its page', () => {
    expect(complaints.get('wrong/1.ts')).toEqual([
      { line: 1, text: expect.stringMatching(/^wrong\/1\.ts\(1,10\): error TS\d+: .*'defineAgents'/) },
    ]);
  });

  it('[DF10, DF34] says of each mistake in a definition what is wrong, once, at its own line', () => {
    const said = present(complaints.get('definitions/mistakes.ts'));
    expect(said.map(({ line }) => line)).toEqual(marks.map(([line]) => line));
    for (const [index, [, says]] of marks.entries()) expect(said[index]?.text).toContain(says);
  });
});

describe('the programs of the README and of docs/', () => {
  it('[DF11] run in Node where they need neither the platform nor a server; one that throws fails', async () => {
    const some = runnable(all);
    const ended = ran([...some, ...runnable(throwing)], await builtPackage());
    expect([...ended.keys()].sort()).toEqual(['failed', 'passed']);
    expect(ended.get('failed')).toEqual(['x/1.ts']);
    expect([...new Set(ended.get('passed'))].sort()).toEqual(some.map(placeOf).sort());
    expect(some.map(placeOf)).toContain('start-first-app/test/agents.test.ts');
    const pages = [...new Set(some.map(({ page }) => page))];
    expect(pages).toEqual(
      expect.arrayContaining(['docs/start/first-app.md', 'docs/guides/hooks.md', 'docs/guides/test.md']),
    );
  });

  it('[DF16] every function and class that an app uses has an example', () => {
    const callable = (name: string) =>
      /^[a-z]|^(?:AgentObject|Offshoot|Client|Refused|Unreachable|HttpRemote|ServiceBinding|ObjectTransport|ProtocolError)/.test(
        name,
      );
    const needed = used.filter(
      ({ name, value }) => value && callable(name) && !/^(?:chunkSchema|emptyView)$/.test(name),
    );
    expect(needed.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'defineAgent',
        'createWorker',
        'AgentObject',
        'createTestRuntime',
        'createClient',
        'openai',
      ]),
    );
    expect(needed.map(({ name }) => name).filter((name) => exampleOf(name) === undefined)).toEqual([]);
  });

  it('[DF12] the first app, its configurations and its tests are those that are installed and served', () => {
    const app = appFiles();
    const [first] = all;
    expect(first).toMatchObject({ page: 'README.md', text: app.get('src/index.ts') });
    expect([...app.keys()].sort()).toEqual([
      'src/index.ts',
      'src/timekeeper.test.ts',
      'src/timekeeper.ts',
      'src/worker.test.ts',
      'tsconfig.json',
      'vitest.config.mts',
      'wrangler.jsonc',
    ]);
    expect(app.get('wrangler.jsonc')).toContain('"OffshootAgent"');
    for (const { page, text, file } of all.filter(({ page }) => page === 'docs/guides/test.md')) {
      expect([...app.values()], `${page} ${file}`).toContain(text);
    }
  });
});
