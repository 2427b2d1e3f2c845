/** Several Workers under one real server, which reach each other by their bindings. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { nodePath, root, toolEnv, wranglerCli } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { allGone, killAll, processTree } from '../../scripts/lib/processes.mjs';
import { QUIET_ENV } from '../../scripts/lib/quiet.mjs';

const KILL_TIMEOUT_MS = 60_000;

/** One server for the whole of a test file. */
export class WorkersTogether {
  #server: ChildProcess | undefined;
  #folder: string | undefined;
  #said = '';
  /** Of the first Worker, once it answers. */
  url = '';

  /** @param configs their configurations below `test/e2e`, without the ending; the first Worker is the one that is asked */
  constructor(readonly configs: readonly string[]) {}

  /** Resolves once the first Worker answers. */
  async start(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'offshoot-together-'));
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    const configs = this.configs.flatMap((name) => ['--config', join(root, 'test', 'e2e', `${name}.jsonc`)]);
    const where = ['--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0', '--persist-to', this.#folder];
    const args = [wranglerCli, 'dev', ...configs, ...where, '--show-interactive-dev-session=false'];
    const env = { ...toolEnv(), ...QUIET_ENV };
    const server = spawn(nodePath(), args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#server = server;
    for (const stream of [server.stdout, server.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text;
      });
    const hasEnded = (): boolean => server.exitCode !== null || server.signalCode !== null;
    await vi.waitFor(
      async () => {
        // A server that has ended never answers.
        if (!hasEnded()) expect((await fetch(`${this.url}/healthz`)).status, this.#said).toBe(200);
      },
      { interval: 50 },
    );
    expect(hasEnded(), this.#said).toBe(false);
  }

  /** Ends it with all that it has started, also where it did not start as a whole. */
  async stop(): Promise<void> {
    const all = processTree(this.#server?.pid ?? 0);
    killAll(all);
    expect(await allGone(all, KILL_TIMEOUT_MS)).toBe(true);
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}
