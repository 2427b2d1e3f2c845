// CPU profiles of the Worker, over the runtime's inspector.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nodePath, toolEnv, wranglerCli } from '../../scripts/lib/paths.mjs';
import { freePort, LOOPBACK } from '../../scripts/lib/ports.mjs';
import { allGone, killAll, processTree } from '../../scripts/lib/processes.mjs';
import { QUIET_ENV } from '../../scripts/lib/quiet.mjs';
import { bundle, INSTANT } from './bundle.mjs';

/** Between two samples, in microseconds. */
const INTERVAL_US = 250;
const START_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 5_000;

/**
 * @typedef {{ id: number, callFrame: { functionName: string, url: string, lineNumber: number }, children?: number[] }} Node
 * @typedef {{ nodes: Node[], samples: number[], timeDeltas: number[] }} CpuProfile times in microseconds
 */

/** @param {number} port */
async function connect(port) {
  // The runtime's inspector refuses the handshake of Node's own client.
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
 * @typedef {{ path: string, body?: object }} Asked posted where there is a body
 * @param {string} url @param {number} inspector a port @param {readonly Asked[]} all
 */
async function profileEach(url, inspector, all) {
  const { send, close } = await connect(inspector);
  await send('Profiler.enable');
  await send('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  /** @type {CpuProfile[]} */
  const profiles = [];
  for (const { path, body } of all) {
    const headers = { 'content-type': 'application/json' };
    await send('Profiler.start');
    const answer = await fetch(
      `${url}/${path}`,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : undefined,
    );
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
    profiles.push((await send('Profiler.stop')).profile);
  }
  close();
  return profiles;
}

/**
 * Profiles requests, one profile each.
 * @param {string} folder for the state; must be empty
 * @param {readonly Asked[]} all
 * @param {import('./checkouts.mjs').Checkout} checkout whose Worker it is
 * @returns {Promise<{ profiles: CpuProfile[], modules: string[] }>} `modules` by line of the bundle
 */
export async function profiled(folder, all, checkout) {
  const { config, modules } = await bundle(INSTANT, checkout);
  const [port, inspector] = [await freePort(), await freePort()];
  const args = ['dev', '--config', config, '--ip', LOOPBACK, '--port', `${port}`, '--inspector-port', `${inspector}`];
  const child = spawn(
    nodePath(),
    ['--no-warnings', wranglerCli, ...args, '--persist-to', folder, '--log-level', 'error'],
    {
      cwd: dirname(config),
      env: { ...toolEnv(), ...QUIET_ENV },
      stdio: 'ignore',
    },
  );
  try {
    const url = `http://${LOOPBACK}:${port}`;
    await untilItAnswers(url);
    return { profiles: await profileEach(url, inspector, all), modules };
  } finally {
    const all = processTree(child.pid ?? 0);
    killAll(all);
    await allGone(all, END_TIMEOUT_MS);
  }
}
