/** Who may do what, by the request and the time alone. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { access } from '../../../src/access/auth';
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
  const answer = await access(asked, { address: ADDRESS, action: 'read' }, { signingKey: KEY, isOpen });
  return answer.ok ? 'granted' : answer.error.code;
}

const byHeader = (text: string) => new Request(URL_THERE, { headers: { authorization: `Bearer ${text}` } });
const byTicket = (text: string) => new Request(`${URL_THERE}?ticket=${text}`, { headers: { upgrade: 'websocket' } });

describe('the time of what is signed', () => {
  const token: Claims = { id: 't_1', at: ADDRESS, may: ['read'], exp: EXP };
  const ticket: Claims = { ...token, until: UNTIL };

  it.each([
    ['a token, whenever it is shown,', token, byHeader, false, EXP],
    ['a token whose stream is open', token, byHeader, true, EXP],
    ['a ticket that opens a socket', ticket, byTicket, false, EXP],
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
