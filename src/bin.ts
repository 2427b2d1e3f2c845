#!/usr/bin/env node
/** The command `offshoot` of an app: `npx offshoot dev`, `npx offshoot check` and `npx offshoot ask`. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { appIn, ownPackage } from './check/app';
import { check } from './check/check';
import { dev } from './check/dev';
import { devIn } from './check/dev-server';
import { main } from './cli/main';

const HELP = `offshoot dev [OPTIONS]                 serves the app on this machine; takes the options of \`wrangler dev\`
offshoot check [--base-path /ai]   lists what is wrong with the app in this folder
offshoot ask --agent TYPE "WORDS"   asks an agent on the running server (offshoot ask --help)`;

const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** The server of an app is started by its own command. */
const servers = {
  running: () => undefined,
  start: () => Promise.reject(new Error('Start your Worker first: npx offshoot dev')),
};

/** Wrangler's own hints, and a request that it sends for a sample of `request.cf`, are no part of the check's answer. */
const quiet = (): void =>
  void Object.assign(process.env, { WRANGLER_LOG: 'none', CLOUDFLARE_CF_FETCH_ENABLED: 'false' });

/** The base path of the arguments; undefined for arguments that are wrong. */
function basePathOf(args: readonly string[]): string | undefined {
  try {
    const { values } = parseArgs({ args: [...args], options: { 'base-path': { type: 'string', default: '' } } });
    return values['base-path'];
  } catch {
    return undefined;
  }
}

async function run([command, ...args]: readonly string[]): Promise<number> {
  if (command === 'ask') return main(args, servers, 'npx offshoot ask');
  if (command === 'dev') return dev(devIn(process.cwd(), args, write));
  if (command === 'check') {
    quiet();
    const app = appIn(process.cwd(), ownPackage(fileURLToPath(import.meta.url)), write);
    const basePath = basePathOf(args);
    if (basePath !== undefined) return check(app, basePath);
  }
  write(HELP);
  return command === undefined || command === '--help' ? 0 : 2;
}

const code = await run(process.argv.slice(2));
process.exitCode = code;
// A Worker that did not start in time would hold the process.
if (process.argv[2] === 'check') process.stdout.write('', () => process.exit(code));
