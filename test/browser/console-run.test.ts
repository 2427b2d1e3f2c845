/** The view of a run in a real browser, on logs that the tests write. */
import { describe, expect, it, vi } from 'vitest';
import { isEnded, reduceAll } from '../../src/client';
import { deskLog, newLog } from '../support/log';
import { present } from '../support/present';
import { MISSING } from './chromium';
import { live, rowOf, showsRuns } from './shown-run';

const shown = showsRuns();

describe('the tree', () => {
  it('[CN13] is walked, folded and filtered by keys, and its folds survive a reload (checks 20, 22)', async ({
    skip,
  }) => {
    if (MISSING !== undefined) skip(MISSING);
    const { page } = await shown(deskLog().entries, '/agents/coordinator/cedar-3f9k');
    await live(page);
    const count = () => page.getByRole('row').count();
    await vi.waitFor(async () => expect(await count()).toBe(4));
    await page.getByRole('row').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForURL('**/sub/researcher/**');
    await page.keyboard.press('ArrowLeft');
    await vi.waitFor(async () => expect(await count()).toBe(3));
    await page.reload();
    await live(page);
    await vi.waitFor(async () => expect(await count()).toBe(3));
    await page.getByRole('row').nth(1).focus();
    await page.keyboard.press('ArrowRight');
    await vi.waitFor(async () => expect(await count()).toBe(4));
    await page.keyboard.press('/');
    await page.keyboard.type('type:fact');
    await vi.waitFor(async () => expect(await page.locator('.tree-row.dim').count()).toBe(2));
    expect(await count()).toBe(3);
    for (const [filter, names, dim] of [
      ['who tells', ['coordinator', 'researcher'], 1],
      ['tool:fact-checker', ['coordinator', 'researcher'], 1],
      ['status:completed type:fact', ['coordinator', 'researcher', 'fact-checker'], 2],
      ['status:failed', [], 0],
    ] as const) {
      await page.getByRole('searchbox', { name: 'Filter agents' }).fill(filter);
      await vi.waitFor(async () =>
        expect([
          await page.locator('.tree-row .type').allInnerTexts(),
          await page.locator('.tree-row.dim').count(),
        ]).toEqual([names, dim]),
      );
    }
    await page.close();
  });

  it('[CN13] keeps its rows in their order while the run goes on (check 19)', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const { entries } = deskLog();
    const { page, run } = await shown(entries.slice(0, 3), '/agents/coordinator/cedar-3f9k');
    await live(page);
    const order = () =>
      page.evaluate<string[]>('[...document.querySelectorAll("[role=row]")].map(({ dataset }) => dataset.id)');
    let before = await order();
    for (const { chunk } of entries.slice(3)) {
      run.tell(chunk);
      const now = await order();
      expect(now.filter((id) => before.includes(id))).toEqual(before.filter((id) => now.includes(id)));
      before = now;
    }
    await vi.waitFor(async () => expect(await order()).toHaveLength(4));
    const began = run.entries.filter(({ chunk }) => chunk.type === 'run_started').map(({ chunk }) => chunk.agentId);
    // A parent's other sub-agents stand below what is below those before them.
    expect(await order()).toEqual([began[0], began[1], began[3], began[2]]);
    await page.close();
  });
});

describe('the address', () => {
  it('[CN12] opens cold to the same view, and Back and Forward restore tab, filter and agent (checks 8, 10)', async ({
    skip,
  }) => {
    if (MISSING !== undefined) skip(MISSING);
    const { page } = await shown(deskLog().entries, '/agents/coordinator/cedar-3f9k?tab=audit&q=type%3Afact&t=5000');
    await live(page);
    const tab = (name: string) => page.getByRole('tab', { name, selected: true });
    const box = page.getByRole('searchbox', { name: 'Filter agents' });
    await tab('Audit').waitFor();
    expect(await box.inputValue()).toBe('type:fact');
    await page.getByRole('tab', { name: 'State' }).click();
    await tab('State').waitFor();
    await rowOf(page, 'fact-checker').click();
    await page.waitForURL('**/sub/fact-checker/**');
    await page.goBack();
    await page.waitForURL((url) => !url.pathname.includes('/sub/'));
    await tab('State').waitFor();
    await page.goBack();
    await tab('Audit').waitFor();
    await page.goForward();
    await tab('State').waitFor();
    expect(await box.inputValue()).toBe('type:fact');
    await page.close();
  });

  it('[CN12] that names an event opens its agent at that event (check 13)', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const { entries } = deskLog();
    const event = present(entries.find(({ chunk }) => chunk.type === 'tool_start' && chunk.toolName === 'search'));
    const { page } = await shown(entries, `/agents/coordinator/cedar-3f9k?seq=${event.sequence}`);
    await page.waitForURL(
      (url) => url.pathname.endsWith(event.chunk.address) && url.searchParams.get('call') === 'c_3',
    );
    await page.locator('.entry.found', { hasText: 'search' }).waitFor();
    await page.close();
  });
});

describe('the transcript of a run that ended', () => {
  it('[CN60, CN65] says of what was open that it is not finished, and of the run one word, and has JSON that was told as JSON', async ({
    skip,
  }) => {
    if (MISSING !== undefined) skip(MISSING);
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0', { question: 'Where to?' }).step(1).text('I look.');
    const text = JSON.stringify({ question: 'Where to?' });
    root.emit({ type: 'message_delivered', messageId: 'm_1', from: 'caller', role: 'user', text, attachments: [] });
    root.tool('c_1', 'search', {}).interrupted('lunch');
    const { page, run } = await shown(log.entries, '/agents/planner/one');
    await live(page);
    await page.locator('.told .json', { hasText: 'question: "Where to?"' }).waitFor();
    await page.locator('.call', { hasText: 'search' }).getByText('not finished').waitFor();
    await page.locator('.step-line').getByText('not finished').waitFor();
    // How it is connected says nothing of how it stands.
    expect(await page.locator('.run-head').textContent()).toMatch(/Interrupted.*up to date$/su);
    expect(await page.getByText(/\bended\b/u).count()).toBe(0);
    expect(run.changes).toEqual([]);
    await page.close();
  });
});

describe('the address of a slot that is used again', () => {
  it('[CN6] says so, and leads to what is there now (check 12)', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const problem = { status: 410, title: 'This address is over.', code: 'superseded' };
    const { page, run } = await shown(
      deskLog().entries,
      '/agents/coordinator/cedar-3f9k/sub/researcher/1~1',
      async (_, on) => {
        await on.route(
          (url) => url.pathname.startsWith('/agents/'),
          (route) =>
            route.fulfill({ status: 410, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
        );
      },
    );
    await page.getByRole('heading', { name: 'This sub-agent has been replaced' }).waitFor();
    await page.getByText('superseded').waitFor();
    await page.unrouteAll();
    await page.getByRole('link', { name: 'Open the current run' }).click();
    await page.waitForURL('**/console/agents/coordinator/cedar-3f9k');
    await live(page);
    expect(run.changes).toEqual([]);
    await page.close();
  });
});

describe('the connection', () => {
  it('[CN20] marks where a log was compacted, and keeps the transcript (check 59)', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const { entries } = deskLog();
    const { page } = await shown(entries, '/agents/coordinator/cedar-3f9k', (run) => {
      run.compact(entries.length - 3);
      const at = present(run.entries[0]).chunk.timestamp;
      run.answers.set('messages', {
        items: [{ role: 'user', content: 'What was asked long ago', turn: 1, at }],
        asOfSequence: entries.length,
      });
    });
    await live(page);
    expect(await page.locator('.run-head .connection').getAttribute('title')).toContain('server-sent events');
    await page.getByText('Older events were removed: the log begins at').waitFor();
    await page.getByText('What was asked long ago').waitFor();
    expect(await page.getByRole('row').count()).toBe(4);
    await page.close();
  });
});

describe('the transcript', () => {
  it('[CN15] shows what an approver changed as asked against ran with (check 33)', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0').step(1).asks('approval', 'c_1', 'send_mail', { to: 'a' });
    root
      .answered('c_1', { kind: 'approval-response', approved: true, actor: 'kim' })
      .toolEnd('c_1', 'sent')
      .commit()
      .completed('done');
    const { page, run } = await shown(log.entries, '/agents/planner/one');
    const answer = { kind: 'approval-response', approved: true, at: 1, actor: 'kim', input: { to: 'b' } };
    run.answers.set('calls', { items: [{ toolCallId: 'c_1', toolName: 'send_mail', input: { to: 'a' }, answer }] });
    await live(page);
    await page.getByRole('button', { name: /send_mail/u }).click();
    await page.locator('.difference del', { hasText: '"to": "a"' }).waitFor();
    await page.locator('.difference ins', { hasText: '"to": "b"' }).waitFor();
    await page.getByText('Approved by kim').waitFor();
    await page.close();
  });
});

describe('what is done to an agent', () => {
  it('[CN17, CN73] names the agents below, wants the name of what is deleted, and Esc changes nothing (check 54)', async ({
    skip,
  }) => {
    if (MISSING !== undefined) skip(MISSING);
    const { entries } = deskLog();
    const { page, run } = await shown(entries.slice(0, 20), '/agents/coordinator/cedar-3f9k');
    await live(page);
    const below = reduceAll(run.entries).agents.slice(1);
    const reached = below.filter(({ status }) => !isEnded(status)).length;
    expect(reached).toBeGreaterThan(0);
    for (const [name, ends] of [
      ['Abort…', 'aborts'],
      ['Terminate…', 'ends'],
    ] as const) {
      await page.getByRole('button', { name }).click();
      await page
        .getByRole('dialog')
        .getByText(`It ${ends} ${reached} ${reached === 1 ? 'sub-agent' : 'sub-agents'} as well.`)
        .waitFor();
      const boxes = await Promise.all(
        (await page.getByRole('dialog').getByRole('button').all()).map((button) => button.boundingBox()),
      );
      const middles = boxes.map((box) => present(box).y + present(box).height / 2);
      expect(middles).toEqual([middles[0], middles[0], middles[0]]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByText('More', { exact: true }).last().click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const sure = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    expect(await sure.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(run.changes).toEqual([]);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('textbox', { name: /Type cedar-3f9k/u }).fill('cedar-3f9k');
    await sure.click();
    await vi.waitFor(() => expect(run.changes).toEqual(['DELETE /agents/coordinator/cedar-3f9k']));
    await page.close();
  });
});

describe('the events', () => {
  it('[CN71] are read in pages, back from the newest and on again, at the event of an address, and as they come', async ({
    skip,
  }) => {
    if (MISSING !== undefined) skip(MISSING);
    const log = newLog();
    const agent = log.root('coordinator', 'long').run('r_1').step(1);
    agent.text(...Array.from({ length: 498 }, (_, at) => `${at} `));
    const { page, run } = await shown(log.entries, '/agents/coordinator/long?tab=events');
    const range = page.locator('.tab-panel [role="status"]');
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await range.getByText('301 to 500').waitFor();
    run.tell({ ...present(log.entries.at(-1)).chunk, timestamp: Date.now() });
    await range.getByText('301 to 501').waitFor();
    await press('Older');
    await range.getByText('101 to 300').waitFor();
    await press('Older');
    await range.getByText('1 to 100').waitFor();
    expect(await page.getByRole('button', { name: 'Older', exact: true }).isDisabled()).toBe(true);
    await page.locator('.event-line', { hasText: 'run_started' }).waitFor();
    await press('Newer');
    await range.getByText('101 to 300').waitFor();
    await press('Newest');
    await range.getByText('302 to 501').waitFor();
    await page.close();
  });

  it('[CN16] are downloaded as the stream tells them (check 35)', async ({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
    const { page, run } = await shown(deskLog().entries, '/agents/coordinator/cedar-3f9k?tab=events');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download all events' }).click(),
    ]);
    const pieces: string[] = [];
    for await (const piece of await download.createReadStream()) pieces.push(String(piece));
    const lines = pieces.join('').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(run.entries);
    await page.close();
  });
});
