/** A verb over a socket: what its agent is asked, and what the caller is answered. */
import { describe, expect, it, vi } from 'vitest';
import type { ObjectRuntime } from '../../../src/engine/object/object';
import { failure } from '../../../src/protocol/errors';
import { answerSocketCall, type SocketAsk } from '../../../src/sockets/call';
import * as table from '../../../src/verbs/table';

const AT = '/agents/top/one';
const reported: unknown[] = [];
const object = { environment: { report: (...what: unknown[]) => reported.push(what) } } as unknown as ObjectRuntime;

const ask = (more: Partial<SocketAsk>): SocketAsk => ({
  ...{ path: [], verb: 'start', body: { message: 'Go' }, base: '/v1', address: AT },
  may: async () => ({ ok: true, grant: { subject: 'eve' } }),
  ...more,
});

describe('a call over a socket', () => {
  it('[W10, W19] asks the agent as the one who may, with the key, the trace and the token that it came with', async () => {
    const answerVerb = vi.spyOn(table, 'answerVerb').mockResolvedValue({ ok: true, status: 202, body: {} });
    const plain = { kind: 'verb', path: [], verb: 'start', input: { message: 'Go' }, caller: 'eve' };
    const token = { id: 't_1', endsAt: 9 };
    const path = [{ className: 'kid', name: 'a' }] as unknown as SocketAsk['path'];
    const more = { path, idempotencyKey: 'k', traceparent: '00-x' };
    await answerSocketCall(object, ask({}));
    await answerSocketCall(object, ask({ ...more, may: async () => ({ ok: true, grant: { subject: 'bo' }, token }) }));
    expect(answerVerb.mock.calls).toEqual([
      [object, plain],
      [object, { ...plain, ...more, caller: 'bo', token }],
    ]);
  });

  it('[W10] is answered as over HTTP: with links below the path of the server, and the status', async () => {
    const body = { sessionId: 's_1', address: AT, status: 'running', streamUrl: `${AT}/stream?from=1` };
    const answers = vi.spyOn(table, 'answerVerb');
    answers.mockResolvedValue({ ok: true, status: 202, body });
    expect(await answerSocketCall(object, ask({}))).toEqual({
      ok: true,
      status: 202,
      body: { ...body, streamUrl: `/v1${AT}/stream?from=1` },
    });
    const refused = { ok: false as const, error: failure('terminated') };
    answers.mockResolvedValue(refused);
    expect(await answerSocketCall(object, ask({}))).toBe(refused);
  });

  it('[W10] that no verb is, that has bytes, or that has no right or a wrong input, reaches no agent', async () => {
    const answerVerb = vi.spyOn(table, 'answerVerb');
    const forbidden = { ok: false as const, error: failure('forbidden') };
    for (const [more, code] of [
      [{ verb: 'none' }, 'not_found'],
      [{ verb: 'stream', body: {} }, 'invalid_request'],
      [{ body: { message: 7 } }, 'invalid_request'],
      [{ may: async () => forbidden }, 'forbidden'],
    ] as const)
      expect(await answerSocketCall(object, ask(more))).toMatchObject({ ok: false, error: { code } });
    expect(answerVerb).not.toHaveBeenCalled();
  });

  it('[W10] whose verb fails by itself is an internal error, which is reported', async () => {
    const thrown = new Error('SECRET');
    vi.spyOn(table, 'answerVerb').mockRejectedValue(thrown);
    expect(await answerSocketCall(object, ask({}))).toEqual({ ok: false, error: failure('internal') });
    expect(reported).toEqual([[expect.any(String), thrown]]);
  });
});
