import {
  abortAllDurableObjects,
  listDurableObjectIds,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OffshootDirectory } from '../../../src/worker';
import { address, del, get, page, post } from '../../support/api';
import { bindings } from '../../support/bindings';
import { present } from '../../support/present';
import { asks, openGate, told } from '../../support/puppet';
import { lives } from '../../support/worker';

const roots = (query: string) => page('/directory/roots', `?${query}`);
const namespaces = bindings;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Rings the alarm of a root as if its time had come. */
async function ring(at: string): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6_000 });
  // A root that leaves memory while its alarm rings takes the alarm along.
  await runDurableObjectAlarm(namespaces.TOP.getByName(at.split('/')[3] ?? '')).catch(() => false);
}

describe('agents', () => {
  it('[DF7] that are never roots are started by nobody but their parents, and say so', async () => {
    const { items } = (await get('/directory/agents')).body;
    expect(items.filter(({ root }) => root === false).map(({ agentType }) => agentType)).toEqual(['leaf']);
    const at = address('leaf');
    for (const [verb, body] of [
      ['start', { message: told({ text: 'x' }) }],
      ['messages', { content: told({ text: 'x' }) }],
    ] as const)
      expect(await post(`${at}/${verb}`, body)).toMatchObject({ status: 409, body: { code: 'not_a_root' } });
    expect((await get(`${at}/status`)).status).toBe(404);
  });

  it('[A28] are listed with their schemas, in pages', async () => {
    const { items } = (await get('/directory/agents')).body;
    expect(items.map(({ agentType }) => agentType)).toEqual([
      ...['bearer', 'by-binding', 'by-facet', 'by-http', 'by-object', 'clerk', 'courier', 'eager', 'far', 'form'],
      ...['host', 'keeper', 'kin', 'leaf', 'line', 'middle', 'nest', 'one-facet', 'one-object', 'rated'],
      ...['scribe', 'tiny', 'top', 'twin'],
    ]);
    const named = (name: string) => items.find(({ agentType }) => agentType === name);
    expect(named('form')).toMatchObject({
      addressClass: 'form',
      inputSchema: { properties: { q: { type: 'string' } } },
      outputSchema: { required: ['answer'] },
    });
    const tools = ['note', 'publish', 'pick', 'subagent__middle', 'subagent__leaf'];
    expect(named('top')).toMatchObject({
      description: 'The top of most trees.',
      tools: expect.arrayContaining(tools.map((name) => expect.objectContaining({ name }))),
    });
    const first = (await get('/directory/agents?limit=2')).body;
    expect(
      (await get(`/directory/agents?limit=2&cursor=${String(first.cursor)}`)).body.items.map(
        ({ agentType }) => agentType,
      ),
    ).toEqual(['by-facet', 'by-http']);
  });
});

describe('roots', () => {
  it('[A28] before there is one are an empty list, which makes no directory', async () => {
    const ids = async () => (await listDurableObjectIds(namespaces.MIDDLE)).map(String);
    const before = await ids();
    expect(await roots('agent=middle')).toEqual({ items: [] });
    expect(await ids()).toEqual(before);
  });

  it('[A28] are listed newest first with how they stand, by agent, status and tag, in pages over all agents', async () => {
    const tag = crypto.randomUUID();
    const [one, two, three] = [address('top'), address('tiny'), address('top')];
    await post(`${one}/start`, { message: told({ text: 'x' }), tags: [tag, 'x"y'], displayName: 'One', wait: true });
    await post(`${two}/start`, {
      message: told({ fail: { code: 'model_refused', message: 'No.' } }),
      tags: [tag],
      wait: true,
    });
    await post(`${three}/start`, { message: told({ gate: three, text: 'x' }), tags: [tag] });
    await vi.waitFor(async () =>
      expect((await roots(`tag=${tag}`)).items.map(({ address: at, status }) => [at, status])).toEqual([
        [three, 'running'],
        [two, 'failed'],
        [one, 'completed'],
      ]),
    );
    const [last] = (await roots(`tag=${tag}&status=completed`)).items;
    expect(last).toMatchObject({
      agentType: 'top',
      name: one.split('/')[3],
      displayName: 'One',
      tags: [tag, 'x"y'],
      sessionId: expect.stringMatching(/^s_/),
    });
    expect(Number(last?.lastActivity)).toBeGreaterThanOrEqual(Number(last?.createdAt));
    expect((await roots(`tag=${tag}&agent=tiny`)).items.map(({ address: at }) => at)).toEqual([two]);
    expect((await roots(`tag=${encodeURIComponent('x"y')}`)).items.map(({ address: at }) => at)).toContain(one);
    expect((await roots(`tag=${tag.slice(1)}`)).items).toEqual([]);
    const seen: unknown[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const found: Awaited<ReturnType<typeof roots>> = await roots(
        `tag=${tag}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...found.items.map(({ address: at }) => at));
      cursor = found.cursor;
    }
    expect(seen).toEqual([three, two, one]);
    openGate(three);
  });

  it.each(['cursor=x', 'status=nothing', 'limit=0', 'unknown=1'])('[A28, A23] refuse the query %s', async (query) => {
    expect((await get(`/directory/roots?${query}`)).status).toBe(400);
  });

  it('[A28] are told again by the alarm when the directory could not be reached, and nothing waits for it', async () => {
    const tag = crypto.randomUUID();
    const at = address();
    const report = vi.spyOn(OffshootDirectory.prototype, 'report').mockRejectedValue(new Error('away'));
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect((await post(`${at}/start`, { message: told({ text: 'x' }), tags: [tag], wait: true })).status).toBe(200);
    await vi.waitFor(() => expect(report).toHaveBeenCalled());
    expect((await roots(`tag=${tag}`)).items).toEqual([]);
    report.mockRestore();
    await ring(at);
    await vi.waitFor(async () => {
      expect((await roots(`tag=${tag}`)).items).toMatchObject([{ address: at, status: 'completed' }]);
    });
  });

  it('[A111] at work whose alarm the platform gave up are woken; those that wait for a person are not', async () => {
    const tag = crypto.randomUUID();
    const [works, waits] = [address(), address()];
    const stubOf = (at: string) => namespaces.TOP.getByName(at.split('/')[3] ?? '');
    await post(`${works}/start`, { message: told({ gate: works, text: 'x' }), tags: [tag] });
    await post(`${waits}/start`, { message: told(asks(['publish', { text: 'x' }]), { text: 'y' }), tags: [tag] });
    const standings = async () => (await roots(`tag=${tag}`)).items.map(({ status }) => status);
    await vi.waitFor(async () => expect(await standings()).toEqual(['suspended_client_tool', 'running']));
    // An alarm that has failed seven times is set no more.
    await runInDurableObject(stubOf(works), (_: object, { storage }) => storage.deleteAlarm());
    await abortAllDurableObjects();
    const before = [works, waits].map((at) => lives(stubOf(at).id));
    openGate(works);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
    expect(await runDurableObjectAlarm(namespaces.OFFSHOOT_DIRECTORY.getByName('Top'))).toBe(true);
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await standings()).toEqual(['suspended_client_tool', 'completed']));
    expect([works, waits].map((at) => lives(stubOf(at).id) - (before.shift() ?? 0))).toEqual([1, 0]);
  });

  it('[A111, OC2] are woken in the class that agents share, too', async () => {
    const tag = crypto.randomUUID();
    const at = address('kin');
    const root = () => namespaces.OFFSHOOT_AGENT.getByName(`kin:${at.split('/')[3]}`);
    await post(`${at}/start`, { message: told({ gate: at, text: 'x' }), tags: [tag] });
    const status = async () => (await roots(`tag=${tag}`)).items[0]?.status;
    await vi.waitFor(async () => expect(await status()).toBe('running'));
    await runInDurableObject(root(), (_: object, { storage }) => storage.deleteAlarm());
    await abortAllDurableObjects();
    openGate(at);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
    expect(await runDurableObjectAlarm(namespaces.OFFSHOOT_DIRECTORY.getByName('Kin'))).toBe(true);
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await status()).toBe('completed'));
  });

  it('[A112] that consult a working companion are woken, behind more than 1,000 whose wakes are used up', async () => {
    const tag = crypto.randomUUID();
    const at = address('tiny');
    const task = { agent: 'leaf', name: 'ada', initialMessage: told({ gate: at, text: 'x' }) };
    const root = () => bindings.TINY.getByName(at.split('/')[3] ?? '');
    const directory = () => bindings.OFFSHOOT_DIRECTORY.getByName('Tiny');
    await post(`${at}/start`, { message: told(asks(['companion__spawnAgent', task]), { text: 'y' }), tags: [tag] });
    const status = async () => (await roots(`tag=${tag}`)).items[0]?.status;
    await vi.waitFor(async () => expect(await status()).toBe('suspended_awaiting_children'));
    await runInDurableObject(root(), (_: object, { storage }) => storage.deleteAlarm());
    await runInDurableObject(directory(), (_: object, { storage }) => {
      const columns = 'name, session_id, generation, created_at, last_activity, status, tags';
      for (let n = 0; n < 1_001; n++) {
        storage.sql.exec(
          `INSERT INTO roots (${columns}) VALUES (?, ?, 1, 1, 1, 'running', '[]')`,
          `dead${n}`,
          `dead${n}`,
        );
        storage.kv.put(`offshoot.wakes:dead${n}`, { heardAt: 1, times: 5 });
      }
    });
    await abortAllDurableObjects();
    openGate(at);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
    expect(await runDurableObjectAlarm(directory())).toBe(true);
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await status()).toBe('completed'));
    await runInDurableObject(directory(), (_: object, { storage }) => {
      const times = [...storage.kv.list<{ times: number }>({ prefix: 'offshoot.wakes:' })].map(
        ([, kept]) => kept.times,
      );
      expect(times.filter((at) => at === 1)).toHaveLength(1);
      expect(times).toHaveLength(1_002);
      storage.sql.exec("DELETE FROM roots WHERE name LIKE 'dead%'");
    });
  });

  it('[A29] that were deleted are listed no more; what still tells of them changes nothing', async () => {
    const tag = crypto.randomUUID();
    const at = address();
    const report = vi.spyOn(OffshootDirectory.prototype, 'report');
    await post(`${at}/start`, { message: told({ text: 'x' }), tags: [tag], wait: true });
    await vi.waitFor(async () => expect((await roots(`tag=${tag}`)).items).toMatchObject([{ status: 'completed' }]));
    const late = report.mock.calls.at(-1)?.[0];
    await del(at);
    expect((await roots(`tag=${tag}`)).items).toEqual([]);
    const directory = namespaces.OFFSHOOT_DIRECTORY.getByName('Top');
    await directory.report(present(late));
    expect((await roots(`tag=${tag}`)).items).toEqual([]);
    await post(`${at}/start`, { message: told({ text: 'again' }), tags: [tag], wait: true });
    await vi.waitFor(async () =>
      expect((await roots(`tag=${tag}`)).items).toMatchObject([{ address: at, status: 'completed' }]),
    );
  });

  it('[A29, A16] a deletion that the directory could not be told of is finished by the alarm', async () => {
    const at = address();
    await post(`${at}/start`, { message: told({ text: 'x' }), wait: true });
    const recordDeletion = vi.spyOn(OffshootDirectory.prototype, 'recordDeletion').mockRejectedValue(new Error('away'));
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect((await del(at, { 'idempotency-key': 'k' })).status).toBe(204);
    expect((await get(`${at}/status`)).status).toBe(404);
    expect((await del(at, { 'idempotency-key': 'k' })).status).toBe(204);
    expect((await post(`${at}/start`, { message: 'x' })).body).toMatchObject({ status: 503, code: 'unavailable' });
    recordDeletion.mockRestore();
    await ring(at);
    await vi.waitFor(async () => {
      expect((await post(`${at}/start`, { message: told({ text: 'new' }), wait: true })).status).toBe(200);
    });
    expect((await del(at, { 'idempotency-key': 'other' })).status).toBe(204);
    expect((await del(at, { 'idempotency-key': 'k' })).status).toBe(204);
  });
});
