// A CPU profile of the Worker, over the runtime's inspector.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nodePath, root, toolEnv, wranglerCli } from '../../scripts/lib/paths.mjs';
import { freePort, LOOPBACK } from '../../scripts/lib/ports.mjs';
import { allGone, killAll, processTree, runTool } from '../../scripts/lib/processes.mjs';
import { QUIET_ENV } from '../../scripts/lib/quiet.mjs';

/** Between two samples, in microseconds. */
const INTERVAL_US = 250;
const START_TIMEOUT_MS = 60_000;

/**
 * @typedef {{ id: number, callFrame: { functionName: string, url: string, lineNumber: number }, children?: number[] }} Node
 * @typedef {{ nodes: Node[], samples: number[], timeDeltas: number[] }} CpuProfile times in microseconds
 */

/**
 * The bundle in a folder, its configuration, and which module each of its lines belongs to.
 * @param {string} folder
 */
async function bundle(folder) {
  const config = join(root, 'bench', 'wrangler.jsonc');
  const { code, output } = await runTool('wrangler', ['deploy', '--dry-run', '--config', config, '--outdir', folder], {
    env: QUIET_ENV,
  });
  if (code !== 0) throw new Error(output);
  const built = readFileSync(config, 'utf8').replace('"main": "worker.ts"', '"main": "worker.js", "no_bundle": true');
  writeFileSync(join(folder, 'wrangler.jsonc'), built);
  let module = '';
  return readFileSync(join(folder, 'worker.js'), 'utf8')
    .split('\n')
    .map((line) => {
      // The bundler names each module in a comment before it.
      module = /^\/\/ ((?:\S*\/)?(?:node_modules|src|bench)\/\S+|\S+\.ts)$/.exec(line)?.[1] ?? module;
      return module;
    });
}

/** @param {number} port */
async function connect(port) {
  const { WebSocket } = await import('ws');
  const listed = await (await fetch(`http://${LOOPBACK}:${port}/json`)).json();
  const socket = new WebSocket(listed[0].webSocketDebuggerUrl);
  /** @type {Map<number, (result: { profile: CpuProfile }) => void>} */
  const waiting = new Map();
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await new Promise((settle, fail) => socket.once('open', settle).once('error', fail));
  let last = 0;
  /** @param {string} method @param {object} [params] @returns {Promise<{ profile: CpuProfile }>} */
  const send = (method, params = {}) =>
    new Promise((settle) => {
      waiting.set(++last, settle);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return { send, close: () => socket.close() };
}

/** @param {string} url */
async function untilItAnswers(url) {
  for (const begun = Date.now(); ; await delay(100)) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() - begun > START_TIMEOUT_MS) throw new Error(`${url} does not answer.`);
  }
}

/**
 * Profiles requests, one profile each, after the first that only warms up.
 * @param {string} folder for the bundle and the state; must be empty
 * @param {readonly string[]} paths
 * @returns {Promise<{ profiles: CpuProfile[], modules: string[] }>} `modules` by line of the bundle
 */
export async function profiled(folder, paths) {
  const built = join(folder, 'bundle');
  const modules = await bundle(built);
  const [port, inspector] = [await freePort(), await freePort()];
  const args = ['dev', '--config', join(built, 'wrangler.jsonc'), '--ip', LOOPBACK, '--port', `${port}`];
  args.push('--inspector-port', `${inspector}`, '--persist-to', join(folder, 'state'), '--log-level', 'error');
  const child = spawn(nodePath(), ['--no-warnings', wranglerCli, ...args], {
    cwd: built,
    env: { ...toolEnv(), ...QUIET_ENV },
    stdio: 'ignore',
  });
  try {
    await untilItAnswers(`http://${LOOPBACK}:${port}/`);
    const { send, close } = await connect(inspector);
    await send('Profiler.enable');
    await send('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    /** @type {CpuProfile[]} */
    const profiles = [];
    for (const path of paths) {
      await send('Profiler.start');
      const answer = await fetch(`http://${LOOPBACK}:${port}/${path}`);
      if (!answer.ok) throw new Error(await answer.text());
      await answer.arrayBuffer();
      profiles.push((await send('Profiler.stop')).profile);
    }
    close();
    return { profiles: profiles.slice(1), modules };
  } finally {
    const all = processTree(child.pid ?? 0);
    killAll(all);
    await allGone(all, 5_000);
  }
}
