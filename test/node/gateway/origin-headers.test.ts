/** Requests and answers of pages of other origins: every header of a preflight and of an answer, origin by origin. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { foreignPage } from '../../../src/access/auth';
import { openApiDocument } from '../../../src/gateway/openapi';
import { methodsAt, type OriginRules, preflightAnswer, readableBy } from '../../../src/gateway/origins';

const OWN = 'https://app.test';
const ALLOWED = 'https://page.test';
const ORIGINS = [undefined, OWN, ALLOWED, 'https://other.test', 'null', 'https://page.test.other.test'];
const RULES: readonly OriginRules[] = [
  { allowed: [], reads: [] },
  { allowed: [ALLOWED], reads: [] },
  { allowed: ['https://x.test', ALLOWED], reads: ['x-api-key'] },
  { allowed: [ALLOWED], reads: ['cookie'] },
];
const TAKEN =
  'accept authorization cache-control content-encoding content-type idempotency-key if-match if-none-match if-range last-event-id range traceparent tracestate user-agent'.split(
    ' ',
  );

/** A request with an origin; browsers let no other code set that, and Node's does not take it in another way. */
function requestOf(method: string, given: Readonly<Record<string, string | undefined>>): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, value);
  return new Request(`${OWN}/agents/top/one`, { method, headers });
}
const all = (headers: Headers) => Object.fromEntries([...headers].filter(([name]) => name !== 'x-request-id'));

describe('a preflight', () => {
  it('[X40, X41, X43] of an allowed origin says which methods and headers are taken, and no other is answered', () => {
    const methods = 'access-control-request-method';
    for (const rules of RULES)
      for (const origin of ORIGINS)
        for (const [method, asks] of [
          ['OPTIONS', 'POST'],
          ['OPTIONS', undefined],
          ['GET', 'POST'],
        ] as const)
          for (const wanted of [undefined, `X-Api-Key, x-other,${TAKEN.join(',')}`, 'x-none'])
            for (const network of [undefined, 'true', 'false'].slice(0, wanted ? 2 : 3)) {
              const given = { origin, [methods]: asks, 'access-control-request-headers': wanted };
              const request = requestOf(method, { ...given, 'access-control-request-private-network': network });
              const answer = preflightAnswer(request, rules, () => ['GET', 'POST']);
              const isAnswered = method === 'OPTIONS' && asks && origin !== undefined && rules.allowed.includes(origin);
              const known = [...TAKEN, ...rules.reads];
              const taken = (wanted ?? '').split(/, ?/).map((name) => name.toLowerCase());
              const allowed = taken.filter((name) => known.includes(name)).join(', ');
              expect(answer && [answer.status, all(answer.headers)]).toEqual(
                isAnswered
                  ? [
                      204,
                      {
                        'access-control-allow-methods': 'GET, POST',
                        'access-control-max-age': '7200',
                        vary: 'access-control-request-method, access-control-request-headers',
                        ...(allowed === '' ? {} : { 'access-control-allow-headers': allowed }),
                        ...(network === 'true' ? { 'access-control-allow-private-network': 'true' } : {}),
                      },
                    ]
                  : undefined,
              );
            }
  });

  it('[X40] takes every method where the route does not say which it has', () => {
    const every = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
    const request = requestOf('OPTIONS', { origin: ALLOWED, 'access-control-request-method': 'GET' });
    const answer = preflightAnswer(request, { allowed: [ALLOWED], reads: [] });
    expect(answer?.headers.get('access-control-allow-methods')).toBe(every.join(', '));
    for (const [path, methods] of [
      ['/agents/top/one/status', ['GET', 'HEAD']],
      ['/agents/top/one/start', ['POST']],
      ['/agents/top/one/files/a', ['GET', 'PUT', 'DELETE', 'HEAD']],
      ['/agents/top/one', ['DELETE']],
      ['/agents/top/one/nothing', every],
      ['/agents/', every],
    ] as const)
      expect([path, methodsAt(() => path)]).toEqual([path, methods]);
  });
});

describe('an answer', () => {
  it('[X39, X42] can be read by pages of allowed origins, with cookies where the authorizer reads those, and by no other page', () => {
    for (const rules of RULES)
      for (const origin of ORIGINS) {
        const before = { vary: 'accept', 'cross-origin-resource-policy': 'same-origin', etag: '"a"' };
        const answer = readableBy(requestOf('GET', { origin }), rules, new Response('x', { headers: before }));
        const isAllowed = origin !== undefined && rules.allowed.includes(origin);
        const { 'access-control-expose-headers': exposed, ...headers } = all(answer.headers);
        expect(headers).toEqual({
          ...{ ...before, 'content-type': 'text/plain;charset=UTF-8' },
          ...(rules.allowed.length > 0 ? { vary: 'accept, origin' } : {}),
          ...(isAllowed
            ? { 'access-control-allow-origin': origin, 'cross-origin-resource-policy': 'cross-origin' }
            : {}),
          ...(isAllowed && rules.reads.includes('cookie') ? { 'access-control-allow-credentials': 'true' } : {}),
        });
        const names =
          'accept-ranges allow content-disposition content-encoding content-range etag retry-after www-authenticate x-request-id';
        expect(exposed?.split(', ')).toEqual(isAllowed ? names.split(' ') : undefined);
      }
  });
});

/** The sources of some folders; the document of the routes names headers for people. */
const sourcesOf = (...folders: readonly string[]): readonly string[] =>
  folders.flatMap((folder) => {
    const at = join(root, 'src', folder);
    const names = readdirSync(at, { recursive: true, encoding: 'utf8' });
    return names
      .filter((name) => name.endsWith('.ts') && name !== 'openapi.ts')
      .map((name) => readFileSync(join(at, name), 'utf8'));
  });
const namesIn = (sources: readonly string[], pattern: RegExp): readonly string[] =>
  [...new Set(sources.flatMap((text) => Array.from(text.matchAll(pattern), ([, name = '']) => name)))].sort();

/** Headers that browsers set themselves: no page may, and none is asked about. */
const SET_BY_BROWSERS = [
  ...['access-control-request-headers', 'access-control-request-method', 'access-control-request-private-network'],
  ...['content-length', 'cookie', 'origin', 'sec-fetch-site', 'sec-websocket-protocol', 'upgrade'],
];
/** Headers of answers that are for browsers themselves, and those that every page may read. */
const READ_BY_BROWSERS = [
  ...['cross-origin-opener-policy', 'cross-origin-resource-policy', 'content-security-policy', 'referrer-policy'],
  ...['sec-websocket-protocol', 'vary', 'x-accel-buffering', 'x-content-type-options'],
];
const READ_BY_ALL = ['cache-control', 'content-length', 'content-type', 'last-modified'];

describe('the headers of the API', () => {
  const rules = { allowed: [ALLOWED], reads: [] };
  const passes = (name: string): boolean => {
    const asks = { 'access-control-request-method': 'PUT', 'access-control-request-headers': name };
    const answer = preflightAnswer(requestOf('OPTIONS', { origin: ALLOWED, ...asks }), rules);
    return answer?.headers.get('access-control-allow-headers') === name;
  };

  it('[X39] each that its document names, or that a request is read for, may be sent by a page of an allowed origin', () => {
    const document = JSON.stringify(openApiDocument('1', '', '/threads'));
    const described = namesIn([document], /"name":"([^"]+)","in":"header"/g).map((name) => name.toLowerCase());
    expect(described.length).toBeGreaterThan(5);
    const sources = sourcesOf('gateway', 'access', 'verbs', 'doors');
    const read = namesIn(sources, /(?:request\.headers|given|\bheaders)\??\.(?:get|has)\('([a-z-]+)'/g);
    expect(read.filter((name) => SET_BY_BROWSERS.includes(name))).toEqual(SET_BY_BROWSERS);
    const needed = [...described, ...read].filter((name) => !SET_BY_BROWSERS.includes(name));
    expect(needed.filter((name) => !passes(name))).toEqual([]);
  });

  it('[X40] each that an answer may have can be read by a page of an allowed origin, but for those that browsers read', () => {
    const set = /headers\.(?:set|append)\(\s*'([a-z-]+)'/g;
    const sources = sourcesOf('gateway');
    const named = [...namesIn(sources, set), ...namesIn(sources, /'((?:[a-z]+-)+[a-z]+)': /g)];
    const answer = readableBy(requestOf('GET', { origin: ALLOWED }), rules, new Response());
    const exposed = (answer.headers.get('access-control-expose-headers') ?? '').split(', ');
    const unread = named.filter((name) => !exposed.includes(name) && !READ_BY_ALL.includes(name));
    const forPages = unread.filter((name) => !name.startsWith('access-control-') && !READ_BY_BROWSERS.includes(name));
    // A field of the input, by the name of the header that it is read from.
    expect(forPages).toEqual(['last-event-id']);
    expect([...READ_BY_BROWSERS, ...READ_BY_ALL].filter((name) => !named.includes(name))).toEqual([]);
  });
});

describe('a page of another origin', () => {
  it('[X9] changes nothing and opens no socket, whatever it calls itself, unless its origin is allowed', () => {
    for (const allowed of [[], [ALLOWED]])
      for (const origin of ORIGINS)
        for (const site of [undefined, 'same-origin', 'none', 'same-site', 'cross-site'])
          for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'])
            for (const upgrade of [undefined, 'websocket', 'WebSocket', 'h2c']) {
              const request = requestOf(method, { origin, 'sec-fetch-site': site, upgrade });
              const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(method) && upgrade?.toLowerCase() !== 'websocket';
              const isOwn =
                (origin === undefined || origin === OWN) &&
                (site === undefined || site === 'same-origin' || site === 'none');
              const isTaken = isSafe || isOwn || (origin !== undefined && allowed.includes(origin));
              const refused = foreignPage(request, allowed);
              if ((refused === undefined) !== isTaken)
                expect([allowed, origin, site, method, upgrade, refused?.code]).toEqual([isTaken]);
            }
  });
});
