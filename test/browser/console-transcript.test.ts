/** The transcript of an agent in a real browser, on logs that the tests write. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { said } from '../../src/console/parts/words';
import type { ChunkBody, SequencedChunk } from '../../src/protocol/chunks';
import type { Json } from '../../src/protocol/json';
import { reduceAll } from '../../src/protocol/view/reduce';
import { deskLog, newLog, STEP_USAGE } from '../support/log';
import { present } from '../support/present';
import { sized } from '../support/sizes';
import { MISSING } from './chromium';
import { live, rowOf, showsRuns } from './shown-run';

const shown = showsRuns();
const ADDRESS = '/agents/planner/one';
/** Openings of a page while its run grows, after the one at its beginning; the last is at its end. */
const MOMENTS = sized(5, 10);

beforeEach(({ skip }) => {
  if (MISSING !== undefined) skip(MISSING);
});

/** Where the entry stands that is read, once ten frames have not moved it. */
const READ = `new Promise((tell) => {
  const box = document.querySelector('[role=log]');
  let before = '';
  let still = 0;
  const look = () => {
    const { top } = box.getBoundingClientRect();
    const entry = [...box.querySelectorAll('.entry')].find((each) => each.getBoundingClientRect().bottom > top + 100);
    const now = JSON.stringify([entry.dataset.index, Math.round(entry.getBoundingClientRect().top - top)]);
    still = now === before ? still + 1 : 0;
    before = now;
    if (still < 10) requestAnimationFrame(look);
    else tell(now);
  };
  look();
})`;

/** What each row of the tree is, and how it stands. */
const ROWS = `({
  rows: [...document.querySelectorAll('.tree-row')].map((row) => [row.dataset.id, row.querySelector('.glyph').ariaLabel]).sort(),
})`;

const heightOf = (page: Page) => page.evaluate<number>("document.querySelector('.entries').offsetHeight");

/** What is written after an entry of a log, at the times of a page's run. */
const later = (entries: readonly SequencedChunk[], from: number) => entries.slice(from).map(({ chunk }) => chunk);

const SETTINGS = { temperature: 0.25, stopSequences: ['END', 'STOP'] };

/** A reply of a second model, with a tool that its provider ran, a source and two files. */
const REPLY: readonly ChunkBody[] = [
  {
    type: 'provider_tool_start',
    part: 1,
    providerCallId: 'p_1',
    toolName: 'web_search',
    arguments: { query: 'facets' },
  },
  {
    ...{ type: 'provider_tool_end', part: 1, providerCallId: 'p_1', toolName: 'web_search' },
    result: 3,
    success: true,
  },
  {
    ...{ type: 'reply_source', part: 2, sourceId: 's_1', sourceType: 'url' },
    url: 'https://a.test/f',
    title: 'Facets',
  },
  { type: 'reply_file', part: 3, mediaType: 'text/csv', path: 'made/numbers.csv', bytes: 3 },
  { type: 'reply_file', part: 4, mediaType: 'image/png', omitted: 'It is too large.' },
  {
    ...{ type: 'step_committed', finishReason: 'stop', usage: STEP_USAGE, checkpointId: 'k_1', model: 'test/second' },
    passedOver: [{ code: 'model_overloaded', message: 'The first one is busy.' }],
  },
];

/** Finds all of that reply in its transcript, and the settings of its model among its limits. */
async function looksAtReply(page: Page): Promise<void> {
  const ran = page.getByRole('region', { name: 'web_search, run by the provider' });
  await ran.getByRole('button', { name: 'web_search run by the provider succeeded' }).click();
  await ran.getByText('"facets"').waitFor();
  const sources = page.getByRole('region', { name: 'Sources' });
  await sources.getByRole('button', { name: 'Facets (a.test)' }).click();
  const source = sources.getByRole('link');
  const file = page.getByRole('link', { name: 'made/numbers.csv' });
  expect([await source.getAttribute('href'), await file.getAttribute('href')]).toEqual([
    'https://a.test/f',
    '/console/agents/planner/one/files/made%2Fnumbers.csv',
  ]);
  await page.getByText('A file (image/png) was not stored: It is too large.').waitFor();
  const model = page.getByText('test/second (fallback after 1), 1.0k tokens');
  expect(await model.getAttribute('title')).toBe('model_overloaded: The first one is busy.');
  const tab = page.getByRole('tab', { name: 'Limits' });
  await tab.click();
  const settings = page.getByRole('table').filter({ hasText: 'Model setting' });
  await settings.waitFor();
  expect(await settings.getByRole('row').allInnerTexts()).toEqual([
    'Model setting\tValue',
    'temperature\t0.25',
    'stopSequences\t["END","STOP"]',
  ]);
  await page.getByRole('tab', { name: 'Transcript' }).click();
}

describe('a transcript', () => {
  it('[CN96, CN117] ends with what the run gave, where its last words were not that, and shows all of a reply', async () => {
    const given = async (name: string, output: Json, words: string, more: readonly ChunkBody[] = []) => {
      const log = newLog();
      const agent = log.root('planner', name).run('r_0').step(1).text(words);
      for (const body of more) agent.emit(body);
      if (more.length === 0) agent.commit();
      agent.completed(output);
      const { page } = await shown(log.entries, `/agents/planner/${name}`, (run) => {
        run.answers.set('limits', { limits: { maxSteps: 50 }, used: { maxSteps: 1 }, settings: SETTINGS });
        run.answers.set('usage', { total: STEP_USAGE, byModel: { 'test/second': STEP_USAGE } });
      });
      await page.locator('.end-of-run').waitFor();
      if (more.length > 0) await looksAtReply(page);
      const result = page.getByRole('region', { name: 'Its result' });
      const texts = await result.allInnerTexts();
      const headings = await result.getByRole('heading').allInnerTexts();
      await page.close();
      return { texts: texts.join(' '), headings };
    };
    const report = await given(
      'one',
      { published: true, markdown: '# Of facets\n\nThey are *small*.' },
      'I publish it.',
      REPLY,
    );
    expect(report.headings).toContain('Of facets');
    expect(report.texts).toContain('They are small.');
    expect(report.texts).not.toContain('published');
    expect((await given('two', { total: 17 }, 'I count.')).texts).toContain('17');
    expect((await given('three', 'All is well.', 'All is well.')).texts).toBe('');
    expect((await given('four', null, 'Nothing.')).texts).toBe('');
  });

  it('[CN58] that grows moves nothing for who reads above its end (check 29)', async () => {
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0');
    const words = 'These are some words that somebody reads in peace. '.repeat(20);
    for (let step = 1; step <= 30; step += 1) root.step(step).text(`Part ${step}. ${words}`).commit();
    root.step(31).text('Part 31.');
    const { page, run } = await shown(log.entries, ADDRESS);
    await live(page);
    await page.locator('.entry', { hasText: 'Part 31.' }).waitFor();
    const toLive = page.locator('.to-live');
    await vi.waitFor(async () => {
      // Until its first layout is done, a page that follows its end goes back there.
      await page.evaluate("document.querySelector('[role=log]').scrollTop = 1500");
      expect(await toLive.count()).toBe(1);
    });
    const [read, height] = [await page.evaluate<string>(READ), await heightOf(page)];
    const held = log.entries.length;
    root.text(...Array.from({ length: 50 }, () => ' More.')).commit();
    for (let step = 32; step <= 41; step += 1) root.step(step).text(`Part ${step}. ${words}`).commit();
    run.tell(...later(log.entries, held));
    // A line and a text for each of ten steps, none of which is drawn: each has the height that it is taken for.
    await vi.waitFor(async () => expect(await heightOf(page)).toBe(height + 20 * 64));
    expect(await page.evaluate<string>(READ)).toBe(read);
    await toLive.click();
    await page.locator('.entry', { hasText: 'Part 41.' }).waitFor();
    root.step(42).text('Part 42, which is followed.');
    run.tell(...later(log.entries, run.entries.length));
    await page.locator('.entry', { hasText: 'which is followed' }).waitFor();
    expect(await toLive.count()).toBe(0);
    await page.close();
  });

  it('[CN61] shows a large result when it is asked for, and JSON in a text as JSON (checks 30, 31)', async () => {
    const large = Array.from({ length: 10_000 }, (_, line) => `line ${line} "é" ${'.'.repeat(100)}`).join('\n');
    const inner = JSON.stringify({ deep: { list: [1, 'two'] } });
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0').step(1);
    root.tool('c_1', 'read_all', { path: 'a' }).toolEnd('c_1', large);
    root.tool('c_2', 'read_some', { path: 'b' }).toolEnd('c_2', { inner, text: 'first line\nsecond line' });
    root.commit().completed('done');
    const { page } = await shown(log.entries, ADDRESS);
    await live(page);
    const all = page.locator('.call', { hasText: 'read_all' });
    await all.getByRole('button', { name: 'read_all' }).click();
    await all.getByText(`${large.length.toLocaleString('en-US')} characters`).waitFor();
    expect(await page.getByText('line 7 "é"').count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      all.getByRole('button', { name: 'Download' }).last().click(),
    ]);
    expect((await readFile(await download.path(), 'utf8')) === large).toBe(true);
    await all.getByRole('button', { name: 'Show' }).click();
    await all.getByRole('button', { name: /^… all/u }).click();
    await vi.waitFor(async () =>
      expect(await page.evaluate<number>("document.querySelector('[role=log]').textContent.length")).toBeGreaterThan(
        large.length,
      ),
    );
    // The page still does what it is asked to.
    await all.getByRole('button', { name: 'read_all' }).click();
    const some = page.locator('.call', { hasText: 'read_some' });
    await some.getByRole('button', { name: 'read_some' }).click();
    const text = some.locator('.json-text', { hasText: 'first line' });
    expect(await text.allInnerTexts()).toEqual(['"first line\nsecond line"']);
    await some.getByRole('button', { name: 'as JSON' }).click();
    await some.locator('.json-name', { hasText: 'list:' }).waitFor();
    await some.getByRole('button', { name: 'as text' }).click();
    await some.locator('.json-text', { hasText: inner }).waitFor();
    await page.close();
  });

  it('[CN58] is searched beyond what is loaded and drawn (check 32)', async () => {
    const { entries } = deskLog();
    const { page } = await shown(entries, '/agents/coordinator/cedar-3f9k', async (run, opened) => {
      run.compact(entries.length - 3);
      const at = present(run.entries[0]).chunk.timestamp;
      await opened.route('**/messages?*', async (route) => {
        const first = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
        const items = Array.from({ length: 100 }, (_, index) => {
          const content = first + index === 234 ? 'There is a needle here.' : `Told ${first + index}`;
          return { role: 'user', content, turn: first + index + 1, at: at - 1_000 + first + index };
        });
        const more = first < 200 ? { cursor: String(first + 100) } : {};
        await route.fulfill({ json: { items, asOfSequence: entries.length, ...more } });
      });
    });
    await live(page);
    await page.getByRole('log', { name: 'Transcript' }).focus();
    await page.keyboard.press('Control+f');
    await page.getByRole('searchbox', { name: 'Find in the transcript' }).fill('needle');
    await page.getByRole('search').getByText('1 of 1', { exact: true }).waitFor();
    await page.locator('.entry.found', { hasText: 'There is a needle here.' }).waitFor();
    expect(await page.locator('.entry').count()).toBeLessThan(60);
    await page.close();
  });

  it('[CN10] has a discarded attempt hatched, and its text no more (check 28)', async () => {
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0').step(1).text('Half a thou');
    const { page, run } = await shown(log.entries, ADDRESS);
    await live(page);
    const half = page.locator('.entry', { hasText: 'Half a thou' });
    await half.waitFor();
    const held = log.entries.length;
    root.discard('model_overloaded').step(1).text('A whole one.');
    run.tell(...later(log.entries, held));
    await page.locator('.entry .hatched', { hasText: 'Attempt 1 was discarded: model_overloaded' }).waitFor();
    await half.waitFor({ state: 'detached' });
    await page.locator('.bar.discarded[title*="model_overloaded: discarded attempt"]').waitFor();
    await page.close();
  });

  it('[CN9] and its tree are those of the log, whenever the page is opened (check 9)', async () => {
    const { entries } = deskLog();
    const first = entries.findIndex(({ chunk }) => chunk.address.endsWith('/researcher/1~1')) + 1;
    const address = present(entries[first - 1]).chunk.address;
    const { page, run } = await shown(entries.slice(0, first), address);
    const each = (entries.length - first) / MOMENTS;
    for (let moment = 0; moment <= MOMENTS; moment += 1) {
      run.tell(...later(entries.slice(0, first + Math.round(moment * each)), run.entries.length));
      await page.reload();
      await live(page);
      const { agents } = reduceAll(run.entries);
      const read = async () => ({
        ...(await page.evaluate<{ rows: [id: string, says: string][] }>(ROWS)),
        texts: await page.locator('.entry .prose:not([aria-label="Its result"] *)').allInnerTexts(),
      });
      const own = agents.filter((agent) => agent.address === address).flatMap(({ runs }) => runs);
      const parts = own.flatMap(({ steps }) => steps.flatMap((step) => step.parts));
      const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
      const expected = agents.map(({ agentId, status }) => [agentId, said(status).says]);
      await vi.waitFor(async () => expect(await read()).toEqual({ rows: expected.toSorted(), texts }));
    }
    await page.close();
  });

  it('[CN59] says of a cost what of it is not known (check 34)', async () => {
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0').step(1);
    const child = root.spawn('c_1', 'helper', 'h~1', 'help').run('r_1').step(1);
    const free = root.spawn('c_2', 'priced', 'p~1', 'help').run('r_2').step(1);
    const paid = { ...STEP_USAGE, costUsd: 0.31 };
    free.emit({ type: 'step_committed', finishReason: 'stop', usage: paid, checkpointId: 'k', model: 'test/priced' });
    child.commit();
    const { page } = await shown(log.entries, ADDRESS);
    await live(page);
    const cost = (name: string) => rowOf(page, name).locator('.figures span').last();
    await vi.waitFor(async () =>
      expect([
        await cost('planner').textContent(),
        await cost('helper').textContent(),
        await cost('priced').textContent(),
        await page.locator('.run-head .figures').last().textContent(),
      ]).toEqual(['$0.31+', '-', '$0.31', '$0.31+']),
    );
    expect((await page.locator('body').allInnerTexts()).join()).not.toContain('$0.00');
    await page.close();
  });
});
