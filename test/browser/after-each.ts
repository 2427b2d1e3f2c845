/** Loaded before each file of tests in a browser: a test fails by what its pages did wrong, and one that fails shows its pages. */
import { afterEach, expect } from 'vitest';
import { idleRoutes, openPages, wrong } from './chromium';

/** The most characters that are shown of a page. */
const SHOWN = 2_000;

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const page of openPages()) {
    const says = await page.evaluate<string>('document.body.innerText').catch(String);
    console.log(`${task.name}: ${page.url()} shows\n${says.slice(0, SHOWN)}`);
  }
});

afterEach(() => expect({ wrong: wrong.splice(0), idleRoutes: idleRoutes() }).toEqual({ wrong: [], idleRoutes: [] }));
