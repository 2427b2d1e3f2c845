/** Two Workers, one of which has bound the other's agents as a service, as a team would that did not write them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { nodePath, root, toolEnv, wranglerCli } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { allGone, killAll, processTree } from '../../scripts/lib/processes.mjs';
import { QUIET_ENV } from '../../scripts/lib/quiet.mjs';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { remoteConformance } from '../../src/testing/remote-conformance';
import { readStream } from '../support/reader';
import { asks, calls, told } from '../support/told';
import { get, post } from './desk';

const KILL_TIMEOUT_MS = 60_000;

describe('agents of another Worker, over a service binding', () => {
  let server: ChildProcess | undefined;
  let folder: string;
  let url: string;
  let said = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-bound-'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const configs = ['bound', 'child'].flatMap((name) => [
      '--config',
      join(root, 'test', 'e2e', 'elsewhere', `${name}.jsonc`),
    ]);
    const where = ['--ip', '127.0.0.1', '--port', String(port), '--inspector-port', '0', '--persist-to', folder];
    server = spawn(nodePath(), [wranglerCli, 'dev', ...configs, ...where, '--show-interactive-dev-session=false'], {
      cwd: root,
      env: { ...toolEnv(), ...QUIET_ENV },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [server.stdout, server.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    await vi.waitFor(async () => expect(server?.exitCode ?? (await fetch(`${url}/healthz`)).status, said).toBe(200), {
      interval: 50,
    });
  });
  afterAll(async () => {
    const all = processTree(server?.pid ?? 0);
    killAll(all);
    expect(await allGone(all, KILL_TIMEOUT_MS)).toBe(true);
    await rm(folder, { recursive: true, force: true });
  });

  it('[AE12] a program calls verbs by their names, and who it calls for is known there', async () => {
    const { late, nobody, started, again, log, status, audit, runs, removed } = await get<Record<string, object>>(
      `${url}/direct`,
    );
    expect(late).toMatchObject({ ok: false, code: 'deadline_exceeded' });
    expect(nobody).toMatchObject({ ok: false, code: 'not_found', status: 404 });
    expect(started).toMatchObject({ ok: true, status: 200, body: { status: 'completed', run: { output: 'done' } } });
    expect(again).toEqual(started);
    expect(String(log)).toMatch(/^: offshoot\n\nid: 1\ndata: .*\n\nevent: end\ndata: \{"status":"completed"\}\n\n$/s);
    expect(status).toMatchObject({ ok: true, body: { status: 'completed' } });
    expect(audit).toMatchObject({ ok: true, body: { items: [{ actor: 'ann of the other team', action: 'start' }] } });
    expect(runs).toMatchObject({ body: { items: [{ traceparent: expect.stringContaining('0af7651916cd43dd') }] } });
    expect(removed).toMatchObject({ ok: true, status: 204 });
  });

  it('[AE10] all that a parent relies on holds between two Workers', async () => {
    const results = await get<{ name: string; failed: string | null }[]>(`${url}/conformance`);
    expect(results.filter(({ failed }) => failed !== null)).toEqual([]);
    const kit = remoteConformance({
      transport: {
        label: 'nowhere',
        call: () => Promise.reject(new Error('asked')),
        stream: () => {
          throw new Error('asked');
        },
      },
      addressClass: 'helper',
      completes: {},
      waits: { start: {}, result: null },
    });
    expect(results.map(({ name }) => name)).toEqual(kit.map(({ name }) => name));
  });

  it('[AE12] an agent has sub-agents there, and a person answers their questions here', async () => {
    const address = '/agents/boss/b1';
    const steps = [asks(['look', { text: 'x' }]), asks(['pick', { of: ['x', 'y'] }])];
    await post(`${url}${address}/start`, { message: told(calls('helper', steps)) });
    const seen: SequencedChunk[] = [];
    expect(await readStream(url, address, seen)).toBe('suspended_awaiting_children');
    const { items } = await get<{ items: { toolCallId: string; address: string; toolName: string }[] }>(
      `${url}${address}/pending`,
    );
    expect(items).toMatchObject([{ toolName: 'pick', address: `${address}/sub/helper/1~1` }]);
    const answer = { kind: 'client-tool-result', toolCallId: items[0]?.toolCallId, result: { picked: 'y' } };
    expect(await post(`${url}${items[0]?.address}/tool-results`, answer)).toMatchObject({ status: 'accepted' });
    // It rests until the answer has come back from there.
    await vi.waitFor(async () => expect(await readStream(url, address, seen)).toBe('completed'), { interval: 20 });
    const answered = seen.filter(({ chunk }) => chunk.type === 'tool_answered' || chunk.type === 'subagent_end');
    expect(answered.map(({ chunk }) => chunk.type)).toEqual(['tool_answered', 'subagent_end']);
  });
});
