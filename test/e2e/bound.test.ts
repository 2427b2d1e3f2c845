/** Two Workers, one of which has bound the other's agents as a service, as a team would that did not write them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { remoteConformance } from '../../src/testing/remote-conformance';
import { readStream } from '../support/reader';
import { serveTogether } from '../support/served';
import { asks, calls, told } from '../support/told';
import { get, post } from './desk';
import { endedUnbegun, goneOn, stoppedUnbegun } from './elsewhere/unbegun';

describe('agents of another Worker, over a service binding', () => {
  let folder: string;
  let workers: Awaited<ReturnType<typeof serveTogether>>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-bound-'));
    const configs = ['bound.jsonc', 'child.jsonc'].map((name) => join(root, 'test', 'e2e', 'elsewhere', name));
    workers = await serveTogether(folder, configs);
  });
  afterAll(async () => {
    await workers?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('[AE12] a program calls verbs by their names, and who it calls for is known there', async () => {
    const { late, nobody, started, again, log, status, audit, runs, removed } = await get<Record<string, object>>(
      `${workers.url}/direct`,
    );
    expect(late).toMatchObject({ ok: false, code: 'deadline_exceeded' });
    expect(nobody).toMatchObject({ ok: false, code: 'not_found', status: 404 });
    expect(started).toMatchObject({ ok: true, status: 200, body: { status: 'completed', run: { output: 'done' } } });
    expect(again).toEqual(started);
    expect(String(log)).toMatch(
      /^: offshoot\nretry: 2000\n\nid: 1\ndata: .*\n\nid: \d+:end\nevent: end\ndata: \{"status":"completed"\}\n\n$/s,
    );
    expect(status).toMatchObject({ ok: true, body: { status: 'completed' } });
    expect(audit).toMatchObject({ ok: true, body: { items: [{ actor: 'ann of the other team', action: 'start' }] } });
    expect(runs).toMatchObject({ body: { items: [{ traceparent: expect.stringContaining('0af7651916cd43dd') }] } });
    expect(removed).toMatchObject({ ok: true, status: 204 });
  });

  it('[AE10] all that a parent relies on holds between two Workers', async () => {
    const results = await get<{ name: string; failed: string | null }[]>(`${workers.url}/conformance`);
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

  it('[AE12, AE28] an agent has sub-agents there, and a person answers their questions here', async () => {
    const address = '/agents/boss/b1';
    const steps = [asks(['look', { text: 'x' }]), asks(['pick', { of: ['x', 'y'] }])];
    await post(`${workers.url}${address}/start`, { message: told(calls('helper', steps)) });
    const seen: SequencedChunk[] = [];
    expect(await readStream(workers.url, address, seen)).toBe('suspended_awaiting_children');
    const { items } = await get<{ items: { toolCallId: string; address: string; toolName: string }[] }>(
      `${workers.url}${address}/pending`,
    );
    expect(items).toMatchObject([{ toolName: 'pick', address: `${address}/sub/helper/1~1` }]);
    const answer = { kind: 'client-tool-result', toolCallId: items[0]?.toolCallId, result: { picked: 'y' } };
    expect(await post(`${workers.url}${items[0]?.address}/tool-results`, answer)).toMatchObject({ status: 'accepted' });
    // It rests until the answer has come back from there.
    await vi.waitFor(async () => expect(await readStream(workers.url, address, seen)).toBe('completed'), {
      interval: 20,
    });
    const answered = seen.filter(({ chunk }) => chunk.type === 'tool_answered' || chunk.type === 'subagent_end');
    expect(answered.map(({ chunk }) => chunk.type)).toEqual(['tool_answered', 'subagent_end']);
  });

  it('[RM19] one that is stopped while nobody is there never began there, and begins when its parent goes on', async () => {
    const [paused, ended] = ['/agents/boss/paused', '/agents/boss/ended'];
    const begun = async (): Promise<number> => (await get<{ items: object[] }>(`${workers.url}/begun`)).items.length;
    const before = await begun();
    await get(`${workers.url}/cut`);
    await stoppedUnbegun(workers.url, paused, 'interrupt');
    await stoppedUnbegun(workers.url, ended, 'abort');
    await get(`${workers.url}/mend`);
    await endedUnbegun(workers.url, paused, 'interrupted', 'queued');
    await endedUnbegun(workers.url, ended, 'failed', 'failed');
    expect(await begun()).toBe(before);
    await goneOn(workers.url, paused);
    // A root tells its directory beside its work.
    await vi.waitFor(async () => expect(await begun()).toBe(before + 1), { interval: 20 });
  });
});
