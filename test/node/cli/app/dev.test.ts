/** `offshoot dev`, with a stand-in of wrangler whose Worker does not load at first. */
import { EventEmitter } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  type watch,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished, vi } from 'vitest';
import { foundIn, linesOf, unresolvedIn } from '../../../../src/check/check';
import { type DevIo, dev, type EndedServer, type ServerEvents } from '../../../../src/check/dev';
import { coloursFor, devIn, nextChange, protocolAt } from '../../../../src/check/dev-server';
import { keepPort, keptUrl } from '../../../../src/check/kept-port';
import { startCommand } from '../../../../src/check/start-command';
import { localHttps } from '../../../support/local-https';

/** What wrangler 4.164 writes where a definition is wrong, with its colours. */
const FAILED = `\u001b[31m✘ \u001b[41;31m[\u001b[41;97mERROR\u001b[41;31m]\u001b[0m \u001b[1mservice core:user:my-app: Uncaught Error: OffshootError: Sub-agent "timekeeper": \`budget\`: unknown options: maxCost.\u001b[0m

    at null.<anonymous> (index.js:2:26891) in q

\u001b[33m▲ [WARNING]\u001b[0m A DurableObjectNamespace in the config referenced the class "OffshootAgent"
  {"level":"error","message":"service core:user:my-app: Uncaught Error: OffshootError: Sub-agent \\"timekeeper\\": …\\n  at q"}
If you think this is a bug then please create an issue at https://github.com/cloudflare/workers-sdk/issues/new/choose
`;

/** What wrangler writes where the Worker does not export its classes. */
const NO_CLASSES = `\u001b[31m✘ \u001b[41;97m[ERROR]\u001b[0m \u001b[1mservice core:user:my-app: Uncaught TypeError: Class extends value undefined is not a constructor or null\u001b[0m

    at null.<anonymous> (__mf_do_wrapper.js:40:6) in createDurableObjectWrapper

▲ [WARNING] A DurableObjectNamespace in the config referenced the class "OffshootAgent", but no such Durable Object class is exported from the worker.
▲ [WARNING] A DurableObjectNamespace in the config referenced the class "OffshootDirectory", but no such Durable Object class is exported from the worker.
✘ [ERROR] The Workers runtime failed to start. There was likely a problem.
  {"message":"service core:user:my-app: Uncaught TypeError: Class extends value undefined"}
`;

it('[OC14] says why the Worker does not load, in one line', () => {
  const [found] = foundIn(FAILED) ?? [];
  expect(found?.says).toBe(
    'The Worker does not start: OffshootError: Sub-agent "timekeeper": `budget`: unknown options: maxCost.',
  );
  expect(
    foundIn('✘ [ERROR] service core:user:my-app: Uncaught Error: Two.\n- One is listed twice.\n- So is two.\n  at q'),
  ).toEqual([{ says: 'The Worker does not start: Two.\n- One is listed twice.\n- So is two.' }]);
  expect(foundIn('✘ [ERROR] Address already in use')).toBeUndefined();
  const wranglers = '✘ [ERROR] The Workers runtime failed to start. There was likely a problem.\n  Runtime stderr: …';
  expect(foundIn(`${FAILED}\n${wranglers}`)).toEqual(foundIn(FAILED));
  expect(foundIn(`${FAILED}\n${wranglers}\n✘ [ERROR] Address already in use`)).toBeUndefined();
});

it('[OC16] names each class that the Worker does not export, with the line to add', () => {
  expect(foundIn(NO_CLASSES)).toEqual(
    ['OffshootAgent', 'OffshootDirectory'].map((name) => ({
      says: `The configuration names the class ${name}, but the Worker does not export it.`,
      lines: [`export { ${name} } from 'offshoot/worker';`],
    })),
  );
});

/** Surroundings whose server does what a test says, and what they wrote and were asked. */
function surroundings(serves: (on: ServerEvents) => EndedServer, more: Partial<DevIo> = {}) {
  const done: unknown[] = [];
  const versions = () => ({
    node: '24.0.0',
    packages: [
      { name: 'agents', range: '^1.0.0', installed: '1.0.0', optional: false },
      { name: '@ai-sdk/anthropic', range: '^4.0.0', installed: undefined, optional: true },
    ],
  });
  const io: DevIo = {
    write: (line) => void done.push(line),
    versions,
    sourceOf: (name) => (name === 'left-pad' ? 'listed' : name === 'src' ? 'file' : undefined),
    facts: async () => ({ ...versions(), config: { main: 'a', compatibility_date: '2026-11-01' } }),
    hasPort: false,
    serve: async (on) => serves(on),
    wake: (port) => void done.push({ wake: port }),
    keepPort: (port) => void done.push({ keep: port }),
    changed: () => Promise.reject(new Error('It waited for a change.')),
    ...more,
  };
  return { io, done };
}

const inOrder: EndedServer = { code: 0, asked: false, errors: '' };

it('[OC16, OC17] keeps the port of a server that listens, and has its Worker say what it lacks', async () => {
  const usual = surroundings((on) => {
    on.listens(8787);
    return inOrder;
  });
  expect([await dev(usual.io), usual.done]).toEqual([0, [{ keep: 8787 }, { wake: 8787 }, { keep: undefined }]]);
  const listens = (on: ServerEvents) => {
    on.listens(8790);
    return inOrder;
  };
  const other = surroundings(listens);
  await dev(other.io);
  expect(other.done).toContainEqual(expect.stringMatching(/^! The port is 8790, not 8787\..*http:\/\/localhost:8790$/));
  const named = surroundings(listens, { hasPort: true });
  await dev(named.io);
  expect(named.done).toEqual([{ keep: 8790 }, { wake: 8790 }, { keep: undefined }]);
});

it.each<[string, number | undefined, number, unknown[]]>([
  ['the port of the configuration', 9000, 9000, []],
  ['another one', 9000, 9001, [expect.stringContaining('The port is 9001, not 9000.')]],
  ['the usual one', 9000, 8787, []],
  ['another one, where none is configured', undefined, 9001, [expect.stringContaining('The port is 9001, not 8787.')]],
])('[OC17] says a port only where nobody chose it: %s', async (_what, configured, port, said) => {
  const { io, done } = surroundings(() => inOrder);
  const config = { main: 'a', compatibility_date: '2026-11-01', dev: { port: configured } };
  await dev({
    ...io,
    facts: async () => ({ ...io.versions(), config }),
    async serve(on) {
      on.listens(port);
      await new Promise(setImmediate);
      return inOrder;
    },
  });
  expect(done.filter((each) => typeof each === 'string')).toEqual(said);
});

it('[OC17] says the port even where the configuration cannot be read', async () => {
  const { io, done } = surroundings((on) => {
    on.listens(8790);
    return inOrder;
  });
  await dev({ ...io, facts: () => Promise.reject(new Error('wrangler is of another version.')) });
  expect(done).toContainEqual(expect.stringContaining('The port is 8790, not 8787.'));
});

it('[OC16] says what to do where the bundler misses a module, once, wherever its words are cut', async () => {
  const words = [
    '\u001b[31m✘ \u001b[1mCould not res',
    'olve "@ai-sdk/anthropic"\u001b[0m',
    '\n',
    '✘ Could not resolve "left-pad/deep"\nCould not resolve "left-pad"\n',
    'Could not resolve "./more"\nCould not resolve "node:none"\nCould not resolve "cloudflare:none"\n',
  ];
  const { io, done } = surroundings((on) => {
    for (const each of words) on.wrote(each);
    return inOrder;
  });
  await dev(io);
  expect(done.slice(0, -1)).toEqual([
    '\n✗ The Worker imports @ai-sdk/anthropic, which is not installed.\n    npm install "@ai-sdk/anthropic@^4.0.0"',
    '\n✗ The Worker imports left-pad, which is not installed.\n    npm install',
  ]);
});

const PATH = 'is neither a file of the app nor an installed package. A path begins with ./ or ../';
it.each<[string, string, string[]]>([
  [
    'a package that the app lists',
    'left-pad',
    ['✗ The Worker imports left-pad, which is not installed.', '    npm install'],
  ],
  [
    'a package that nobody lists',
    'dayjs/plugin',
    ['✗ The Worker imports dayjs, which is not installed.', '    npm install dayjs'],
  ],
  [
    'one in a scope',
    '@acme/src.css',
    ['✗ The Worker imports @acme/src.css, which is not installed.', '    npm install @acme/src.css'],
  ],
  [
    'one with a dot',
    'socket.io',
    ['✗ The Worker imports socket.io, which is not installed.', '    npm install socket.io'],
  ],
  [
    'the style of a package',
    'chart.js/all.css',
    ['✗ The Worker imports chart.js, which is not installed.', '    npm install chart.js'],
  ],
  ['a folder of the app', 'src/lib/a', [`✗ The Worker imports src/lib/a, which ${PATH}`]],
  ['a file', 'a.css', [`✗ The Worker imports a.css, which ${PATH}`]],
  [
    'a module of Node',
    'fs/promises',
    [
      '✗ The Worker imports fs/promises, a module of Node, and nodejs_compat is not set.',
      '    "compatibility_flags": ["nodejs_compat"],',
    ],
  ],
  [
    'the package of that name',
    'punycode/',
    ['✗ The Worker imports punycode, which is not installed.', '    npm install punycode'],
  ],
])('[OC16, OC19] the bundler misses %s: %s', (_what, name, lines) => {
  const { io } = surroundings(() => inOrder);
  expect(unresolvedIn(`Could not resolve "${name}"`, io).flatMap(linesOf)).toEqual(lines);
});

it('[OC16] says what does not fit: versions once it listens, the rest of the folder when it has failed', async () => {
  const old = { node: '20.19.0', packages: [] };
  const listens = surroundings(
    (on) => {
      on.listens(8787);
      return inOrder;
    },
    { versions: () => old },
  );
  await dev(listens.io);
  expect(listens.done[2]).toBe('\n✗ Node 20.19.0 is too old. Install Node 22.13.0 or newer.');
  const failed = surroundings(() => ({ code: 1, asked: false, errors: 'No such folder.' }), {
    facts: async () => ({ ...old, config: { main: 'a' } }),
  });
  expect(await dev(failed.io)).toBe(1);
  expect(failed.done.at(-1)).toMatch(/Node 20\.19\.0 is too old.*\n✗ The compatibility date is missing/);
});

it('[OC16] says once that changed secrets need a restart', async () => {
  const { io, done } = surroundings((on) => {
    on.secretsChanged();
    on.secretsChanged();
    return inOrder;
  });
  await dev(io);
  expect(done).toEqual([
    expect.stringMatching(/^! \.dev\.vars has changed\. .* start it again\.$/),
    { keep: undefined },
  ]);
});

it('[OC17] a kept port is of the folder, of a process that lives, and taken away by its own process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-dev-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, '.wrangler/offshoot-dev.json');
  expect(keptUrl(folder)).toBeUndefined();
  keepPort(folder, 8790);
  expect(keptUrl(folder)).toBe('http://localhost:8790');
  keepPort(folder, undefined);
  expect(keptUrl(folder)).toBeUndefined();
  keepPort(folder, 8790, 'https');
  expect(keptUrl(folder)).toBe('https://localhost:8790');
  // The number of this process, which another one had when the port was kept.
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"began":"[^"]*"/, '"began":"1"'));
  expect(readFileSync(file, 'utf8')).toContain(`"pid":${process.pid}`);
  expect(keptUrl(folder)).toBeUndefined();
  // A number beyond all processes.
  writeFileSync(file, '{ "pid": 999999999, "port": 8790 }');
  expect(keptUrl(folder)).toBeUndefined();
  keepPort(folder, undefined);
  expect(existsSync(file)).toBe(true);
  for (const wrong of ['{', '{ "pid": -1, "port": 1 }', `{ "pid": ${process.pid}, "port": "1@other.example" }`]) {
    writeFileSync(file, wrong);
    expect([wrong, keptUrl(folder)]).toEqual([wrong, undefined]);
  }
});

it('[OC17] a server is asked over HTTP, and over HTTPS where it speaks that', async () => {
  const plain = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void plain.close());
  const { port = 0 } = Object(plain.address());
  expect(await protocolAt(port)).toBe('http');
  expect(await protocolAt(await localHttps((_, response) => response.end()))).toBe('https');
  expect(await protocolAt(1)).toBeUndefined();
});

it('[K13] names the command that starts the server of the folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-dev-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const named = (text: string) => {
    writeFileSync(join(folder, 'package.json'), text);
    return startCommand(folder);
  };
  expect(startCommand(folder)).toBe('npx offshoot dev');
  expect(named('{ "scripts": { "dev": "a", "start": "b" } }')).toBe('npm run dev');
  expect(named('{ "scripts": { "start": "b" } }')).toBe('npm start');
  expect(named('{')).toBe('npx offshoot dev');
});

it.each<[string, EndedServer]>([
  ['that ends in order', { code: 0, asked: false, errors: FAILED }],
  ['that a person ends', { code: 130, asked: true, errors: FAILED }],
  ['that fails otherwise', { code: 1, asked: false, errors: 'Address already in use' }],
])('[OC14] ends with a server %s', async (_how, ended) => {
  const { io, done } = surroundings(() => ended);
  expect([await dev(io), done]).toEqual([ended.code, [{ keep: undefined }]]);
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
  const io = devIn(folder, ['--port', '1'], { ...surroundings(() => inOrder).io, write: (line) => lines.push(line) });
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
  expect(lines[0]).toMatch(/^\n✗ The Worker does not start: OffshootError: Sub-agent "timekeeper"/);
  expect(lines[1]).toBe('  Save a file or press Enter to start it again. Ctrl-C quits.');
  const waiting = io.changed();
  process.emit('SIGINT');
  expect(await waiting).toBe(false);
});

const silent: ServerEvents = { listens: () => undefined, wrote: () => undefined, secretsChanged: () => undefined };

it('[OC16, OC17] knows the port from wrangler, and when .dev.vars has changed', async () => {
  const folder = appWith(
    (at) => `process.send('other');
     process.send(JSON.stringify({ event: 'DEV_SERVER_READY', ip: 'localhost', port: 8790 }));
     process.on('message', () => undefined);
     const { writeFileSync } = require('node:fs');
     writeFileSync(${JSON.stringify(at)} + '/.dev.vars', 'A=1');
     process.on('SIGTERM', () => process.exit(0));`,
  );
  const heard: unknown[] = [];
  const io = devIn(folder, ['--port=8790'], surroundings(() => inOrder).io);
  const ended = await io.serve({
    ...silent,
    listens: (port) => void heard.push(port),
    secretsChanged() {
      if (!heard.includes('secrets')) heard.push('secrets');
      process.emit('SIGTERM', 'SIGTERM');
    },
  });
  expect([io.hasPort, heard.sort(), ended.asked]).toEqual([true, [8790, 'secrets'], true]);
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
  const served = devIn(folder, [], surroundings(() => inOrder).io).serve(silent);
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
  expect(() => devIn(folder, [], surroundings(() => inOrder).io)).toThrow('npm install --save-dev wrangler');
});
