/** What all views of the console stand in: where one can go, by which keys, and how it looks. */
import { describe, expect, it, vi } from 'vitest';
import { findings, servesConsole } from './served-console';

const desk = servesConsole();

describe('the frame', () => {
  it('[CN40, CN114] letters go to each view, are dead in fields, and can be turned off', async () => {
    const page = await desk.opened('/');
    const box = page.getByRole('textbox', { name: 'Your question' });
    await box.waitFor();
    await page.keyboard.type('g r');
    expect([await box.inputValue(), new URL(page.url()).pathname]).toEqual(['g r', '/']);
    await page.keyboard.press('Escape');
    expect(await page.locator('textarea:focus').count()).toBe(0);
    for (const [key, path] of [
      ['r', '/console/runs'],
      ['i', '/console/inbox'],
      ['e', '/console/errors'],
      ['c', '/console/registry'],
      ['s', '/console/settings'],
      ['h', '/'],
    ] as const) {
      await page.getByRole('navigation').click({ position: { x: 4, y: 300 } });
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.waitForURL(`${desk.url}${path}`);
      await page.locator('main h1').waitFor();
    }
    await page.goto(`${desk.url}/console/settings`);
    await page.getByRole('group', { name: 'Single-key shortcuts' }).getByRole('radio', { name: 'Off' }).check();
    await page.getByRole('heading', { name: 'Settings' }).click();
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/settings');
    // The tests of this file are one browser's.
    await page.evaluate('localStorage.clear()');
    await page.close();
  });

  it('[CN95] a view whose code does not come says so, leaves the others, and comes by the next try', async () => {
    let isAway = true;
    const page = await desk.opened('/', (opening) =>
      opening.route('**/assets/registry-*', (route) => (isAway ? route.abort() : route.fallback())),
    );
    const views = page.getByRole('navigation');
    const trouble = page.getByRole('alert').filter({ hasText: 'failed to load' });
    await views.getByRole('link', { name: 'Registry' }).click();
    await trouble.waitFor();
    await views.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect(await trouble.count()).toBe(0);
    await views.getByRole('link', { name: 'Registry' }).click();
    await trouble.waitFor();
    isAway = false;
    await trouble.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Registry' }).waitFor();
    expect(await trouble.count()).toBe(0);
    await page.close();
  });

  it('[CN115] the documentation is searched, and its links lead to its pages and headings', async () => {
    const page = await desk.opened('/');
    await page.getByRole('navigation').getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('searchbox', { name: 'Search the docs' }).fill('webConsole binding names');
    await page.getByRole('list', { name: 'Results' }).getByRole('link', { name: 'Deploy' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search the docs' }).fill('');
    await page.getByRole('link', { name: 'Console', exact: true }).click();
    await page.getByRole('heading', { name: 'Console', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'The configuration' }).click();
    const heading = page.getByRole('heading', { name: 'The console', exact: true });
    await heading.waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/console/docs/guides/deploy#the-console');
    await vi.waitFor(async () => expect((await heading.boundingBox())?.y).toBeLessThan(200));
    expect(await findings(page)).toEqual([]);
    await page.getByRole('link', { name: 'All docs' }).click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.close();
  });

  it('[CN40] the palette finds a view and Escape closes what is open', async () => {
    const page = await desk.opened('/console/runs');
    await page.locator('main h1').waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('combobox', { name: 'Go to' });
    await palette.fill('sett');
    await page.getByRole('option', { name: 'Settings' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${desk.url}/console/settings`);
    await page.getByRole('heading', { name: 'Settings' }).click();
    await page.keyboard.press('Shift+?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.close();
  });

  it('[CN97] the palette stays in its box, and tells runs of one question apart', async () => {
    const message = 'What of a stop reaches whom, and when, and how does an answer get down again? '.repeat(3);
    for (const name of ['same-1', 'same-2']) await desk.client.start(`/agents/coordinator/${name}`, { message });
    const page = await desk.opened('/console/runs');
    await page.locator('.root-row').first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill('what of a stop');
    for (const name of ['same-1', 'same-2']) await page.getByRole('option', { name }).waitFor();
    const past = `(() => {
      const box = document.querySelector('.palette');
      const { right } = box.getBoundingClientRect();
      return [...box.querySelectorAll('*')].filter((each) => each.getBoundingClientRect().right > right).map((each) => each.outerHTML.slice(0, 100));
    })()`;
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(past)).toEqual([]);
    }
    await page.close();
  });

  it('[CN41] what is chosen shows in every tab, stays, and one zone is that of all times (check 27)', async () => {
    await desk.client.start('/agents/coordinator/zone', { message: 'How do budgets stop a tree?' });
    const one = await desk.opened('/console/settings');
    const other = await desk.opened('/console/runs');
    const root = other.locator('html');
    const time = other.locator('.root-row time').first();
    await time.waitFor();
    await one.getByRole('radio', { name: 'Dark' }).check();
    await one.getByRole('radio', { name: 'Comfortable' }).check();
    await one.getByRole('radio', { name: 'UTC', exact: true }).check();
    await other.locator('html[data-theme="dark"][data-density="comfortable"]').waitFor();
    expect(await root.evaluate('getComputedStyle(document.body).colorScheme')).toBe('dark');
    await other.locator('.root-row time[title$="Z"]').first().waitFor();
    await other.reload();
    await other.locator('html[data-theme="dark"] .root-row time[title$="Z"]').first().waitFor();
    expect(await other.evaluate('Object.keys(localStorage)')).toEqual(['offshoot.preferences']);
    for (const [path, place] of [
      ['/console/agents/coordinator/zone', '.axis time'],
      ['/console/agents/coordinator/zone', '.entry time'],
      ['/console/inbox', 'article time'],
      ['/console/inbox', '.inbox-list time'],
    ] as const) {
      await other.goto(`${desk.url}${path}`);
      await other.locator(place).first().waitFor();
      // One look: a run that goes on brings further times.
      expect(await other.locator('time:not([title$="Z"])').count()).toBe(0);
    }
    await one.evaluate('localStorage.clear()');
    await one.close();
    await other.close();
  });

  it('[CN42] a narrow page has a bar of four, and the rest behind More', async () => {
    const page = await desk.opened('/console/runs');
    await page.setViewportSize({ width: 390, height: 844 });
    const bar = page.getByRole('navigation', { name: 'Views' });
    await bar.getByRole('button', { name: 'More' }).waitFor();
    // Inbox says beside its name how much waits.
    const names = await bar.getByRole('link').allInnerTexts();
    expect(names).toEqual(['Home', 'Runs', expect.stringMatching(/^Inbox\b/u)]);
    await bar.getByRole('button', { name: 'More' }).click();
    await page.getByRole('dialog', { name: 'More' }).getByRole('link', { name: 'Settings' }).click();
    await page.waitForURL(`${desk.url}/console/settings`);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await findings(page)).toEqual([]);
    await page.close();
  });
});
