/** The session of the console, as far as its clients go. */
import { expect, it, onTestFinished, vi } from 'vitest';

it('[CN54] keeps no client of a token that was forgotten', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  const page = { origin: 'http://127.0.0.1', hash: '', pathname: '/', search: '' };
  vi.stubGlobal('location', page);
  vi.stubGlobal('addEventListener', vi.fn());
  vi.stubGlobal('document', { documentElement: { dataset: {} }, addEventListener: vi.fn() });
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: vi.fn(), removeItem: vi.fn() });
  vi.stubGlobal('BroadcastChannel', class extends EventTarget {
    postMessage = vi.fn();
  });
  const { server, signIn, signOut } = await import('../../../src/console/data/session');
  signIn('a token');
  const before = server();
  expect(server()).toBe(before);
  signOut();
  signIn('a token');
  expect(server()).not.toBe(before);
});
