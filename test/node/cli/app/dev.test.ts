/** `offshoot dev`, with a stand-in of wrangler whose Worker does not load at first. */
import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, type watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished, vi } from 'vitest';
import { reasonIn } from '../../../../src/check/check';
import { dev, type EndedServer } from '../../../../src/check/dev';
import { coloursFor, devIn, nextChange } from '../../../../src/check/dev-server';

/** What wrangler 4.164 writes where a definition is wrong, with its colours. */
const FAILED = `\u001b[31m✘ \u001b[41;31m[\u001b[41;97mERROR\u001b[41;31m]\u001b[0m \u001b[1mservice core:user:my-app: Uncaught Error: OffshootError: Sub-agent "timekeeper": \`budget\`: unknown options: maxCost.\u001b[0m

    at null.<anonymous> (index.js:2:26891) in q

\u001b[33m▲ [WARNING]\u001b[0m A DurableObjectNamespace in the config referenced the class "OffshootAgent"
  {"level":"error","message":"service core:user:my-app: Uncaught Error: OffshootError: Sub-agent \\"timekeeper\\": …\\n  at q"}
If you think this is a bug then please create an issue at https://github.com/cloudflare/workers-sdk/issues/new/choose
`;

it('[OC14] says why the Worker does not load, in one line', () => {
  expect(reasonIn(FAILED)).toBe('OffshootError: Sub-agent "timekeeper": `budget`: unknown options: maxCost.');
  expect(
    reasonIn('✘ [ERROR] service core:user:my-app: Uncaught Error: Two.\n- One is listed twice.\n- So is two.\n  at q'),
  ).toBe('Two.\n- One is listed twice.\n- So is two.');
  expect(reasonIn('✘ [ERROR] Address already in use')).toBeUndefined();
  const wranglers = '✘ [ERROR] The Workers runtime failed to start. There was likely a problem.\n  Runtime stderr: …';
  expect(reasonIn(`${FAILED}\n${wranglers}`)).toBe(reasonIn(FAILED));
  expect(reasonIn(`${FAILED}\n${wranglers}\n✘ [ERROR] Address already in use`)).toBeUndefined();
});

it.each<[string, EndedServer]>([
  ['that ends in order', { code: 0, asked: false, errors: FAILED }],
  ['that a person ends', { code: 130, asked: true, errors: FAILED }],
  ['that fails otherwise', { code: 1, asked: false, errors: 'Address already in use' }],
])('[OC14] ends with a server %s', async (_how, ended) => {
  const never = () => Promise.reject(new Error('It waited for a change.'));
  expect(await dev({ serve: async () => ended, changed: never, write: never })).toBe(ended.code);
});

/** A folder of an app with a stand-in of wrangler, of which this is the program. */
function appWith(program: (folder: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-dev-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const wrangler = join(folder, 'node_modules/wrangler');
  for (const path of [join(wrangler, 'bin'), join(folder, 'src/deep'), join(folder, '.wrangler')])
    mkdirSync(path, { recursive: true });
  writeFileSync(
    join(wrangler, 'package.json'),
    '{ "version": "4.164.0", "bin": { "wrangler": "./bin/wrangler.cjs" } }',
  );
  writeFileSync(join(wrangler, 'bin/wrangler.cjs'), program(folder));
  return folder;
}

it('[OC14] serves again after the next change of a file, and ends where it is asked to while it waits', async () => {
  const sourceIn = (folder: string) => join(folder, 'src/deep/agents.ts');
  // It ends with code 5 where the source is right, so that the test sees that it was served.
  const folder = appWith(
    (at) => `const isRight = require('node:fs').readFileSync(${JSON.stringify(sourceIn(at))}, 'utf8') === 'right';
     if (!isRight) process.stderr.write(${JSON.stringify(FAILED)});
     process.exitCode = isRight && process.argv.slice(2).join(' ') === 'dev --port 1' ? 5 : 1;`,
  );
  const source = sourceIn(folder);
  writeFileSync(source, 'wrong');
  const lines: string[] = [];
  const io = devIn(folder, ['--port', '1'], (line) => lines.push(line));
  const waits: Promise<boolean>[] = [];
  const code = await dev({
    ...io,
    changed() {
      const change = io.changed();
      waits.push(change);
      writeFileSync(join(folder, '.wrangler/state'), 'x');
      writeFileSync(source, waits.length === 1 ? 'still wrong' : 'right');
      return change;
    },
  });
  expect([code, await Promise.all(waits)]).toEqual([5, [true, true]]);
  expect(lines[0]).toMatch(/^\n✗ The Worker does not load: OffshootError: Sub-agent "timekeeper"/);
  expect(lines[1]).toBe('  Save a file or press Enter to start it again. Ctrl-C ends.');
  const waiting = io.changed();
  process.emit('SIGINT');
  expect(await waiting).toBe(false);
});

it.each(['SIGINT', 'SIGTERM'] as const)('[OC15] passes %s on, which may have come to it alone', async (signal) => {
  const folder = appWith(
    () => `for (const signal of ['SIGINT', 'SIGTERM'])
       process.on(signal, () => { process.exitCode = signal === '${signal}' ? 130 : 1; clearInterval(up); });
     const up = setInterval(() => undefined, 1_000);
     process.stderr.write('It is up.');`,
  );
  const { promise: up, resolve } = Promise.withResolvers<void>();
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    if (String(text).includes('It is up.')) resolve();
    return true;
  });
  onTestFinished(() => written.mockRestore());
  const served = devIn(folder, [], () => undefined).serve();
  await up;
  process.emit(signal, signal);
  expect(await served).toMatchObject({ code: 130, asked: true });
});

it('[OC14] waits for Enter where nobody can watch the files, and for the folders behind links', async () => {
  const folder = appWith(() => '');
  symlinkSync(tmpdir(), join(folder, 'shared'));
  const watched: { path: string; watcher: EventEmitter }[] = [];
  const closed: string[] = [];
  const watching = (path: string) => {
    if (path.endsWith('src')) throw new Error('ENOSPC');
    const watcher = Object.assign(new EventEmitter(), { close: () => void closed.push(path) });
    watched.push({ path, watcher });
    return watcher;
  };
  const keys = new PassThrough();
  const waiting = nextChange(folder, watching as unknown as typeof watch, keys);
  expect(watched.map(({ path }) => path)).toEqual([folder, join(folder, 'shared')]);
  watched[1]?.watcher.emit('error', new Error('ENOENT'));
  expect(closed).toEqual([join(folder, 'shared')]);
  keys.write('\n');
  expect(await waiting).toBe(true);
  expect(closed).toContain(folder);
  expect([keys.isPaused(), keys.listenerCount('data')]).toEqual([true, 0]);
});

it('[OC15] forces the colours of a terminal only where NO_COLOR is not set', () => {
  expect(coloursFor(true, {})).toEqual({ FORCE_COLOR: '1' });
  expect(coloursFor(true, { FORCE_COLOR: '3', NO_COLOR: '' })).toEqual({ FORCE_COLOR: '3' });
  expect([coloursFor(true, { NO_COLOR: '1' }), coloursFor(false, {})]).toEqual([{}, {}]);
});

it('[OC14] says what to install where there is no wrangler', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-dev-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(() => devIn(folder, [], () => undefined)).toThrow('npm install --save-dev wrangler');
});
