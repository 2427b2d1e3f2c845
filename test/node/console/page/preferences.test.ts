/** A browser's own choices, of all of its tabs. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const KEY = 'offshoot.preferences';
const DEFAULTS = { zone: 'local', theme: 'system', density: 'compact', shortcuts: 'on' };

const kept = new Map<string, string>();
const dataset: Record<string, string> = {};
let tab: EventTarget;

beforeEach(() => {
  kept.clear();
  tab = new EventTarget();
  vi.resetModules();
  vi.stubGlobal('document', { documentElement: { dataset } });
  vi.stubGlobal('addEventListener', tab.addEventListener.bind(tab));
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: vi.fn(), removeEventListener: vi.fn() }));
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});

afterEach(() => vi.unstubAllGlobals());

/** Another tab has written. */
const written = (key: string | null, newValue: string | null) =>
  tab.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }));

it('[CN41] outlast a reload, and show on the page at once', async () => {
  const first = await import('../../../../src/console/data/preferences');
  expect([first.preferences(), dataset]).toEqual([DEFAULTS, { theme: 'system', density: 'compact' }]);
  first.prefer({ theme: 'dark', zone: 'utc' });
  const chosen = { ...DEFAULTS, theme: 'dark', zone: 'utc' };
  expect([first.preferences(), dataset]).toEqual([chosen, { theme: 'dark', density: 'compact' }]);
  vi.resetModules();
  const reloaded = await import('../../../../src/console/data/preferences');
  expect([reloaded.preferences(), dataset.theme]).toEqual([chosen, 'dark']);
});

it('[CN41] of another tab show here, also where all is removed; what others keep is read over', async () => {
  const { preferences } = await import('../../../../src/console/data/preferences');
  written(KEY, JSON.stringify({ density: 'comfortable' }));
  const chosen = { ...DEFAULTS, density: 'comfortable' };
  expect([preferences(), dataset.density]).toEqual([chosen, 'comfortable']);
  written('other', JSON.stringify({ density: 'compact' }));
  expect(preferences()).toEqual(chosen);
  written(null, null);
  expect([preferences(), dataset.density]).toEqual([DEFAULTS, 'compact']);
});

it.each(['{', 'null', '1', '{"theme":"pink","zone":7,"density":"comfortable"}'])(
  '[CN41] of what is kept as %s are those that there are, else the defaults',
  async (text) => {
    kept.set(KEY, text);
    const { preferences } = await import('../../../../src/console/data/preferences');
    const density = text.includes('comfortable') ? 'comfortable' : 'compact';
    expect(preferences()).toEqual({ ...DEFAULTS, density });
  },
);
