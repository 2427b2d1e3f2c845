/** What a page costs: how long it takes from an input to the frame that shows it, its long tasks, its heaps. */
import type { CDPSession, Page } from 'playwright-core';
import { present } from '../support/present';

/** Shorter than this, in ms, a browser reports no input. */
const LEAST_EVENT = 16;

/** Has a page keep its inputs and long tasks from now on. */
const OBSERVE = `(() => {
  const kept = (globalThis.kept = { events: [], tasks: [] });
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown' || name === 'click') kept.events.push(duration);
  }).observe({ type: 'event', durationThreshold: ${LEAST_EVENT} });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) kept.tasks.push(duration);
  }).observe({ type: 'longtask' });
})()`;

interface Kept {
  readonly events: readonly number[];
  readonly tasks: readonly number[];
}

/** The books of a page. */
export interface PageCost {
  /** The p95 of so many inputs since the books were opened, in ms, and the longest task. */
  inputs(count: number): Promise<{ readonly p95: number; readonly longest: number }>;
  /** What the page's own thread has computed since it was opened, in ms of the processor. */
  worked(): Promise<number>;
  /** What the page and its worker hold once garbage is gone, in MB. Collecting it holds the page up. */
  heap(): Promise<number>;
  /** The same with what garbage there is. */
  held(): Promise<number>;
}

type Send = (method: 'HeapProfiler.collectGarbage' | 'Runtime.getHeapUsage') => Promise<unknown>;

const usedBy = async (send: Send): Promise<number> =>
  Number(Reflect.get(Object(await send('Runtime.getHeapUsage')), 'usedSize'));

/** A channel to the page's worker, through the page's own. */
async function workerOf(session: CDPSession) {
  const attached = new Promise<string>((resolve) => {
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker') resolve(sessionId);
    });
  });
  // The channel of a target that is not "flat" goes through messages of this one.
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const sessionId = await attached;
  const asked = new Map<number, (result: unknown) => void>();
  session.on('Target.receivedMessageFromTarget', (event) => {
    const { id, result } = JSON.parse(event.message);
    asked.get(id)?.(result);
    asked.delete(id);
  });
  let last = 0;
  return async (method: string) => {
    last += 1;
    const id = last;
    const answer = new Promise<unknown>((resolve) => asked.set(id, resolve));
    await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
    return answer;
  };
}

/** Opens the books of a page that shows a run. */
export async function costOf(page: Page): Promise<PageCost> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const worker = await workerOf(session);
  const own: Send = (method) => session.send(method);
  const held = async () => ((await usedBy(own)) + (await usedBy(worker))) / 1_048_576;
  await page.evaluate(OBSERVE);
  return {
    async inputs(count) {
      // What is observed is told in a task of its own.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
      const { events, tasks } = await page.evaluate<Kept>('kept');
      const all = [...events, ...Array.from({ length: Math.max(0, count - events.length) }, () => LEAST_EVENT)];
      const sorted = all.toSorted((one, other) => one - other);
      return { p95: present(sorted[Math.ceil(sorted.length * 0.95) - 1]), longest: Math.max(0, ...tasks) };
    },
    async worked() {
      const { metrics } = await session.send('Performance.getMetrics');
      return present(metrics.find(({ name }) => name === 'TaskDuration')).value * 1_000;
    },
    async heap() {
      for (const send of [own, worker]) await send('HeapProfiler.collectGarbage');
      return held();
    },
    held,
  };
}
