/** Sub-agents that wait for variables: what a person is asked for on the page of the agent that asked for them. */
import { expect, it, vi } from 'vitest';
import { newLog } from '../support/log';
import { present } from '../support/present';
import { asks, told } from '../support/told';
import { APP, findings, servesConsole } from './served-console';
import { live, rowOf, showsRuns } from './shown-run';

const SECRET = 'canary-4c1e';

const shown = showsRuns();
const app = servesConsole({ config: APP });

it('[CN79, VR10] are given by a form that says what each is for, and the sub-agent begins', async () => {
  const address = '/agents/sender/variables';
  const create = { agent: 'courier', message: told({ hang: 'until-aborted' }), name: 'Bob', attachments: [] };
  await app.client.start(address, { message: told(asks(['subagent_create', create]), { text: 'It waits.' }) });
  await vi.waitFor(async () => expect((await app.client.status(address)).variableRequests).toHaveLength(1));
  const page = await app.opened(`/console${address}`);
  const form = page.getByRole('form', { name: 'Variables for courier' });
  await form.getByText('By which the carrier knows us.').waitFor();
  await form.getByText('requested by courier').first().waitFor();
  const [key, carrier] = [form.getByLabel('CARRIER_KEY'), form.getByLabel('CARRIER', { exact: true })];
  expect([await key.getAttribute('type'), await carrier.getAttribute('type')]).toEqual(['password', 'text']);
  const give = form.getByRole('button', { name: 'Set and start' });
  expect(await give.isDisabled()).toBe(true);
  // No password manager fills in a secret, and what is missing is said where it is seen.
  expect([await key.getAttribute('autocomplete'), await form.getByText(/^Still missing: CARRIER/u).count()]).toEqual([
    'new-password',
    1,
  ]);
  await key.fill(SECRET);
  expect(await give.isDisabled()).toBe(true);
  expect(await findings(page)).toEqual([]);
  await carrier.fill('Pigeons');
  await page.route('**/variables/*', (route) => route.fulfill({ status: 409, json: { code: 'already_running' } }));
  await give.click();
  await form.getByRole('alert').filter({ hasText: 'already_running' }).waitFor();
  expect(await carrier.inputValue()).toBe('Pigeons');
  await page.unroute('**/variables/*');
  await give.click();
  await page.getByText('Started:').waitFor();
  await form.waitFor({ state: 'detached' });
  const [child] = (await app.client.children(address)).items;
  await vi.waitFor(async () => expect((await app.client.status(String(child?.address))).status).toBe('running'));
  await page.getByRole('link', { name: String(child?.address) }).waitFor();
  expect(await page.content()).not.toContain(SECRET);
  await app.client.terminate(address);
  await page.close();
});

it('[CN79] stay typed while another tab or agent is looked at, and while the server does not say what waits', async () => {
  const log = newLog();
  const root = log.root('planner', 'one').run('r_0', { question: 'Where to?' }).step(1).text('I ask around.');
  root.spawn('c_1', 'researcher', '1~1', { question: 'Where is it warm?' }).run('r_1', {}).step(1).text('I look.');
  const before = log.entries.length;
  root.interrupted('lunch');
  const variable = (name: string, type: 'text' | 'secret') => ({
    ...{ name, type, declaredBy: ['courier'], required: true, missing: true },
  });
  const request = {
    ...{ requestId: 'v_1', agentType: 'courier', requestedAt: Date.now(), expiresAt: Date.now() + 60_000 },
    variables: [variable('CARRIER_KEY', 'secret'), variable('CARRIER', 'text')],
  };
  let answers = true;
  const { page, run } = await shown(log.entries.slice(0, before), root.address, async (_run, opened) => {
    await opened.route(`**${root.address}/status`, async (route) => {
      if (!answers) return route.fulfill({ status: 503, json: { code: 'unavailable', title: 'Not now.' } });
      const status = await (await route.fetch()).json();
      await route.fulfill({ json: { ...status, variableRequests: [request] } });
    });
  });
  await live(page);
  const form = page.getByRole('form', { name: 'Variables for courier' });
  const [key, carrier] = [form.getByLabel('CARRIER_KEY'), form.getByLabel('CARRIER', { exact: true })];
  await key.fill(SECRET);
  await carrier.fill('Pigeons');
  const typed = async () => [await key.inputValue(), await carrier.inputValue()];
  await page.getByRole('tab', { name: 'Calls' }).click();
  await form.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: '1 sub-agent waits for variables' }).click();
  await form.waitFor();
  expect(await typed()).toEqual([SECRET, 'Pigeons']);
  await rowOf(page, 'researcher').last().click();
  await form.waitFor({ state: 'detached' });
  await rowOf(page, 'planner').first().click();
  await form.waitFor();
  expect(await typed()).toEqual([SECRET, 'Pigeons']);
  // The agent stands otherwise now, and nobody says how.
  answers = false;
  const refused = page.waitForResponse((answer) => answer.url().endsWith('/status') && answer.status() === 503);
  run.tell(present(log.entries.at(-1)).chunk);
  await refused;
  await page.locator('.node-head').getByText('Interrupted').waitFor();
  await page.waitForResponse((answer) => answer.url().endsWith('/status') && answer.status() === 503);
  expect(await typed()).toEqual([SECRET, 'Pigeons']);
  const stores = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])',
  );
  expect(stores).not.toContain(SECRET);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.close();
});

it.each([
  ['answers late', 'late'],
  ['fails', 'fails'],
] as const)(
  '[CN79] stay typed where the agent has a status again that it had before, and the server %s',
  async (_says, how) => {
    const log = newLog();
    const root = log.root('planner', 'one').run('r_0', { question: 'Where to?' }).step(1).text('I ask around.');
    const atWork = log.entries.length;
    root.interrupted('lunch');
    const interrupted = log.entries.length;
    root.run('r_1', {}).step(1).text('On.');
    const carrier = { name: 'CARRIER', type: 'text', declaredBy: ['courier'], required: true, missing: true };
    const times = { requestedAt: Date.now(), expiresAt: Date.now() + 60_000 };
    const variableRequests = [{ requestId: 'v_1', agentType: 'courier', ...times, variables: [carrier] }];
    let state: 'nothing waits' | 'one waits' | 'late' | 'fails' = 'nothing waits';
    let asked = 0;
    const held: (() => void)[] = [];
    const { page, run } = await shown(log.entries.slice(0, atWork), root.address, async (_run, opened) => {
      await opened.route(`**${root.address}/status`, async (route) => {
        if (state === 'late' || state === 'fails') asked += 1;
        if (state === 'fails') return route.fulfill({ status: 503, json: { code: 'unavailable', title: 'Not now.' } });
        if (state === 'late') await new Promise<void>((goOn) => held.push(goOn));
        const status = await (await route.fetch()).json();
        await route.fulfill({ json: state === 'nothing waits' ? status : { ...status, variableRequests } });
      });
    });
    await live(page);
    await page.getByRole('button', { name: 'Interrupt', exact: true }).and(page.locator(':enabled')).waitFor();
    state = 'one waits';
    for (const { chunk } of log.entries.slice(atWork, interrupted)) run.tell(chunk);
    const field = page.getByRole('form', { name: 'Variables for courier' }).getByLabel('CARRIER', { exact: true });
    await field.fill('Pigeons');
    await page.evaluate('globalThis.field = document.activeElement');
    state = how;
    for (const { chunk } of log.entries.slice(interrupted)) run.tell(chunk);
    await page.locator('.node-head').getByText('Running').waitFor();
    // It was asked, and asked again: what a page keeps of the status before has had its time.
    if (how === 'fails') await vi.waitFor(() => expect(asked).toBeGreaterThan(1));
    else await vi.waitFor(() => expect(held).toHaveLength(1));
    expect(await field.inputValue()).toBe('Pigeons');
    expect(await page.evaluate('document.activeElement === field && field.isConnected')).toBe(true);
    for (const goOn of held) goOn();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.close();
  },
);

it('[CN79] are forgotten once they are not asked for any more', async () => {
  const log = newLog();
  const root = log.root('planner', 'one').run('r_0', { question: 'Where to?' }).step(1).text('I ask around.');
  const carrier = { name: 'CARRIER', type: 'text', declaredBy: ['courier'], required: true, missing: true };
  const times = { requestedAt: Date.now(), expiresAt: Date.now() + 60_000 };
  const variableRequests = [{ requestId: 'v_1', agentType: 'courier', ...times, variables: [carrier] }];
  let isAsked = true;
  const { page } = await shown(log.entries, root.address, async (_run, opened) => {
    await opened.route(`**${root.address}/status`, async (route) => {
      const status = await (await route.fetch()).json();
      await route.fulfill({ json: isAsked ? { ...status, variableRequests } : status });
    });
  });
  await live(page);
  const form = page.getByRole('form', { name: 'Variables for courier' });
  const field = form.getByLabel('CARRIER', { exact: true });
  await field.fill('Pigeons');
  isAsked = false;
  await form.waitFor({ state: 'detached' });
  isAsked = true;
  await form.waitFor();
  expect(await field.inputValue()).toBe('');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.close();
});
