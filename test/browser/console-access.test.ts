/** The console with tokens: asked for after a refusal, kept in one place, and told what they may not do. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client';
import { asks, told } from '../support/told';
import { APP, findings, servesConsole } from './served-console';

const SECRET = 'a-secret-of-the-test';
const address = '/agents/clerk/access';

const app = servesConsole({
  config: APP,
  vars: { OFFSHOOT_TOKEN: SECRET, OFFSHOOT_SIGNING_KEY: 'k'.repeat(48) },
});
beforeAll(async () => {
  const client = createClient({ baseUrl: app.url, token: SECRET });
  const mail = { to: 'ann@example.com', subject: 'Hello', body: 'How are you?' };
  await client.start(address, { message: told(asks(['send_mail', mail])) });
});

describe('a token', () => {
  it('[CN54, CN105] is asked for after the first refusal, and is in no address, log or store but the session’s (check 52)', async () => {
    const page = await app.opened('/console/inbox');
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    const field = page.getByLabel("Sign in with the server's token (OFFSHOOT_TOKEN)");
    await page.getByText('signed out', { exact: true }).waitFor();
    expect(await findings(page)).toEqual([]);
    // The findings were looked for on a narrow page too, which shows the list alone.
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.locator('.sign-in input:focus').waitFor();
    await field.fill('another');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Invalid token.').waitFor();
    expect([await page.locator('main:visible').count(), await page.locator('.toast').count()]).toEqual([0, 0]);
    await field.fill(SECRET);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('article', { name: 'Waiting for you: send_mail' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    expect(await field.count()).toBe(0);
    const stores = await page.evaluate<string[]>('[JSON.stringify(localStorage), document.cookie, location.href]');
    expect([...stores, ...said, ...urls].filter((text) => text.includes(SECRET))).toEqual([]);
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).toContain(SECRET);
    // Another tab gets it from this one.
    const other = await app.opened('/console/inbox');
    await other.getByRole('article', { name: 'Waiting for you: send_mail' }).waitFor();
    // What is copied names a variable, and not the token.
    await other.goto(`${app.url}/console${address}`);
    await other.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await other.locator('.node-more > summary').click();
    await other.getByRole('button', { name: 'Copy as curl' }).click();
    await other.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    const line = await other.evaluate<string>('navigator.clipboard.readText()');
    expect([line.includes('Bearer $OFFSHOOT_TOKEN'), line.includes(SECRET)]).toEqual([true, false]);
    await other.close();
    await page.close();
  });

  it('[CN54] of a link comes behind the #, and is taken out of the address at once', async () => {
    const client = createClient({ baseUrl: app.url, token: SECRET });
    const { token } = await client.createToken(address, { actions: ['read', 'answer'], ttlSeconds: 600 });
    const [item] = (await client.pending(address)).items;
    const page = await app.opened(
      `/console/inbox/${item?.toolCallId}?at=${encodeURIComponent(address)}#token=${encodeURIComponent(token)}`,
    );
    await page.getByRole('article', { name: 'Waiting for you: send_mail' }).waitFor();
    expect(page.url()).not.toContain('token');
    await page.locator('article button.primary:enabled').waitFor();
    await page.close();
  });

  it('[CN99] of a link takes the place of the one in use only when the person says so', async () => {
    const client = createClient({ baseUrl: app.url, token: SECRET });
    const { token } = await client.createToken(address, { actions: ['read'], ttlSeconds: 600 });
    const kept = (page: Page) => page.evaluate<string>("sessionStorage.getItem('offshoot.token')");
    const page = await app.opened('/console/inbox', (one) =>
      one.addInitScript(
        `sessionStorage.getItem('offshoot.token') ?? sessionStorage.setItem('offshoot.token', '${SECRET}')`,
      ),
    );
    for (const [answer, then] of [
      ['Keep my token', SECRET],
      ["Use the link's token", token],
    ] as const) {
      await page.goto(`${app.url}/console${address}`);
      await page.goto(`${app.url}/console/inbox#token=${encodeURIComponent(token)}`);
      const asks = page.getByRole('alertdialog', { name: 'Token in this link' });
      await asks.waitFor();
      expect([await kept(page), page.url().includes('token')]).toEqual([SECRET, false]);
      await asks.getByRole('button', { name: answer }).click();
      await asks.waitFor({ state: 'detached' });
      expect(await kept(page)).toBe(then);
    }
    await page.close();
  });

  it('[CN55] that may only read has every control disabled, with the reason (check 14)', async () => {
    const client = createClient({ baseUrl: app.url, token: SECRET });
    const { token } = await client.createToken(address, { actions: ['read'], ttlSeconds: 600 });
    const [item] = (await client.pending(address)).items;
    const fragment = `#token=${encodeURIComponent(token)}`;
    const page = await app.opened(`/console/inbox/${item?.toolCallId}?at=${encodeURIComponent(address)}${fragment}`);
    const card = page.getByRole('article', { name: 'Waiting for you: send_mail' });
    await card.getByText('Your token does not permit you to answer pending calls. Its permissions: read.').waitFor();
    for (const name of ['Deny…', 'Edit…', 'Approve']) {
      const button = card.getByRole('button', { name });
      expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
        true,
        'Your token does not permit you to answer pending calls. Its permissions: read.',
      ]);
    }
    await page.goto(`${app.url}/console${address}/files`);
    await page
      .getByText('Your token does not permit you to start agents or send messages. Its permissions: read.')
      .waitFor();
    expect(await page.getByLabel('Files to upload').isDisabled()).toBe(true);
    await page.goto(`${app.url}/`);
    await page
      .getByText('Your token does not permit you to start agents or send messages. Its permissions: read.')
      .waitFor();
    expect(await page.getByRole('button', { name: 'Ask' }).isDisabled()).toBe(true);
    await page.close();
  });
});
