/**
 * A real browser, where this machine has one: Debian's `chromium`, or what OFFSHOOT_CHROMIUM names. Elsewhere its tests
 * are skipped, each by its name with the reason; `.ci/run` installs it where it can.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

const PROGRAM = process.env.OFFSHOOT_CHROMIUM ?? '/usr/bin/chromium';

/** Why there is no browser here; undefined where there is one. */
export const MISSING: string | undefined = existsSync(PROGRAM)
  ? undefined
  : `there is no browser at ${PROGRAM}: install Debian's package chromium, or name one by OFFSHOOT_CHROMIUM`;

/** It talks to nobody but the page's server. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser that has begun with an empty profile. */
export interface Chromium {
  readonly context: BrowserContext;
  /** Ends it, and removes its profile. */
  close(): Promise<void>;
}

/** How long a wait for a page may be, in ms: far more than a busy machine needs, so that what never comes is named. */
const MAX_WAIT = 180_000;

/** Starts a browser. */
export async function startChromium(): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), 'offshoot-browser-'));
  const context = await chromium.launchPersistentContext(profile, { executablePath: PROGRAM, args: FLAGS });
  context.setDefaultTimeout(MAX_WAIT);
  return {
    context,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
