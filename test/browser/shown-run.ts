/** Runs whose logs a test writes, each in a page of one browser; both end with the test file. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { SequencedChunk } from '../../src/protocol/chunks';
import { LOG_START } from '../support/log';
import { present } from '../support/present';
import { type Chromium, MISSING, startChromium } from './chromium';
import { type WrittenRun, writtenRun } from './written-run';

/** A run in a page. */
export interface Shown {
  readonly run: WrittenRun;
  readonly page: Page;
}

/** The log with its last event a moment ago. */
function recent(entries: readonly SequencedChunk[]): SequencedChunk[] {
  const last = entries.at(-1)?.chunk.timestamp ?? LOG_START;
  const by = Date.now() - last - 1_000;
  return entries.map(({ sequence, chunk }) => ({ sequence, chunk: { ...chunk, timestamp: chunk.timestamp + by } }));
}

/** Shows a log at a path. `before`: what is done to its server and its page before the page is opened. */
export type Show = (
  entries: readonly SequencedChunk[],
  path: string,
  before?: (run: WrittenRun, page: Page) => Promise<void> | void,
) => Promise<Shown>;

/** Forgets what earlier pages have kept at an address. */
async function forget(page: Page, origin: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' });
  await session.detach();
}

/** For one test file: starts its browser, and ends all that it has opened. */
export function showsRuns(): Show {
  let browser: Chromium | undefined;
  /** Ports of runs that have ended: what a browser has compiled for an address, it takes for the next page there. */
  const left: number[] = [];
  beforeAll(async () => {
    if (MISSING === undefined) browser = await startChromium();
  });
  afterAll(() => browser?.close());
  return async (entries, path, before) => {
    const run = await writtenRun(recent(entries), left.pop());
    present(browser).mayAsk(run.url);
    const page = await present(browser).context.newPage();
    onTestFinished(async () => {
      await page.close();
      await run.close();
      left.push(Number(new URL(run.url).port));
    });
    await page.setExtraHTTPHeaders(run.mark);
    await page.setViewportSize({ width: 1440, height: 900 });
    await forget(page, run.url);
    await before?.(run, page);
    await page.goto(`${run.url}/console${path}`);
    return { run, page };
  };
}

/** Waits until a page has all of its run's log. */
export const live = (page: Page): Promise<void> =>
  page.locator('.run-head .connection', { hasText: /^(?:live|up to date)$/u }).waitFor();

/** The row of the tree that has a text. */
export const rowOf = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name });
