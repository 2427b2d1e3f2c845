import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ClientError, createClient } from '../../../src/client';
import { openBody } from '../../../src/client/http';
import { fetchPending } from '../../../src/client/pending';

const base = 'http://here';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a request', () => {
  it('[J6] whose answer has begun in time is read to its end, however long that takes', async () => {
    const timer = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timer.signal);
    let given: AbortSignal | null | undefined;
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      given = init?.signal;
      return new Response('all of it');
    };
    const response = await openBody({ base, fetch }, '/file', { timeoutMs: 1 });
    timer.abort(new DOMException('The time is up.', 'TimeoutError'));
    expect(given?.aborted).toBe(false);
    expect(await response.text()).toBe('all of it');
  });

  it('[J6] whose answer does not begin in time ends as one that is not answered', async () => {
    const timer = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timer.signal);
    const fetch: typeof globalThis.fetch = (_url, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        timer.abort(new DOMException('The time is up.', 'TimeoutError'));
      });
    await expect(openBody({ base, fetch }, '/file', { timeoutMs: 1 })).rejects.toThrow('no answer in time');
  });
});

describe('a token that has run out', () => {
  const refused = () => new Response('{"code":"unauthorized","title":"No."}', { status: 401 });
  /** Sends a start with a token for each time that one is asked for; the server takes `good` alone. */
  async function started(given: string | string[]) {
    const sent: [string | null, string][] = [];
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      const token = new Headers(init?.headers).get('authorization');
      sent.push([token, String(init?.body)]);
      return token === 'Bearer good' ? Response.json({ status: 'running' }) : refused();
    };
    const tokens = [given].flat();
    const token = typeof given === 'string' ? given : () => tokens.shift() ?? 'none left';
    const client = createClient({ baseUrl: base, fetch, token });
    const result = await client.start('/agents/a/b', { message: 'Go.' }).catch((error: unknown) => error);
    return { sent, result };
  }
  const body = '{"message":"Go."}';

  it('[J13] is asked for once more, and the same request is sent again', async () => {
    const { sent, result } = await started(['old', 'good']);
    expect(result).toEqual({ status: 'running' });
    expect(sent).toEqual([
      ['Bearer old', body],
      ['Bearer good', body],
    ]);
  });

  it('[J13] ends with the refusal of the fresh one', async () => {
    const { sent, result } = await started(['old', 'older', 'good']);
    expect(result).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(sent.map(([token]) => token)).toEqual(['Bearer old', 'Bearer older']);
  });

  it('[J13] is not sent again where it is the same, or a text', async () => {
    expect((await started(['old', 'old', 'good'])).sent.length).toBe(1);
    expect((await started('old')).sent.length).toBe(1);
  });
});

describe('what waits', () => {
  it.each([
    ['none', {}],
    ['null', { cursor: null }],
  ])('[J6] is read up to the page whose cursor is %s', async (_, last) => {
    const asked: string[] = [];
    const pages = [
      { items: [], cursor: 'a b' },
      { items: [], ...last },
    ];
    const fetch: typeof globalThis.fetch = async (url) => {
      asked.push(String(url));
      return Response.json(pages.shift() ?? { items: [] });
    };
    expect(await fetchPending({ base, fetch }, '/agents/a/b', new AbortController().signal)).toEqual([]);
    expect(asked).toEqual([`${base}/agents/a/b/pending`, `${base}/agents/a/b/pending?cursor=a%20b`]);
  });
});

describe('where a request goes', () => {
  const bases = ['', '/ai', 'https://agents.example', 'https://agents.example/', 'http://localhost:8787/ai'];

  it.each([
    '.evil.test/agents/a/b',
    '@evil.test/agents/a/b',
    ':99/agents/a/b',
    '//evil.test/agents/a/b',
    '/\\evil.test/agents/a/b',
    '/\t/evil.test/agents/a/b',
    'https://evil.test/agents/a/b',
    '/agents/a/b/../../../directory/roots?',
    '/agents/a/%2e%2E/b',
    '/agents/a/b?',
    '/agents/a/b?x=1',
    '/agents/a/b#',
    '/agents/a/b c',
    'agents/a/b',
  ])('[J12] is nowhere for %j, over HTTP and over a socket', async (address) => {
    for (const baseUrl of bases) {
      const asked: string[] = [];
      const fetch: typeof globalThis.fetch = async (url) => {
        asked.push(String(url));
        return Response.json({});
      };
      class WebSocket {
        constructor(url: string) {
          asked.push(url);
        }
      }
      const token = () => {
        asked.push('token');
        return 'secret';
      };
      const client = createClient({ baseUrl, token, fetch, WebSocket: WebSocket as never });
      await expect(client.status(address)).rejects.toThrow(ClientError);
      await expect(client.send(address, { content: 'x' })).rejects.toThrow(ClientError);
      await expect(client.watch(address).next()).rejects.toThrow(ClientError);
      // A socket opens the address itself, so nothing comes behind a query.
      if (!address.includes('?'))
        await expect(client.watch(address, { over: 'socket' }).next()).rejects.toThrow(ClientError);
      expect(asked).toEqual([]);
    }
  });

  it('[J12] is refused by a rejection, not by a throw: `fetch` of the client', async () => {
    const client = createClient({ baseUrl: 'https://agents.example', token: 'secret' });
    let asked: Promise<Response> | undefined;
    expect(() => {
      asked = client.fetch('.evil.test/agents/a/b');
    }).not.toThrow();
    await expect(asked).rejects.toBeInstanceOf(ClientError);
  });

  it('[J12] is what the address says, below the base, for every address and every path of a file', async () => {
    for (const baseUrl of bases) {
      const asked: string[] = [];
      const fetch: typeof globalThis.fetch = async (url) => {
        asked.push(String(url));
        return Response.json({});
      };
      // An id of another server may have any characters.
      const paged: typeof globalThis.fetch = async (url) => {
        asked.push(String(url));
        return Response.json({ items: [], ...(String(url).includes('cursor') ? {} : { cursor: "1.c_(it's!)*/" }) });
      };
      const client = createClient({ baseUrl, fetch });
      await client.status('/agents/a/b~1._-/sub/c/7~3');
      await client.readFile('/agents/a/b', "d/é ü's?#&.md");
      await client.files('/agents/a/b', { prefix: "x y'/?#" });
      await fetchPending(
        { base: baseUrl.replace(/\/$/, ''), fetch: paged },
        '/agents/a/b',
        new AbortController().signal,
      );
      const base = baseUrl.replace(/\/$/, '');
      expect(asked).toEqual([
        `${base}/agents/a/b~1._-/sub/c/7~3/status`,
        `${base}/agents/a/b/files/d%2F%C3%A9%20%C3%BC's%3F%23%26.md`,
        `${base}/agents/a/b/files?prefix=x+y%27%2F%3F%23`,
        `${base}/agents/a/b/pending`,
        `${base}/agents/a/b/pending?cursor=1.c_(it's!)*%2F`,
      ]);
    }
  });

  it('[J15] without a page is nowhere for the base of a page, unless the app has a `fetch` of its own', async () => {
    const here = createClient({ baseUrl: '/ai' });
    for (const asked of [
      here.status('/agents/a/b'),
      here.fetch('/agents/a/b/chat'),
      here.send('/agents/a/b', { content: 'x' }),
      here.watch('/agents/a/b').next(),
      here.watch('/agents/a/b', { over: 'socket' }).next(),
    ])
      await expect(asked).rejects.toThrow('pass createClient a full baseUrl');
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal('location', { href: 'blob:https://agents.example/1' });
    await expect(here.status('/agents/a/b')).rejects.toThrow('pass createClient a full baseUrl');
    // A frame whose page is text has the base of the page around it.
    vi.stubGlobal('location', { href: 'about:srcdoc' });
    vi.stubGlobal('document', { baseURI: 'https://agents.example/page' });
    await expect(here.status('/agents/a/b')).rejects.toThrow('cannot be reached');
  });

  it.each([
    'agents.example',
    'ftp://agents.example',
    'https://me:you@agents.example',
    'https://agents.example?x=1',
    '//evil.test',
    '/\\evil.test',
  ])('[J12] is refused with the base %j', (baseUrl) => {
    expect(() => createClient({ baseUrl })).toThrow('write it like https://agents.example');
  });
});
