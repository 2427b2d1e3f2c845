/** What people copy from the pages: it compiles against the package, and it runs. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appFiles } from '../../scripts/lib/app.mjs';
import { nodePath, root, toolPath } from '../../scripts/lib/paths.mjs';
import { exampleOf, examples, exportsOf } from '../support/examples';
import { type Program, placeOf, programs, programsOf, runnable, written } from '../support/pages';

/** What a tool prints, run in a folder. */
function printed(folder: string, tool: string, command: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const all = [toolPath(tool, command), ...args];
  const { status, stdout, stderr } = spawnSync(nodePath(), all, { cwd: folder, encoding: 'utf8', env });
  return { status, output: `${stdout}${stderr}` };
}

/** What the compiler says of programs. */
function compiled(all: readonly Program[]) {
  const folder = written(all);
  try {
    return printed(folder, 'typescript', 'tsc', '-p', '.', '--pretty', 'false').output;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs programs in Node: tests as tests, the others by importing them. Gives which tests passed. */
function ran(all: readonly Program[]) {
  const folder = written(all);
  try {
    const others = all.filter(({ file }) => !file.endsWith('.test.ts')).map(placeOf);
    const loads = others.map((place) => `it(${JSON.stringify(place)}, () => import(${JSON.stringify(`./${place}`)}));`);
    writeFileSync(join(folder, 'loads.test.ts'), ["import { it } from 'vitest';", ...loads].join('\n'));
    const config = `const at = ${JSON.stringify(`${root}/src/`)};
export default {
  resolve: {
    alias: [
      { find: /^offshoot$/, replacement: at + 'index.ts' },
      { find: /^offshoot\\/models\\//, replacement: at + 'model/providers/' },
      { find: /^offshoot\\//, replacement: at },
    ],
  },
  test: { testTimeout: 900_000 },
};`;
    writeFileSync(join(folder, 'vitest.config.mjs'), config);
    return printed(folder, 'vitest', 'vitest', 'run', '--root', folder, '--reporter', 'verbose', '--no-color');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the programs of the README and of docs/', () => {
  const all = programs();

  it('[DF11] all compile against the package, and one that does not fit is told with its page', () => {
    expect(all.map(placeOf)).toEqual(expect.arrayContaining(['README/1.ts', 'testing/timekeeper.test.ts']));
    const wrong = programsOf('docs/wrong.md', "```ts\nimport { defineAgents } from 'offshoot';\n```\n");
    const complaints = compiled([...all, ...wrong])
      .split('\n')
      .filter(Boolean);
    expect(complaints).toEqual([expect.stringMatching(/^wrong\/1\.ts\(1,10\): error TS\d+: .*'defineAgents'/)]);
  });

  it('[DF11] all run in Node that need neither the platform nor a server', () => {
    const some = runnable(all);
    const { status, output } = ran(some);
    expect({ status, output }).toMatchObject({ status: 0, output: expect.not.stringMatching(/skipped|no tests/i) });
    for (const place of some.map(placeOf)) expect(output).toContain(place);
    const pages = [...new Set(some.map(({ page }) => page))];
    expect(pages).toEqual(expect.arrayContaining(['docs/api.md', 'docs/hooks.md', 'docs/testing.md']));
  });

  it('[DF11] one that fails when it runs is told', () => {
    const wrong = programsOf(
      'docs/x.md',
      "```ts\nimport { defineTool } from 'offshoot';\nthrow new Error('no');\n```\n",
    );
    expect(ran(runnable(wrong))).toMatchObject({ status: 1, output: expect.stringContaining('x/1.ts') });
  });

  it('[DF16] every function and class that an app uses has an example, and all examples compile', () => {
    const entries = ['', '/worker', '/testing', '/client', '/remote', '/models'];
    const used = exportsOf(entries.map((entry) => `offshoot${entry}`));
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
    expect(compiled(examples(used))).toBe('');
    const wrong = { page: 'examples', file: 'wrong.ts', text: "import { nothing } from 'offshoot';\n" };
    expect(compiled([wrong])).toContain("'nothing'");
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
    expect(app.get('wrangler.jsonc')).toContain('new_sqlite_classes');
    for (const { page, text, file } of all.filter(({ page }) => page === 'docs/testing.md')) {
      expect([...app.values()], `${page} ${file}`).toContain(text);
    }
  });
});
