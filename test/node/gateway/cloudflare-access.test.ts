/** People behind Cloudflare Access: which tokens count, and what happens when its keys cannot be had. */
import { constants, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccessIdentity, AccessQuestion, CloudflareAccessOptions } from '../../../src/access';
import { cloudflareAccess } from '../../../src/access';
import { access } from '../../../src/access/auth';
import { KeyFetches } from '../../../src/access/key-fetches';
import { AUDIENCE, ann, byPublicKey, Certs, ISSUER, keyOf, TEAM, tokenBy, unsigned } from '../../support/access-team';

const NOW = 1_800_000_000_000;
const QUESTION: AccessQuestion = { address: '/agents/helper/one', action: 'read' };
const [first, second, stranger] = [keyOf('one'), keyOf('two'), keyOf('one')];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

const withHeader = (token: string, more: Record<string, string> = {}) =>
  new Request('https://agents.example/', { headers: { 'cf-access-jwt-assertion': token, ...more } });
const withCookie = (cookie: string) => new Request('https://agents.example/console', { headers: { cookie } });

/** What a Worker answers: the subject, or the code of the refusal. */
function worker(certs: Certs, options: Partial<CloudflareAccessOptions> = {}) {
  const authorize = cloudflareAccess({ team: TEAM, audience: AUDIENCE, fetch: certs.fetch, ...options });
  return async (request: Request): Promise<string> => {
    const answer = await access(request, QUESTION, { authorize });
    return answer.ok ? answer.grant.subject : answer.error.code;
  };
}

describe('a token of Cloudflare Access', () => {
  const good = ann(NOW);
  it.each([
    ['as it is issued', tokenBy(first, good), 'ann@example.com'],
    ['with one text as its audience', tokenBy(first, { ...good, aud: AUDIENCE }), 'ann@example.com'],
    ['with one more audience', tokenBy(first, { ...good, aud: ['other', AUDIENCE] }), 'ann@example.com'],
    ['of another application', tokenBy(first, { ...good, aud: ['other'] }), 'unauthorized'],
    ['without an audience', tokenBy(first, { ...good, aud: undefined }), 'unauthorized'],
    ['of another team', tokenBy(first, { ...good, iss: 'https://evil.cloudflareaccess.com' }), 'unauthorized'],
    ['of an issuer that begins alike', tokenBy(first, { ...good, iss: `${ISSUER}.evil.test` }), 'unauthorized'],
    ['without an issuer', tokenBy(first, { ...good, iss: undefined }), 'unauthorized'],
    ['without an end', tokenBy(first, { ...good, exp: undefined }), 'unauthorized'],
    ['with an end that is no number', tokenBy(first, { ...good, exp: 'never' }), 'unauthorized'],
    ['without a signature', unsigned(good), 'unauthorized'],
    ['with the public key as its secret', byPublicKey(first, good), 'unauthorized'],
    ['by a key of the same id that is not published', tokenBy(stranger, good), 'unauthorized'],
    ['by another algorithm', tokenBy(first, good, { alg: 'PS256', kid: 'one' }), 'unauthorized'],
    ['with other claims than were signed', withOtherClaims(tokenBy(first, good)), 'unauthorized'],
    ['that is no token', 'x.y.z', 'unauthorized'],
    ['that is empty', '', 'unauthorized'],
    ['with a mark of text direction', tokenBy(first, { ...good, email: 'ann\u202e@example.com' }), 'forbidden'],
    ['with a control character', tokenBy(first, { ...good, email: 'ann\u0000@example.com' }), 'forbidden'],
    ['of a service with two lines', tokenBy(first, { ...good, email: undefined, common_name: 'a\nb' }), 'forbidden'],
    ['of a person and a service', tokenBy(first, { ...good, email: undefined }), 'forbidden'],
  ])('[X35] %s', async (_what, token, answer) => {
    expect(await worker(new Certs(first))(withHeader(token))).toBe(answer);
  });

  it('[X35] counts from its first to its last second, with 60 s for clocks that differ', async () => {
    const ask = worker(new Certs(first));
    const times = { exp: NOW / 1_000 + 600, nbf: NOW / 1_000 };
    const token = tokenBy(first, ann(NOW, times));
    for (const [at, answer] of [
      [-61, 'unauthorized'],
      [-60, 'ann@example.com'],
      [659, 'ann@example.com'],
      [660, 'unauthorized'],
    ] as const) {
      vi.setSystemTime(NOW + at * 1_000);
      expect(await ask(withHeader(token)), `at ${at} s`).toBe(answer);
    }
  });

  it('[X35] of a browser lies in its cookie, and counts only where there is no header', async () => {
    const ask = worker(new Certs(first));
    const token = tokenBy(first, good);
    expect(await ask(withCookie(`theme=dark; CF_Authorization=${token}; CF_AppSession=x`))).toBe('ann@example.com');
    expect(await ask(withCookie(`XCF_Authorization=${token}`))).toBe('unauthorized');
    expect(await ask(withHeader('x.y.z', { cookie: `CF_Authorization=${token}` }))).toBe('unauthorized');
    expect(await ask(new Request('https://agents.example/'))).toBe('unauthorized');
  });

  it('[X35] nothing else that a caller sends is believed', async () => {
    const headers = { 'cf-access-authenticated-user-email': 'ann@example.com', authorization: 'Bearer ann' };
    expect(await worker(new Certs(first))(new Request('https://agents.example/', { headers }))).toBe('unauthorized');
  });

  it('[X35] of a service has its common name, and is no person', async () => {
    const certs = new Certs(first);
    const seen: AccessIdentity[] = [];
    const ask = worker(certs, { allow: (identity) => seen.push(identity) > 0 });
    const service = { email: undefined, sub: '', common_name: 'e367826f93b8d71185e03fe518aff3b4.access' };
    expect(await ask(withHeader(tokenBy(first, ann(NOW, service))))).toBe(`service:${service.common_name}`);
    expect(seen).toMatchObject([{ service: service.common_name, claims: { iss: ISSUER } }]);
    expect(seen[0]?.email).toBeUndefined();
    const asPerson = tokenBy(first, ann(NOW, { ...service, common_name: 'ann@example.com' }));
    expect(await ask(withHeader(asPerson))).toBe('service:ann@example.com');
  });

  it.each([
    ['Ann@Example.com', 'ann@example.com'],
    ['zoë@example.com', 'zoë@example.com'],
    [`${'a'.repeat(116)}@example.com`, `${'a'.repeat(116)}@example.com`],
    [`${'a'.repeat(117)}@example.com`, 'forbidden'],
    ['service:x@example.com', 'forbidden'],
    ['ann', 'forbidden'],
    ['', 'forbidden'],
    [7, 'forbidden'],
  ])('[X35] a person with the address %j', async (email, answer) => {
    expect(await worker(new Certs(first))(withHeader(tokenBy(first, ann(NOW, { email }))))).toBe(answer);
  });

  it('[X35] is about a person by an address, or about a service where it says nothing of an address', async () => {
    const addresses = [undefined, 'bo@example.com', 'bo', '', null, 7] as const;
    const services = [undefined, 'build.access', 'a\nb', '', 7] as const;
    const ask = worker(new Certs(first));
    for (const email of addresses)
      for (const service of services) {
        const isService = email === undefined && service === 'build.access';
        const expected = email === 'bo@example.com' ? email : isService ? 'service:build.access' : 'forbidden';
        const claims = ann(NOW, { email, common_name: service });
        expect(await ask(withHeader(tokenBy(first, claims))), JSON.stringify({ email, service })).toBe(expected);
      }
  });

  it('[X35] `allow` decides on each action and place, and a request that it lets in not is forbidden', async () => {
    const asked: [string, AccessQuestion][] = [];
    const allow: CloudflareAccessOptions['allow'] = async ({ subject }, question) => {
      asked.push([subject, question]);
      return subject !== 'ann@example.com';
    };
    const ask = worker(new Certs(first), { allow });
    expect(await ask(withHeader(tokenBy(first, good)))).toBe('forbidden');
    expect(await ask(withHeader(tokenBy(first, ann(NOW, { email: 'bo@example.com' }))))).toBe('bo@example.com');
    expect(asked).toEqual([
      ['ann@example.com', QUESTION],
      ['bo@example.com', QUESTION],
    ]);
  });

  it('[X35] a team or an audience that is misspelt is refused when the Worker is made', () => {
    for (const team of ['', 'Acme', 'acme.cloudflareaccess.com', 'https://acme', 'a/b', 'acme@evil', '-a'])
      expect(() => cloudflareAccess({ team, audience: AUDIENCE }), team).toThrow(TypeError);
    for (const audience of ['', [], [''], [AUDIENCE, '']])
      expect(() => cloudflareAccess({ team: TEAM, audience }), String(audience)).toThrow(TypeError);
    expect(() => cloudflareAccess({ team: TEAM, audience: [AUDIENCE, 'other'] })).not.toThrow();
  });
});

it('[X35] a token by another algorithm does not count, also where a key names none', async () => {
  const certs = new Certs(first);
  certs.instead = () => Response.json({ keys: [{ ...first.publicKey.export({ format: 'jwk' }), kid: 'one' }] });
  const ask = worker(certs);
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encoded({ alg: 'PS256', kid: 'one' })}.${encoded(ann(NOW))}`;
  const padding = { key: first.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const signature = sign('sha256', Buffer.from(text), padding).toString('base64url');
  expect(await ask(withHeader(`${text}.${signature}`))).toBe('unauthorized');
  expect(await ask(withHeader(tokenBy(first, ann(NOW))))).toBe('ann@example.com');
});

describe('the keys of Cloudflare Access', () => {
  const token = (key: typeof first, at = NOW) => withHeader(tokenBy(key, ann(at)));
  const unknown = () => withHeader(tokenBy(first, ann(NOW), { alg: 'RS256', kid: crypto.randomUUID() }));

  it('[X36] are fetched once from the place of the team, and again after ten minutes', async () => {
    const certs = new Certs(first);
    const ask = worker(certs);
    for (let at = 0; at < 5; at++) expect(await ask(token(first))).toBe('ann@example.com');
    expect(certs.fetched).toEqual([`${ISSUER}/cdn-cgi/access/certs`]);
    vi.setSystemTime(NOW + 599_999);
    expect(await ask(token(first))).toBe('ann@example.com');
    expect(certs.fetched).toHaveLength(1);
    vi.setSystemTime(NOW + 600_000);
    expect(await ask(token(first))).toBe('ann@example.com');
    expect(certs.fetched).toHaveLength(2);
  });

  it('[X36] are fetched once more for an unknown one, and then not for 30 s', async () => {
    const certs = new Certs(first);
    const ask = worker(certs);
    expect(await ask(unknown())).toBe('unauthorized');
    for (let at = 0; at < 20; at++) expect(await ask(unknown())).toBe('unauthorized');
    expect(certs.fetched).toHaveLength(1);
    vi.setSystemTime(NOW + 29_999);
    expect(await ask(unknown())).toBe('unauthorized');
    expect(certs.fetched).toHaveLength(1);
    vi.setSystemTime(NOW + 30_000);
    for (let at = 0; at < 20; at++) expect(await ask(unknown())).toBe('unauthorized');
    expect(certs.fetched).toHaveLength(2);
  });

  it('[X36] that were rotated are found, and those that went do not count', async () => {
    const certs = new Certs(first);
    const ask = worker(certs);
    expect(await ask(token(first))).toBe('ann@example.com');
    certs.keys = [second];
    vi.setSystemTime(NOW + 30_000);
    expect(await ask(token(second))).toBe('ann@example.com');
    expect(certs.fetched).toHaveLength(2);
    expect(await ask(token(first))).toBe('unauthorized');
  });

  it.each([
    ['no connection', () => Promise.reject(new TypeError('fetch failed'))],
    ['an error of the server', () => new Response('Bad gateway', { status: 502 })],
    ['a redirect', () => Response.redirect('https://evil.test/', 302)],
    ['a page in place of keys', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['an object without keys', () => Response.json({})],
    ['a key that is none', () => Response.json({ keys: [null] })],
    ['a key that is a text', () => Response.json({ keys: ['RSA'] })],
    ['nothing in JSON', () => new Response('null')],
    ['a text in JSON', () => new Response('"keys"')],
    ['keys that are no list', () => Response.json({ keys: { length: 1 } })],
    ['too much', () => Response.json({ keys: ['x'.repeat(262_144)] })],
  ])(
    '[X36] with %s nobody is let in: the refusal may be repeated, and a fetch is made every 5 s at most',
    async (_what, instead) => {
      const certs = new Certs(first);
      certs.instead = instead;
      const ask = worker(certs);
      for (let at = 0; at < 5; at++)
        await expect(ask(token(first))).rejects.toMatchObject({
          failure: { code: 'unavailable', retryable: true, retryAfterMs: 5_000 },
        });
      expect(certs.fetched).toHaveLength(1);
      certs.instead = undefined;
      vi.setSystemTime(NOW + 4_999);
      await expect(ask(token(first))).rejects.toMatchObject({ failure: { code: 'unavailable' } });
      expect(certs.fetched).toHaveLength(1);
      vi.setSystemTime(NOW + 5_000);
      expect(await ask(token(first))).toBe('ann@example.com');
    },
  );

  it('[X36] are read no further than they may be long', async () => {
    let pulled = 0;
    const piece = new TextEncoder().encode('x'.repeat(65_536));
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        if (pulled === 100) controller.close();
        else controller.enqueue(piece);
      },
    });
    const certs = new Certs(first);
    certs.instead = () => new Response(endless);
    await expect(worker(certs)(token(first))).rejects.toMatchObject({ failure: { code: 'unavailable' } });
    expect(pulled).toBeLessThan(10);
  });

  it('[X36] are read whole at their longest, wherever their bytes are cut', async () => {
    const text = JSON.stringify({ keys: [{ kid: 'ë' }] });
    const whole = text.padStart(262_144);
    const bytes = new TextEncoder().encode(whole);
    const cut = new TextEncoder().encode(whole.slice(0, whole.indexOf('ë'))).length + 1;
    const pieces = [bytes.slice(0, cut), bytes.slice(cut)];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    });
    const fetches = new KeyFetches(async () => new Response(body));
    expect(await (await fetches.fetch(ISSUER, {})).json()).toEqual({ keys: [{ kid: 'ë' }] });
    const longer = new KeyFetches(async () => new Response(text.padStart(262_145)));
    await expect(longer.fetch(ISSUER, {})).rejects.toMatchObject({ failure: { code: 'unavailable' } });
  });

  it('[X36] that are known count while others cannot be fetched, and an unknown one waits for the answer', async () => {
    const certs = new Certs(first);
    const ask = worker(certs);
    expect(await ask(token(first))).toBe('ann@example.com');
    certs.instead = () => new Response(null, { status: 500 });
    vi.setSystemTime(NOW + 60_000);
    await expect(ask(token(second))).rejects.toMatchObject({ failure: { code: 'unavailable' } });
    expect(await ask(token(first))).toBe('ann@example.com');
    expect(certs.fetched).toHaveLength(2);
  });

  it('[X36] are fetched once for requests at one time, each of which waits by itself', async () => {
    const gate = Promise.withResolvers<Response>();
    let fetched = 0;
    const fetches = new KeyFetches(() => {
      fetched++;
      return gate.promise;
    });
    const asked = [1, 2, 3].map(() => fetches.fetch(ISSUER, {}));
    gate.resolve(Response.json({ keys: [] }));
    const answers = await Promise.all(asked);
    expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([
      { keys: [] },
      { keys: [] },
      { keys: [] },
    ]);
    expect(fetched).toBe(1);
  });

  it('[X36] that a cancelled request never got are fetched by the next one, 6 s later', async () => {
    let fetched = 0;
    const never = new Promise<Response>(() => undefined);
    const fetches = new KeyFetches(() => (fetched++ === 0 ? never : Promise.resolve(Response.json({ keys: [] }))));
    void fetches.fetch(ISSUER, {});
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(fetches.fetch(ISSUER, { signal: gone })).rejects.toMatchObject({ failure: { code: 'unavailable' } });
    vi.setSystemTime(NOW + 6_000);
    expect((await fetches.fetch(ISSUER, {})).status).toBe(200);
    expect(fetched).toBe(2);
  });

  it('[X36] are fetched anew where the fetch that a request waited for was lost: older ones are not given again', async () => {
    const set = (kid: string) => Response.json({ keys: [{ kid }] });
    const answers = [set('old'), new Promise<Response>(() => undefined), set('new')];
    const fetches = new KeyFetches(async () => answers.shift() ?? Response.error());
    await fetches.fetch(ISSUER, {});
    void fetches.fetch(ISSUER, {});
    const waits = fetches.fetch(ISSUER, {});
    vi.setSystemTime(Date.now() + 6_000);
    expect(await (await waits).json()).toEqual({ keys: [{ kid: 'new' }] });
  });
});

/** A token with the signature of another one. */
function withOtherClaims(token: string): string {
  const [header, , signature] = token.split('.');
  const claims = Buffer.from(JSON.stringify(ann(NOW, { email: 'bo@example.com' }))).toString('base64url');
  return [header, claims, signature].join('.');
}
