/** `npm create offshoot`: what it asks, refuses and writes. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../../../package.json';
import { create } from '../../../packages/create-offshoot/create.mjs';
import own from '../../../packages/create-offshoot/package.json';
import template from '../../../packages/create-offshoot/template/package.json';
import { MANAGER_NEEDS, MODELS } from '../../../packages/create-offshoot/template.mjs';
import { combinationsOf } from '../../../scripts/lib/apps/combinations.mjs';
import { npmEnv, root } from '../../../scripts/lib/paths.mjs';

const ASKED_ALL = [
  'Folder of the app (my-app): ',
  expect.stringMatching(/^Model for the agents:\n {2}1\. none.*\(1\): $/s),
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offshoot-create-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** One run of the program, with what it did. `answers` are those of a person at a terminal. */
async function created(
  args: string[],
  by: { node?: string; env?: Record<string, string>; answers?: string[]; installs?: number } = {},
) {
  const { node = '24.1.0', env = {}, answers, installs = 0 } = by;
  const out: string[] = [];
  const errors: string[] = [];
  const asked: string[] = [];
  const ran: string[] = [];
  const code = await create(args, {
    ...{ node, env, cwd: folder, terminal: answers !== undefined },
    write: (text) => void out.push(text),
    fail: (text) => void errors.push(text),
    ask: async (question) => {
      asked.push(question);
      return answers?.shift() ?? '';
    },
    run: async (command, words, cwd) => {
      ran.push(`${[command, ...words].join(' ')} in ${cwd.slice(folder.length + 1)}`);
      return installs;
    },
  });
  return { code, out: out.join('\n'), errors, asked, ran };
}

const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');

describe('a new app', () => {
  it('[OC18] looks at the versions before its tests, as the test runner ends with a stack on an old Node', async () => {
    await created(['app']);
    expect(JSON.parse(read('app', 'package.json')).scripts.test).toBe('offshoot check --versions && vitest run');
  });

  it('[NP1, NP4] has the files of the template, with its name', async () => {
    const { code, out, errors, ran } = await created(['tea-time']);
    expect({ code, errors, ran }).toEqual({ code: 0, errors: [], ran: ['npm install in tea-time'] });
    expect(out).toMatch(/^Installing packages with npm…\n/);
    expect(out).toContain('\n  cd tea-time\n  npm run dev\n');
    const files = (at: string) => readdirSync(at, { recursive: true, encoding: 'utf8' }).sort();
    const whole = files(join(root, 'packages/create-offshoot/template')).filter(
      (path) => !/node_modules|\.wrangler/.test(path),
    );
    expect(whole).toEqual(expect.arrayContaining(['.gitignore', 'AGENTS.md', 'test/agents.test.ts', 'wrangler.jsonc']));
    expect(files(join(folder, 'tea-time'))).toEqual(whole);
    for (const path of whole.filter((each) => /\.\w+$/.test(each)))
      expect(read('tea-time', path), path).toBe(
        readFileSync(join(root, 'packages/create-offshoot/template', path), 'utf8').replaceAll('my-app', 'tea-time'),
      );
    expect(JSON.parse(read('tea-time', 'package.json')).name).toBe('tea-time');
    expect(read('tea-time', 'wrangler.jsonc')).toContain('"name": "tea-time"');
    const readme = read('tea-time', 'README.md');
    expect(readme).toMatch(/^# tea-time\n/);
    expect(readme.trim().split('\n').length).toBeLessThanOrEqual(10);
  });

  it.each([
    ['anthropic', '"vars": { "OFFSHOOT_MODEL": "anthropic/', '@ai-sdk/anthropic', 'ANTHROPIC_API_KEY=\n'],
    ['openai', '"vars": { "OFFSHOOT_MODEL": "openai/', '@ai-sdk/openai', 'OPENAI_API_KEY=\n'],
    ['workers-ai', '"ai": { "binding": "AI" }', 'workers-ai-provider', undefined],
  ])('[NP1] has the model %s, its package and its setting', async (model, setting, name, secrets) => {
    const { code, out } = await created(['app', '--model', model]);
    expect(code).toBe(0);
    expect(read('app', 'wrangler.jsonc')).toContain(`"observability": { "enabled": true },\n  ${setting}`);
    expect(read('app', 'src', 'model.ts')).toContain('modelFromEnv([');
    expect(JSON.parse(read('app', 'package.json')).dependencies).toEqual({
      ...template.dependencies,
      [name]: `^${Reflect.get(manifest.devDependencies, name)}`,
    });
    expect(existsSync(join(folder, 'app', '.dev.vars')) ? read('app', '.dev.vars') : undefined).toBe(secrets);
    expect(out).toContain(secrets === undefined ? 'npx wrangler login' : `app/.dev.vars as ${secrets.slice(0, -2)}`);
  });

  it('[NP2] asks at most two questions', async () => {
    expect((await created([], { answers: ['', ''] })).asked).toEqual(ASKED_ALL);
    expect(existsSync(join(folder, 'my-app', 'src', 'index.ts'))).toBe(true);
    expect((await created([], { answers: ['b', '2'] })).asked).toEqual(ASKED_ALL);
    expect(read('b', 'src', 'model.ts')).toContain('anthropic');
    expect((await created(['c'], { answers: ['openai'] })).asked).toEqual(ASKED_ALL.slice(1));
    expect(read('c', 'src', 'model.ts')).toContain('openai');
    expect((await created(['d', '--model', 'none'], { answers: [] })).asked).toEqual([]);
    expect((await created(['e', '--yes'], { answers: [] })).asked).toEqual([]);
    expect((await created(['f'], { answers: [], env: { npm_config_yes: 'true' } })).asked).toEqual([]);
    expect(await created(['g'])).toMatchObject({ code: 0, asked: [] });
  });

  it('[NP3] is refused in one sentence, and nothing is written', async () => {
    mkdirSync(join(folder, 'full'));
    writeFileSync(join(folder, 'full', 'notes.txt'), '');
    writeFileSync(join(folder, 'file'), '');
    const before = readdirSync(folder, { recursive: true });
    const refused: [string[], RegExp, string?][] = [
      [['app'], /^Node 20\.19\.0 is too old: install Node 22\.13 or newer from https:\/\/nodejs\.org/, '20.19.0'],
      [['app'], /^Node 22\.12\.9 is too old/, '22.12.9'],
      [['full'], /full is not empty: choose another folder\.$/],
      [['file'], /file is a file: choose another folder\.$/],
      [['My App'], /^"My App" cannot be the name of an app: use at most 63 lower-case letters, digits and dashes/],
      [['a'.repeat(64)], /cannot be the name/],
      [['-app-'], /^Unknown option '-a'/],
      [['app-'], /cannot be the name/],
      [['wrangler'], /^"wrangler" is a package that the app installs/],
      [['app', '--model', 'gpt'], /^"gpt" is not a known model: choose one of none, anthropic, openai, workers-ai\.$/],
      [['app', '--model'], /^Option '--model <value>' argument missing: see `npm create offshoot -- --help`\.$/],
      [['app', 'other'], /^Name one folder\.$/],
    ];
    for (const [args, sentence, node] of refused) {
      const { code, out, errors, ran } = await created(args, node === undefined ? {} : { node });
      expect({ args, code, out, ran }).toEqual({ args, code: 1, out: '', ran: [] });
      expect(errors).toEqual([expect.stringMatching(sentence)]);
      expect(errors[0]).not.toContain('\n');
    }
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
    expect((await created(['app'], { node: '22.13.0' })).code).toBe(0);
    mkdirSync(join(folder, 'begun', '.git'), { recursive: true });
    expect((await created(['begun'])).code).toBe(0);
  });

  // https://github.com/vitejs/vite/issues/17882: PowerShell takes `--` away.
  it('[NP8] takes options that npm kept, because they are not after `--`', async () => {
    const env = (kept: string, value: string) => ({ env: { [`npm_config_${kept}`]: value } });
    expect(await created(['a'], env('model', 'anthropic'))).toMatchObject({ code: 0 });
    expect(await created(['b', 'anthropic'], env('model', 'true'))).toMatchObject({ code: 0 });
    for (const name of ['a', 'b']) expect(read(name, 'src', 'model.ts')).toContain('anthropic');
    expect(existsSync(join(folder, 'anthropic'))).toBe(false);
    expect((await created(['c'], env('install', ''))).ran).toEqual([]);
    for (const [args, kept] of [
      [['d', 'gpt'], 'model'],
      [['d', 'x.tgz'], 'offshoot'],
    ] as const)
      expect((await created([...args], env(kept, 'true'))).errors).toEqual([
        expect.stringMatching(/^Write `--` before the options: npm create offshoot my-app -- --/),
      ]);
  });

  // https://github.com/cloudflare/workers-sdk/issues/12897, https://github.com/vercel/next.js/issues/75388
  it('[NP9] is made in a new repository, whose files stay, with a name made of its folder', async () => {
    const at = (name: string) => join(folder, '2026_My Agents', name);
    for (const name of ['.git', '.github']) mkdirSync(at(name), { recursive: true });
    const own = { 'README.md': '# my-app of my own', '.gitignore': 'dist/\n.env*', LICENSE: 'MIT' };
    for (const [name, text] of Object.entries(own)) writeFileSync(at(name), text);
    expect(await created(['2026_My Agents', '--no-install'])).toMatchObject({ code: 0, errors: [] });
    expect(JSON.parse(readFileSync(at('package.json'), 'utf8')).name).toBe('app-2026-my-agents');
    expect(readFileSync(at('wrangler.jsonc'), 'utf8')).toContain('"name": "app-2026-my-agents"');
    expect(['README.md', 'LICENSE'].map((name) => readFileSync(at(name), 'utf8'))).toEqual([own['README.md'], 'MIT']);
    // https://github.com/anolilab/lunora/pull/249
    expect(readFileSync(at('.gitignore'), 'utf8')).toBe(
      'dist/\n.env*\nnode_modules/\n.wrangler/\n.dev.vars*\n*.log\n.yarn/install-state.gz\n',
    );
    const template = readFileSync(join(root, 'packages/create-offshoot/template/.gitignore'), 'utf8');
    mkdirSync(join(folder, 'bare'));
    writeFileSync(join(folder, 'bare', '.gitignore'), '');
    await created(['bare', '--no-install']);
    expect(read('bare', '.gitignore')).toBe(template);
  });

  it('[NP3] is refused by the command itself', () => {
    const command = join(root, 'packages/create-offshoot/bin.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, 'Ä'], { cwd: folder, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^"Ä" cannot be the name of an app: .*\n$/);
    expect(spawnSync(process.execPath, [command, '--help'], { encoding: 'utf8' }).stdout).toContain('--no-install');
  });

  it('[NP4] is installed by the package manager that called', async () => {
    for (const [agent, manager] of [
      ['npm/11.19.1 node/v24.21.0 linux x64', 'npm'],
      ['pnpm/12.21.0 npm/? node/v24.21.0 linux x64', 'pnpm'],
      ['yarn/4.9.0 npm/? node/v24.21.0 linux x64', 'yarn'],
      ['bun/1.3.0 npm/? node/v24.21.0 linux x64', 'bun'],
      ['other/1.0.0', 'npm'],
    ] as const) {
      const name = `by-${agent.split('/')[0]}`;
      const { out, ran } = await created([name], { env: { npm_config_user_agent: agent } });
      expect(ran).toEqual([`${manager} install in ${name}`]);
      expect(out).toContain(`\n  ${manager} run dev\n`);
      expect(read(name, 'README.md')).toContain(`\`${manager} run deploy\``);
      expect(existsSync(join(folder, name, 'pnpm-workspace.yaml'))).toBe(manager === 'pnpm');
      expect(existsSync(join(folder, name, '.yarnrc.yml'))).toBe(manager === 'yarn');
      const { dependencies, devDependencies } = JSON.parse(read(name, 'package.json'));
      const needs = MANAGER_NEEDS[manager];
      expect(dependencies).toEqual({ ...template.dependencies, ...needs?.packages });
      expect(devDependencies).toEqual({ ...template.devDependencies, ...needs?.tools });
    }
    const failed = await created(['app'], { installs: 1 });
    expect(failed).toMatchObject({ code: 1, out: 'Installing packages with npm…' });
    expect(failed.errors).toEqual([expect.stringMatching(/`npm install` failed\. Run it again in .*app\.$/)]);
    const { out, ran } = await created(['later', '--no-install']);
    expect(ran).toEqual([]);
    expect(out).not.toContain('Installing');
    expect(out).toContain('\n  npm install\n  npm run dev\n');
  });

  it('[NP4] has every required peer of Offshoot where yarn installs it, which installs no peers', () => {
    const optional: Record<string, unknown> = manifest.peerDependenciesMeta;
    const required = Object.keys(manifest.peerDependencies).filter((name) => !(name in optional));
    expect(required).toContain('@ai-sdk/provider');
    expect(Object.keys({ ...template.dependencies, ...MANAGER_NEEDS.yarn?.packages })).toEqual(
      expect.arrayContaining(required),
    );
  });

  it('[NP5] depends on what Offshoot is tested with', async () => {
    const { agents, ...tools }: Record<string, string> = { ...template.dependencies, ...template.devDependencies };
    const tested = { ...manifest.devDependencies, offshoot: manifest.version };
    expect(own.version).toBe(manifest.version);
    expect(agents).toBe(`~${manifest.devDependencies.agents}`);
    for (const [name, range] of Object.entries(tools))
      expect([name, range]).toEqual([name, `^${Reflect.get(tested, name)}`]);
    const chosen = [...Object.values(MODELS), ...Object.values(MANAGER_NEEDS)].map((one) => ({
      ...one.packages,
      ...('tools' in one ? one.tools : {}),
    }));
    for (const packages of chosen)
      for (const [name, range] of Object.entries(packages)) expect(range).toBe(`^${Reflect.get(tested, name)}`);
    expect(template.engines).toEqual(manifest.engines);
    await created(['app', '--offshoot', './offshoot.tgz']);
    expect(JSON.parse(read('app', 'package.json')).dependencies.offshoot).toBe(`file:${join(folder, 'offshoot.tgz')}`);
    await created(['next', '--offshoot', 'next']);
    expect(JSON.parse(read('next', 'package.json')).dependencies.offshoot).toBe('next');
  });
});

it('[NP7] both packages are ready to publish but for one line', () => {
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  const open = text.replace('  "private": true,\n', '');
  expect({ ...manifest, private: undefined }).toEqual({ ...JSON.parse(open), private: undefined });
  expect(manifest.private).toBe(true);
  expect(JSON.parse(open)).not.toHaveProperty('private');
  expect(own).not.toHaveProperty('private');
  writeFileSync(join(folder, 'package.json'), open);
  // A registry that nobody serves: a rehearsal uploads nothing.
  const args = [
    'publish',
    '--dry-run',
    '--ignore-scripts',
    '--access=public',
    '--registry=http://127.0.0.1:9',
    '--fetch-retries=0',
  ];
  for (const cwd of [folder, join(root, 'packages/create-offshoot')]) {
    const { status, stderr } = spawnSync('npm', args, { cwd, env: npmEnv(), encoding: 'utf8' });
    expect({ cwd, status, stderr }).toMatchObject({ cwd, status: 0 });
  }
});

it('[NP6] the apps of the night are those of both package managers on two Nodes', () => {
  const names = (chosen: string[]) => combinationsOf(chosen).map(({ name }) => name);
  expect(names([])).toEqual(['npm@22', 'pnpm@22', 'npm@24', 'pnpm@24']);
  expect(names(['pnpm@24'])).toEqual(['pnpm@24']);
  for (const wrong of ['--help', 'npm@20', 'yarn@24'])
    expect(() => names(['npm@22', wrong])).toThrow(
      `"${wrong}" is no combination: choose among npm@22, pnpm@22, npm@24, pnpm@24.`,
    );
  expect(readFileSync(join(root, 'scripts/nightly.mjs'), 'utf8')).toContain("'created.mjs'");
});
