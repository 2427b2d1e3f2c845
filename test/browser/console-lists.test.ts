/** The console's lists over all roots: Home, Runs, Errors, Registry. */
import { describe, expect, it, vi } from 'vitest';
import { present } from '../support/present';
import { asks, calls, type PuppetStep, told } from '../support/told';
import { APP, findings, servesConsole } from './served-console';

const app = servesConsole({ config: APP });

const mail = { to: 'ann@example.com', subject: 'Hello', body: 'How are you?' };
const starts = (name: string, steps: readonly PuppetStep[], displayName = name) =>
  app.client.start(`/agents/clerk/${name}`, { message: told(...steps), displayName, tags: ['office'] });

/** Steps that all fail: more than a clerk or a senior may take. */
const FAILING = Array.from({ length: 6 }, () => asks(['breaks', {}]));

/**
 * Follows a run by events, as five pages without sockets would, and waits until all five are connected. A page of the
 * console costs a hundred times as much.
 */
const FIVE_STREAMS = `(() => {
  globalThis.streams = Array.from({ length: 5 }, () => new EventSource('/agents/clerk/looked-at/stream'));
  const all = (type) => Promise.all(streams.map((each) => new Promise((tell) => each.addEventListener(type, tell, { once: true }))));
  globalThis.again = all('error').then(() => all('open'));
  return all('open').then(() => undefined);
})()`;

describe('Home', () => {
  it('[CN2] of an empty server has its cursor in the box, examples that send nothing, and no list (checks 1, 2, 4)', async () => {
    const page = await app.opened('/');
    const box = page.getByRole('textbox', { name: 'Your question' });
    await page.getByRole('button', { name: 'Write to Ann' }).click();
    expect([await box.inputValue(), await box.evaluate('document.activeElement?.ariaLabel')]).toEqual([
      'Write to Ann',
      'Your question',
    ]);
    expect([
      await page.getByText('Scripted model').count(),
      await page.getByRole('heading', { level: 2 }).count(),
    ]).toEqual([1, 0]);
    expect([page.url(), (await app.client.roots()).items]).toEqual([`${app.url}/`, []]);
    // A server with a real model.
    await page.route(
      (url) => url.pathname === '/directory/agents',
      async (route) => {
        const model = { id: 'test/real', offline: false };
        const { items } = await app.client.agents();
        await route.fulfill({ json: { items: items.map((item) => ({ ...item, model })) } });
      },
    );
    await page.reload();
    await page.getByText('test/real').waitFor();
    expect(await page.getByText('Demo model').count()).toBe(0);
    await page.close();
  });

  it('[CN49] sends files with the question, below uploads/ (checks 3, 5)', async () => {
    const page = await app.opened('/?q=hello&agent=clerk');
    const box = page.getByRole('textbox', { name: 'Your question' });
    expect(await box.inputValue()).toBe('hello');
    const file = (text: string) => ({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await page.getByLabel('Attached files').setInputFiles([file('one'), file('two')]);
    await page.getByLabel('Attached files').setInputFiles([{ ...file('no'), name: 'no.txt' }]);
    await page.getByRole('button', { name: 'Remove no.txt' }).click();
    await box.press('Control+Enter');
    await page.waitForURL(`${app.url}/console/agents/clerk/hello-*`);
    const address = new URL(page.url()).pathname.slice('/console'.length);
    const paths = (await app.client.files(address)).items.map(({ path }) => path);
    expect(paths).toEqual(['uploads/a-2.txt', 'uploads/a.txt']);
    expect(await (await app.client.readFile(address, 'uploads/a-2.txt')).text()).toBe('two');
    await page.close();
  });

  it('[CN100] asks as soon as the agents are known, where the keys were pressed before', async () => {
    const page = await app.opened('/?agent=clerk');
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/directory/agents?*', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    const box = page.getByRole('textbox', { name: 'Your question' });
    await box.fill('quick');
    await box.press('Control+Enter');
    await page.getByRole('button', { name: /^Asking/u }).waitFor();
    answer();
    await page.waitForURL(`${app.url}/console/agents/clerk/quick-*`);
    await page.close();
  });

  it('[CN2, CN84] leaves who changes the question while it is sent where they are, and a word leads to its run', async () => {
    const page = await app.opened('/?q=hello&agent=clerk');
    const held: (() => void)[] = [];
    await page.route('**/agents/clerk/hello-*/start', async (route) => {
      if (route.request().method() === 'POST') await new Promise<void>((goOn) => held.push(goOn));
      await route.continue();
    });
    const box = page.getByRole('textbox', { name: 'Your question' });
    const ask = page.getByRole('button', { name: /^Ask/u });
    await vi.waitFor(async () => expect(await ask.isEnabled()).toBe(true));
    await ask.click();
    await vi.waitFor(() => expect(held).toHaveLength(1));
    await box.fill('hello again');
    for (const goOn of held) goOn();
    const toast = page.locator('.toast', { hasText: 'Question sent.' });
    expect(await toast.getByRole('link', { name: 'Open' }).getAttribute('href')).toMatch(
      /^\/console\/agents\/clerk\/hello-[\da-f]{6}$/u,
    );
    expect([await box.inputValue(), new URL(page.url()).pathname]).toEqual(['hello again', '/']);
    await page.close();
  });

  it('[CN50] shows what needs you, counted in the title, and what failed by its cause (check 6)', async () => {
    await starts('asks', [asks(['send_mail', mail])]);
    await starts('fails', FAILING);
    const page = await app.opened('/');
    const needs = page.getByRole('region', { name: 'Needs your answer' });
    await needs.getByText('clerk asks').waitFor();
    await vi.waitFor(async () => expect(await page.title()).toBe('(1) Home - Offshoot'));
    await page.getByRole('region', { name: 'Failed in the last 24 hours' }).getByRole('link').waitFor();
    expect(await findings(page)).toEqual([]);
    await needs.getByRole('link', { name: 'Review' }).click();
    await page.getByRole('article', { name: 'Waiting for you: send_mail' }).waitFor();
    await page.close();
  });
});

describe('Home of a server that keeps silent', () => {
  it('[CN68] says what it was not told, and asks again by a press', async () => {
    const page = await app.opened('/console/settings');
    await page.clock.install();
    const asked = new Map<string, number>();
    let answers = false;
    await page.route(
      (url) => ['/directory/agents', '/directory/roots'].includes(url.pathname),
      async (route) => {
        const { pathname } = new URL(route.request().url());
        asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
        // Nothing else answers it: it hangs.
        if (answers || pathname === '/directory/roots') await route.continue();
      },
    );
    await page.goto(`${app.url}/`);
    await page.getByRole('textbox', { name: 'Your question' }).fill('Who is there?');
    const ask = page.getByRole('button', { name: /^Ask/u });
    expect([await ask.isDisabled(), await ask.getAttribute('title')]).toEqual([
      true,
      'The list of agents has not loaded yet.',
    ]);
    await page.clock.fastForward(10_000);
    const alert = page.getByRole('alert').filter({ hasText: 'The server did not return the list of agents.' });
    await alert.waitFor();
    expect(await findings(page)).toEqual([]);
    answers = true;
    const before = asked.get('/directory/agents') ?? 0;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('option', { name: 'clerk' }).waitFor({ state: 'attached' });
    expect([await alert.count(), asked.get('/directory/agents'), await ask.isEnabled()]).toEqual([0, before + 1, true]);
    await page.close();
  });
});

describe('a row of runs', () => {
  it('[CN82] has what it is about and its name, what it cost and how many sub-agents failed, as the head of the run has both names', async () => {
    await starts('named', [], 'Mail to Ann');
    await vi.waitFor(async () => expect((await app.client.status('/agents/clerk/named')).status).toBe('completed'));
    const page = await app.opened('/');
    const asRun = async (change: object) => {
      await page.unrouteAll({ behavior: 'wait' });
      await page.route(
        (url) => url.pathname === '/directory/roots',
        async (route) => {
          const { items } = await app.client.roots({ q: 'Mail to Ann' });
          await route.fulfill({ json: { items: items.map((item) => ({ ...item, ...change })) } });
        },
      );
    };
    const usage = {
      inputTokens: 900,
      outputTokens: 100,
      cachedTokens: 0,
      reasoningTokens: 0,
      modelCalls: 2,
      toolCalls: 0,
    };
    await asRun({ usage: { ...usage, costUsd: 0.314 }, failedCount: 1 });
    await page.goto(`${app.url}/console/runs`);
    const row = page.locator('.root-row', { hasText: 'Mail to Ann' });
    await row.getByText('$0.31', { exact: true }).waitFor();
    expect(await row.locator('.name').allInnerTexts()).toEqual(['named']);
    expect(await row.locator('.badge').allInnerTexts()).toEqual(['1 sub-agent failed']);
    expect(await row.locator('.says').allInnerTexts()).toEqual(['Completed']);
    expect(await findings(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await row.locator('.badge').allInnerTexts()).toEqual(['1 failed']);
    await page.setViewportSize({ width: 1440, height: 900 });
    await asRun({ usage: { ...usage, costUsd: 0.314, unpricedCalls: 1 } });
    await row.getByText('$0.31+', { exact: true }).waitFor();
    await asRun({ usage });
    await row.getByText('-', { exact: true }).waitFor();
    await row.click();
    await page.getByRole('heading', { name: 'Mail to Ann' }).waitFor();
    await page.locator('.run-head').getByText('named', { exact: true }).waitFor();
    await page.close();
  });
});

describe('Home before the server has answered', () => {
  it('[CN91] has its box, in which one writes, and the place of its lists', async () => {
    const page = await app.opened('/healthz');
    let answers = false;
    const held: (() => void)[] = [];
    await page.route('**/directory/roots*', async (route) => {
      if (!answers) await new Promise<void>((goOn) => held.push(goOn));
      await route.continue();
    });
    await page.goto(`${app.url}/`);
    const box = page.getByRole('textbox', { name: 'Your question' });
    await box.fill('Who is there?');
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    answers = true;
    for (const goOn of held) goOn();
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
    expect(await box.inputValue()).toBe('Who is there?');
    await page.close();
  });
});

describe('Errors', () => {
  it('[CN67] tells causes of one code and type apart by what their messages have in common', async () => {
    const page = await app.opened('/healthz');
    const causes = ['The mail of … bounced.', 'The disk is full.'].map((pattern) => ({
      ...{ code: 'tool_error', title: 'A tool failed.', agentType: 'clerk', count: 2, lastAt: Date.now(), pattern },
    }));
    const asked: (string | null)[] = [];
    await page.route('**/directory/errors*', async (route) => {
      const query = new URL(route.request().url()).searchParams;
      if (query.has('cause')) asked.push(query.get('pattern'));
      await route.fulfill({ json: { items: [], causes } });
    });
    await page.goto(`${app.url}/console/errors`);
    const [mails, disk] = causes.map(({ pattern }) => page.locator('.causes > li', { hasText: pattern }));
    await present(disk).locator('> a').click();
    await present(disk).locator('.failures').waitFor({ state: 'attached' });
    expect([await present(mails).locator('.failures').count(), ...new Set(asked)]).toEqual([0, 'The disk is full.']);
    await page.reload();
    await present(disk).locator('.failures').waitFor({ state: 'attached' });
    expect(await present(mails).locator('.failures').count()).toBe(0);
    expect(await findings(page)).toEqual([]);
    await page.close();
  });

  it('[CN67] asks for runs of a cause that has no pattern by that, and not for those of all', async () => {
    const page = await app.opened('/healthz');
    const cause = { code: 'tool_error', title: 'A tool failed.', agentType: 'clerk', count: 2, lastAt: Date.now() };
    const asked: (string | null)[] = [];
    await page.route('**/directory/errors*', async (route) => {
      const query = new URL(route.request().url()).searchParams;
      if (query.has('cause')) asked.push(query.get('pattern'));
      await route.fulfill({ json: { items: [], causes: [{ ...cause, pattern: '' }] } });
    });
    await page.goto(`${app.url}/console/errors`);
    await page.locator('.causes > li > a').click();
    await page.locator('.failures').waitFor({ state: 'attached' });
    expect([...new Set(asked)]).toEqual(['']);
    await page.close();
  });

  it('[CN67] tells causes of one code apart by the type of agent, each opened by itself and together in the address', async () => {
    await starts('two-causes', [calls('senior', FAILING), ...FAILING]);
    const count = (type: string) => async () => {
      const { causes } = await app.client.allErrors();
      expect(causes.filter(({ code, agentType }) => code === 'repeated_failure' && agentType === type)).toHaveLength(1);
    };
    await vi.waitFor(count('clerk'));
    await vi.waitFor(count('senior'));
    const page = await app.opened('/console/errors');
    const cause = (type: string) => page.locator('.causes > li', { hasText: `repeated_failure${type}` });
    const opened = async () => [
      await cause('clerk').locator('.failures').count(),
      await cause('senior').locator('.failures').count(),
    ];
    await cause('senior').locator('> a').click();
    await cause('senior').getByText('senior 1').first().waitFor();
    expect(await opened()).toEqual([0, 1]);
    await cause('clerk').locator('> a').click();
    await cause('clerk').locator('.failures').waitFor();
    await page.reload();
    await cause('clerk').locator('.failures').waitFor();
    await cause('senior').locator('.failures').waitFor();
    await cause('clerk').locator('> a').click();
    await cause('clerk').locator('.failures').waitFor({ state: 'detached' });
    expect(await opened()).toEqual([0, 1]);
    // A link with a code alone opens all of its causes.
    await page.goto(`${app.url}/console/errors?cause=repeated_failure`);
    await cause('clerk').locator('.failures').waitFor();
    await cause('senior').locator('.failures').waitFor();
    await page.close();
  });

  it('[CN51, CN81, CN89] lists failures by cause, and tries one again where its state allows that', async () => {
    const address = '/agents/clerk/fails-once';
    await starts('fails-once', FAILING);
    await vi.waitFor(async () => {
      const { items } = await app.client.allErrors();
      expect(items.map((item) => item.address)).toContain(address);
    });
    const page = await app.opened('/console/errors');
    await page.locator('.causes > li > a', { hasText: 'repeated_failureclerk' }).click();
    const failure = page.locator('.failures li', {
      has: page.getByRole('link', { name: 'clerk fails-once', exact: true }),
    });
    await failure.waitFor();
    expect(await findings(page)).toEqual([]);
    const runs = (await app.client.runs(address)).items.length;
    await failure.locator('button:enabled').click();
    // What was tried again is not tried again from here, and says so; the receipt leads to it.
    await failure.getByText('Already retried.').waitFor();
    const receipt = page.locator('.toast', { hasText: 'clerk fails-once is being retried.' });
    expect(await receipt.getByRole('link', { name: 'Open' }).getAttribute('href')).toBe(`/console${address}`);
    expect((await app.client.runs(address)).items).toHaveLength(runs + 1);
    await page.getByRole('combobox', { name: 'Period' }).selectOption('7d');
    await page.waitForURL('**/console/errors?*since=7d');
    await page.reload();
    await page.locator('.causes a').first().waitFor();
    await page.close();
  });
});

describe('Registry', () => {
  it('[CN52, CN122, A88] has the types with their tools, schemas and settings, and the companions', async () => {
    const spawn = { agent: 'junior', name: 'sam', initialMessage: told() };
    await starts('keeps', [{ calls: [{ name: 'companion__spawnAgent', input: spawn }] }]);
    await vi.waitFor(async () => expect((await app.client.allChildren({ mode: 'persistent' })).items).toHaveLength(1));
    const page = await app.opened('/console/registry');
    const clerk = page.getByRole('region', { name: 'clerk' });
    await clerk.getByText('Does office work.').waitFor();
    await clerk.getByText('companion__spawnAgent', { exact: true }).waitFor();
    await clerk.getByText('send_mail').click();
    await clerk.getByText('Input', { exact: true }).first().click();
    await clerk.getByText('priority').first().waitFor();
    await clerk.getByText('Settings', { exact: true }).click();
    await clerk.getByRole('row', { name: 'temperature 0.25' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Companions' }).click();
    await page.waitForURL('**/console/registry?kind=companions');
    await page.getByText('below clerk keeps').waitFor();
    await page.getByRole('searchbox').fill('nobody');
    await page.getByText('No results').waitFor();
    await page.getByRole('link', { name: 'Remote' }).click();
    await page.getByRole('searchbox').fill('');
    await page.getByText('No remote agents').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.close();
  });
});

describe('Runs', () => {
  it('[CN69] opens its statuses within the page at 390, and Escape or a press beside closes them', async () => {
    const page = await app.opened('/console/runs');
    await page.setViewportSize({ width: 390, height: 844 });
    const button = page.getByText('Any status', { exact: true });
    const last = page.locator('.choices label', { hasText: 'Waiting for you and sub-agents' });
    await button.click();
    const choices = present(await page.locator('.choices').boundingBox());
    expect([choices.x >= 0, choices.x + choices.width <= 390]).toEqual([true, true]);
    await page.keyboard.press('Escape');
    await last.waitFor({ state: 'hidden' });
    expect(await button.evaluate('document.activeElement?.textContent')).toBe('Any status');
    await button.click();
    await last.waitFor();
    await page.getByRole('heading', { name: 'Runs' }).click();
    await last.waitFor({ state: 'hidden' });
    await page.close();
  });
});

describe('a run whose server is killed', () => {
  it('[CN19, CN80] is gone on with by all of its pages, with more followers than a browser has connections, over their sockets', async () => {
    await starts('looked-at', [asks(['send_mail', mail])]);
    const other = await app.opened('/healthz');
    await other.evaluate(FIVE_STREAMS);
    const pages = [];
    for (let at = 0; at < 2; at++) pages.push(await app.opened('/console/agents/clerk/looked-at'));
    const badges = pages.map((page) => page.locator('.run-head .connection'));
    for (const badge of badges) await badge.getByText('live', { exact: true }).waitFor();
    await app.crash();
    for (const page of pages) await page.locator('.away-banner').waitFor();
    await app.startAgain();
    await other.evaluate('again.then(() => undefined)');
    for (const badge of badges) await badge.getByText('live', { exact: true }).waitFor();
    for (const page of pages) await page.locator('.away-banner').waitFor({ state: 'detached' });
    const ways = await Promise.all(badges.map((badge) => badge.getAttribute('title')));
    expect(new Set(ways)).toEqual(new Set(['Connected by WebSocket.']));
    await Promise.all([other, ...pages].map((page) => page.close()));
  });

  it('[CN10, CN19] is gone on with by itself: what was lost and the recovery are marked, and nothing is missed or told twice (checks 24, 59)', async () => {
    const address = '/agents/clerk/killed';
    await starts('killed', [{ text: 'I begin.', ...asks(['hangs', {}]) }, { text: 'It went on.' }]);
    const page = await app.opened(`/console${address}`);
    const badge = page.locator('.run-head .connection');
    await badge.getByText('live', { exact: true }).waitFor();
    await vi.waitFor(async () => expect((await app.client.files(address)).items).toHaveLength(1));
    await app.crash();
    await badge.getByText(/^reconnecting in \d+s$/u).waitFor();
    expect(await page.locator('.bar.crash:not(.legend *)').count()).toBe(0);
    await app.startAgain();
    await badge.getByText('up to date', { exact: true }).waitFor();
    await page.locator('.run-head').getByText('Completed').waitFor();
    const crash = present(await page.locator('.bar.crash:not(.legend *)').boundingBox());
    const recovery = present(await page.locator('.bar.recovery:not(.legend *)').boundingBox());
    // What was lost reaches to the recovery, which stands with its middle at its time.
    expect(Math.abs(recovery.x + recovery.width / 2 - crash.x - crash.width)).toBeLessThan(6);
    const texts = ['I begin.', 'It went on.'];
    expect(await page.locator('.entry .prose').allInnerTexts()).toEqual(expect.arrayContaining(texts));
    await page.locator('.entry', { hasText: 'The server restarted;' }).waitFor();
    const [steps, calls] = [await page.locator('.step-line').allInnerTexts(), await page.locator('.call').count()];
    expect([steps.length, calls]).toEqual([2, 1]);
    await page.close();
  });
});
