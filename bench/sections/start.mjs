// The time from the start of the runtime to an app's first answer, beside a Worker that does nothing: a deployed object
// waits as long on a machine that has not seen its code yet.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { toolPath } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { allGone, killAll, processTree } from '../../scripts/lib/processes.mjs';
import { appOf } from '../lib/app.mjs';

const ROUNDS = 10;
/** A start that is longer than this has failed. */
const TIMEOUT_MS = 20_000;
const NOTHING = 'export default { fetch: () => new Response("ok") };';
/** What the runtime imports for `cloudflare:email`, and has only where it is deployed. */
const EMAIL = 'export default { EmailMessage: class {} };';
/** The classes of an app, as its own configuration names them. @param {string} folder @returns {string[]} */
function classesOf(folder) {
  const written = readFileSync(join(folder, 'wrangler.jsonc'), 'utf8').replaceAll(/^\s*\/\/.*$/gm, '');
  /** @type {{ exports?: object, migrations?: { new_sqlite_classes?: string[] }[] }} */
  const { exports = {}, migrations = [] } = JSON.parse(written);
  return [...Object.keys(exports), ...migrations.flatMap(({ new_sqlite_classes: added = [] }) => added)];
}

/** @param {number} port @param {readonly string[]} classes */
function configuration(port, classes) {
  const namespaces = classes.map((name) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`);
  const bindings = classes.map((name) => {
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
  compatibilityDate = "2026-11-01", ${classes.length > 0 ? state : ''}
);`;
}

/** @param {string} folder with `index.js` @param {readonly string[]} classes @returns {Promise<number>} ms until it has answered */
async function startOf(folder, classes) {
  const port = await freePort();
  const file = join(folder, 'config.capnp');
  writeFileSync(file, configuration(port, classes));
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

/** @type {import('../lib/samples.mjs').Figure} */
const FLOOR = { name: 'first answer of a Worker that does nothing', unit: 'ms' };
const APP = { name: 'first answer of the smallest app', unit: 'ms', floor: FLOOR.name };

/** @type {import('../lib/bench.mjs').Section} */
export const start = {
  what: 'the start of the runtime with the smallest app, to its first answer',
  minutes: 1,
  figures: [APP, FLOOR],
  async measure(bench) {
    const apps = await Promise.all(bench.checkouts.map((checkout, side) => appOf(checkout, side)));
    try {
      const folders = apps.map(({ folder, side, file }) => {
        const at = (/** @type {string} */ name) => join(folder, 'start', name);
        for (const name of ['app', 'floor']) mkdirSync(at(name), { recursive: true });
        copyFileSync(file, join(at('app'), 'index.js'));
        writeFileSync(join(at('floor'), 'index.js'), NOTHING);
        return { side, app: at('app'), floor: at('floor'), classes: classesOf(folder) };
      });
      for (let round = 0; round < bench.rounds(ROUNDS); round += 1) {
        for (const { side, app, floor, classes } of bench.inTurn(folders, round)) {
          bench.record(side, round, FLOOR, await startOf(floor, []));
          bench.record(side, round, APP, await startOf(app, classes));
        }
      }
    } finally {
      for (const { remove } of apps) remove();
    }
  },
};
