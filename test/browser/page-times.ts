/** When a page has drawn what it is looked at for, and its long tasks, from its beginning on; in ms. */
import type { Page } from 'playwright-core';

/** What is looked for in each frame: the page itself, its box, its rows, a run. */
const LOOKED_FOR = ['main', '.ask-box', '.root-row', '.run-page'] as const;

const KEEP = `(() => {
  const kept = (globalThis.times = { drawn: {}, tasks: [] });
  const look = () => {
    for (const each of ${JSON.stringify(LOOKED_FOR)})
      if (kept.drawn[each] === undefined && document.querySelector(each) !== null) kept.drawn[each] = performance.now();
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) kept.tasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
})()`;

/** Has a page keep its times; it is not open yet. */
export const keepsTimes = (page: Page): Promise<unknown> => page.addInitScript(KEEP);

/** How long after it was gone to a page has drawn the first of what is looked for. */
export async function drawnAfter(page: Page, what: (typeof LOOKED_FOR)[number]): Promise<number> {
  await page.locator(what).first().waitFor({ state: 'attached' });
  // The frame that has it was looked at once it is drawn.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))');
  return page.evaluate<number>(`times.drawn[${JSON.stringify(what)}]`);
}

/** The longest task of a page so far; 0 where none was long. */
export const longestTask = (page: Page): Promise<number> => page.evaluate<number>('Math.max(0, ...times.tasks)');
