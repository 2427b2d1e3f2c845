/** A server with the console, a browser that looks at it, and what is looked for on each of its pages. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { buildConsole } from '../../scripts/lib/console.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import type { ServeOptions } from '../../scripts/lib/serve.mjs';
import { type Client, createClient } from '../../src/client';
import { present } from '../support/present';
import { serve } from '../support/served';
import { MISSING, startChromium } from './chromium';

const SIZES = [
  [1440, 900],
  [1024, 768],
  [390, 844],
  // 1440 wide at 200 %.
  [720, 450],
] as const;

/** Of which axe looks at the widest and the narrowest: what a size in between shows or hides, one of them does too. */
const EXAMINED: readonly number[] = [1440, 390];

/** The program of axe, which a document is given once. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What is folded away is in the document at every width, and has no colors. */
const FOLDED = 'details:not([open]) > :not(summary)';

/** What axe finds serious. */
const SERIOUS = (
  options: axe.RunOptions,
  isWhole: boolean,
): string => `axe.run(${isWhole ? 'document' : JSON.stringify({ exclude: [FOLDED] })}, ${JSON.stringify(options)}).then(({ violations }) =>
  violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ' ' + nodes[0].html),
)`;

/** Whether the page scrolls sideways, and controls that are cut off by its edge. */
const TOO_WIDE = `[
  ...(document.documentElement.scrollWidth > innerWidth ? ['it scrolls sideways'] : []),
  ...[...document.querySelectorAll('button, a, input, select, textarea')].filter((each) => {
    const { left, right, width, height } = each.getBoundingClientRect();
    const within = each.closest('.sideways, .root-rows, .toasts');
    return width > 1 && height > 1 && within === null && (right > innerWidth + 1 || left < -1);
  }).map((each) => 'cut off: ' + each.outerHTML.slice(0, 200)),
]`;

/**
 * Buttons, fields, tabs and links of lists that are less than 44 px high. A choice of one of several counts with its label.
 * A link within a sentence is as high as its line.
 */
const SMALL = `[...document.querySelectorAll('button, summary, input, select, textarea, li a, td a, nav a, [role=row]')].filter((each) => {
  const target = each.matches('[type=checkbox], [type=radio], [type=file]') ? (each.closest('label') ?? each) : each;
  const { width, height } = target.getBoundingClientRect();
  return width > 1 && height > 1 && height < 43.5 && each.closest('.prose') === null;
}).map((each) => 'lower than 44 px: ' + each.outerHTML.slice(0, 160))`;

/** What is too small to be touched on a phone. It keeps that size. */
export async function smallTargets(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 390, height: 844 });
  return page.evaluate<string[]>(SMALL);
}

/** All rules in light; in dark those of colors, which are all that a color scheme changes. */
const RULES = {
  light: { resultTypes: ['violations'] },
  dark: { resultTypes: ['violations'], runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
} satisfies Record<string, axe.RunOptions>;

/** What is wrong with an open page: whether it fits at each size, and what axe says of some, light and dark. It keeps the last size. */
export async function findings(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  const found: string[] = [];
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    found.push(...(await page.evaluate<string[]>(TOO_WIDE)).map((what) => `${width}: ${what}`));
    for (const colorScheme of EXAMINED.includes(width) ? (['light', 'dark'] as const) : []) {
      await page.emulateMedia({ colorScheme });
      const isWhole = width === EXAMINED[0] && colorScheme === 'light';
      const serious = await page.evaluate<string[]>(SERIOUS(RULES[colorScheme], isWhole));
      found.push(...serious.map((what) => `${colorScheme} ${width}: ${what}`));
    }
  }
  return found;
}

/** What serves the console, and shows it. */
export interface ServedConsole {
  readonly url: string;
  readonly client: Client;
  /** Opens a path in a new page, which ends with its test. `before`: what is done to the page before it is opened. */
  opened(path: string, before?: (page: Page) => Promise<unknown>): Promise<Page>;
  /** Kills the server at once, as a crash would. */
  crash(): Promise<void>;
  /** Starts it again where it was. */
  startAgain(): Promise<void>;
  close(): Promise<void>;
}

/** Agents that ask people for all kinds of things. */
export const APP = join(root, 'test', 'browser', 'console-app', 'wrangler.jsonc');

/** Starts a server, the shipped one by default, and a browser where there is one. */
export async function serveConsole(options: Omit<ServeOptions, 'persistTo'> = {}): Promise<ServedConsole> {
  const folder = await mkdtemp(join(tmpdir(), 'offshoot-console-'));
  await buildConsole();
  let server = await serve({ ...options, persistTo: folder });
  const browser = MISSING === undefined ? await startChromium() : undefined;
  const { url, port } = server;
  browser?.mayAsk(url);
  return {
    url,
    client: createClient({ baseUrl: url }),
    async opened(path, before) {
      const page = await present(browser).context.newPage();
      // A page that a failed test leaves open would go on asking the server of the tests after it.
      onTestFinished(() => page.close());
      await before?.(page);
      await page.goto(`${url}${path}`);
      return page;
    },
    crash: () => server.killHard(),
    async startAgain() {
      server = await serve({ ...options, persistTo: folder, port });
    },
    async close() {
      await browser?.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The same for all tests of a file, which are skipped where there is no browser; it ends with them. */
export function servesConsole(options: Omit<ServeOptions, 'persistTo'> = {}): Omit<ServedConsole, 'close'> {
  let served: ServedConsole | undefined;
  beforeAll(async () => {
    served = await serveConsole(options);
  });
  afterAll(() => served?.close());
  beforeEach(({ skip }) => {
    if (MISSING !== undefined) skip(MISSING);
  });
  return {
    get url() {
      return present(served).url;
    },
    get client() {
      return present(served).client;
    },
    opened: (path, before) => present(served).opened(path, before),
    crash: () => present(served).crash(),
    startAgain: () => present(served).startAgain(),
  };
}
