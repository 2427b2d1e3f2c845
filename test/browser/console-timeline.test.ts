/** Statuses and the timeline in a real browser, on logs that the tests write. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { KNOWN_STATUSES, said } from '../../src/console/parts/words';
import { failure } from '../../src/protocol/errors';
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
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const moves = () => page.evaluate<number>('document.getAnimations().length');
    await vi.waitFor(async () => expect(await moves()).toBeGreaterThan(0));
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await vi.waitFor(async () => expect(await moves()).toBe(0));
    await page.close();
  });
});

describe('many equal siblings', () => {
  it('[CN13] are one row with the counts of their states, which is unfolded into those on screen (check 21)', async () => {
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0').step(1);
    for (let index = 0; index < 180; index += 1) {
      const one = root.spawn(`c_${index}`, 'leaf', `${index}~1`, 'go').run(`r_${index}`).step(1);
      if (index < 12) continue;
      if (index < 15) one.failed(failure('tool_failed'));
      else one.commit().completed('done');
    }
    const { page } = await shown(log.entries, ADDRESS);
    await live(page);
    const group = page.getByRole('row').filter({ hasText: '×180' });
    expect(await group.locator('.counts b').allInnerTexts()).toEqual(['3 failed', '12 running', '165 completed']);
    expect(await page.getByRole('row').count()).toBe(2);
    await group.getByRole('button', { name: 'Unfold' }).click();
    await page.locator('.tree-row[aria-level="3"]').first().waitFor();
    expect(await page.getByRole('treegrid').getAttribute('aria-rowcount')).toBe('182');
    expect(await page.getByRole('row').count()).toBeLessThan(120);
    await page.close();
  });
});

/** What is seen of a bar: its letter, its words, whether it is hollow, and its line. */
const LOOK = `(bar) => {
  const { backgroundColor, borderTopWidth } = getComputedStyle(bar);
  const hollow = backgroundColor === getComputedStyle(document.documentElement).backgroundColor;
  return [bar.textContent, bar.title, hollow, borderTopWidth];
}`;

describe('the timeline', () => {
  it('[CN10] has each kind of wait hollow, with its letter and its words (check 23)', async () => {
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0').step(1);
    root.asks('approval', 'c_1', 'send_mail', {}).spawn('c_2', 'queued-one', 'q~1', 'wait');
    const retries = root.spawn('c_3', 'retries', 't~1', 'try').run('r_1').step(1).text('Half');
    retries.emit({ type: 'step_discarded', reason: 'model_overloaded', retryAt: Date.now() + 3_600_000 });
    root.suspended('suspended_step_partial');
    const { page } = await shown(log.entries, ADDRESS);
    await live(page);
    const look = (kind: string) =>
      page.evaluate(
        `(${LOOK})([...document.querySelectorAll('.bar.${kind}:not(.legend *)')].toSorted((one, other) => other.offsetWidth - one.offsetWidth)[0])`,
      );
    for (const [kind, letter, says] of [
      ['person', 'P', /^send_mail: waiting for a person, .*, in progress$/u],
      ['child', 'C', /: waiting for a sub-agent, .*, in progress$/u],
      ['queue', 'Q', /: queued, .*, in progress$/u],
      ['timer', 'T', /: waiting for a timer, /u],
    ] as const)
      await vi.waitFor(async () =>
        expect(await look(kind)).toEqual([letter, expect.stringMatching(says), true, '1px']),
      );
    expect(await look('discarded')).toEqual(['', expect.stringContaining('discarded attempt'), false, '1px']);
    await page.close();
  });

  it('[CN121] leads from a bar to the event that began it, by a press and by Enter', async () => {
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0').step(1).text('It begins.').commit();
    const child = root.step(2).spawn('c_1', 'leaf', '1~1', 'go').run('r_1').step(1);
    child.asks('approval', 'c_2', 'send_mail', {}).suspended('suspended_client_tool');
    root.suspended('suspended_awaiting_children');
    const { page } = await shown(log.entries, ADDRESS);
    await live(page);
    const seqOf = (type: string) => log.entries.find(({ chunk }) => chunk.type === type)?.sequence;
    await page.locator('.tree .bar.person').first().click();
    const isAt = (path: string, facts: Record<string, string>) => (url: URL) =>
      url.pathname.endsWith(path) && Object.entries(facts).every(([name, fact]) => url.searchParams.get(name) === fact);
    const seq = String(seqOf('tool_approval_request'));
    await page.waitForURL(isAt('/sub/leaf/1~1', { seq, call: 'c_2' }));
    await page.locator('.tree-row .type').first().click();
    await page.waitForURL(isAt('/one', {}));
    await page.locator('.tree-row').first().focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByRole('status').filter({ hasText: 'model call' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(isAt('/one', { step: '1', seq: String(seqOf('step_started')) }));
    await page.close();
  });

  it('[CN14] of three hours has its idle time folded, and both of its ends are reached (check 25)', async () => {
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0').step(1).text('It begins.').commit();
    const from = log.entries.length;
    root.step(2).text('It', ' ends', ' after', ' all', ' of', ' it.').commit().completed('done');
    const late = log.entries.map(({ sequence, chunk }) => {
      const by = sequence > from ? 3 * 3_600_000 : 0;
      return { sequence, chunk: { ...chunk, timestamp: chunk.timestamp + by } };
    });
    const { page } = await shown(late, `${ADDRESS}?t=1500`);
    await live(page);
    const bar = (step: number) => page.locator(`.bar.model[title^="step ${step},"]`);
    const [axis, fold] = [page.locator('.axis'), page.locator('.fold-mark')];
    await axis.waitFor();
    expect(await bar(1).count()).toBe(0);
    const { x, y, width } = present(await axis.boundingBox());
    // To the beginning, a width at a time, as far as it goes.
    await vi.waitFor(async () => {
      await page.mouse.move(x + 4, y + 5);
      await page.mouse.down();
      await page.mouse.move(x + width - 4, y + 5, { steps: 4 });
      await page.mouse.up();
      expect(await bar(1).count()).toBe(1);
    });
    await page.getByRole('button', { name: 'Jump to the end' }).click();
    await bar(1).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Whole run' }).click();
    await fold.filter({ hasText: '3h 00m' }).waitFor();
    const widths = async () => {
      const boxes = await Promise.all([bar(1).boundingBox(), bar(2).boundingBox()]);
      return boxes.map((box) => present(box).width);
    };
    expect(Math.min(...(await widths()))).toBeGreaterThan(width / 10);
    await page.getByRole('button', { name: 'Fold idle time' }).click();
    await fold.waitFor({ state: 'detached' });
    expect(Math.max(...(await widths()))).toBeLessThan(10);
    await page.close();
  });

  it('[CN14] is followed until it is moved, and again when that is asked for (check 26)', async () => {
    const log = newLog();
    log.root('planner', 'one').run('r_0').step(1).text('I think.', ' And think.');
    const { page } = await shown(log.entries, `${ADDRESS}?t=2000`);
    await live(page);
    const toLive = page.getByRole('button', { name: 'Jump to live' });
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
