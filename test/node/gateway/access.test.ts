/** Who may do what, by the request and the time alone. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AccessOptions, access, secretsOf } from '../../../src/access/auth';
import { addAuthorizer, openingOf, reauthorize } from '../../../src/access/authorizers';
import { type Claims, claimsOf, signed, tokenUse } from '../../../src/access/signed';

const KEY = 'a-key-of-the-tests-alone-0123456789abcdef';
const ADDRESS = '/agents/top/one';
const URL_THERE = `https://example.com${ADDRESS}`;
const MADE = 1_700_000_000_000;
const EXP = MADE + 60_000;
const UNTIL = MADE + 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

/** The code of a refusal, or `granted`. */
async function outcome(claims: Claims, request: (text: string) => Request, isOpen: boolean): Promise<string> {
  const asked = request(await signed(claims, KEY));
  const socket = isOpen ? 'open' : 'opens';
  const answer = await access(asked, { address: ADDRESS, action: 'read' }, { signingKey: KEY, socket });
  return answer.ok ? 'granted' : answer.error.code;
}

const byHeader = (text: string) => new Request(URL_THERE, { headers: { authorization: `Bearer ${text}` } });
const byTicket = (text: string) => new Request(`${URL_THERE}?ticket=${text}`, { headers: { upgrade: 'websocket' } });
const byProtocol = (text: string) =>
  new Request(URL_THERE, { headers: { upgrade: 'websocket', 'sec-websocket-protocol': `offshoot, ${text}` } });

describe('the time of what is signed', () => {
  const token: Claims = { id: 't_1', at: ADDRESS, may: ['read'], exp: EXP };
  const ticket: Claims = { ...token, until: UNTIL };

  it.each([
    ['a token, whenever it is shown,', token, byHeader, false, EXP],
    ['a token whose stream is open', token, byHeader, true, EXP],
    ['a ticket that opens a socket', ticket, byTicket, false, EXP],
    ['a ticket among the protocols', ticket, byProtocol, false, EXP],
    ['the right of a socket that a ticket has opened', ticket, byTicket, true, UNTIL],
  ])('[TK2, TK8] %s ends at its own time, and not before', async (_whose, claims, request, isOpen, end) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    for (const now of [MADE, EXP - 1, EXP, EXP + 1, UNTIL - 1, UNTIL, UNTIL + 1]) {
      vi.setSystemTime(now);
      expect(await outcome(claims, request, isOpen), `at ${now - MADE} ms`).toBe(
        now < end ? 'granted' : 'unauthorized',
      );
    }
  });
});

describe('the place of a ticket', () => {
  it('[TK10] is the URL or the protocols of a request that opens a socket', async () => {
    const ticket: Claims = { id: 't_1', at: ADDRESS, may: ['read'], exp: EXP, until: UNTIL };
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(MADE);
    const text = await signed(ticket, KEY);
    const question = { address: ADDRESS, action: 'read' } as const;
    for (const request of [byTicket(text), byProtocol(text), byHeader(text)])
      expect((await access(request, question, { signingKey: KEY })).ok).toBe(false);
    expect(await outcome(ticket, byHeader, false)).toBe('unauthorized');
  });
});

describe('the text of what is signed', () => {
  it('[TK1] counts as it was given, and with no character more, less or other', async () => {
    const claims: Claims = { id: 't_1', at: ADDRESS, may: ['read'], exp: EXP };
    const text = await signed(claims, KEY);
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(MADE);
    const answered = async (given: string) => {
      const question = { address: ADDRESS, action: 'read' } as const;
      const answer = await access(byHeader(given), question, { signingKey: KEY });
      return answer.ok ? 'granted' : answer.error.code;
    };
    expect(await answered(text)).toBe('granted');
    const extra = [...'=!.~-_Ax', '==', '%3D', '\u00e9'];
    const other = text.endsWith('A') ? 'B' : 'A';
    const forms = [...extra.map((more) => text + more), text.slice(0, -1), text.slice(0, -1) + other];
    for (const end of ['A', 'Q', 'g', 'w']) if (!text.endsWith(end)) forms.push(text.slice(0, -1) + end);
    for (const at of [4, 20, text.indexOf('.'), text.indexOf('.') + 1])
      forms.push(`${text.slice(0, at)}!${text.slice(at)}`);
    // The last character of 43 holds two bits that decoding passes over.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = letters.indexOf(text.slice(-1));
    for (const twin of [1, 2, 3]) forms.push(text.slice(0, -1) + letters[last ^ twin]);
    for (const form of forms) expect([form, await answered(form)]).toEqual([form, 'unauthorized']);
  });
});

describe('the keys that tokens are signed with', () => {
  const claims: Claims = { id: 't_1', at: ADDRESS, may: ['read'], exp: EXP };
  const [short, one, two] = ['s'.repeat(31), 'a'.repeat(32), 'b'.repeat(32)];
  const code = async (call: () => Promise<unknown>): Promise<unknown> => {
    try {
      await call();
      return 'taken';
    } catch (error) {
      return Reflect.get(error as object, 'code');
    }
  };

  it('[TK1] are apart by commas or spaces, and each has 32 characters or more', async () => {
    for (const setting of [undefined, '', ' , ', short, `${short},${one}`, `${one},${short}`, `${one} ${two} ${short}`])
      for (const call of [() => signed(claims, setting), () => claimsOf('ofs_a.b', setting)])
        expect([setting, await code(call)]).toEqual([setting, 'signing_not_configured']);
    for (const setting of [one, `,${one},`, ` ${one}\n${two} `, `${one}, ${two}`])
      expect([setting, await code(async () => claimsOf(await signed(claims, setting), setting))]).toEqual([
        setting,
        'taken',
      ]);
  });

  it('[TK1] sign with the first, and verify with each: one that goes takes its tokens with it', async () => {
    const old = await signed(claims, one);
    for (const [setting, answer] of [
      [one, 'taken'],
      [`${one},${two}`, 'taken'],
      [`${two},${one}`, 'taken'],
      [two, 'unauthorized'],
    ] as const)
      expect([setting, await code(() => claimsOf(old, setting))]).toEqual([setting, answer]);
    expect(await code(async () => claimsOf(await signed(claims, `${two},${one}`), two))).toBe('taken');
    expect(await code(async () => claimsOf(await signed(claims, `${two},${one}`), one))).toBe('unauthorized');
  });

  it('[TK2, TK5, TK8] carry every claim as it was signed, and a root is asked about the one that ends last', async () => {
    const all: Claims = { ...claims, may: ['read', 'answer'], call: 'c_1', until: UNTIL };
    for (const said of [claims, all]) expect(await claimsOf(await signed(said, one), one)).toEqual(said);
    expect(tokenUse(claims)).toEqual({ id: 't_1', endsAt: EXP });
    expect(tokenUse(all)).toEqual({ id: 't_1', call: 'c_1', endsAt: UNTIL });
  });

  it('[TK2] take no claim out of its bounds, whoever signed it', async () => {
    const rows: readonly (readonly [object, boolean])[] = [
      ...(
        [
          ['id', 64],
          ['at', 2_048],
        ] as const
      ).flatMap(([field, most]) => [
        [{ [field]: 'x'.repeat(most) }, true] as const,
        [{ [field]: 'x'.repeat(most + 1) }, false] as const,
      ]),
      [{ id: 'x' }, true],
      [{ id: '' }, false],
      [{ may: ['read'] }, true],
      ...[[], ['all'], 'read', ['read', 'read', 'read', 'read', 'read', 'read', 'read', 'read', 'read']].map(
        (may) => [{ may }, false] as const,
      ),
      ...['exp', 'until'].flatMap((field) => [
        [{ [field]: 0 }, true] as const,
        [{ [field]: 1.5 }, false] as const,
        [{ [field]: '1' }, false] as const,
      ]),
      [{ exp: undefined }, false],
      [{ more: 1 }, false],
    ];
    for (const [more, isTaken] of rows) {
      const answer = await code(async () => claimsOf(await signed({ ...claims, ...more }, one), one));
      expect([more, answer]).toEqual([more, isTaken ? 'taken' : 'unauthorized']);
    }
  });
});

describe('who is let in', () => {
  const question = { address: ADDRESS, action: 'write' } as const;

  it('[X1, X2] on a loopback host alone, whatever a name looks like', async () => {
    const own = ['localhost', 'LOCALHOST', 'a.localhost', 'a.b.localhost', '[::1]', '127.0.0.1', '127.255.255.254'];
    const others = [
      'localhost.evil.test',
      'notlocalhost',
      '128.0.0.1',
      '12.7.0.1',
      '127.evil.test',
      '[::2]',
      '0.0.0.0',
      '10.0.0.1',
    ];
    for (const host of [...own, ...others]) {
      const answer = await access(new Request(`http://${host}:8787/`), question, {});
      expect([host, answer.ok ? answer.grant.subject : answer.error.code]).toEqual([
        ...[host, own.includes(host) ? 'local' : 'auth_not_configured'],
      ]);
    }
  });

  it('[X32] a browser on a loopback host says where its page comes from, or opens a socket', async () => {
    const rows: readonly (readonly [Record<string, string>, boolean])[] = [
      [{}, true],
      [{ 'user-agent': 'curl/8' }, true],
      [{ 'user-agent': 'Mozilla/5.0' }, false],
      [{ 'user-agent': 'not Mozilla/5.0' }, true],
      [{ 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'same-origin' }, true],
      [{ 'user-agent': 'Mozilla/5.0', upgrade: 'websocket' }, true],
      [{ 'user-agent': 'Mozilla/5.0', upgrade: 'h2c' }, false],
    ];
    for (const [headers, isLetIn] of rows) {
      const answer = await access(new Request('http://localhost/', { headers }), question, {});
      expect([headers, answer]).toEqual([
        headers,
        isLetIn
          ? { ok: true, grant: { subject: 'local' } }
          : { ok: false, error: expect.objectContaining({ code: 'forbidden' }) },
      ]);
    }
  });

  it('[X3] an authorizer answers with a subject of 1 to 128 characters, or refuses; anything else is a fault', async () => {
    const asked = async (answer: unknown) => {
      try {
        const found = await access(new Request('https://example.com/'), question, { authorize: () => answer as never });
        return found.ok ? found : found.error.code;
      } catch (error) {
        return error instanceof TypeError ? 'fault' : error;
      }
    };
    for (const subject of ['a', 'x'.repeat(128)])
      expect(await asked({ subject, role: 'admin' })).toEqual({ ok: true, grant: { subject } });
    for (const subject of ['', 'x'.repeat(129), undefined, null, 7, ['a']])
      expect([subject, await asked({ subject })]).toEqual([subject, 'fault']);
    for (const refused of ['unauthorized', 'forbidden'] as const)
      expect(await asked({ refused, subject: 'a' })).toBe(refused);
  });

  it('[TK2, X3] a signed token is asked before any authorizer, at its address and for its actions', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(MADE);
    const text = await signed({ id: 't_1', at: ADDRESS, may: ['read', 'stop'], exp: EXP }, KEY);
    const asked: unknown[] = [];
    const authorize = () => (asked.push(1) > 0 ? { subject: 'eve' } : { subject: '' });
    const token = { id: 't_1', endsAt: EXP };
    const granted = { ok: true, grant: { subject: 'token:t_1' }, token };
    for (const [address, action, answer] of [
      [ADDRESS, 'read', granted],
      [ADDRESS, 'stop', granted],
      [`${ADDRESS}/sub/kid/a`, 'read', granted],
      [ADDRESS, 'write', { ok: false, error: expect.objectContaining({ code: 'forbidden' }) }],
      // Shown at another place it says where it counts, so that a list can be of that alone.
      [`${ADDRESS}1`, 'read', { ok: false, error: expect.objectContaining({ code: 'forbidden' }), at: ADDRESS }],
      ['/directory', 'read', { ok: false, error: expect.objectContaining({ code: 'forbidden' }), at: ADDRESS }],
    ] as const)
      expect(await access(byHeader(text), { address, action }, { authorize, signingKey: KEY }), address).toEqual(
        answer,
      );
    expect(asked).toEqual([]);
  });

  it('[X12, TK10] a socket brings its token as a bearer, or beside `offshoot` among its protocols', async () => {
    const secret = 'a/secret=';
    const encoded = `base64url.${Buffer.from(secret).toString('base64url')}`;
    const opens = { upgrade: 'websocket' };
    for (const [headers, isTaken] of [
      [{ authorization: `Bearer ${secret}` }, true],
      [{ authorization: `bearer  ${secret} ` }, true],
      [{ authorization: `Bearer ${encoded}` }, false],
      [{ ...opens, authorization: `Bearer ${secret}` }, true],
      [{ ...opens, 'sec-websocket-protocol': `offshoot, ${encoded}` }, true],
      [{ ...opens, 'sec-websocket-protocol': `${encoded} ,,offshoot` }, true],
      [{ ...opens, 'sec-websocket-protocol': `other, ${encoded}` }, false],
      [{ ...opens, 'sec-websocket-protocol': 'offshoot' }, false],
      // A bearer counts, whatever the protocols say.
      [{ ...opens, authorization: 'Bearer other', 'sec-websocket-protocol': `offshoot, ${encoded}` }, false],
      [{ 'sec-websocket-protocol': `offshoot, ${encoded}` }, false],
    ] as const) {
      const answer = await access(new Request('https://example.com/', { headers }), question, { token: secret });
      expect([headers, answer.ok]).toEqual([headers, isTaken]);
    }
  });
});

describe('the secret of a server', () => {
  const asked = async (host: string, headers: Record<string, string>, options: AccessOptions) => {
    const answer = await access(
      new Request(`https://${host}${ADDRESS}`, { headers }),
      { address: ADDRESS, action: 'admin' },
      options,
    );
    return answer.ok ? answer.grant.subject : answer.error.code;
  };
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });

  it('[X1, X2] is needed where there is one, on any host; where there is none only a loopback host is answered', async () => {
    for (const host of ['example.com', 'localhost']) {
      const secret = { token: 'secret' };
      expect(await asked(host, bearer('secret'), secret)).toBe('token');
      for (const headers of [
        {},
        bearer('secreT'),
        bearer('secret2'),
        bearer('secre'),
        { authorization: 'Basic secret' },
      ])
        expect(await asked(host, headers, secret)).toBe('unauthorized');
      for (const none of [{}, { token: '' }, { token: undefined }])
        expect(await asked(host, bearer('secret'), none)).toBe(host === 'localhost' ? 'local' : 'auth_not_configured');
    }
  });

  it('[X2, TK1] is a text in the environment of the Worker; anything else is none', () => {
    const env = { OFFSHOOT_TOKEN: 'a', OFFSHOOT_SIGNING_KEY: 'b' };
    expect(secretsOf(env)).toEqual({ token: 'a', signingKey: 'b' });
    const none = { token: undefined, signingKey: undefined };
    for (const other of [undefined, null, 'OFFSHOOT_TOKEN', {}, { OFFSHOOT_TOKEN: 1, OFFSHOOT_SIGNING_KEY: {} }])
      expect(secretsOf(other)).toEqual(none);
  });
});

describe('the request that opened a socket', () => {
  const question = { address: ADDRESS, action: 'read' } as const;

  it('[X11] is shown to the authorizer again as it was, without the headers of the handshake', async () => {
    const shown: unknown[] = [];
    const authorizer = addAuthorizer(({ url, headers }, about) => {
      shown.push([url, [...headers], about]);
      return { subject: 'eve' };
    });
    const headers = { cookie: 'a=b', 'sec-websocket-key': 'k', 'sec-websocket-version': '13' };
    const opening = openingOf(authorizer, new Request(URL_THERE, { headers }));
    expect(await reauthorize(opening, question, {})).toEqual({ ok: true, grant: { subject: 'eve' } });
    expect(shown).toEqual([[URL_THERE, [['cookie', 'a=b']], question]]);
    const unknown = await reauthorize({ ...opening, authorizer: authorizer + 1 }, question, {});
    expect(unknown).toMatchObject({ ok: false, error: { code: 'unauthorized' } });
  });

  it('[X11] has at most 32,768 characters with its URL', () => {
    const most = 32_768 - URL_THERE.length - 'cookie'.length;
    const opening = (length: number) =>
      openingOf(0, new Request(URL_THERE, { headers: { cookie: 'x'.repeat(length) } }));
    expect(opening(most).headers).toEqual([['cookie', 'x'.repeat(most)]]);
    expect(() => opening(most + 1)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
