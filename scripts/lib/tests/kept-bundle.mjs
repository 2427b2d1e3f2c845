// Bundles of Workers, in a folder of one run of the tests, in which no source changes. A whole run makes those that tests
// share before its tests (HS20); another is made by the first start of its Worker. To make one is half of a start.
// What is kept is served by the runtime alone: wrangler is not read again, and its proxy, a second runtime in front of
// the Worker, is left out. Users have that proxy. So some test files serve without kept bundles: `e2e/client` follows
// over events and sockets through a kill, `browser/origins` asks from other origins, `e2e/serve` for other hosts, and
// `e2e/scheduled-start` at the path of its page, which the proxy alone has.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { giveEsbuild, together } from './wrangler-esbuild.mjs';

giveEsbuild();
const require = createRequire(import.meta.url);

/**
 * A module beside the entry: a text, say.
 * @typedef {{ name: string, type?: string }} KeptModule
 *
 * What wrangler says of a bundle.
 * @typedef {{ entrypointSource: string, modules: (KeptModule & { content: string | Uint8Array })[] }} Bundle
 */

/** Configurations that tests serve from kept bundles, from the project's folder. Each other one is bundled by its first start. */
export const SHARED = [
  'test/browser/console-app/wrangler.jsonc',
  'wrangler.jsonc',
  'test/browser/chat-app/wrangler.jsonc',
  'test/e2e/nested/wrangler.jsonc',
  'test/e2e/companions/wrangler.jsonc',
  'test/e2e/elsewhere/child.jsonc',
  'test/e2e/elsewhere/parent.jsonc',
  'test/e2e/elsewhere/bound.jsonc',
  'test/e2e/sdk/home.jsonc',
  'test/e2e/sdk/other.jsonc',
  'test/e2e/rights/wrangler.jsonc',
  'test/e2e/waits/wrangler.jsonc',
  'test/e2e/think/worker.jsonc',
  'test/e2e/origins/wrangler.jsonc',
  'test/e2e/frozen/wrangler.jsonc',
  'test/e2e/builds/wrangler.jsonc',
  'test/e2e/builds/without.jsonc',
];

const WORKER = 'worker.js';
/** The modules, the entry first, and what the configuration says of the Worker. */
const KEPT = 'kept.json';

/** Without a name wrangler reads the settings of whoever develops here, `.dev.vars`. */
const NO_FILES = [devNull];

/** Kinds of modules, as wrangler and as the runtime calls them. @type {Readonly<Record<string, string>>} */
const KINDS = {
  esm: 'ESModule',
  commonjs: 'CommonJS',
  text: 'Text',
  buffer: 'Data',
  'compiled-wasm': 'CompiledWasm',
};

/**
 * The place of a Worker's bundle.
 * @param {string} bundles the folder of all
 * @param {string} config of the Worker
 */
const bundlePlace = (bundles, config) => join(bundles, createHash('sha256').update(config).digest('hex').slice(0, 16));

/**
 * Bundles a Worker as a server of wrangler does, and starts nothing.
 * @param {string} config
 * @returns {Promise<Bundle>}
 */
async function bundleOf(config) {
  /** @type {typeof import('wrangler')} */
  const { unstable_DevEnv: DevEnv } = require('wrangler');
  const devEnv = new DevEnv();
  /** @type {PromiseWithResolvers<Bundle>} */
  const { promise, resolve, reject } = Promise.withResolvers();
  // Its runtime and its proxy hear of nothing, so neither starts.
  devEnv.dispatch = (event) => {
    if (event.type === 'configUpdate') devEnv.bundler.onConfigUpdate(event);
    if (event.type === 'bundleComplete') resolve(event.bundle);
    if (event.type === 'error') reject(event.cause);
  };
  const dev = { inspector: /** @type {const} */ (false), watch: false, logLevel: /** @type {const} */ ('error') };
  devEnv.startWorker({ config, envFiles: NO_FILES, dev }).catch(reject);
  try {
    return await promise;
  } finally {
    await devEnv.teardown();
  }
}

/**
 * What the runtime is given for a Worker beside its modules.
 * @param {string} config
 */
function workerOf(config) {
  /** @type {typeof import('wrangler')} */
  const { unstable_getMiniflareWorkerOptions: optionsOf, unstable_readConfig: readConfig } = require('wrangler');
  // Its types name the second of these alone.
  const options = { envFiles: NO_FILES, overrides: {} };
  const { workerOptions, externalWorkers } = optionsOf(readConfig({ config }), undefined, options);
  const { modulesRules: _, ...worker } = workerOptions;
  return { worker: { ...worker, name: readConfig({ config }).name }, others: externalWorkers };
}

/**
 * Bundles a Worker and keeps that. Of two starts that keep the same one, the first does.
 * @param {string} place @param {string} config
 */
async function keepBundle(place, config) {
  const { entrypointSource, modules } = await bundleOf(config);
  const made = `${place}.${process.pid}`;
  const all = [{ name: WORKER, type: 'esm', content: entrypointSource }, ...modules];
  for (const { name, content } of all) {
    const file = join(made, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const kept = { modules: all.map(({ name, type = 'esm' }) => ({ name, type: KINDS[type] })), ...workerOf(config) };
  writeFileSync(join(made, KEPT), JSON.stringify(kept));
  try {
    renameSync(made, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
    rmSync(made, { recursive: true });
  }
}

/**
 * True of a Worker that is bundled without more: its configuration does not change the search for modules, and runs
 * nothing before.
 * @param {string} config
 */
function isPlain(config) {
  /** @type {typeof import('wrangler')} */
  const { unstable_readConfig: readConfig } = require('wrangler');
  const { alias, rules, build } = readConfig({ config });
  return alias === undefined && rules.length === 0 && build.command === undefined;
}

/**
 * Keeps the bundles of several Workers: to read wrangler takes longer than to bundle one of them. Plain ones are bundled
 * together, as most of each is the same.
 * @param {string} bundles @param {readonly string[]} configs absolute
 */
export async function keepBundles(bundles, configs) {
  const missing = configs.filter((config) => !existsSync(bundlePlace(bundles, config)));
  const plain = missing.filter(isPlain);
  await together(plain.map((config) => () => keepBundle(bundlePlace(bundles, config), config)));
  for (const config of missing.filter((each) => !plain.includes(each))) {
    // What a configuration runs before its build runs where its server would.
    process.chdir(dirname(config));
    await keepBundle(bundlePlace(bundles, config), config);
  }
}

/**
 * The variables of a file that `serve.mjs` writes, in which a `$` is escaped.
 * @param {string} file
 */
const variablesOf = (file) =>
  existsSync(file)
    ? Object.entries(parseEnv(readFileSync(file, 'utf8'))).map(([name, value = '']) => [
        name,
        value.replaceAll('\\$', '$'),
      ])
    : [];

/**
 * A Worker as the runtime is given it from its kept bundle, and the Workers that are part of it; the first start makes
 * the bundle.
 * @param {string} bundles @param {string} config @param {readonly string[]} envFiles
 */
async function keptWorker(bundles, config, envFiles) {
  const place = bundlePlace(bundles, config);
  if (!existsSync(place)) await keepBundle(place, config);
  const { modules, worker, others } = JSON.parse(readFileSync(join(place, KEPT), 'utf8'));
  return [
    {
      ...worker,
      bindings: { ...worker.bindings, ...Object.fromEntries(envFiles.flatMap(variablesOf)) },
      modulesRoot: place,
      modules: modules.map((/** @type {{ name: string, type: string }} */ { name, type }) => ({
        type,
        path: join(place, name),
        contents: readFileSync(join(place, name)),
      })),
    },
    ...others,
  ];
}

/**
 * Serves a Worker by the runtime alone, with those that it reaches by their names beside it.
 * @param {Omit<import('../dev-server.mjs').DevOptions, 'inspectorPort'> & { bundles: string, beside?: readonly string[] }} options
 * @param {{ says: (text: string) => void, starts: () => void }} hears what the Worker prints; and that its runtime
 *   starts next
 * @returns {Promise<{ dispose: () => Promise<void> }>} once it listens
 */
export async function serveKept(options, { says, starts }) {
  const { config, envFiles, hostname, port, persistTo, logLevel, bundles, beside = [] } = options;
  const workers = await keptWorker(bundles, config, envFiles);
  for (const each of beside) workers.push(...(await keptWorker(bundles, each, [])));
  /** @type {typeof import('miniflare')} */
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = createRequire(require.resolve('wrangler'))(
    'miniflare',
  );
  const log = new Log(logLevel === 'error' ? LogLevel.ERROR : LogLevel.WARN);
  Object.assign(log, { log: says });
  starts();
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: hostname,
      port,
      log,
      logRequests: false,
      handleStructuredLogs: ({ level, message }) => {
        if (level === 'error' || level === logLevel) says(message);
      },
      // As wrangler has it.
      unsafeTriggerHandlers: true,
      unsafeInspectDurableObjects: true,
      unsafeLocalExplorer: false,
      unsafeObservability: false,
      resourcePersistencePath: join(persistTo, 'v3'),
      resourceTmpPath: join(persistTo, 'tmp'),
      workers,
    }),
  );
  try {
    await runtime.ready;
  } catch (error) {
    await runtime.dispose().catch(() => undefined);
    throw error;
  }
  return runtime;
}
