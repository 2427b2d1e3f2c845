/** The inbox: what people are asked, and what they can say to it. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import type { Document } from '../../src/client';
import { present } from '../support/present';
import { figures } from '../support/sizes';
import { asks, calls, type PuppetStep, told } from '../support/told';
import { APP, findings, servesConsole } from './served-console';

let roots = 0;
const app = servesConsole({ config: APP });

const unlocked: number[] = [];
figures('the inbox', () => `buttons unlocked ${unlocked.join(', ')} ms after the answer that failed`);

const mail = (changes: object = {}) => ({ to: 'ann@example.com', subject: 'Hello', body: 'How are you?', ...changes });

/** Starts a clerk, and waits until so many of its calls wait. */
async function asking(
  steps: readonly PuppetStep[],
  count = 1,
): Promise<{ address: string; items: readonly Document<'pendingItem'>[] }> {
  roots += 1;
  const address = `/agents/clerk/inbox-${roots}`;
  await app.client.start(address, { message: told(...steps) });
  const items = await vi.waitFor(async () => {
    const page = await app.client.pending(address);
    expect(page.items).toHaveLength(count);
    return page.items;
  });
  return { address, items };
}

/** The inbox with one call chosen, and its card. */
async function shown(
  address: string,
  item: Document<'pendingItem'> | undefined,
): Promise<{ page: Page; card: Locator }> {
  const call = present(item);
  const page = await app.opened(`/console/inbox/${call.toolCallId}?at=${encodeURIComponent(call.address)}`);
  const card = page.getByRole('article', { name: `Waiting for you: ${call.toolName}` });
  await card.waitFor();
  expect(address).toBe(call.address.split('/sub/')[0]);
  return { page, card };
}

const decisionsOf = async (address: string) =>
  (await app.client.audit(address)).items.filter(({ action }) => action === 'submit');

const ended = (address: string) =>
  vi.waitFor(async () => expect((await app.client.status(address)).status).toBe('completed'));

describe('a row of the inbox', () => {
  it('[CN83] says with what the tool was called, as Home does', async () => {
    const { address } = await asking([asks(['wipe', { disk: 'sda' }])]);
    const page = await app.opened('/console/inbox?tool=wipe');
    const row = page.locator('.inbox-list li', { hasText: address.slice('/agents/clerk/'.length) });
    await row.locator('.asks').getByText('sda', { exact: true }).waitFor();
    await page.goto(`${app.url}/`);
    await page.locator('.needs', { hasText: 'wipe' }).locator('.asks', { hasText: 'sda' }).waitFor();
    await app.client.terminate(address);
    await page.close();
  });
});

describe('a narrow inbox', () => {
  it('[CN92] chooses no row before one is, and names no key where nothing is typed with', async () => {
    const { address } = await asking([asks(['wipe', { disk: 'sda' }])]);
    const page = await app.opened('/console/inbox');
    const ground = () =>
      page
        .locator('.inbox-list li a')
        .first()
        .evaluate('getComputedStyle(document.querySelector(".inbox-list li a")).backgroundColor');
    await page.locator('.inbox-list li a').first().waitFor();
    const chosen = await ground();
    const device = await page.context().newCDPSession(page);
    await device.send('Emulation.setDeviceMetricsOverride', {
      width: 390,
      height: 844,
      deviceScaleFactor: 2,
      mobile: true,
    });
    await device.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await vi.waitFor(async () => expect(await ground()).not.toBe(chosen));
    await page.goto(`${app.url}/`);
    await page.getByRole('button', { name: /^Ask/u }).waitFor();
    expect(await page.locator('.ask-box kbd').isVisible()).toBe(false);
    await app.client.terminate(address);
    await page.close();
  });

  it('[CN70] shows its list or the call that was chosen, with its place and the way back', async () => {
    const steps = [asks(['send_mail', mail()], ['pick', { of: ['a'] }])];
    const { address } = await asking(steps, 2);
    const page = await app.opened('/console/inbox');
    await page.setViewportSize({ width: 390, height: 844 });
    const row = page.locator('.inbox-list li a', { hasText: `clerk ${address.split('/').at(-1)}` }).first();
    await row.waitFor();
    expect(await page.getByRole('article').count()).toBe(0);
    await row.click();
    await page.getByRole('article').waitFor();
    expect(await row.isVisible()).toBe(false);
    await page.getByRole('link', { name: /^‹ \d+ of \d+ pending$/u }).click();
    await row.waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/inbox');
    await app.client.terminate(address);
    // The tabs of an agent, too, are one line.
    await page.goto(`${app.url}/console${address}?tab=events`);
    const tab = page.getByRole('tab', { name: 'Events' });
    await tab.waitFor();
    const [list, open] = [present(await page.getByRole('tablist').boundingBox()), present(await tab.boundingBox())];
    // A browser scrolls by whole pixels.
    expect([list.height < 60, Math.floor(open.x + open.width) <= 390]).toEqual([true, true]);
    await page.close();
  });
});

describe('a card', () => {
  it('[CN4] is approved only once the end of long arguments was seen (check 37)', async () => {
    const body = Array.from({ length: 300 }, (_, line) => `Line ${line}`).join('\n');
    const { address, items } = await asking([asks(['send_mail', mail({ body })])]);
    const { page, card } = await shown(address, items[0]);
    const approve = card.getByRole('button', { name: 'Approve' });
    await page.locator('article').getByText('Line 0').first().waitFor();
    expect([await approve.isDisabled(), await approve.getAttribute('title')]).toEqual([
      true,
      'Scroll to the end of the arguments first.',
    ]);
    await card.getByText('end of arguments').scrollIntoViewIfNeeded();
    await approve.click();
    await page.getByRole('article', { name: 'Answered: send_mail' }).getByText('Approved by you').waitFor();
    await ended(address);
    await page.close();
  });

  it('[CN47] is found and approved by fewer than 15 keys (check 38)', async () => {
    const { address } = await asking([asks(['send_mail', mail()])]);
    const page = await app.opened('/console/settings');
    await page.getByRole('heading', { name: 'Settings' }).click();
    let keys = 0;
    const press = async (key: string) => {
      keys += 1;
      await page.keyboard.press(key);
    };
    await press('g');
    await press('i');
    const ring =
      '(document.activeElement.matches(":focus-visible"), getComputedStyle(document.activeElement).outlineStyle)';
    await page.locator('.inbox-list li a:focus').waitFor();
    await page.getByRole('article', { name: 'Waiting for you: send_mail' }).waitFor();
    await press('Enter');
    await page.locator('article:focus').waitFor();
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    while (!(await approve.evaluate('document.activeElement?.textContent === "Approve"')) && keys < 15) {
      await press('Tab');
      expect(await page.evaluate(ring)).not.toBe('none');
      // What the focus unlocks is unlocked a moment later, before the next key of a person.
      if (await page.evaluate('document.activeElement.textContent === "end of arguments"'))
        await page.locator('article button.primary:enabled').waitFor();
    }
    await press('Enter');
    await page.getByRole('article').getByText('Approved by you').waitFor();
    expect(keys).toBeLessThan(15);
    await ended(address);
    await page.close();
  });

  it('[CN47] is reached by keys when the row that had the focus goes, as its call was decided elsewhere', async () => {
    const [gone, stays] = [await asking([asks(['send_mail', mail()])]), await asking([asks(['send_mail', mail()])])];
    const page = await app.opened('/console/inbox');
    const rows = page.locator('.inbox-list li a');
    await vi.waitFor(async () => expect(await rows.count()).toBe(2));
    await page.locator('.inbox-list li a:focus').waitFor();
    await app.client.interrupt(gone.address);
    await vi.waitFor(async () => expect(await rows.count()).toBe(1));
    await page.locator('.inbox-list li a:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('article:focus').waitFor();
    await app.client.interrupt(stays.address);
    await page.close();
  });

  it('[CN47] is not decided by keys of a message that is being written (check 39)', async () => {
    const { address } = await asking([asks(['pick', { of: ['a'] }])]);
    const page = await app.opened(`/console${address}`);
    const box = page.getByRole('textbox', { name: 'Message to this agent' });
    await box.fill('');
    await box.press('a');
    await app.client.send(address, { content: 'nothing' });
    await box.press('Enter');
    await vi.waitFor(async () => expect(await box.inputValue()).toBe(''));
    expect(await decisionsOf(address)).toEqual([]);
    expect((await app.client.pending(address)).items).toHaveLength(1);
    await app.client.terminate(address);
    await page.close();
  });

  it('[CN57] a message that waits for a step is shown with what it says, and taken back by one press', async () => {
    const { address, items } = await asking([asks(['pick', { of: ['a'] }])]);
    const page = await app.opened(`/console${address}`);
    const box = page.getByRole('textbox', { name: 'Message to this agent' });
    const list = page.getByRole('list', { name: 'Queued messages' });
    for (const content of ['Take the red one.', 'Be quick.']) {
      await box.fill(content);
      await box.press('Enter');
      await list.getByText(content).waitFor();
    }
    expect(await findings(page)).toEqual([]);
    const wrong = list.getByRole('listitem').filter({ hasText: 'Take the red one.' });
    await wrong.getByRole('button', { name: 'Cancel' }).click();
    await wrong.waitFor({ state: 'detached' });
    await page.reload();
    await list.getByText('Be quick.').waitFor();
    expect(await list.getByRole('listitem').count()).toBe(1);
    const { toolCallId } = present(items[0]);
    await app.client.answer(address, { kind: 'client-tool-result', toolCallId, result: { picked: 'a', sure: true } });
    await list.waitFor({ state: 'detached' });
    await ended(address);
    const said = (await app.client.messages(address)).items.map(({ content }) => content);
    expect(said).toContain('Be quick.');
    expect(said).not.toContain('Take the red one.');
    await page.close();
  });

  it('[CN44] sends the hash of what was shown, and reads changed arguments anew (check 40)', async () => {
    const { address, items } = await asking([asks(['send_mail', mail()])]);
    const { page, card } = await shown(address, items[0]);
    const bodies: string[] = [];
    // Somebody else's hash in place of ours, once: as if the arguments were others by now.
    await page.route('**/tool-results', async (route) => {
      const body = route.request().postData() ?? '';
      bodies.push(body);
      if (bodies.length > 1) return route.continue();
      return route.continue({ postData: body.replace(present(items[0]).inputHash, 'f'.repeat(64)) });
    });
    await card.getByRole('button', { name: 'Approve' }).click();
    await card.getByText('The arguments have changed. Nothing was sent').waitFor();
    expect(await decisionsOf(address)).toEqual([]);
    await card.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('article').getByText('Approved by you').waitFor();
    expect(bodies.map((body) => JSON.parse(body).inputHash)).toEqual([items[0]?.inputHash, items[0]?.inputHash]);
    await ended(address);
    await page.close();
  });

  it('[CN44] that two tabs approve at once is decided once, and the other says by whom (check 41)', async () => {
    const { address, items } = await asking([asks(['send_mail', mail()])]);
    const one = await shown(address, items[0]);
    const other = await shown(address, items[0]);
    await other.page.route('**/tool-results', async (route) => {
      await one.page.bringToFront();
      await one.card.getByRole('button', { name: 'Approve' }).click();
      await one.page.getByRole('article').getByText('Approved by you').waitFor();
      await other.page.bringToFront();
      await route.continue();
    });
    await other.card.getByRole('button', { name: 'Deny…' }).click();
    await other.card.getByRole('button', { name: 'Deny', exact: true }).click();
    await other.page.getByRole('article').getByText('Already answered. Approved by').waitFor();
    expect(await decisionsOf(address)).toHaveLength(1);
    await one.page.close();
    await other.page.close();
  });

  it('[CN73] is denied by buttons in one row, at any width', async () => {
    const { address, items } = await asking([asks(['send_mail', mail()])]);
    const { page, card } = await shown(address, items[0]);
    await card.getByRole('button', { name: 'Deny…' }).click();
    const middleOf = async (name: string) => {
      const { y, height } = present(await card.getByRole('button', { name, exact: true }).boundingBox());
      return y + height / 2;
    };
    for (const width of [1440, 1024, 720, 390]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await middleOf('Back')).toBe(await middleOf('Deny'));
    }
    await app.client.terminate(address);
    await page.close();
  });

  it('[CN44] stays decided whatever an older list says (check 42)', async () => {
    const { address, items } = await asking([asks(['send_mail', mail()])]);
    const { page, card } = await shown(address, items[0]);
    const stale = await (await fetch(`${app.url}${address}/pending`)).text();
    await page.route('**/pending*', (route) => route.fulfill({ contentType: 'application/json', body: stale }));
    await card.getByRole('button', { name: 'Deny…' }).click();
    await card.getByRole('textbox', { name: 'Reason' }).fill('Not today.');
    await card.getByRole('button', { name: 'Deny', exact: true }).click();
    const receipt = page.getByRole('article', { name: 'Answered: send_mail' });
    await receipt.getByText('Denied by you').waitFor();
    await page.waitForResponse('**/pending*');
    await page.waitForResponse('**/pending*');
    expect([await receipt.count(), await card.count()]).toEqual([1, 0]);
    await ended(address);
    const [call] = (await app.client.calls(address)).items;
    expect(call).toMatchObject({ answer: { approved: false, reason: 'Not today.' } });
    await page.close();
  });

  it('[CN56] is edited by a form; what does not fit is told at its field, and the call waits on (check 43)', async () => {
    const { address, items } = await asking([asks(['send_mail', mail({ tries: 2 })])]);
    const { page, card } = await shown(address, items[0]);
    await card.getByRole('button', { name: 'Edit…' }).click();
    const tries = card.getByRole('textbox', { name: 'tries' });
    await tries.fill('many');
    await card.getByRole('list', { name: 'Changes' }).getByText('many').waitFor();
    const send = card.getByRole('button', { name: 'Approve with changes' });
    await send.click();
    await card.getByRole('alert').waitFor();
    expect(await tries.getAttribute('aria-invalid')).toBe('true');
    expect((await app.client.pending(address)).items).toHaveLength(1);
    await tries.fill('3');
    await card.getByRole('textbox', { name: 'to', exact: true }).fill('bob@example.com');
    await card.getByRole('combobox', { name: 'priority' }).selectOption('high');
    await card.getByRole('button', { name: 'Add to copies' }).click();
    await card.getByRole('textbox', { name: 'copies 1' }).fill('eve@example.com');
    await card.getByRole('checkbox', { name: 'sign' }).check();
    await card.getByRole('textbox', { name: 'text' }).fill('Bye');
    await send.click();
    await page.getByRole('article').getByText('Approved with changes by you').waitFor();
    await ended(address);
    const [call] = (await app.client.calls(address)).items;
    const input = mail({
      ...{ to: 'bob@example.com', tries: 3, priority: 'high' },
      ...{ copies: ['eve@example.com'], sign: true, footer: { text: 'Bye' } },
    });
    expect(call).toMatchObject({ answer: { approved: true, input }, result: { sentTo: 'bob@example.com' } });
    await page.close();
  });

  it('[AN12] is approved with changes alone where its arguments no longer match the tool, which it says at the fields', async () => {
    const { address, items } = await asking([asks(['send_mail', mail({ tries: 2 })])]);
    const { page, card } = await shown(address, items[0]);
    // As after a deploy that has changed the tool.
    const invalidFields = [{ path: 'tries', message: 'Too small: expected number to be >=3' }];
    await page.route(`**${address}/pending*`, async (route) => {
      const page = await app.client.pending(address);
      await route.fulfill({ json: { items: page.items.map((item) => ({ ...item, invalidFields })) } });
    });
    await card.getByText("The arguments no longer match the tool's schema.").waitFor();
    await card.getByRole('listitem').getByText('Must be 3 or more.').waitFor();
    expect(await card.getByRole('button', { name: 'Approve' }).getAttribute('title')).toBe('Edit the arguments first.');
    await card.getByRole('button', { name: 'Edit…' }).click();
    const tries = card.getByRole('textbox', { name: 'tries' });
    expect(await tries.getAttribute('aria-invalid')).toBe('true');
    await tries.fill('3');
    await card.getByRole('button', { name: 'Approve with changes' }).click();
    await page.getByRole('article').getByText('Approved with changes by you').waitFor();
    await ended(address);
    await page.close();
  });

  it('[CN44] unlocks after a failure, and the same decision has the same key (check 44)', async () => {
    const { address, items } = await asking([asks(['send_mail', mail()])]);
    const { page, card } = await shown(address, items[0]);
    const keys: (string | undefined)[] = [];
    let failedAt = 0;
    await page.route('**/tool-results', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      const fails = keys.length === 1;
      if (!fails) return route.continue();
      failedAt = performance.now();
      const body = JSON.stringify({
        type: 'about:blank',
        title: 'Broken.',
        status: 400,
        code: 'invalid_request',
        detail: '',
        requestId: 'r',
      });
      return route.fulfill({ status: 400, contentType: 'application/problem+json', body });
    });
    const approve = card.getByRole('button', { name: 'Approve' });
    await approve.click();
    await card.getByText('Broken.').waitFor();
    await card.locator('button.primary:enabled').waitFor();
    unlocked.push(Math.round(performance.now() - failedAt));
    await approve.click();
    await page.getByRole('article').getByText('Approved by you').waitFor();
    expect([keys.length, new Set(keys).size, typeof keys[0]]).toEqual([2, 1, 'string']);
    expect(await decisionsOf(address)).toHaveLength(1);
    await page.close();
  });

  it('[CN44, CN84] that the next try has brought there leaves its receipt, and no word of the try before', async () => {
    const { address, items } = await asking([asks(['send_mail', mail()])]);
    const { page, card } = await shown(address, items[0]);
    let tries = 0;
    await page.route('**/tool-results', (route) => {
      tries += 1;
      return tries === 1 ? route.abort() : route.continue();
    });
    await card.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('article').getByText('Approved by you').waitFor();
    // The list is asked again once the press has settled.
    await page.waitForResponse('**/pending*');
    expect([tries, await page.locator('.toast.wrong').count()]).toEqual([2, 0]);
    await ended(address);
    await page.close();
  });

  it('[CN46] counts down, and then takes no answer (check 45)', async () => {
    const { address, items } = await asking([asks(['wipe', { disk: 'a' }])]);
    const call = present(items[0]);
    const page = await app.opened('/console/settings');
    await page.clock.install();
    await page.goto(`${app.url}/console/inbox/${call.toolCallId}?at=${encodeURIComponent(call.address)}`);
    const card = page.getByRole('article', { name: 'Waiting for you: wipe' });
    await card.getByText(/expires in \d:\d\d/u).waitFor();
    await page.clock.fastForward(300_000);
    await card.getByText('Five minutes left').waitFor({ state: 'attached' });
    await page.clock.fastForward(300_000);
    await card.getByText('expired: counts as denied').waitFor();
    await card.getByText('Expired: counted as denied.').waitFor();
    const buttons = await card.getByRole('button').all();
    expect(await Promise.all(buttons.map((button) => button.isDisabled()))).toEqual(buttons.map(() => true));
    await app.client.terminate(address);
    await page.close();
  });

  it('[CN4] with characters that turn text is JSON alone, written out (check 47)', async () => {
    const { address, items } = await asking([asks(['send_mail', mail({ body: 'safe\n\u202Egnp.exe' })])]);
    const { page, card } = await shown(address, items[0]);
    await card.getByText('hidden or text-direction characters').waitFor();
    expect(await card.getByRole('button', { name: 'Exact JSON' }).count()).toBe(0);
    expect(await card.locator('.json').textContent()).toContain('\\u{202e}gnp.exe');
    expect(await page.content()).not.toContain('\u202E');
    await app.client.terminate(address);
    await page.close();
  });

  it('[CN43, CN72, CN81, CN87] of an agent three levels down shows its path, and its answer resumes that one (check 48)', async () => {
    const { address, items } = await asking([calls('senior', [calls('junior', [asks(['send_mail', mail()])])])]);
    const { page, card } = await shown(address, items[0]);
    await card.getByText(/clerk inbox-\d+ › senior 1 › junior 1/u).waitFor();
    await card.getByRole('button', { name: 'Approve' }).click();
    const receipt = page.getByRole('article').getByText('Approved by you');
    expect(await receipt.textContent()).toMatch(
      /^send_mail of clerk inbox-\d+ › senior 1 › junior 1: Approved by you, \d\d:\d\d:\d\d\.$/u,
    );
    await ended(address);
    // The receipt leads to the agent, which says where it is.
    await page.getByRole('article').getByRole('link', { name: 'Open the agent' }).click();
    await page.waitForURL(`**/console${address}/sub/senior/1~1/sub/junior/1~1?call=*`);
    const above = page.locator('.agents-above').getByRole('link');
    await vi.waitFor(async () =>
      expect(await above.allInnerTexts()).toEqual([expect.stringMatching(/^clerk inbox-\d+$/u), 'senior 1']),
    );
    await above.last().click();
    await page.waitForURL(`**/console${address}/sub/senior/1~1*`);
    await page.close();
  });

  it('[CN56, CN86] of a tool of a person takes its result by a form, or an error', async () => {
    const { address, items } = await asking([asks(['pick', { of: ['a', 'b'] }], ['pick', { of: ['c'] }])], 2);
    const { page, card } = await shown(address, items[0]);
    const send = card.getByRole('button', { name: 'Send result' });
    await card.getByRole('checkbox', { name: 'sure' }).check();
    await send.click();
    await card.locator('[aria-invalid="true"]').waitFor();
    await card.getByText('Required.', { exact: true }).waitFor();
    expect(await card.getByText(/expected|received/u).count()).toBe(0);
    expect(await card.locator('[aria-required="true"]').count()).toBe(1);
    await card.getByRole('textbox', { name: 'picked' }).fill('b');
    await send.click();
    await page.getByRole('article').getByText('Answered by you').waitFor();
    await page.close();
    const other = await shown(address, items[1]);
    await other.card.getByRole('button', { name: 'Report an error…' }).click();
    await other.card.getByRole('textbox', { name: 'What went wrong' }).fill('None fits.');
    await other.card.getByRole('button', { name: 'Send the error' }).click();
    await other.page.getByRole('article').getByText('Answered with an error by you').waitFor();
    await ended(address);
    const [first, second] = (await app.client.calls(address)).items;
    expect([first, second]).toMatchObject([
      { result: { picked: 'b', sure: true } },
      { error: { message: 'None fits.' } },
    ]);
    await other.page.close();
  });

  it('[CN76] sends a flag that has to be given as no where it was not ticked, and none that may be left out', async () => {
    const { address, items } = await asking([asks(['pick', { of: ['a'] }])]);
    const { page, card } = await shown(address, items[0]);
    await card.getByRole('textbox', { name: 'picked' }).fill('a');
    expect(await card.getByRole('checkbox').count()).toBe(3);
    await card.getByRole('button', { name: 'Send result' }).click();
    await page.getByRole('article').getByText('Answered by you').waitFor();
    await ended(address);
    const [call] = (await app.client.calls(address)).items;
    expect(call?.result).toEqual({ picked: 'a', sure: false, kept: true });
    await page.close();
  });

  it('[CN76] shows what a flag is by default, and sends what it is changed to', async () => {
    const { address, items } = await asking([asks(['pick', { of: ['a'] }])]);
    const { page, card } = await shown(address, items[0]);
    await card.getByRole('textbox', { name: 'picked' }).fill('a');
    const kept = card.getByRole('checkbox', { name: 'kept' });
    expect(await kept.isChecked()).toBe(true);
    await kept.uncheck();
    await card.getByRole('button', { name: 'Send result' }).click();
    await page.getByRole('article').getByText('Answered by you').waitFor();
    await ended(address);
    expect((await app.client.calls(address)).items[0]?.result).toEqual({ picked: 'a', sure: false, kept: false });
    await page.close();
  });

  it('[CN77] says what its tool does', async () => {
    const { address, items } = await asking([asks(['pick', { of: ['a'] }], ['wipe', { disk: 'a' }])], 2);
    const says: Record<string, string> = {
      pick: 'The tool: A person picks one.',
      wipe: 'The tool: Wipes a disk, where a person agrees within ten minutes.',
    };
    for (const item of items) {
      const { page, card } = await shown(address, item);
      await vi.waitFor(async () => expect(await card.locator('.task').allInnerTexts()).toContain(says[item.toolName]));
      await page.close();
    }
    await app.client.terminate(address);
  });

  it('[CN78] says at a number how it is written, before it is sent', async () => {
    const { address, items } = await asking([asks(['pick', { of: ['a'] }])]);
    const { page, card } = await shown(address, items[0]);
    await card.getByRole('textbox', { name: 'picked' }).fill('a');
    const share = card.getByRole('textbox', { name: 'share' });
    const how = card.getByText('with a decimal point, such as 4.5');
    await share.fill('4,5');
    await vi.waitFor(async () => expect(await how.count()).toBe(1));
    await share.fill('4.5');
    await vi.waitFor(async () => expect(await how.count()).toBe(0));
    await card.getByRole('button', { name: 'Send result' }).click();
    await page.getByRole('article').getByText('Answered by you').waitFor();
    await ended(address);
    expect((await app.client.calls(address)).items[0]?.result).toEqual({
      picked: 'a',
      sure: false,
      kept: true,
      share: 4.5,
    });
    await page.close();
  });
});

describe('several calls', () => {
  it('[CN45, CN72, CN77] of one tool are decided together, each seen, each with its own result (check 46)', async () => {
    const three = asks(
      ...[1, 2, 3].map((n): [string, object & ReturnType<typeof mail>] => ['send_mail', mail({ subject: `No. ${n}` })]),
    );
    const { address, items } = await asking([three], 3);
    const page = await app.opened('/console/inbox?tool=send_mail');
    await page.setViewportSize({ width: 1440, height: 500 });
    await page.getByRole('link', { name: 'Review 3 of send_mail' }).click();
    const approve = page.getByRole('button', { name: 'Approve 3' });
    await approve.waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await vi.waitFor(async () => expect(await page.getByText(/^The tool: \S/u).count()).toBe(3));
    const [, second] = items;
    await app.client.answer(address, {
      kind: 'approval-response',
      toolCallId: present(second).toolCallId,
      approved: false,
    });
    for (const end of await page.getByText('end of arguments').all()) await end.focus();
    let tries = 0;
    const held: (() => void)[] = [];
    await page.route('**/tool-results', async (route) => {
      tries += 1;
      if (tries === 1) return route.abort();
      // What is tried again waits for the test.
      if (tries === 2) await new Promise<void>((goOn) => held.push(goOn));
      return route.continue();
    });
    await approve.click();
    // The first has no answer: it is said, and asked again, before any behind it.
    await page.getByRole('alert').filter({ hasText: 'Your answer to the remaining calls has no answer yet' }).waitFor();
    const marks = page.getByRole('article').locator('.warning');
    expect(await marks.allInnerTexts()).toEqual(['Not confirmed yet.', 'Not sent yet.', 'Not sent yet.']);
    expect(await findings(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 500 });
    await vi.waitFor(() => expect(held).toHaveLength(1));
    for (const goOn of held) goOn();
    await page.getByText('All calls are answered.').waitFor();
    expect(await marks.count()).toBe(0);
    const receipts = await page.getByRole('article').allInnerTexts();
    const call = `send_mail of clerk ${address.split('/').at(-1)}:`;
    expect(receipts.map((text) => text.replace(/,.*$/su, ''))).toEqual([
      `${call} Approved by you`,
      `${call} Already answered. Denied by somebody on this machine`,
      `${call} Approved by you`,
    ]);
    await ended(address);
    await page.close();
  });

  it('[CN45, CN84] that may have arrived are not said to be unsent by a later press', async () => {
    const two = asks(
      ...[1, 2].map((n): [string, object & ReturnType<typeof mail>] => ['send_mail', mail({ subject: `No. ${n}` })]),
    );
    const { address } = await asking([two], 2);
    const page = await app.opened('/console/inbox?tool=send_mail');
    await page.setViewportSize({ width: 1440, height: 500 });
    await page.getByRole('link', { name: 'Review 2 of send_mail' }).click();
    await vi.waitFor(async () => expect(await page.getByText(/^The tool: \S/u).count()).toBe(2));
    for (const end of await page.getByText('end of arguments').all()) await end.focus();
    let tries = 0;
    await page.route('**/tool-results', async (route) => {
      tries += 1;
      // The second arrives, and its answer is lost.
      if (tries === 2) await route.fetch();
      return tries === 1 ? route.continue() : route.abort();
    });
    await page.getByRole('button', { name: 'Approve 2' }).click();
    const marks = page.getByRole('article').locator('.warning');
    const unanswered = ['Not confirmed yet.'];
    await vi.waitFor(async () => expect(await marks.allInnerTexts()).toEqual(unanswered));
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Approve 1' }).click();
    await page.locator('p[role=alert]').filter({ hasText: 'this device is offline' }).waitFor();
    expect(await page.getByRole('alert').filter({ hasText: 'was not sent' }).count()).toBe(0);
    expect(await marks.allInnerTexts()).toEqual(unanswered);
    await page.unroute('**/tool-results');
    await page.context().setOffline(false);
    await page.getByText('All calls are answered.').waitFor();
    await ended(address);
    await page.close();
  });

  it('[CN43] are found by kind and tool, and have no serious finding', async () => {
    const { address } = await asking(
      [asks(['send_mail', mail()], ['pick', { of: ['a'] }], ['wipe', { disk: 'b' }])],
      3,
    );
    const page = await app.opened('/console/inbox');
    const rows = page.locator('.inbox-list li');
    await rows.first().waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('client-tool');
    await page.waitForURL('**/console/inbox?kind=client-tool');
    await vi.waitFor(async () => expect(await rows.count()).toBe(1));
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('');
    await page.getByRole('combobox', { name: 'Tool' }).selectOption('wipe');
    await vi.waitFor(async () => expect(await rows.count()).toBe(1));
    await page.getByRole('combobox', { name: 'Tool' }).selectOption('');
    await page.getByRole('link', { name: /^send_mail/u }).click();
    await page.getByRole('button', { name: 'Edit…' }).click();
    expect(await findings(page)).toEqual([]);
    await app.client.terminate(address);
    await page.close();
  });
});
