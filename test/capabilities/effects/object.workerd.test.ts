/** Scheduled effects by the platform's own alarm: after everything left memory, at a root and below it. */
import { abortAllDurableObjects, evictAllDurableObjects, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { address, post } from '../../support/api';
import { asks, calls, openGate, takeBegun, told } from '../../support/puppet';
import { stands } from '../../workerd/standing';

const TOP: DurableObjectNamespace = Reflect.get(env, 'TOP');
const LOOK = { interval: 5 };
const A_WEEK = 7 * 86_400_000;

const alarmOf = (at: string) =>
  runInDurableObject(TOP.getByName(at.split('/')[3] ?? ''), (_: object, { storage }) => storage.getAlarm());

/** How often each thing began, from here on. */
function counting(): (what: string) => number {
  takeBegun();
  const all = new Map<string, number>();
  return (what) => {
    for (const [name, count] of takeBegun()) all.set(name, (all.get(name) ?? 0) + count);
    return all.get(what) ?? 0;
  };
}

/** Starts a root that does this, and waits for its end and until nothing of its work has an alarm before a time. */
async function ended(at: string, steps: Parameters<typeof told>, until: number): Promise<void> {
  expect((await post(`${at}/start`, { message: told(...steps) })).status).toBe(202);
  await stands(at, 'completed');
  await vi.waitFor(async () => expect(await alarmOf(at)).toBeGreaterThanOrEqual(until), LOOK);
}

describe('scheduled effects by a real alarm', () => {
  it('[SA76] [SF1] [SF4] are done after everything left memory, at a root and below it', async () => {
    const count = counting();
    const at = address();
    const from = Date.now();
    const below = asks(['put_off', { text: `leaf of ${at}`, ms: 9_000 }]);
    const own = asks(['put_off', { text: at, ms: 8_000 }]);
    await ended(at, [own, calls('leaf', [below])], from + 8_000);
    await evictAllDurableObjects();
    expect(count(`later ${at}`)).toBe(0);
    for (const text of [at, `leaf of ${at}`])
      await vi.waitFor(() => expect(count(`later ${text} is done`)).toBe(1), { interval: 50, timeout: 20_000 });
    expect([count(`later ${at}`), count(`later leaf of ${at}`)]).toEqual([1, 1]);
    await vi.waitFor(async () => expect(await alarmOf(at)).toBeNull(), { interval: 50, timeout: 20_000 });
  });

  it('[SA76] [SF1] go on after the process was killed while they were done', async () => {
    const count = counting();
    const at = address();
    expect(
      (await post(`${at}/start`, { message: told(asks(['put_off', { text: at, gate: at, ms: 0 }])) })).status,
    ).toBe(202);
    await vi.waitFor(() => expect(count(`later ${at}`)).toBe(1), LOOK);
    await abortAllDurableObjects();
    await vi.waitFor(() => expect(count(`later ${at}`)).toBe(2), { interval: 50, timeout: 20_000 });
    openGate(at);
    // The first body is in no object any more, but its promise is: both come to their end.
    await vi.waitFor(() => expect(count(`later ${at} is done`)).toBeGreaterThan(0), LOOK);
    await vi.waitFor(async () => expect(await alarmOf(at)).toBeNull(), { interval: 50, timeout: 20_000 });
    expect(count(`later ${at}`)).toBe(2);
  });

  it('[SAW28] [SF3] [SF4] set the one alarm of a tree for their time, and it is taken back when the root is terminated', async () => {
    const count = counting();
    const at = address();
    const from = Date.now();
    await ended(at, [asks(['put_off', { text: at, ms: A_WEEK }])], from + A_WEEK);
    expect(await alarmOf(at)).toBeLessThan(Date.now() + A_WEEK);
    expect((await post(`${at}/terminate`, {})).status).toBe(202);
    await vi.waitFor(async () => expect(await alarmOf(at)).toBeNull(), { interval: 20, timeout: 20_000 });
    expect(count(`later ${at}`)).toBe(0);
  });
});
