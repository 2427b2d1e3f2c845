/** Who may do what, by the request and the time alone. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AccessOptions, access, secretsOf } from '../../../src/access/auth';
import { addAuthorizer, openingOf, reauthorize } from '../../../src/access/authorizers';
import { type Claims, signed } from '../../../src/access/signed';

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
