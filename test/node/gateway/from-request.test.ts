/** Agents asked for a request that is open meanwhile. */
import { describe, expect, it } from 'vitest';
import type { ObjectCall } from '../../../src/engine/object/object-calls';
import { askFromRequest } from '../../../src/gateway/agents/from-request';
import { parseAddress } from '../../../src/protocol/address';
import { VERB } from '../../../src/verbs/table';

describe('a stream of a request', () => {
  it.each([
    ['over HTTP', undefined, undefined],
    ['of an open socket', 'open' as const, true],
  ])('[W39, OC11] %s has a bell, which says whether a socket was opened before it', async (_of, socket, isOpen) => {
    const asked: ObjectCall[] = [];
    const streams = [': pause 2\n\n', 'event: end\ndata: {}\n\n'];
    const root = {
      async offshoot(call: ObjectCall) {
        asked.push(call);
        if (call.kind === 'socket') return { ok: false, error: { code: 'too_many_sockets' } };
        return { ok: true, status: 200, body: {}, bytes: new Response(streams.shift()).body };
      },
    };
    const request = new Request('https://example.com/agents/top/one/chat', { headers: { upgrade: 'websocket' } });
    const context = {
      ...{ request, requestId: 'r', base: '', authorizer: 0, classes: new Set(['Top']), log: () => undefined },
      exports: { Top: { getByName: () => root } },
      access: { authorize: () => ({ subject: 'Ann' }), ...(socket ? { socket } : {}) },
    };
    const token = { id: 't_1', endsAt: 1 };
    const ask = { address: parseAddress('/agents/top/one'), verb: VERB.stream, input: { follow: true } };
    const answer = await askFromRequest(context, { ...ask, caller: 'Ann', token });
    if (!answer.ok || !answer.bytes) throw new Error('There is no stream.');
    expect(await new Response(answer.bytes).text()).toContain('event: end');
    expect(asked.map(({ kind }) => kind)).toEqual(['verb', 'socket', 'verb']);
    expect(asked[1]).toEqual(expect.objectContaining({ bell: true, token }));
    expect((asked[1] as { isOpen?: true }).isOpen).toBe(isOpen);
  });
});
