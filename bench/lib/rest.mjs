// How long a sample waits for the work that it leaves behind: what runs late is counted for whatever is measured next.
import { setTimeout as delay } from 'node:timers/promises';

/** A root reports to its directory within 250 ms of a change. */
export const SETTLE_MS = 400;
/** A stopped child sends its end once more a second later, as the acknowledgement. */
export const AFTER_STOP_MS = 1_500;
/** The runtime is at rest when it uses less CPU than this in a window, both in ms. */
const [IDLE_CPU_MS, WINDOW_MS] = [5, 200];
const TIMEOUT_MS = 60_000;

/** Waits until the runtime is at rest. @param {import('./target.mjs').Target} target @param {number} least in ms */
export async function untilRest(target, least) {
  await delay(least);
  for (const begun = Date.now(); Date.now() - begun < TIMEOUT_MS; ) {
    const before = target.cpu();
    await delay(WINDOW_MS);
    if (target.cpu() - before < IDLE_CPU_MS) return;
  }
}
