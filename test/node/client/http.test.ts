import { afterEach, describe, expect, it, vi } from 'vitest';
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
