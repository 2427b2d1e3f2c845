#!/usr/bin/env node
/** The command `offshoot` of an app: `npx offshoot dev`, `npx offshoot check` and `npx offshoot ask`. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { appIn, ownPackage } from './check/app';
import { check, checkVersions } from './check/check';
import { dev } from './check/dev';
import { devIn } from './check/dev-server';
import { keptUrl } from './check/kept-port';
import { startCommand } from './check/start-command';
import { main } from './cli/main';

const HELP = `offshoot dev [OPTIONS]              serves the app on this machine; takes the options of \`wrangler dev\`
offshoot check [--base-path /ai]    lists what is wrong with the app in this folder
offshoot check --versions           checks only the versions of Node and the packages
offshoot ask [--agent TYPE] "WORDS" asks an agent on the running server (offshoot ask --help)`;

const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** Wrangler's own hints, and a request that it sends for a sample of `request.cf`, are no part of the check's answer. */
const quiet = (): void =>
  void Object.assign(process.env, { WRANGLER_LOG: 'none', CLOUDFLARE_CF_FETCH_ENABLED: 'false' });

/** The options of the check; undefined for arguments that are wrong. */
function checkOptions(args: readonly string[]): { readonly basePath: string; readonly versions: boolean } | undefined {
  try {
    const options = {
      'base-path': { type: 'string', default: '' },
      versions: { type: 'boolean', default: false },
    } as const;
    const { values } = parseArgs({ args: [...args], options });
    return { basePath: values['base-path'], versions: values.versions };
  } catch {
    return undefined;
  }
}

async function run([command, ...args]: readonly string[]): Promise<number> {
  const folder = process.cwd();
  if (command === 'ask') {
    // The server of an app is started by its own command.
    const servers = { running: () => keptUrl(folder), command: startCommand(folder) };
    return main(args, servers, { command: 'npx offshoot ask' });
  }
  const app = appIn(folder, ownPackage(fileURLToPath(import.meta.url)), write);
  if (command === 'dev') return dev(devIn(folder, args, app));
  const options = command === 'check' ? checkOptions(args) : undefined;
  if (options?.versions) return checkVersions(app);
  if (options !== undefined) {
    quiet();
    return check(app, options.basePath);
  }
  write(HELP);
  return command === undefined || command === '--help' ? 0 : 2;
}

const code = await run(process.argv.slice(2));
process.exitCode = code;
// A Worker that did not start in time would hold the process.
if (process.argv[2] === 'check') process.stdout.write('', () => process.exit(code));
