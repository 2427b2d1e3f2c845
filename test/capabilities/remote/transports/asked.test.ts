/** What another side is told of a call over a service binding (AE1), and which refusals of a stream may pass. */
import { describe, expect, it } from 'vitest';
import { ServiceBindingTransport } from '../../../../src/capabilities/remote/transports/binding';
import { HttpRemoteAgentTransport } from '../../../../src/capabilities/remote/transports/http';
import { ObjectTransport } from '../../../../src/capabilities/remote/transports/object';
import { type RemoteAgentTransport, RemoteError } from '../../../../src/core/definition/remote-transport';
import { ERROR_CODES, failure, isErrorCode } from '../../../../src/protocol/errors';
import type { JsonObject } from '../../../../src/protocol/json';

const agent = { addressClass: 'researcher', name: 'r1' };
const quiet = () => new AbortController().signal;

describe('a call over a service binding', () => {
  it('[AE1] has the address, the body, and who asks with which key; nobody where no caller is named', async () => {
    const traced = { subject: 'ada', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    for (const verb of ['status', 'start', 'send'])
      for (const caller of [undefined, { subject: 'ada' }, traced, { ...traced, deadline: 9 }])
        for (const idempotencyKey of [undefined, 'k_1'])
          for (const body of [undefined, { message: 'Go.' }]) {
            const asked: unknown[] = [];
            const binding = new Proxy(
              {},
              {
                get:
                  (_, name) =>
                  async (...given: unknown[]) => {
                    asked.push([name, ...given]);
                    return { ok: false, code: 'not_found', title: 'No.', status: 404 };
                  },
              },
            );
            const answer = await new ServiceBindingTransport({ binding }).call({
              ...{ verb, agent, signal: quiet() },
              ...(caller ? { caller } : {}),
              ...(idempotencyKey ? { idempotencyKey } : {}),
              ...(body ? { body } : {}),
            });
            const who = { subject: 'offshoot', ...caller, ...(idempotencyKey ? { idempotencyKey } : {}) };
            expect(asked).toEqual([[verb, '/agents/researcher/r1', body ?? {}, who]]);
            expect(answer).toMatchObject({ ok: false, code: 'not_found' });
          }
  });
});

describe('a call to an object', () => {
  /** An object that answers so; what it was asked is noted. */
  const to = (answer: unknown, asked: unknown[] = []) =>
    new ObjectTransport({
      namespace: {
        getByName: (name: string) => ({
          offshoot: async ({ verb, input, caller, idempotencyKey }: Record<string, unknown>) => {
            asked.push([name, verb, input, caller, idempotencyKey]);
            return answer;
          },
        }),
      },
    });
  const calling = { agent, caller: { subject: 'ada' }, idempotencyKey: 'k_1', signal: quiet() };

  it('[AE1] is answered by that object, and a refusal has its code', async () => {
    const asked: unknown[] = [];
    const at = { address: '/agents/researcher/r1', streamUrl: '/agents/researcher/r1/stream' };
    const body = { sessionId: 's', runId: 'r', status: 'running', ...at };
    const ok = await to({ ok: true, body }, asked).call({ ...calling, verb: 'start', body: { message: 'Go.' } });
    expect(ok).toMatchObject({ ok: true, body });
    expect(asked).toEqual([[expect.any(String), 'start', { message: 'Go.' }, 'ada', 'k_1']]);
    for (const code of Object.keys(ERROR_CODES).filter(isErrorCode)) {
      const answer = await to({ ok: false, error: failure(code, 'Not now.') }).call({ ...calling, verb: 'status' });
      expect(answer).toMatchObject({ ok: false, code });
    }
  });

  it('[AE1, AE25] that no agent takes is refused with its code, and the object is not asked', async () => {
    const wrong: readonly (readonly [string, JsonObject, object])[] = [
      ['send', { content: 7 }, {}],
      ['start', { nothing: 1 }, {}],
      ['interrupt', { reason: {} }, {}],
      ['status', {}, { caller: { subject: 'ada', traceparent: 'none' } }],
    ];
    for (const [verb, body, more] of wrong) {
      const asked: unknown[] = [];
      const answer = await to({ ok: true, body: {} }, asked).call({ ...calling, verb, body, ...more });
      expect([verb, answer, asked]).toMatchObject([verb, { ok: false, code: 'invalid_request', status: 400 }, []]);
    }
    await expect(to({}).call({ ...calling, verb: 'nothing' })).rejects.toThrow(TypeError);
  });
});

describe('a stream that is refused', () => {
  const STATUSES = [400, 401, 403, 404, 405, 409, 410, 413, 422, 428, 429, 430, 499, 500, 501, 502, 503, 504, 599];

  const problem = (status: number) => ({ code: 'some_code', title: 'No.', detail: 'Not now.', status });
  const ways: Record<string, (status: number) => RemoteAgentTransport> = {
    'over HTTP': (status) =>
      new HttpRemoteAgentTransport({
        url: 'https://research.example',
        fetch: async () =>
          Response.json(problem(status), {
            status,
            headers: { 'content-type': 'application/problem+json; charset=utf-8' },
          }),
      }),
    'over a binding': (status) =>
      new ServiceBindingTransport({ binding: { stream: async () => ({ ok: false, ...problem(status) }) } }),
  };

  it.each(Object.entries(ways))(
    '[AE1] %s has the code and the words of its side; a rate limit and faults of the side pass, nothing else',
    async (_, transport) => {
      for (const status of STATUSES) {
        const thrown = await transport(status)
          .stream({ agent, from: 1, signal: quiet() })
          [Symbol.asyncIterator]()
          .next()
          .catch((error: unknown) => error);
        if (!(thrown instanceof RemoteError)) throw thrown;
        const { code, retryable, refusal } = thrown;
        const passes = status === 429 || status >= 500;
        expect([code, retryable, refusal]).toEqual(['remote_refused', passes, problem(status)]);
      }
    },
  );
});
