// The process of a server: `serve.mjs` starts it with its options as JSON. It serves one Worker by wrangler's own
// interface, because the command `wrangler dev` always opens an inspector, which lets whoever reaches it run code in the
// Worker, and a second port by which other Workers reach this one (decision 27). Says 'ready' to its parent when it
// listens.
import { createRequire } from 'node:module';

/**
 * @typedef {object} DevOptions
 * @property {string} config the wrangler configuration
 * @property {string[]} envFiles
 * @property {string} hostname
 * @property {number} port
 * @property {number} [inspectorPort] missing: no inspector
 * @property {string} persistTo
 * @property {'error' | 'warn'} logLevel
 */

/** @type {DevOptions} */
const options = JSON.parse(process.argv[2] ?? '{}');

/** @param {unknown} error what wrangler throws, with what is wrong somewhere inside @returns {string} */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}

/** @param {unknown} error @returns {never} */
function fail(error) {
  console.error(reasonOf(error));
  process.exit(1);
}

/** Serves by wrangler, which follows each change of the sources. @param {DevOptions} options */
async function serveSources({ config, envFiles, hostname, port, inspectorPort, persistTo, logLevel }) {
  /**
   * wrangler is one file of 15 MB. An `import` would parse it two times more, to find out what it is and what it exports.
   * @type {typeof import('wrangler')}
   */
  const { unstable_DevEnv: DevEnv } = createRequire(import.meta.url)('wrangler');
  const worker = await new DevEnv().startWorker({
    config,
    envFiles,
    dev: {
      server: { hostname, port },
      inspector: inspectorPort === undefined ? false : { hostname, port: inspectorPort },
      persist: persistTo,
      logLevel,
      watch: true,
    },
  });
  return worker;
}

const server = await serveSources(options).catch(fail);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => server.dispose().finally(() => process.exit(0)));
}
await server.ready;
process.send?.('ready');
