// npm start [-- --port N --inspect N]: installs what is missing, serves the Worker on this machine and says what to try.
// As a whole: an old Node has no `parseArgs`, and would end here before it is told apart.
import util from 'node:util';
import { run, UserError } from './lib/fail.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { parsePort } from './lib/ports.mjs';
import { ancestors, isAlive } from './lib/processes.mjs';
import { serve } from './lib/serve.mjs';
import { workerSettings } from './lib/settings.mjs';

const DEFAULT_PORT = 8787;
/** How often to look whether npm is still there. */
const PARENT_CHECK_MS = 1_000;

const USAGE = `npm start [-- --port N --inspect N]

  --port N      listen on this port of localhost (default ${DEFAULT_PORT})
  --inspect N   open the runtime's inspector on this port of localhost, for a debugger; whoever reaches it can run code
                in the server and read its secrets (default: closed)
  --help        show this

Of the environment, and of .env and .dev.vars, the server takes what starts with OFFSHOOT_, ENCRYPTION_KEY and the keys of
model providers, such as OFFSHOOT_MODEL=openai/gpt-5 with OPENAI_API_KEY. Where none of them has an ENCRYPTION_KEY, one is
made and kept beside the state, in .offshoot/state.`;

function readArgs() {
  try {
    const { values, positionals } = util.parseArgs({
      options: { port: { type: 'string' }, inspect: { type: 'string' }, help: { type: 'boolean' } },
      allowPositionals: true,
    });
    // npm keeps what comes before `--` for itself, and would start on the default port without a word.
    const kept = process.env.npm_config_port ?? process.env.npm_config_inspect;
    if (positionals.length > 0 || kept !== undefined) {
      throw new UserError(`npm needs \`--\` before options: npm start -- --port ${positionals[0] ?? 'N'}`);
    }
    return values;
  } catch (error) {
    if (error instanceof UserError) throw error;
    const [message] = String(error instanceof Error ? error.message : error).split('. ');
    throw new UserError(`${message}.\n\n${USAGE}`);
  }
}

/**
 * npm runs a script through a shell, and a signal for npm ends the shell but never reaches the script.
 * @param {() => void} ended called once when npm has started this and is gone
 */
function onParentEnd(ended) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shellAndNpm = ancestors(2);
  const timer = setInterval(() => {
    if (shellAndNpm.every(isAlive)) return;
    clearInterval(timer);
    ended();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Settles when this process is asked to end: by Ctrl-C, by SIGTERM, or by the end of npm. */
function askedToStop() {
  /** @type {Promise<undefined>} */
  const asked = new Promise((settle) => {
    const onSignal = () => settle(undefined);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, onSignal);
    onParentEnd(onSignal);
  });
  return asked;
}

await run(async () => {
  const { port, inspect, help } = readArgs();
  if (help) {
    console.log(USAGE);
    return 0;
  }
  const wanted = port === undefined ? DEFAULT_PORT : parsePort(port);
  ensureInstalled();
  const asked = askedToStop();
  const debugging = inspect === undefined ? {} : { inspectorPort: parsePort(inspect) };
  const starting = serve({ ...workerSettings(), port: wanted, quiet: false, ...debugging });
  const server = await Promise.race([starting, asked]);
  // What was begun ends with this process.
  if (!server) process.exit(0);
  const demo = '/agents/coordinator/demo';
  const { model } = await (await fetch(server.url)).json();
  console.log(`Offshoot is ready. Ctrl-C stops it; what its agents know is kept in .offshoot/state.
Model: ${model}

  open   ${server.url}
  ask    npm run ask -- "How does an interrupt reach a grandchild?"
  curl   curl ${server.url}${demo}/start --json '{"message":"What survives a crash?"}'
         curl -N ${server.url}${demo}/stream

The desk asks you before it publishes a report. \`npm run ask\` shows what it would publish and takes your answer, also
of a run that was started otherwise: npm run ask -- --watch ${demo}
`);
  const end = await Promise.race([asked, server.exited]);
  await server.stop();
  if (end === undefined) return 0;
  console.error(`The server ended by itself with exit code ${end}.`);
  return 1;
});
