/**
 * Loaded before every test file. A test waits for what it waits for, however busy the machine is: that a wait takes long
 * is no failure. The limit is there for what never comes, and lies below that of a whole test, so that the message says
 * what was awaited. No test sets one of its own (`npm run check`).
 *
 * Files of a project without isolation share one global scope: what a test changed of it is put back after the test.
 *
 * `fetch` of Node sets its timers through the same scope: those of a connection that an earlier file left open would be
 * counted as the test's, and would never ring. They stay real while a test fakes the timers.
 */
import { afterEach, vi } from 'vitest';

const BACKSTOP_MS = 300_000;

type Waits = Pick<typeof vi, 'waitFor' | 'waitUntil' | 'useFakeTimers'>;

/** The waits of vitest itself. The first file of a process leaves them for the others. */
const own: Waits = Reflect.get(vi, 'ownWaits') ?? {
  waitFor: vi.waitFor,
  waitUntil: vi.waitUntil,
  useFakeTimers: vi.useFakeTimers,
};
Reflect.set(vi, 'ownWaits', own);

vi.waitFor = (callback, options) => own.waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => own.waitUntil(callback, patient(options));

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate'] as const;

vi.useFakeTimers = (config) => {
  const real = TIMERS.map((name) => [name, globalThis[name]] as const);
  own.useFakeTimers({ ...config, shouldClearNativeTimers: true });
  for (const [name, before] of real) {
    const faked = globalThis[name];
    const set = (...args: unknown[]): unknown => Reflect.apply(calledByFetch() ? before : faked, globalThis, args);
    if (faked !== before) Reflect.set(globalThis, name, Object.assign(set, faked));
  }
  return vi;
};

/** The frames that are looked at: this function, the timer that was set, and who set it. */
const FRAMES = 3;

/** Whether `fetch` of Node itself sets a timer. A stack as text would be made for each timer, with the lines of its sources. */
function calledByFetch(): boolean {
  const { stackTraceLimit, prepareStackTrace } = Error;
  const here: { stack?: unknown } = {};
  Error.stackTraceLimit = FRAMES;
  Error.prepareStackTrace = (_error, sites) =>
    sites.some((site) => site.getFileName()?.startsWith('node:internal/deps/undici') === true);
  try {
    Error.captureStackTrace(here);
    return here.stack === true;
  } finally {
    Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  }
}

function patient(options: number | { interval?: number } | undefined): { interval?: number; timeout: number } {
  return { ...(typeof options === 'object' ? options : {}), timeout: BACKSTOP_MS };
}

afterEach(() => void vi.useRealTimers());
