/** What is pressed in the view of a run: it counts once, and is there once. */
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deskLog, newLog } from '../support/log';
import { present } from '../support/present';
import { MISSING } from './chromium';
import { findings } from './served-console';
import { live, showsRuns } from './shown-run';

const shown = showsRuns();
const ADDRESS = '/agents/coordinator/cedar-3f9k';
/** Keeps all that a banner on top of the page has said since. */
const KEEP_BANNERS = `{
  globalThis.banners = [];
  const look = () => {
    const says = document.querySelector('.away-banner strong')?.textContent;
    if (says !== undefined && !banners.includes(says)) banners.push(says);
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
}`;
/** Two presses before the page is drawn again. */
const TWICE = (name: string) =>
  `{ const one = [...document.querySelectorAll('button')].find((each) => each.textContent === '${name}'); one.click(); one.click(); }`;

/** Whether there is nothing to press any more: it has been pressed, or its banner is gone. */
const TRY_NOW = `{
  const banner = document.querySelector('.away-banner');
  const button = [...(banner?.querySelectorAll('button') ?? [])].find((each) => each.textContent === 'Try now');
  button?.click();
  banner === null || button !== undefined;
}`;

/** Has the page try again at once, unless it has by itself. No press is left behind: it could meet a later banner. */
const triesNow = (page: Page): Promise<void> => vi.waitFor(async () => expect(await page.evaluate(TRY_NOW)).toBe(true));

beforeEach(({ skip }) => {
  if (MISSING !== undefined) skip(MISSING);
});

describe('two presses at once', () => {
  it('[CN62] of a control ask once', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    await live(page);
    const control = page.getByRole('button', { name: 'Interrupt', exact: true });
    await vi.waitFor(async () => expect(await control.isEnabled()).toBe(true));
    await Promise.all([
      page.waitForResponse((answer) => answer.request().method() === 'POST'),
      page.evaluate(TWICE('Interrupt')),
    ]);
    // The third press is after the answer, and asks again: nothing else is on its way before it.
    await vi.waitFor(async () => expect(await control.isEnabled()).toBe(true));
    await control.click();
    await vi.waitFor(() => expect(run.changes.length).toBeGreaterThan(1));
    expect(run.changes).toEqual([`POST ${ADDRESS}/interrupt`, `POST ${ADDRESS}/interrupt`]);
    await page.close();
  });

  it('[CN62] of Send send one message, and what failed is sent again under its key', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    const keys: (string | undefined)[] = [];
    let fails = 1;
    await page.route('**/messages', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      keys.push(route.request().headers()['idempotency-key']);
      fails -= 1;
      return fails >= 0 ? route.fulfill({ status: 400, json: { code: 'invalid_request' } }) : route.fallback();
    });
    await live(page);
    const box = page.getByRole('textbox', { name: 'Message to this agent' });
    await box.fill('Be quick.');
    await page.evaluate(TWICE('Send'));
    await page.getByRole('alert').filter({ hasText: 'invalid_request' }).waitFor();
    expect([keys.length, await box.inputValue()]).toEqual([1, 'Be quick.']);
    await page.evaluate(TWICE('Send'));
    await vi.waitFor(async () => expect(await box.inputValue()).toBe(''));
    await box.fill('And be short.');
    await box.press('Enter');
    await vi.waitFor(async () => expect(await box.inputValue()).toBe(''));
    expect(run.changes).toEqual([`POST ${ADDRESS}/messages`, `POST ${ADDRESS}/messages`]);
    expect(keys).toHaveLength(3);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    await page.close();
  });
});

describe('a press of an earlier page at the same address', () => {
  it('[CN62] is no change of the run that is there now', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    await live(page);
    const late = await fetch(`${run.url}${ADDRESS}/interrupt`, { method: 'POST' });
    expect([late.status, run.changes]).toEqual([421, []]);
    await page.close();
  });
});

describe('a line that is slow, and one that is cut', () => {
  it('[CN19, CN62] is told truly, keeps the draft, and asks once (check 58)', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    await live(page);
    const line = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
    await line.send('Network.emulateNetworkConditions', slow);
    const badge = page.locator('.run-head .connection');
    const box = page.getByRole('textbox', { name: 'Message to this agent' });
    await box.fill('Be quick.');
    await run.down();
    await badge.getByText(/^reconnecting in \d+s$/u).waitFor();
    await page.evaluate(TWICE('Send'));
    await page
      .getByRole('alert')
      .filter({ hasText: 'The message has no answer yet: the server cannot be reached' })
      .waitFor();
    expect([await box.inputValue(), run.changes]).toEqual(['Be quick.', []]);
    await run.up();
    await live(page);
    // What was on its way is asked again by itself.
    await vi.waitFor(async () => expect(await box.inputValue()).toBe(''));
    expect(run.changes).toEqual([`POST ${ADDRESS}/messages`]);
    // A draft is the tab's, also when its page is read anew.
    await box.fill('And be short.');
    await page.reload();
    await live(page);
    expect(await box.inputValue()).toBe('And be short.');
    expect(run.changes).toHaveLength(1);
    await page.close();
  });
});

describe('a server that is away', () => {
  it('[CN129] moves no control away from a pointer that is down, which presses it', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    await live(page);
    const control = page.getByRole('button', { name: 'Interrupt', exact: true });
    await vi.waitFor(async () => expect(await control.isEnabled()).toBe(true));
    // The press takes the focus from a field, which does not end it.
    await page.getByRole('textbox').last().focus();
    await control.hover();
    await page.mouse.down();
    await run.down();
    await page.locator('.frame.away').waitFor();
    expect(await page.locator('.away-banner').count()).toBe(0);
    await page.mouse.up();
    await page.getByRole('alert').filter({ hasText: 'Interrupt has no answer yet' }).waitFor();
    await page.locator('.away-banner').waitFor();
    await page.close();
  });

  it('[CN84] leaves no control locked: a press says that it has no answer, and is pressed again as the same one', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    const keys = new Set<string | undefined>();
    page.on('request', (request) => {
      if (request.url().endsWith('/interrupt')) keys.add(request.headers()['idempotency-key']);
    });
    await live(page);
    const control = page.getByRole('button', { name: 'Interrupt', exact: true });
    await vi.waitFor(async () => expect(await control.isEnabled()).toBe(true));
    await run.down();
    await control.click();
    const says = page
      .getByRole('alert')
      .filter({ hasText: 'Interrupt has no answer yet: the server cannot be reached.' });
    await says.getByText('press again to retry now').waitFor();
    for (const name of ['Interrupt', 'Abort…', 'Terminate…'])
      expect([name, await page.getByRole('button', { name, exact: true }).isEnabled()]).toEqual([name, true]);
    expect(await findings(page)).toEqual([]);
    await control.click();
    await says.waitFor();
    await run.up();
    await page.locator('.toast', { hasText: 'is being interrupted' }).waitFor();
    expect([keys.size, await says.count(), new Set(run.changes)]).toEqual([
      1,
      0,
      new Set([`POST ${ADDRESS}/interrupt`]),
    ]);
    await page.close();
  });

  it.each([
    [
      'that cannot do it now',
      { status: 503, json: { code: 'unavailable', title: 'Not now.' } },
      'the server is unavailable',
    ],
    [
      'whose front answers in its place',
      { status: 500, contentType: 'text/html', body: '<h1>Broken</h1>' },
      'the response is not from an Offshoot server (status 500)',
    ],
    [
      'that something in front cannot reach',
      { status: 502, contentType: 'text/html', body: '' },
      'the server cannot be reached',
    ],
  ])('[CN84] %s leaves no control locked either, and says why', async (_what, answer, why) => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    let isAway = true;
    await page.route('**/interrupt', (route) => (isAway ? route.fulfill(answer) : route.fallback()));
    await live(page);
    const control = page.getByRole('button', { name: 'Interrupt', exact: true });
    await vi.waitFor(async () => expect(await control.isEnabled()).toBe(true));
    await control.click();
    await page
      .getByRole('alert')
      .filter({ hasText: `${why}.` })
      .getByText('press again')
      .waitFor();
    expect([await control.isEnabled(), run.changes]).toEqual([true, []]);
    isAway = false;
    await page.locator('.toast', { hasText: 'is being interrupted' }).waitFor();
    expect(new Set(run.changes)).toEqual(new Set([`POST ${ADDRESS}/interrupt`]));
    await page.close();
  });

  it('[CN84] locks no control where its answer was cut behind its head: that is told at once, and asked again', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    let tries = 0;
    const held: (() => void)[] = [];
    await page.route('**/interrupt', async (route) => {
      tries += 1;
      // What is tried again waits for the test.
      if (tries > 1) await new Promise<void>((goOn) => held.push(goOn));
      await route.fallback();
    });
    await live(page);
    const control = page.getByRole('button', { name: 'Interrupt', exact: true });
    await vi.waitFor(async () => expect(await control.isEnabled()).toBe(true));
    run.cutNext();
    await control.click();
    const says = page.getByRole('alert').filter({ hasText: 'Interrupt has no answer yet' });
    await says.getByText('It may or may not have arrived.').waitFor();
    expect(await control.isEnabled()).toBe(true);
    await vi.waitFor(() => expect(held).toHaveLength(1));
    for (const goOn of held) goOn();
    await page.locator('.toast', { hasText: 'is being interrupted' }).waitFor();
    expect(run.changes).toEqual([`POST ${ADDRESS}/interrupt`, `POST ${ADDRESS}/interrupt`]);
    await page.close();
  });

  it('[CN84] is sent nothing any more once the view of a press without an answer is left, and that is said', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    await live(page);
    const control = page.getByRole('button', { name: 'Interrupt', exact: true });
    await vi.waitFor(async () => expect(await control.isEnabled()).toBe(true));
    await run.down();
    await control.click();
    await page.getByRole('alert').filter({ hasText: 'Interrupt has no answer yet' }).waitFor();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    const toast = page.locator('.toast.wrong', {
      hasText: 'Interrupt at coordinator cedar-3f9k got no response. Retries have ended',
    });
    expect(await toast.getByRole('link').getAttribute('href')).toBe(`/console${ADDRESS}`);
    await run.up();
    await page.getByText('No runs yet.').waitFor();
    // Longer than the longest wait between two tries.
    await page.waitForResponse('**/directory/roots*');
    expect(run.changes).toEqual([]);
    await page.close();
  });

  it('[CN84] is asked once by a press that has no answer yet when its view is left, and what is not known is said', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    let tries = 0;
    const { promise: cut, resolve: cutOff } = Promise.withResolvers<void>();
    await page.route('**/messages', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      tries += 1;
      await cut;
      return route.abort();
    });
    await live(page);
    await page.getByRole('textbox', { name: 'Message to this agent' }).fill('Be quick.');
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await asked;
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('No runs yet.').waitFor();
    cutOff();
    await page.locator('.toast.wrong', { hasText: 'it may or may not have arrived' }).getByRole('link').waitFor();
    await page.waitForResponse('**/directory/roots*');
    expect([tries, run.changes]).toEqual([1, []]);
    await page.close();
  });

  it('[CN84] is told from a device without a line, of which it is known that nothing was sent', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    await live(page);
    const control = page.getByRole('button', { name: 'Interrupt', exact: true });
    await vi.waitFor(async () => expect(await control.isEnabled()).toBe(true));
    const line = await page.context().newCDPSession(page);
    const none = { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await line.send('Network.emulateNetworkConditions', none);
    await control.click();
    await page.getByRole('alert').filter({ hasText: 'Interrupt was not sent: this device is offline.' }).waitFor();
    expect(run.changes).toEqual([]);
    await line.send('Network.emulateNetworkConditions', { ...none, offline: false });
    await page.locator('.toast', { hasText: 'is being interrupted' }).waitFor();
    expect(run.changes).toEqual([`POST ${ADDRESS}/interrupt`]);
    await page.close();
  });

  it('[CN84] takes nothing away that was written since: only what was sent leaves its box', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    let tries = 0;
    await page.route('**/messages', (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      tries += 1;
      return tries === 1 ? route.abort() : route.fallback();
    });
    await live(page);
    const box = page.getByRole('textbox', { name: 'Message to this agent' });
    await box.fill('Be quick.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await box.fill('Be quick. And be short.');
    await page.locator('.toast', { hasText: 'Message sent to' }).waitFor();
    expect([await box.inputValue(), run.changes]).toEqual(['Be quick. And be short.', [`POST ${ADDRESS}/messages`]]);
    await page.close();
  });

  it('[CN80] is told on top of the page with when it was heard last, nothing seems to work, and all goes on by itself', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await live(page);
    const turning = () =>
      page.locator('.turns').first().evaluate('getComputedStyle(document.querySelector(".turns")).animationName');
    expect(await turning()).toBe('turn');
    await run.down();
    const banner = page.locator('.away-banner');
    await banner.getByText('The server is not responding. This page may be out of date.').waitFor();
    const took = page.locator('.run-head .figures').first();
    const before = present(await took.textContent());
    expect(await turning()).toBe('none');
    // The age of what is seen grows, and the clock of the run stands.
    const age = async () => Number(/(\d+)s ago/u.exec((await banner.textContent()) ?? '')?.[1]);
    const first = await age();
    await vi.waitFor(async () => expect(await age()).toBeGreaterThan(first + 1));
    expect(await took.allInnerTexts()).toEqual([before]);
    expect(await findings(page)).toEqual([]);
    await run.up();
    await triesNow(page);
    await live(page);
    await banner.waitFor({ state: 'detached' });
    expect(await turning()).toBe('turn');
    await page.close();
  });
});

describe('a log that does not come from a server that answers', () => {
  it('[CN94] is told as that, with since when and until when, and no word of an outage', async () => {
    const { page, run } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    await live(page);
    await page.evaluate(KEEP_BANNERS);
    run.refuseLog(true);
    const banner = page.locator('.away-banner');
    await banner.getByText(/^Last heard \d.* ago/u).waitFor();
    await page.locator('.connected', { hasText: 'live' }).waitFor();
    expect(await findings(page)).toEqual([]);
    run.refuseLog(false);
    await triesNow(page);
    await live(page);
    await banner.waitFor({ state: 'detached' });
    expect(await page.evaluate('banners')).toEqual([
      "The server is reachable, but this run's event stream is not. This page may be out of date.",
    ]);
    await page.close();
  });

  it('[CN20, CN94] says nothing where it comes by server-sent events alone', async () => {
    let goOn: (() => void) | undefined;
    const { page } = await shown(deskLog().entries.slice(0, 20), ADDRESS, async (run, opened) => {
      goOn = run.holdLog();
      await opened.addInitScript(KEEP_BANNERS);
    });
    // No socket was to be had, and the other way is slow.
    await page.locator('.run-head .connection', { hasText: 'reconnecting' }).waitFor();
    await page.waitForResponse('**/directory/pending*');
    present(goOn)();
    await live(page);
    expect(await page.locator('.run-head .connection').getAttribute('title')).toContain(
      'Connected by server-sent events',
    );
    expect(await page.evaluate('banners')).toEqual([]);
    await page.close();
  });
});

describe('the controls', () => {
  it('[CN90] say what each does, and by it what they differ in', async () => {
    const { page } = await shown(deskLog().entries.slice(0, 20), ADDRESS);
    await live(page);
    await page.getByText('More', { exact: true }).last().click();
    const meanings = page.locator('.meanings');
    for (const says of ['Resume continues it.', 'Retry continues it.', 'Their work stays readable.'])
      await meanings.getByText(says).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Terminate…' }).click();
    await page.getByRole('dialog').getByText('Their work stays readable.').waitFor();
    await page.close();
  });

  it('[CN75] stand as they were told last while a change of the status is asked about', async () => {
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0', { question: 'Where to?' }).step(1).text('I look.');
    const before = log.entries.length;
    root.interrupted('lunch');
    const { page, run } = await shown(log.entries.slice(0, before), '/agents/planner/one');
    await live(page);
    await page.getByRole('button', { name: 'Interrupt', exact: true, disabled: false }).waitFor();
    // Nothing that is asked from now on is answered.
    await page.route('**/status', () => undefined);
    const asked = page.waitForRequest('**/status');
    run.tell(present(log.entries.at(-1)).chunk);
    await page.locator('.node-head').getByText('Interrupted').waitFor();
    await asked;
    for (const name of ['Resume', 'Abort…', 'Terminate…'])
      expect([name, await page.getByRole('button', { name, exact: true }).isEnabled()]).toEqual([name, true]);
    expect(await page.getByRole('textbox', { name: 'Message to this agent' }).isEnabled()).toBe(true);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.close();
  });

  it('[CN62] of an agent are there once, however often it is drawn anew', async () => {
    const { entries } = deskLog();
    const { page, run } = await shown(entries.slice(0, 20), ADDRESS);
    await live(page);
    const counts = async () => [
      await page.getByRole('group', { name: 'Actions' }).count(),
      await page.getByRole('textbox', { name: 'Message to this agent' }).count(),
    ];
    for (const { chunk } of entries.slice(20)) {
      run.tell(chunk);
      expect(await counts()).toEqual([1, 1]);
    }
    await page.locator('.node-head').getByText('Completed').waitFor();
    expect(await counts()).toEqual([1, 1]);
    await page.close();
  });
});
