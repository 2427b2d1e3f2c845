/** As whom a page asks its server, and what it says of a try without an answer. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refused } from '../../../../src/client';

const KEY = 'offshoot.token';
const AWAY = '../../../../src/console/data/away';
const SESSION = new URL('../../../../src/console/data/session', import.meta.url).pathname;
let opens = 0;
const heard = vi.fn();
const unheard = vi.fn();
const told: unknown[] = [];
const kept = new Map<string, string>();
const replaced: unknown[][] = [];
let fromTabs: (event: { data: unknown }) => void;
const page = { hash: '', onLine: true };

beforeEach(() => {
  for (const each of [told, replaced]) each.length = 0;
  kept.clear();
  heard.mockReset();
  unheard.mockReset();
  Object.assign(page, { hash: '', onLine: true });
  vi.doMock(AWAY, () => ({ heard, unheard }));
  vi.stubGlobal('document', { documentElement: { dataset: { base: '/ai' } } });
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  const channel = class {
    postMessage = (data: unknown) => void told.push(data);
    addEventListener = (_: string, listener: typeof fromTabs) => {
      fromTabs = listener;
    };
  };
  vi.stubGlobal('BroadcastChannel', channel);
  const location = {
    origin: 'https://a.test',
    pathname: '/p',
    search: '?q',
    get hash() {
      return page.hash;
    },
  };
  vi.stubGlobal('location', location);
  vi.stubGlobal('history', { state: 7, replaceState: (...all: unknown[]) => void replaced.push(all) });
  vi.stubGlobal('navigator', page);
});

beforeAll(() => void vi.resetModules());
afterEach(() => void vi.unstubAllGlobals());
afterAll(() => {
  vi.doUnmock(AWAY);
  vi.resetModules();
});

async function opened(token?: string, hash = '') {
  if (token !== undefined) kept.set(KEY, token);
  page.hash = hash;
  opens += 1;
  // A module of its own for each page; what it imports is read once.
  const session: typeof import('../../../../src/console/data/session') = await import(`${SESSION}?${opens}`);
  const changes = { count: 0 };
  session.onSession(() => {
    changes.count += 1;
  });
  return { ...session, changes };
}

const WANTED = { type: 'token wanted' };

describe('the token of a page', () => {
  it.each<
    [name: string, kept: string | undefined, hash: string, now: string | undefined, offer: boolean, asks: boolean]
  >([
    ['nothing', undefined, '', undefined, false, true],
    ['its own', 'mine', '', 'mine', false, false],
    ['that of a link', undefined, '#token=theirs', 'theirs', false, false],
    ['the same of a link', 'mine', '#token=mine', 'mine', false, false],
    ['another of a link', 'mine', '#token=theirs', 'mine', true, false],
    ['no link', 'mine', '#other=theirs', 'mine', false, false],
  ])(
    '[CN54, CN99] begins as %s, asks other tabs only without one, and leaves none in the address',
    async (_, own, hash, now, offer, asks) => {
      const session = await opened(own, hash);
      expect([session.tokenNow(), kept.get(KEY)]).toEqual([now, now]);
      expect(told).toEqual(asks ? [WANTED] : []);
      expect(replaced).toEqual(hash.includes('token=') ? [[7, '', '/p?q']] : []);
      session.decideOffer(true);
      expect([session.tokenNow(), kept.get(KEY)]).toEqual(offer ? ['theirs', 'theirs'] : [now, now]);
      expect(session.changes.count).toBe(1);
    },
  );

  it('[CN99] stays where the person does not want that of the link, which is forgotten', async () => {
    const session = await opened('mine', '#token=theirs');
    session.decideOffer(false);
    session.decideOffer(true);
    expect([session.tokenNow(), kept.get(KEY), session.changes.count]).toEqual(['mine', 'mine', 2]);
  });

  it('[CN54] is given to tabs that want one, while the server accepts it', async () => {
    const session = await opened();
    told.length = 0;
    fromTabs({ data: WANTED });
    expect(told).toEqual([]);
    session.signIn('mine');
    fromTabs({ data: WANTED });
    const given = { type: 'token', token: 'mine' };
    expect([told, kept.get(KEY), session.changes.count]).toEqual([[given, given], 'mine', 1]);
    session.refused();
    session.refused();
    fromTabs({ data: WANTED });
    expect([told, session.isSignedOut(), session.changes.count]).toEqual([[given, given, WANTED], true, 2]);
    session.signIn('new');
    expect([session.isSignedOut(), session.tokenNow()]).toEqual([false, 'new']);
    session.signOut();
    expect([session.tokenNow(), kept.size, session.changes.count]).toEqual([undefined, 0, 4]);
  });

  it.each<[own: string | undefined, isRefused: boolean, given: string, taken: boolean]>([
    [undefined, false, 'theirs', true],
    [undefined, true, 'theirs', true],
    ['mine', false, 'theirs', false],
    ['mine', true, 'theirs', true],
    ['mine', true, 'mine', false],
  ])('[CN54] %s, refused: %s; that of another tab, %s, is taken: %s', async (own, isRefused, given, taken) => {
    const session = await opened(own);
    if (isRefused) session.refused();
    fromTabs({ data: { type: 'token', token: given } });
    expect([session.tokenNow(), session.isSignedOut()]).toEqual([taken ? given : own, isRefused && !taken]);
  });

  it('[CN54] has one client for as long as it is the same, and none of one before', async () => {
    const session = await opened();
    const nobody = session.server();
    expect(session.server()).toBe(nobody);
    session.signIn('a');
    const first = session.server();
    expect([session.server() === first, first === nobody]).toEqual([true, false]);
    session.signIn('b');
    expect(session.server()).not.toBe(first);
    session.signOut();
    expect(session.server()).toBe(nobody);
  });

  it('[CN105] is refused by a 401 alone: a server that does not answer, or refuses another thing, accepts it', async () => {
    const { isAccepted } = await opened();
    for (const [code, status, accepted] of [
      ['unauthorized', 401, false],
      ['forbidden', 403, true],
    ] as const) {
      const problem = { code, status, title: code, detail: '', category: 'access', retryable: false, requestId: '' };
      vi.stubGlobal('fetch', async () => Response.json(problem, { status }));
      expect([code, await isAccepted('mine')]).toEqual([code, accepted]);
    }
    vi.stubGlobal('fetch', async () => Promise.reject(new Refused({ code: 'odd' } as never)));
    expect(await isAccepted('mine')).toBe(true);
  });
});

describe('a try', () => {
  const json = (status: number) => () => Response.json({}, { status });
  const page = (status: number) => () => new Response('<p>', { status, headers: { 'content-type': 'text/html' } });
  const gone = 'the server cannot be reached';
  const cut = () =>
    new Response(new ReadableStream({ pull: (stream) => stream.error(new TypeError('cut')) }), { status: 200 });
  const no = () => {
    throw new TypeError('no route');
  };

  /** The answer to a try, whether the device has a line, what is said of the server, and of the try itself. */
  const TABLE: readonly [string, () => Response, boolean, 'heard' | string, readonly [string, boolean] | undefined][] =
    [
      ['an answer', json(200), true, 'heard', undefined],
      ['a page with 200', page(200), true, 'heard', undefined],
      ['a refusal', json(404), true, 'heard', undefined],
      ['a page with 404', page(404), true, 'the response is not from an Offshoot server (status 404)', undefined],
      ...[502, 503, 504].map((status): (typeof TABLE)[number] => [
        `a page with ${status}`,
        page(status),
        true,
        gone,
        [gone, false],
      ]),
      [
        '501 of no server of ours',
        page(501),
        true,
        'the response is not from an Offshoot server (status 501)',
        undefined,
      ],
      ['no room', json(503), true, 'heard', ['the server is unavailable', false]],
      ['nothing', no, true, gone, [gone, false]],
      ['nothing without a line', no, false, 'this device is offline', ['this device is offline', true]],
      ['half an answer', cut, true, gone, [gone, false]],
      ['half an answer without a line', cut, false, 'this device is offline', ['this device is offline', false]],
    ];

  it.each(TABLE)('[CN80, CN84] with %s', async (_, answer, onLine, says, lost) => {
    const { onLostTry, server } = await opened('mine');
    Object.assign(navigator, { onLine });
    vi.stubGlobal('fetch', async () => answer());
    const tries: unknown[] = [];
    onLostTry('k', (...all) => tries.push(all));
    onLostTry('other', (...all) => tries.push(['other', ...all]));
    const stop = new AbortController();
    const asked = server().fetch('/agents/a/b/x', { headers: { 'idempotency-key': 'k' }, signal: stop.signal });
    await asked.catch(() => undefined);
    const expected = lost ?? (says === 'heard' ? undefined : [says, false]);
    expect(tries).toEqual(expected === undefined ? [] : [expected]);
    if (says === 'heard') expect(heard).toHaveBeenCalled();
    else expect(unheard.mock.calls).toEqual([[says]]);
  });

  it('[CN84] that is not waited for any more says nothing; one that took too long does', async () => {
    const { server, onLostTry } = await opened('mine');
    const tries: unknown[] = [];
    const stop = onLostTry('k', (...all) => tries.push(all));
    const ask = (reason: Error) => {
      vi.stubGlobal('fetch', async () => Promise.reject(reason));
      const init = { headers: { 'idempotency-key': 'k' }, signal: AbortSignal.abort(reason) };
      return server()
        .fetch('/agents/a/b/x', init)
        .catch(() => undefined);
    };
    await ask(new DOMException('gone', 'AbortError'));
    expect([unheard.mock.calls, tries]).toEqual([[], []]);
    await ask(new DOMException('late', 'TimeoutError'));
    const late = 'the server has not answered in time';
    expect([unheard.mock.calls, tries]).toEqual([[[late]], [[late, false]]]);
    const again = onLostTry('k', () => tries.push('again'));
    stop();
    await ask(new DOMException('late', 'TimeoutError'));
    again();
    await ask(new DOMException('late', 'TimeoutError'));
    expect(tries.slice(1)).toEqual(['again']);
  });

  it('[CN54] signs out by a 401 to who asks now, and not by one to who asked before', async () => {
    for (const other of [false, true]) {
      const session = await opened('mine');
      vi.stubGlobal('fetch', async () => {
        if (other) session.signIn('new');
        return new Response(null, { status: 401 });
      });
      await session.server().fetch('/agents/a/b/x');
      expect(session.isSignedOut()).toBe(!other);
    }
  });

  it('[CN80] for a sign asks the health of the server, and fails nobody', async () => {
    const { askForSign } = await opened();
    const asked: unknown[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(url);
      throw new TypeError('no route');
    });
    await askForSign();
    expect([asked, unheard.mock.calls]).toEqual([['https://a.test/ai/healthz'], [[gone]]]);
  });
});
