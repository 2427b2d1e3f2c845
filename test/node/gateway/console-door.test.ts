/** The console's page and files: where they say that they lie, what a browser lets them do, and where they are missing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { webConsole } from '../../../src/console';
import { doorRequest } from '../../support/door-request';

const source = readFileSync(join(root, 'src', 'console', 'index.html'), 'utf8');
const html = source.replace('./main.tsx', './assets/main.js');
const request = new Request('http://localhost/ai/ops/runs');
const fetched: string[] = [];
const OFFSHOOT_CONSOLE = {
  fetch: async ({ url }: Request) => {
    fetched.push(new URL(url).pathname);
    return new Response(html, { headers: { 'content-type': 'text/html' } });
  },
};

describe('the page', () => {
  it('[CN1] is told the base path and where it lies, and what is in them stays a value', async () => {
    const asked = doorRequest(request, { OFFSHOOT_CONSOLE }, '/a"&b');
    const text = await (await webConsole({ at: '/ops' }).answer(asked, '/runs'))?.text();
    expect(text).toContain('data-base="/a&quot;&amp;b" data-at="/a&quot;&amp;b/ops"');
    expect(text).toContain('src="/a&quot;&amp;b/ops/assets/main.js"');
  });

  it('[CN1] and its files have the headers by which they reach no origin but their own', async () => {
    const door = webConsole({ docs: true });
    const asked = () => doorRequest(request, { OFFSHOOT_CONSOLE }, '');
    const answers = ['', '/runs', '/assets/main.js', '/docs.json'].map((path) => door.answer(asked(), path));
    for (const answer of await Promise.all([...answers, door.home?.(asked())])) {
      const { 'content-security-policy': policy = '', ...rest } = Object.fromEntries(answer?.headers ?? []);
      const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]));
      expect(rules.get('default-src')).toEqual(["'none'"]);
      const own = ['script-src', 'style-src', 'img-src', 'connect-src', 'worker-src'];
      for (const name of own) expect([name, rules.get(name)]).toEqual([name, ["'self'"]]);
      for (const name of ['base-uri', 'form-action', 'frame-ancestors'])
        expect([name, rules.get(name)]).toEqual([name, ["'none'"]]);
      expect(rest).toMatchObject({ 'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin' });
    }
  });

  it('[CN115] has the documentation only where it is asked for', async () => {
    const asked = () => doorRequest(request, { OFFSHOOT_CONSOLE }, '');
    const [plain, withDocs] = [webConsole(), webConsole({ docs: true })];
    expect(await plain.answer(asked(), '/docs.json')).toBeUndefined();
    expect(await (await plain.answer(asked(), '/runs'))?.text()).not.toContain('data-docs');
    const docs = await withDocs.answer(asked(), '/docs.json');
    expect([docs?.status, docs?.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect(fetched.at(-1)).toBe('/docs.json');
    expect(await (await withDocs.answer(asked(), '/runs'))?.text()).toContain('data-at="/console" data-docs');
  });

  it('[CN119] is read from a folder of the assets where the app names one, and no other path', async () => {
    const door = webConsole({ files: '/tools/console' });
    const asked = () => doorRequest(request, { OFFSHOOT_CONSOLE }, '');
    for (const path of ['/runs', '/assets/main.js']) await door.answer(asked(), path);
    expect(fetched.slice(-2)).toEqual(['/tools/console/index.html', '/tools/console/assets/main.js']);
    for (const files of ['console', '/console/', '/..', 1])
      expect(() => webConsole({ files: files as string })).toThrow('webConsole: files must be a path like "/ai"');
  });

  it('[CN119] has its page in a folder with each `html_handling`', async () => {
    const door = webConsole({ files: '/tools' });
    const named = (...found: string[]) => ({
      fetch: async ({ url }: Request) =>
        found.includes(new URL(url).pathname) ? new Response(html) : new Response(null, { status: 307 }),
    });
    for (const file of ['/tools/index.html', '/tools/']) {
      const page = await door.answer(doorRequest(request, { OFFSHOOT_CONSOLE: named(file) }, ''), '/runs');
      expect([file, page?.status]).toEqual([file, 200]);
    }
    const missing = doorRequest(request, { OFFSHOOT_CONSOLE: named('/') }, '');
    await expect(door.answer(missing, '/runs')).rejects.toThrow(/copy them to `\/tools`/);
  });

  it('[CN126] says how its files are deployed, where they were not; `/` and files of its own are none', async () => {
    const none = doorRequest(request, {}, '');
    const failure = {
      code: 'not_found',
      message: expect.stringContaining('`assets` with the binding `OFFSHOOT_CONSOLE`'),
    };
    const empty = doorRequest(
      request,
      { OFFSHOOT_CONSOLE: { fetch: async () => new Response('', { status: 404 }) } },
      '',
    );
    for (const asked of [none, empty]) {
      for (const path of ['', '/runs', '/agents/planner/ann.b'])
        await expect(webConsole().answer(asked, path), path).rejects.toMatchObject(failure);
      expect(await webConsole().answer(asked, '/assets/main.js')).toBeUndefined();
      expect(await webConsole({ docs: true }).answer(asked, '/docs.json')).toBeUndefined();
      expect(await webConsole().home?.(asked)).toBeUndefined();
    }
    const posted = doorRequest(new Request(request.url, { method: 'POST' }), {}, '');
    expect(await webConsole().answer(posted, '/runs')).toBeUndefined();
  });
});
