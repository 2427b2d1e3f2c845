/** Statuses and the timeline in a real browser, on logs that the tests write. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { KNOWN_STATUSES, said } from '../../src/console/parts/words';
import { newLog } from '../support/log';
import { present } from '../support/present';
import { MISSING } from './chromium';
import { live, showsRuns } from './shown-run';

const shown = showsRuns();
const ADDRESS = '/agents/planner/one';

beforeEach(({ skip }) => {
  if (MISSING !== undefined) skip(MISSING);
});

describe('the tree', () => {
  it('[CN60] tells all statuses apart without colour, and stands still for who wants that (checks 18, 57)', async () => {
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0').step(1);
    KNOWN_STATUSES.forEach((status, index) => {
      const { agentId: subSessionId } = root.spawn(`c_${index}`, `is-${status}`, `s${index}~1`, 'go');
      root.emit({ type: 'subagent_status', subSessionId, status });
    });
    const { page } = await shown(log.entries, ADDRESS);
    await live(page);
    const glyphs = page.locator('.tree-row[aria-level="2"] .glyph');
    await vi.waitFor(async () => expect(await glyphs.count()).toBe(KNOWN_STATUSES.length));
    const seen = await Promise.all(
      (await glyphs.all()).map(async (glyph) => [
        await glyph.getAttribute('aria-label'),
        await glyph.locator('svg').innerHTML(),
      ]),
    );
    const names = seen.map(([name]) => name);
    expect(names.toSorted()).toEqual(KNOWN_STATUSES.map((status) => said(status).says).toSorted());
    expect(new Set(seen.map(([, shape]) => shape)).size).toBe(KNOWN_STATUSES.length);
    const moves = () => page.evaluate<number>('document.getAnimations().length');
    await vi.waitFor(async () => expect(await moves()).toBeGreaterThan(0));
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await vi.waitFor(async () => expect(await moves()).toBe(0));
    await page.close();
  });
});

describe('the timeline', () => {
  it('[CN14] is followed until it is moved, and again when that is asked for (check 26)', async () => {
    const log = newLog();
    log.root('planner', 'one').run('r_0').step(1).text('I think.', ' And think.');
    const { page } = await shown(log.entries, `${ADDRESS}?t=2000`);
    await live(page);
    const toLive = page.getByRole('button', { name: 'To live' });
    const axis = page.locator('.axis');
    await axis.waitFor();
    expect(await toLive.count()).toBe(0);
    const { x, y, width } = present(await axis.boundingBox());
    await page.mouse.move(x + width / 4, y + 5);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 5, { steps: 4 });
    await page.mouse.up();
    await toLive.waitFor();
    await page.waitForURL((url) => /^\d+-\d+$/u.test(url.searchParams.get('t') ?? ''));
    await toLive.click();
    await toLive.waitFor({ state: 'detached' });
    await page.waitForURL((url) => /^\d+$/u.test(url.searchParams.get('t') ?? ''));
    await page.close();
  });
});
