/** Opening a socket: what its root is asked, and what goes on to it of the request. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PASS_HEADER, type SocketAnswer, type SocketCall } from '../../../src/engine/object/object-calls';
import { parseAddress } from '../../../src/protocol/address';
import { failure } from '../../../src/protocol/errors';
import { openSocket } from '../../../src/sockets/open';

const AT = '/agents/top/one/sub/kid/a';
const URL_THERE = `https://example.com${AT}`;

afterEach(() => {
  vi.unstubAllGlobals();
});

interface Asked {
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly token?: { readonly id: string; readonly endsAt: number };
  readonly answer?: SocketAnswer;
  readonly webSocket?: object | null;
}

/** What the root was asked and sent for a request, and its answer; or the code of a refusal. */
async function opened({ url = URL_THERE, headers = {}, token, answer, webSocket = null }: Asked) {
  const asked: SocketCall[] = [];
  const passed: Request[] = [];
  const there = { webSocket, status: 101 } as unknown as Response;
  const root = {
    ask: async (call: SocketCall) => {
      asked.push(call);
      return answer ?? { ok: true as const, pass: 'p_1' };
    },
    fetch: async (request: Request) => {
      passed.push(request);
      return there;
    },
  };
  const response = await openSocket(
    new Request(url, { headers }),
    { authorizer: 7, token, caller: 'eve' },
    parseAddress(AT),
    root,
  ).catch((error: unknown) => String(Reflect.get(error as object, 'code')));
  return { asked, passed, response, there };
}

describe('a socket', () => {
  it('[X13, W18] is passed to its root with the pass of that, and without what was for this server alone', async () => {
    const secrets = {
      authorization: 'Bearer x',
      'cf-access-jwt-assertion': 'x',
      'sec-websocket-protocol': 'offshoot, x',
      'x-cf-agents-subagent-url': 'x',
      'x-agents-lifecycle-props': 'x',
      [PASS_HEADER]: 'forged',
    };
    const own = { upgrade: 'websocket', 'user-agent': 'me', 'x-own': '1' };
    const { passed, asked } = await opened({ url: `${URL_THERE}?a=1&ticket=x&b=2`, headers: { ...secrets, ...own } });
    const [request] = passed;
    expect(request?.url).toBe(`${URL_THERE}?a=1&b=2`);
    expect(Object.fromEntries(request?.headers ?? [])).toEqual({ ...own, [PASS_HEADER]: 'p_1' });
    // The authorizer is asked again later, with all that it was shown.
    expect(asked[0]?.opening).toMatchObject({ authorizer: 7, url: `${URL_THERE}?a=1&ticket=x&b=2` });
    expect(Object.fromEntries(asked[0]?.opening.headers ?? [])).toEqual({ ...secrets, ...own });
  });

  it('[X44] keeps the cookies of a page but that of Cloudflare Access', async () => {
    for (const [cookie, expected] of [
      [undefined, null],
      ['a=b', 'a=b'],
      ['CF_Authorization=x', null],
      ['CF_Authorization=x; a=b', 'a=b'],
      ['a=b; CF_Authorization=x', 'a=b'],
      ['a=b; CF_Authorization=x; c=d', 'a=b; c=d'],
      ['XCF_Authorization=x', 'XCF_Authorization=x'],
      ['a=b; CF_Authorization_2=x', 'a=b; CF_Authorization_2=x'],
    ] as const) {
      const { passed } = await opened({ headers: cookie === undefined ? {} : { cookie } });
      expect([cookie, passed[0]?.headers.get('cookie')]).toEqual([cookie, expected]);
    }
  });

  it('[W18] asks its root for the agent, with who opens it and by which token', async () => {
    const token = { id: 't_1', endsAt: 9 };
    const path = [{ className: 'kid', name: 'a' }];
    const own = { kind: 'socket', caller: 'eve', opening: expect.anything(), path: expect.anything() };
    const [plain, byToken] = [await opened({}), await opened({ token })];
    expect(plain.asked).toEqual([own]);
    expect(byToken.asked).toEqual([{ ...own, token }]);
    expect(plain.asked[0]?.path.map(({ name }) => name)).toEqual(path.map(({ name }) => name));
  });

  it('[W18] that its root refuses, or that no socket can be, is refused before anything is opened', async () => {
    const long = (more: number) => `${URL_THERE}?${'x'.repeat(3_000 - URL_THERE.length - 1 + more)}`;
    for (const [asked, code, times] of [
      [{ answer: { ok: false as const, error: failure('gone') } }, 'gone', 1],
      [{ url: long(1) }, 'invalid_request', 0],
      [{ url: `${URL_THERE}?__agents_transport=x` }, 'invalid_request', 0],
    ] as const) {
      const found = await opened(asked);
      expect([found.response, found.asked.length, found.passed.length]).toEqual([code, times, 0]);
    }
    const longest = await opened({ url: long(0) });
    expect([longest.response, longest.passed.length]).toEqual([longest.there, 1]);
  });

  it('[X13] is said to speak `offshoot` where its client asked for that, and nothing else of what it asked for', async () => {
    class Upgraded {
      constructor(
        readonly body: null,
        readonly init: ResponseInit & { readonly webSocket: object },
      ) {}
    }
    vi.stubGlobal('Response', Upgraded);
    const webSocket = {};
    const asks = { 'sec-websocket-protocol': 'offshoot, base64url.c2VjcmV0' };
    const expected = { status: 101, webSocket, headers: { 'sec-websocket-protocol': 'offshoot' } };
    expect((await opened({ headers: asks, webSocket })).response).toEqual(new Upgraded(null, expected));
    for (const other of [
      { headers: asks },
      { webSocket },
      { headers: { 'sec-websocket-protocol': 'other' }, webSocket },
    ]) {
      const { response, there } = await opened(other);
      expect(response).toBe(there);
    }
  });
});
