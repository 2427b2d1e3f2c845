import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { appIn } from '../../src/check/app';
import { check, checkVersions, type Started } from '../../src/check/check';
import { type AppFacts, findingsOf, isWithin } from '../../src/check/findings';

const fits: AppFacts = {
  node: '22.13.0',
  packages: [
    { name: 'agents', range: '>=0.32.0 <0.33.0', installed: '0.32.5', optional: false },
    { name: 'zod', range: '^4.0.0', installed: '4.6.7', optional: false },
    { name: '@ai-sdk/openai', range: '^4.0.0', installed: undefined, optional: true },
  ],
  config: { main: 'src/index.ts', compatibility_date: '2026-11-01' },
};
const says = (more: Partial<AppFacts>) => findingsOf({ ...fits, ...more }).map((each) => each.says);
const agents = (installed: string | undefined) => ({
  packages: [{ name: 'agents', range: '>=0.32.0 <0.33.0', installed, optional: false }],
});

describe('an app', () => {
  it.each<[string, Partial<AppFacts>, string[]]>([
    ['that fits', {}, []],
    ['with a wrangler that cannot be asked', { config: 'unread' }, []],
    ['with the date from which nodejs_compat is on', { config: { main: 'a', compatibility_date: '2026-08-04' } }, []],
    ['on an old Node', { node: '22.12.9' }, ['Node 22.12.9 is too old. Install Node 22.13.0 or newer.']],
    ['on Node 20', { node: '20.19.0' }, ['Node 20.19.0 is too old. Install Node 22.13.0 or newer.']],
    ['without a package', agents(undefined), ['The package agents is missing.']],
    ['with an old one', agents('0.31.9'), ['agents 0.31.9 is not supported. Offshoot needs >=0.32.0 <0.33.0.']],
    ['with a new one', agents('0.33.0'), ['agents 0.33.0 is not supported. Offshoot needs >=0.32.0 <0.33.0.']],
    ['in no folder of one', { config: 'missing' }, [expect.stringContaining('There is no wrangler.jsonc')]],
    // https://github.com/wxt-dev/wxt/issues/457, https://github.com/cloudflare/workers-sdk/issues/7129
    [
      'in a monorepo',
      { consoleAt: '../../node_modules/offshoot/dist/console' },
      ['The folder that `assets.directory` names does not exist.'],
    ],
    ['with a configuration that is none', { config: { wrong: 'x' } }, ['The configuration is invalid: x']],
    [
      'with an empty configuration',
      { config: {} },
      [
        'The configuration names no entry file.',
        'The compatibility date is missing. Offshoot needs 2025-11-17 or later.',
        'The flag nodejs_compat is missing. It is on by default for dates from 2026-08-04.',
      ],
    ],
    [
      'a day too early',
      { config: { main: 'a', compatibility_date: '2025-11-16', compatibility_flags: ['nodejs_compat'] } },
      ['The compatibility date is 2025-11-16. Offshoot needs 2025-11-17 or later.'],
    ],
    [
      'a day before nodejs_compat is on',
      { config: { main: 'a', compatibility_date: '2026-08-03' } },
      ['The flag nodejs_compat is missing. It is on by default for dates from 2026-08-04.'],
    ],
  ])('[OC7] %s is told so', (_what, more, expected) => {
    expect(says(more)).toEqual(expected);
  });

  it('[OC7] compares versions by their numbers', () => {
    const within: [string, string][] = [
      ['4.10.0', '^4.9.0'],
      ['4.0.0', '^4.0.0'],
      ['0.32.10', '>=0.32.9'],
      ['1.2.3', '1.2.3'],
    ];
    const without: [string, string][] = [
      ['5.0.0', '^4.0.0'],
      ['4.8.9', '^4.9.0'],
      ['3.9.9', '^4.0.0'],
      ['1.2.4', '1.2.3'],
    ];
    expect(within.filter(([version, range]) => !isWithin(version, range))).toEqual([]);
    expect(without.filter(([version, range]) => isWithin(version, range))).toEqual([]);
    expect(isWithin('4.0.0-beta.1', '^4.0.0')).toBe(true);
  });
});

it('[OC7] finds the console where a monorepo has installed it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'offshoot-monorepo-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const app = join(root, 'apps', 'one');
  const installed = join(root, 'node_modules');
  mkdirSync(app, { recursive: true });
  mkdirSync(join(installed, 'offshoot', 'dist', 'console'), { recursive: true });
  mkdirSync(join(installed, 'wrangler'), { recursive: true });
  const directory = 'node_modules/offshoot/dist/console';
  writeFileSync(join(installed, 'wrangler', 'package.json'), '{"version":"9.0.0","main":"index.js"}');
  const reads = (path: string) => `exports.unstable_readConfig = () => ({ assets: { directory: '${path}' } })`;
  const index = join(installed, 'wrangler', 'index.js');
  writeFileSync(index, reads(directory));
  writeFileSync(join(app, 'wrangler.jsonc'), '{}');
  const own = { peerDependencies: {}, peerDependenciesMeta: {} };
  const facts = () => appIn(app, own, () => undefined).facts();
  expect((await facts()).consoleAt).toBe(`../../${directory}`);
  mkdirSync(join(app, directory), { recursive: true });
  expect((await facts()).consoleAt).toBeUndefined();
});

it('[OC19] knows the packages and the files of an app, from what its folder has now', () => {
  const app = mkdtempSync(join(tmpdir(), 'offshoot-check-'));
  onTestFinished(() => rmSync(app, { recursive: true }));
  const { sourceOf } = appIn(app, { peerDependencies: {}, peerDependenciesMeta: {} }, () => undefined);
  expect(['src', 'zod'].map(sourceOf)).toEqual([undefined, undefined]);
  mkdirSync(join(app, 'src/lib'), { recursive: true });
  writeFileSync(join(app, 'src/prompts.ts'), '');
  const packages = { dependencies: { zod: '^4.0.0' }, devDependencies: { '@acme/src': '1.0.0' } };
  writeFileSync(join(app, 'package.json'), JSON.stringify(packages));
  const names = ['src', 'lib', 'prompts', 'prompt', 'zod', '@acme/src', 'acme'];
  expect(names.map(sourceOf)).toEqual(['file', 'file', 'file', undefined, 'listed', 'listed', undefined]);
  writeFileSync(join(app, 'package.json'), '{');
  expect(sourceOf('zod')).toBeUndefined();
});

describe('the check', () => {
  const ran = async (facts: AppFacts, answer: () => Started, base?: string) => {
    const lines: string[] = [];
    const asked: string[] = [];
    const io = {
      facts: async () => facts,
      versions: () => facts,
      sourceOf: () => undefined,
      ask: async (path: string) => {
        asked.push(path);
        return answer();
      },
      write: (line: string) => lines.push(line),
    };
    return { code: await check(io, base), lines, asked };
  };
  const well = () => ({ status: 200, body: { ok: true, name: 'offshoot' } });

  it('[OC7] starts the Worker only where the folder is right', async () => {
    expect(await ran(fits, well)).toEqual({ code: 0, lines: ['✓ Everything is in place.'], asked: ['/healthz'] });
    expect((await ran(fits, well, '/ai')).asked).toEqual(['/ai/healthz']);
    const wrong = await ran({ ...fits, ...agents(undefined) }, well);
    expect(wrong).toEqual({
      code: 1,
      lines: [
        '✗ The package agents is missing.',
        '    npm install "agents@>=0.32.0 <0.33.0"',
        'Fix this first. The Worker has not been checked yet.',
      ],
      asked: [],
    });
  });

  it('[OC7] lists what the Worker lacks, and what else is wrong with its answer', async () => {
    const lacks = (detail: string) => () => ({ status: 503, body: { code: 'misconfigured', detail } });
    expect((await ran(fits, lacks('The Worker is misconfigured. One.'))).lines).toEqual(['✗ One.']);
    expect((await ran(fits, lacks('The Worker is misconfigured.\n- One.\n- Two.'))).lines).toEqual([
      '✗ One.',
      '✗ Two.',
    ]);
    const other = await ran(fits, () => ({ status: 404, body: 'Not found' }));
    expect([other.code, other.lines[0]]).toEqual([1, expect.stringContaining('answers /healthz with 404')]);
  });

  it('[OC7] says what to install where the bundler misses a package', async () => {
    const failed = 'Build failed with 1 error:\nsrc/model.ts:1:8: ERROR: Could not resolve "@ai-sdk/openai/deep"';
    expect((await ran(fits, () => ({ failed, logs: [] }))).lines).toEqual([
      '✗ The Worker imports @ai-sdk/openai, which is not installed.',
      '    npm install "@ai-sdk/openai@^4.0.0"',
    ]);
  });

  it('[OC18] looks at the versions alone, and says nothing where they fit', () => {
    const lines: string[] = [];
    const code = (node: string) =>
      checkVersions({ versions: () => ({ ...fits, node }), write: (line) => lines.push(line) });
    expect([code('22.13.0'), lines]).toEqual([0, []]);
    expect([code('20.19.0'), lines]).toEqual([1, ['✗ Node 20.19.0 is too old. Install Node 22.13.0 or newer.']]);
  });

  it('[BU14] shows what the Worker warned of as it began, and finds nothing wrong in it', async () => {
    const logs = ['Ready', '\u001b[1moffshoot: Warning: Set `price` there.\u001b[0m', 'offshoot: Another word.'];
    const warned = await ran(fits, () => ({ ...well(), logs }));
    expect([warned.code, warned.lines]).toEqual([0, ['! Set `price` there.', '✓ Everything is in place.']]);
  });

  const uncaught = (what: string) => `service core:user:app: Uncaught ${what}\n  at index.js:1:2\n  at index.js:3:4`;
  const noClass = (name: string) =>
    `A DurableObjectNamespace in the config referenced the class "${name}", but no such Durable Object class is exported from the worker. Please make sure`;
  it.each<[string, string[], string[]]>([
    ['with nothing in the log', [], ['✗ The Worker does not start: No.']],
    [
      'by an error of its own',
      [uncaught('TypeError: x is null')],
      ['✗ The Worker does not start: TypeError: x is null\n  at index.js:1:2\n  at index.js:3:4'],
    ],
    [
      'without a default export',
      [uncaught('TypeError: Cannot initialize N7workerd3api15ExportedHandlerE with required members from undefined')],
      ['✗ The entry has no default export that handles requests.', '    export default serve([planner]);'],
    ],
    [
      'by a wrong list',
      [uncaught('Error: OffshootError: The Worker is misconfigured.\n- One.\n- Two.'), noClass('OffshootAgent')],
      ['✗ One.', '✗ Two.'],
    ],
    [
      'without its classes',
      [
        uncaught('TypeError: Class extends value undefined is not a constructor'),
        noClass('OffshootAgent'),
        noClass('Own'),
      ],
      [
        '✗ The configuration names the class OffshootAgent, but the Worker does not export it.',
        "    export { OffshootAgent } from 'offshoot/worker';",
        '✗ The configuration names the class Own, but the Worker does not export it.',
        '    export class Own extends AgentObject.of(…) {}',
      ],
    ],
  ])('[OC7] says why a Worker does not start: %s', async (_what, logs, lines) => {
    expect(await ran(fits, () => ({ failed: 'No.', logs }))).toMatchObject({ code: 1, lines });
  });
});
