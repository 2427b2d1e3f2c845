/**
 * Loaded before every test file. A test waits for what it waits for, however busy the machine is: that a wait takes long
 * is no failure. The limit is there for what never comes, and lies below that of a whole test, so that the message says
 * what was awaited. No test sets one of its own (`npm run check`).
 */
import { vi } from 'vitest';

const BACKSTOP_MS = 300_000;

const { waitFor, waitUntil } = vi;

vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

function patient(options: number | { interval?: number } | undefined): { interval?: number; timeout: number } {
  return { ...(typeof options === 'object' ? options : {}), timeout: BACKSTOP_MS };
}
