/**
 * A real browser, where this machine has one: Debian's `chromium-headless-shell` or `chromium`, or what OFFSHOOT_CHROMIUM
 * names. Elsewhere its tests are skipped, each by its name with the reason; `.ci/run` installs it where it can.
 */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { NIGHTLY } from '../support/sizes';

/** The shell comes first: it draws the same pages, and its own process takes half the time of the other's. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;

const PROGRAM = process.env.OFFSHOOT_CHROMIUM ?? PROGRAMS.find(existsSync) ?? PROGRAMS[0];

/** Why there is no browser here; undefined where there is one. */
export const MISSING: string | undefined = existsSync(PROGRAM)
  ? undefined
  : `there is no browser at ${PROGRAM}: install Debian's package chromium-headless-shell, or name one by OFFSHOOT_CHROMIUM`;

/**
 * Most pages are gone before what the compilers that optimize have made of their programs is of use. A night, which
 * gathers the times of pages, has them as users have.
 */
const COMPILERS = NIGHTLY ? [] : ['--js-flags=--no-maglev --no-turbofan'];

/**
 * It talks to nobody but the page's server. All pages of a context have one process: a new page would else begin in a
 * process of its own, which ends as soon as the page goes to its address. What draws, and what asks the network, are
 * threads of the browser's process: between processes, each frame and each answer costs a fifth of a test's CPU.
 */
const FLAGS = [
  ...COMPILERS,
  '--headless',
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2',
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser for one test file: without storage, cookies or pages of other files. */
export interface Chromium {
  readonly context: BrowserContext;
  /** A server that its pages may ask. */
  mayAsk(url: string): void;
  /** Ends its pages, and forgets what they have kept. */
  close(): Promise<void>;
}

/** How long a wait for a page may be, in ms: far more than a busy machine needs, so that what never comes is named. */
const MAX_WAIT = 180_000;

/**
 * What no page of any test does: throw what nobody catches, break its policy, or ask anybody but the servers of the
 * test (checks 50 and 51). The test in which it happens fails by it (`test/browser/after-each.ts`).
 */
export const wrong: string[] = [];

/** The browsers of this process that are open. */
const open = new Set<BrowserContext>();

/** Their pages, but for the one that keeps the process. */
export const openPages = (): Page[] =>
  [...open].flatMap((context) => context.pages()).filter((page) => page.url() !== KEEPER);

/** The patterns of routes of the test's pages that no request has taken yet. */
const untaken = new Map<symbol, string>();

/** The routes that no request has taken, which are forgotten: a test that holds up or answers nothing shows nothing. */
export function idleRoutes(): string[] {
  const idle = [...untaken.values()];
  untaken.clear();
  return idle;
}

/** Keeps the books of the routes of a page. */
function watchRoutes(page: Page): void {
  const route = page.route.bind(page);
  page.route = (url, handler, options) => {
    const taken = Symbol('route');
    untaken.set(taken, String(url));
    return route(
      url,
      (...request) => {
        untaken.delete(taken);
        return handler(...request);
      },
      options,
    );
  };
}

/** What a browser says where a policy of a page or of its worker has refused something. */
const REFUSED = /Content Security Policy|Trusted ?(?:Type|HTML|Script)/u;

/** Keeps the books of all pages of a browser; `own` are the servers that they may ask. */
function watch(context: BrowserContext, own: ReadonlySet<string>): void {
  const asked = (url: string) => {
    const { protocol, host } = new URL(url);
    const isOwn = ['data:', 'blob:'].includes(protocol) || own.has(host);
    if (!isOwn) wrong.push(`It asked ${url}`);
  };
  context.on('request', (request) => asked(request.url()));
  context.on('page', (page) => {
    page.on('websocket', (socket) => asked(socket.url()));
    watchRoutes(page);
  });
  context.on('weberror', (error) => wrong.push(`It threw ${error.error()}`));
  context.on('console', (message) => {
    if (message.type() === 'error' && REFUSED.test(message.text())) wrong.push(message.text());
  });
}

/** The page that keeps the process. */
const KEEPER = 'http://localhost/';

/**
 * Keeps the process of the pages of this machine alive when the last of them is closed: what it has compiled once, the
 * next page takes. A page in a process of its own costs a third more.
 */
async function keepProcess(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(KEEPER);
}

/** The program, which the files of a process share: a start takes three times as long as what a file has of its own. */
let program: Promise<Browser> | undefined;

/** Starts the program, or returns the one that runs. It ends with this process, which vitest ends by a signal. */
function running(): Promise<Browser> {
  if (program === undefined) process.once('SIGTERM', () => process.exit(143));
  const launch = () => chromium.launch({ executablePath: PROGRAM, args: FLAGS, handleSIGTERM: false });
  program = (program ?? launch()).then((browser) => (browser.isConnected() ? browser : launch()), launch);
  return program;
}

/** Starts a browser. Its pages move nothing unless their test asks for it: each frame would be drawn by the processor. */
export async function startChromium(): Promise<Chromium> {
  const browser = await running();
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(MAX_WAIT);
  await keepProcess(context);
  const own = new Set<string>();
  watch(context, own);
  open.add(context);
  return {
    context,
    mayAsk: (url) => void own.add(new URL(url).host),
    close() {
      open.delete(context);
      return context.close();
    },
  };
}
