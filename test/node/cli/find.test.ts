import { expect, it } from 'vitest';
import { findServer } from '../../../src/cli/find';

const servers = {
  running: () => undefined,
  start: () => Promise.reject(new Error('A named server is never started.')),
};
const late = (): never => {
  throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
};
const healthy = () => Response.json({ ok: true, name: 'offshoot' });

/** The end of a search for a named server that does this at each request, and how often it was asked. */
async function found(...does: readonly (() => Response)[]) {
  let asked = 0;
  const fetch = async () => (does[asked++] ?? late)();
  const server = findServer({ servers, fetch }, 'http://named', new AbortController().signal, () => undefined);
  const what = await server.then(({ base }) => base, String);
  return { what, asked };
}

it('[K28] a named server is asked three times when no answer comes in time, and once when it refuses', async () => {
  const away = /^Unreachable: The server at http:\/\/named cannot be reached \(no answer in time\)\.\nStart a server/u;
  expect(await found(healthy)).toEqual({ what: 'http://named', asked: 1 });
  expect(await found(late, late, healthy)).toEqual({ what: 'http://named', asked: 3 });
  expect(await found()).toEqual({ what: expect.stringMatching(away), asked: 3 });
  const other = () => Response.json({ name: 'another' });
  expect(await found(other)).toEqual({ what: expect.stringContaining('is not an Offshoot server'), asked: 1 });
  const refused = () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) });
  };
  expect(await found(refused)).toEqual({ what: expect.stringContaining('connection refused'), asked: 1 });
});
