/** How many roots a caller may begin. */
import { abortAllDurableObjects } from 'cloudflare:test';
import { exports } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json';
import { createWorker, OffshootDirectory, type WorkerOptions } from '../../../src/worker';
import { address, get, HOST, post } from '../../support/api';
import { told } from '../../support/puppet';
import { Eager, Form, Leaf, Line, Middle, Nest, Tiny, Top } from '../../support/worker';

const agents = [Top, Middle, Leaf, Tiny, Form, Line, Eager, Nest];

/** A Worker with limits whose callers say who they are. */
function limited(newRoots: WorkerOptions['newRoots']) {
  const worker = createWorker({
    agents,
    authorize: (request) => ({ subject: request.headers.get('x-caller') ?? 'nobody' }),
    ...(newRoots ? { newRoots } : {}),
  });
  return async (
    caller: string,
    path: string,
    body?: JsonObject,
    more: Record<string, string> = {},
    method = 'POST',
  ) => {
    const headers = { 'content-type': 'application/json', 'x-caller': caller, ...more };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const response = await worker.fetch(new Request(`${HOST}${path}`, init), {}, { exports });
    const text = await response.text();
    const said = text === '' ? {} : JSON.parse(text);
    return { status: response.status, code: said.code, body: said, retryAfter: response.headers.get('retry-after') };
  };
}

const message = told({ text: 'x' });
const start = { message, wait: true };
const someone = () => crypto.randomUUID();

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('new roots', () => {
  it('[A65] of a caller are as many as allowed, however many are begun at once', async () => {
    const ask = limited({ perCaller: 3 });
    const caller = someone();
    const places = Array.from({ length: 50 }, () => address());
    const answers = await Promise.all(places.map((at) => ask(caller, `${at}/start`, { message })));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(3);
    const refused = answers.filter(({ code }) => code === 'too_many_roots');
    expect(refused.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(Array(47).fill([429, null]));
    const there = await Promise.all(places.map((at) => get(`${at}/status`)));
    expect(there.filter(({ status }) => status === 200)).toHaveLength(3);
    expect((await ask(someone(), `${address()}/start`, start)).status).toBe(200);
  });

  it('[A65] is held before its directory is told of it, so that it stays counted until then', async () => {
    const told: string[] = [];
    vi.spyOn(OffshootDirectory.prototype, 'hold').mockImplementation(async () => void told.push('hold'));
    vi.spyOn(OffshootDirectory.prototype, 'report').mockImplementation(async () => void told.push('report'));
    await limited({ perCaller: 3 })(someone(), `${address()}/start`, { message });
    await vi.waitFor(() => expect(told).toContain('report'));
    expect(told[0]).toBe('hold');
  });

  it('[A65] of one name that is asked for at once are one, and repeats and later turns do not count', async () => {
    const ask = limited({ perCaller: 1, perMinute: 1 });
    const caller = someone();
    const at = address();
    const key = { 'idempotency-key': 'k' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(caller, `${at}/start`, { message }, key)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.runId}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(202);
    await vi.waitFor(async () => expect((await get(`${at}/status`)).body.status).toBe('completed'));
    expect((await ask(caller, `${at}/start`, { message }, key)).body).toEqual(answers[0]?.body);
    expect((await ask(caller, `${at}/start`, start)).status).toBe(200);
    expect(await ask(caller, `${address()}/start`, start)).toMatchObject({ status: 429, code: 'too_many_roots' });
    expect(await ask(caller, `${address()}/messages`, { content: message })).toMatchObject({ code: 'too_many_roots' });
  });

  it('[A65] that are deleted make room, also after everything has left memory; what is refused takes none', async () => {
    const ask = limited({ perCaller: 2 });
    const caller = someone();
    const [first, second, third] = [address(), address('form'), address('tiny')];
    expect((await ask(caller, `${second}/start`, { input: { q: 7 } })).status).toBe(422);
    expect((await ask(caller, `${first}/start`, start)).status).toBe(200);
    expect((await ask(caller, `${third}/messages`, { content: message })).status).toBe(202);
    await abortAllDurableObjects();
    const fourth = address();
    expect((await ask(caller, `${fourth}/start`, start)).code).toBe('too_many_roots');
    expect((await ask(caller, first, undefined, {}, 'DELETE')).status).toBe(204);
    expect((await ask(caller, `${fourth}/start`, start)).status).toBe(200);
    expect((await ask(caller, `${address()}/start`, start)).code).toBe('too_many_roots');
  });

  it('[A65] within a minute are as many as allowed, deleted ones included, and a refusal says when to come again', async () => {
    const ask = limited({ perMinute: 2 });
    const caller = someone();
    const at = address();
    expect((await ask(caller, `${at}/start`, start)).status).toBe(200);
    expect((await ask(caller, at, undefined, {}, 'DELETE')).status).toBe(204);
    expect((await ask(caller, `${address()}/start`, start)).status).toBe(200);
    const refused = await ask(caller, `${address()}/start`, start);
    expect(refused).toMatchObject({ status: 429, code: 'too_many_roots' });
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(Number(refused.retryAfter)).toBeLessThanOrEqual(60);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    await abortAllDurableObjects();
    expect((await ask(caller, `${address()}/start`, start)).status).toBe(200);
  });

  it('[A65] are counted by nobody where they are not limited, and are not begun where they cannot be counted', async () => {
    const claim = vi.spyOn(OffshootDirectory.prototype, 'claim').mockRejectedValue(new Error('away'));
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect((await post(`${address()}/start`, start)).status).toBe(200);
    expect((await limited(undefined)(someone(), `${address()}/start`, start)).status).toBe(200);
    expect(claim).not.toHaveBeenCalled();
    const at = address();
    const ask = limited({ perCaller: 1 });
    expect(await ask(someone(), `${at}/start`, start)).toMatchObject({ status: 503, code: 'unavailable' });
    expect((await get(`${at}/status`)).status).toBe(404);
  });

  it.each([{ perCaller: 0 }, { perMinute: 1.5 }, { perCaller: Number.NaN }, { perHour: 1 }])(
    '[A65] are not limited by %o',
    (newRoots) => {
      expect(() => createWorker({ agents, newRoots: newRoots })).toThrow('newRoots');
    },
  );
});
