/** When a page says that its server, or the log of its run, does not come. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { mounted } from '../../../support/react-hooks';

const LOG = { lostAt: 1_500, problem: 'cut', nextAt: 9_000 };

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000, toFake: ['Date'] });
  vi.resetModules();
  vi.stubGlobal(
    'document',
    new (class extends EventTarget {
      visibilityState = 'visible';
    })(),
  );
  vi.stubGlobal('addEventListener', vi.fn());
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A page that was just opened, and what it says after something has happened. */
async function opened() {
  const page = await import('../../../../src/console/data/away');
  const shown = await mounted(() => ({ away: page.useAway() }));
  const says = async (happens: () => void = () => undefined) => {
    await shown.settle(happens);
    return shown.result.away;
  };
  return { ...page, says };
}

it('[CN80] a server is away once its failures are 400 ms apart, and is back with any answer', async () => {
  const { unheard, heard, says } = await opened();
  expect(await says(() => unheard('offline'))).toBeUndefined();
  vi.setSystemTime(1_399);
  expect(await says(() => unheard('offline'))).toBeUndefined();
  vi.setSystemTime(1_400);
  const away = { what: 'server', heardAt: 1_000, problem: 'no route', nextAt: undefined };
  expect(await says(() => unheard('no route'))).toEqual(away);
  vi.setSystemTime(2_000);
  expect(await says(heard)).toBeUndefined();
  vi.setSystemTime(3_000);
  expect(await says(() => unheard('offline'))).toBeUndefined();
});

it('[CN80] a log that was tried three times is away alone, and its server with it where that does not answer either', async () => {
  const { unheard, logLost, logTries, says } = await opened();
  for (const tries of [1, 2]) {
    expect(await says(() => logLost({ ...LOG, tries }))).toBeUndefined();
    expect(logTries()).toBe(tries);
  }
  const away = { what: 'log', heardAt: 1_500, problem: 'cut', nextAt: 9_000 };
  expect(await says(() => logLost({ ...LOG, tries: 3 }))).toEqual(away);
  expect(await says(() => unheard('offline'))).toEqual({ ...away, what: 'server', problem: 'offline' });
  expect(await says(() => logLost(undefined))).toBeUndefined();
  expect(logTries()).toBe(0);
  expect(await says(() => logLost({ ...LOG, tries: 1 }))).toBeUndefined();
  expect(await says(() => logLost({ ...LOG, tries: 2 }))).toMatchObject({ what: 'server' });
});

it('[CN19] a page that is looked at again tries at once what is away, and nothing else', async () => {
  const { logLost, onTry } = await import('../../../../src/console/data/away');
  const tried = vi.fn();
  const stop = onTry(tried);
  const look = (visibilityState: string) => {
    Reflect.set(document, 'visibilityState', visibilityState);
    document.dispatchEvent(new Event('visibilitychange'));
    return tried.mock.calls.length;
  };
  expect(look('visible')).toBe(0);
  logLost({ ...LOG, tries: 3 });
  expect([look('hidden'), look('visible')]).toEqual([0, 1]);
  stop();
  expect(look('visible')).toBe(1);
});
