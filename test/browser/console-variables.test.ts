/** Sub-agents that wait for variables: what a person is asked for on the page of the agent that asked for them. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { asks, told } from '../support/told';
import { MISSING } from './chromium';
import { APP, findings, type ServedConsole, serveConsole } from './served-console';

const SECRET = 'canary-4c1e';

let app: ServedConsole;
beforeAll(async () => {
  app = await serveConsole({ config: APP });
});
afterAll(() => app.close());
beforeEach(({ skip }) => {
  if (MISSING !== undefined) skip(MISSING);
});

it('[CN79, VR10] are given by a form that says what each is for, and the sub-agent begins', async () => {
  const address = '/agents/sender/variables';
  const create = { agent: 'courier', message: told({ hang: 'until-aborted' }), name: 'Bob', attachments: [] };
  await app.client.start(address, { message: told(asks(['subagent_create', create]), { text: 'It waits.' }) });
  await vi.waitFor(async () => expect((await app.client.status(address)).variableRequests).toHaveLength(1));
  const page = await app.opened(`/console${address}`);
  const form = page.getByRole('form', { name: 'Variables for courier' });
  await form.getByText('By which the carrier knows us.').waitFor();
  await form.getByText('asked for by courier').first().waitFor();
  const [key, carrier] = [form.getByLabel('CARRIER_KEY'), form.getByLabel('CARRIER', { exact: true })];
  expect([await key.getAttribute('type'), await carrier.getAttribute('type')]).toEqual(['password', 'text']);
  const give = form.getByRole('button', { name: 'Give them and begin' });
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
  await page.getByText('It has begun:').waitFor();
  await form.waitFor({ state: 'detached' });
  const [child] = (await app.client.children(address)).items;
  await vi.waitFor(async () => expect((await app.client.status(String(child?.address))).status).toBe('running'));
  await page.getByRole('link', { name: String(child?.address) }).waitFor();
  expect(await page.content()).not.toContain(SECRET);
  await app.client.terminate(address);
  await page.close();
});
