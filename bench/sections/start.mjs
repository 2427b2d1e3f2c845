// How long the runtime takes to serve an app's first request from nothing, beside a Worker that does nothing: so long does
// a deployed object wait whose machine has not seen its code yet.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { builtApp, bundled } from '../../scripts/lib/app.mjs';
import { toolPath } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { allGone, killAll, processTree } from '../../scripts/lib/processes.mjs';
import { fixed, median, table } from '../lib/report.mjs';

const ROUNDS = 10;
/** A start that is longer than this has failed. */
const TIMEOUT_MS = 20_000;
const NOTHING = 'export default { fetch: () => new Response("ok") };';
/** What the runtime imports for `cloudflare:email`, and has only where it is deployed. */
const EMAIL = 'export default { EmailMessage: class {} };';
/** What the smallest app's configuration has, as the runtime reads it. */
const CLASSES = ['Timekeeper', 'OffshootDirectory'];

/** @param {number} port @param {boolean} objects */
function configuration(port, objects) {
  const namespaces = CLASSES.map((name) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`);
  const bindings = CLASSES.map((name) => {
    const binding = name.replaceAll(/(?<=.)([A-Z])/g, '_$1').toUpperCase();
    return `(name = "${binding}", durableObjectNamespace = "${name}")`;
  });
  const state = `durableObjectNamespaces = [${namespaces}], durableObjectStorage = (inMemory = void), bindings = [${bindings}],`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .app)],
  extensions = [(modules = [(name = "cloudflare-internal:email", internal = true, esModule = "${EMAIL}")])],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const app :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed "index.js")],
  compatibilityDate = "2026-11-01", ${objects ? state : ''}
);`;
}

/** @param {string} folder with `index.js` @param {boolean} objects @returns {Promise<number>} ms until it has answered */
async function startOf(folder, objects) {
  const port = await freePort();
  const file = join(folder, 'config.capnp');
  writeFileSync(file, configuration(port, objects));
  const began = performance.now();
  const server = spawn(toolPath('workerd'), ['serve', '--experimental', file], { stdio: 'inherit' });
  try {
    while (performance.now() - began < TIMEOUT_MS) {
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
      if (answer?.status === 200) return performance.now() - began;
      if (answer !== undefined) throw new Error(`It answered ${answer.status} ${await answer.text()}.`);
      await delay(1);
    }
    throw new Error('The runtime did not answer.');
  } finally {
    const tree = server.pid === undefined ? [] : processTree(server.pid);
    killAll(tree);
    await allGone(tree, TIMEOUT_MS);
  }
}

export async function start() {
  const { folder, remove } = await builtApp();
  try {
    const { file, gzipKib } = await bundled(folder);
    const at = (/** @type {string} */ name) => join(folder, 'start', name);
    for (const name of ['app', 'floor']) mkdirSync(at(name), { recursive: true });
    copyFileSync(file, join(at('app'), 'index.js'));
    writeFileSync(join(at('floor'), 'index.js'), NOTHING);
    /** @type {{ app: number[], floor: number[] }} */
    const seen = { app: [], floor: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      seen.floor.push(await startOf(at('floor'), false));
      seen.app.push(await startOf(at('app'), true));
    }
    const row = (/** @type {string} */ what, /** @type {number[]} */ values) => [
      what,
      fixed(median(values), 0),
      fixed(Math.min(...values), 0),
    ];
    table(
      `From the start of the runtime to the first answer, in ms, ${ROUNDS} rounds`,
      ['', 'median', 'least'],
      [row(`the smallest app (${gzipKib} KiB after gzip)`, seen.app), row('a Worker that does nothing', seen.floor)],
    );
  } finally {
    remove();
  }
}
