/** The browser of the tests, as one test file after another has it. */
import { beforeEach, expect, it } from 'vitest';
import { type Chromium, idleRoutes, MISSING, startChromium } from './chromium';

const PLACE = 'http://localhost/kept';

beforeEach(({ skip }) => {
  if (MISSING !== undefined) skip(MISSING);
});

/** A page of a server that every test has, and what it finds kept there. */
async function opened({ context, mayAsk }: Chromium) {
  mayAsk(PLACE);
  const page = await context.newPage();
  await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(PLACE);
  return { page, found: await page.evaluate<string>('JSON.stringify([localStorage.kept, document.cookie])') };
}

it('[HS21] is one program for all of a process, in which none finds what another has kept or left open', async () => {
  const first = await startChromium();
  const { page } = await opened(first);
  await page.evaluate("localStorage.kept = 'yes'; document.cookie = 'kept=yes'");
  expect((await opened(first)).found).toBe('["yes","kept=yes"]');
  await first.close();
  expect(page.isClosed()).toBe(true);
  const second = await startChromium();
  expect(second.context.browser()).toBe(first.context.browser());
  expect((await opened(second)).found).toBe('[null,""]');
  await second.close();
});

it('[HS31] names a route that no request has taken, once', async () => {
  const browser = await startChromium();
  const { page } = await opened(browser);
  await page.route('**/never', (route) => route.abort());
  expect([idleRoutes(), idleRoutes()]).toEqual([['**/never'], []]);
  await browser.close();
});
