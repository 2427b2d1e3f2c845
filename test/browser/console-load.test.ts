/**
 * A run of 5,000 agents that all write: what its page holds, and how it answers. Times are told beside the bounds of the
 * console's design, and not held to them: they are those of a machine that does nothing else.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { present } from '../support/present';
import { figures, sized } from '../support/sizes';
import { wideLog } from '../support/wide-log';
import { MISSING } from './chromium';
import { costOf } from './page-cost';
import { live, rowOf, showsRuns } from './shown-run';

const AGENTS = 5_000;
const PER_SECOND = 100;
const MOST_ROWS = 120;
const MOST_MB = 200;
/** What of the heap may come and go, in MB. */
const LEVEL_MB = 25;
const SECONDS = sized(12, 600);

const shown = showsRuns();
const told: string[] = [];
figures(`a page with ${AGENTS} agents, ${PER_SECOND} chunks a second for ${SECONDS} s`, () => told.join('; '));

beforeEach(({ skip }) => {
  if (MISSING !== undefined) skip(MISSING);
});

/** Whether the selected row is one that is seen. */
const SEEN = `(() => {
  const row = document.querySelector('.tree-row.selected')?.getBoundingClientRect();
  const box = document.querySelector('.tree').getBoundingClientRect();
  return row !== undefined && row.top >= box.top && row.bottom <= box.bottom + 1;
})()`;

describe('a run of 5,000 agents', () => {
  it('[CN64] is opened at one of them, goes on for as long as it writes, and holds what it did (checks 11, 15, 16, 17)', async () => {
    const log = wideLog(AGENTS);
    const last = present(log.agents.at(-1));
    const { page, run } = await shown(log.entries, last.address);
    await live(page);
    await vi.waitFor(async () => expect(await page.evaluate(SEEN)).toBe(true));
    expect(await page.getByRole('treegrid').getAttribute('aria-rowcount')).toBe(String(AGENTS));
    const cost = await costOf(page);
    const first = await cost.heap();
    await page.locator('.tree-row.selected').focus();
    const began = performance.now();
    const before = await cost.worked();
    const heaps: number[] = [];
    let [chunks, inputs, rows] = [0, 0, 0];
    while (chunks < PER_SECOND * SECONDS) {
      // What is due is told whenever the page has drawn: on a slow one it comes in larger pieces, and no less of it.
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(drawn))');
      const due = Math.floor(((performance.now() - began) / 1_000) * PER_SECOND) - chunks;
      run.tell(...log.says(due));
      chunks += due;
      if (chunks / (PER_SECOND / 2) < inputs) continue;
      await page.keyboard.press(inputs % 2 === 0 ? 'ArrowUp' : 'j');
      inputs += 1;
      rows = Math.max(rows, await page.getByRole('row').count());
      heaps.push(await cost.held());
    }
    const [took, worked] = [performance.now() - began, (await cost.worked()) - before];
    if (inputs % 2 === 1) await page.keyboard.press('j');
    // All that was said is on the page, and it is not behind.
    last.text(' The end.');
    run.tell(present(log.entries.at(-1)).chunk);
    await rowOf(page, 'The end.').waitFor();
    const [end, most] = [await cost.heap(), Math.max(...heaps)];
    const { p95, longest } = await cost.inputs(inputs);
    told.push(
      `input to paint ${p95} ms of ${inputs} inputs at p95 (100), longest task ${Math.round(longest)} ms (200)`,
      `its thread worked ${Math.round((worked / took) * 100)} % of the time`,
      `${rows} rows (${MOST_ROWS}), heap ${Math.round(first)} MB before, ${Math.round(end)} after, ${Math.round(most)} with garbage (${MOST_MB})`,
    );
    expect(rows).toBeLessThan(MOST_ROWS);
    expect(most).toBeLessThan(MOST_MB);
    expect(end).toBeLessThan(first + LEVEL_MB);
    await page.close();
  });
});
