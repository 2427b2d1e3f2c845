/** How a person wants the console: kept in this browser for all tabs, and nowhere else. */
import { useSyncExternalStore } from 'react';

/** What each choice may be; the first is the default. */
const CHOICES = {
  /** In which zone times are said. */
  zone: ['local', 'utc'],
  theme: ['system', 'light', 'dark'],
  /** Rows of 28 or of 36 px. */
  density: ['compact', 'comfortable'],
  /** Whether letters are keys; those with Ctrl, Cmd and Escape always are. */
  shortcuts: ['on', 'off'],
} as const;

/** All of them, as chosen. */
export type Preferences = { readonly [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };

const KEY = 'offshoot.preferences';
const DEFAULTS: Preferences = { zone: 'local', theme: 'system', density: 'compact', shortcuts: 'on' };

/** One of the choices, whatever was kept. */
function chosen<Choice extends string>(choices: readonly [Choice, ...Choice[]], given: unknown): Choice {
  return choices.find((choice) => choice === given) ?? choices[0];
}

function read(written: string | null): Preferences {
  try {
    const held: unknown = JSON.parse(written ?? 'null');
    const of = (name: keyof Preferences): unknown =>
      typeof held === 'object' && held !== null ? Reflect.get(held, name) : undefined;
    return {
      zone: chosen(CHOICES.zone, of('zone')),
      theme: chosen(CHOICES.theme, of('theme')),
      density: chosen(CHOICES.density, of('density')),
      shortcuts: chosen(CHOICES.shortcuts, of('shortcuts')),
    };
  } catch {
    return DEFAULTS;
  }
}

/** What was kept; a browser may forbid the store. */
function kept(): Preferences {
  try {
    return read(localStorage.getItem(KEY));
  } catch {
    return DEFAULTS;
  }
}

let now = kept();
const listeners = new Set<() => void>();

function shown(): void {
  document.documentElement.dataset.theme = now.theme;
  document.documentElement.dataset.density = now.density;
  for (const listener of listeners) listener();
}

shown();
// The event brings what was written: another tab may be told of a write before its own view of the store has it.
addEventListener('storage', ({ key, newValue }) => {
  if (key !== KEY && key !== null) return;
  now = read(newValue);
  shown();
});

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What is chosen. */
export const preferences = (): Preferences => now;

/** Chooses, here and in all tabs. */
export function prefer(change: Partial<Preferences>): void {
  now = { ...now, ...change };
  localStorage.setItem(KEY, JSON.stringify(now));
  shown();
}

/** What is chosen, as a component is drawn by it. */
export const usePreferences = (): Preferences => useSyncExternalStore(onChange, preferences);

/** Where rows are touched, none is lower, in px. */
const TOUCHED = 44;
const narrow = matchMedia('(max-width: 760px)');

function onNarrow(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

/** The height of a row in px, by the chosen density and the width of the page. */
export function useRowHeight(): number {
  const { density } = usePreferences();
  const isNarrow = useSyncExternalStore(onNarrow, () => narrow.matches);
  return isNarrow ? TOUCHED : density === 'compact' ? 28 : 36;
}
