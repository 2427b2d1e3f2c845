import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, vi } from 'vitest';

it('[HS24] what `fetch` sets for its connections is none of the faked timers, before, while and after a test fakes them', async () => {
  const server = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async () => (await fetch(url)).text();
  try {
    expect(await ask()).toBe('ok');
    vi.useFakeTimers();
    // A connection that was open, and one that is new: each sets timers of its own.
    expect([await ask(), await Promise.all([ask(), ask()]), vi.getTimerCount()]).toEqual(['ok', ['ok', 'ok'], 0]);
    const rang = vi.fn();
    globalThis.setTimeout(rang, 10);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(10);
    expect([rang.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
    vi.useRealTimers();
    expect(await ask()).toBe('ok');
  } finally {
    vi.useRealTimers();
    server.closeAllConnections();
    server.close();
  }
});
