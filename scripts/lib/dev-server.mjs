// The process of a server: `serve.mjs` starts it with its options as JSON. It serves one Worker by wrangler's own
// interface, because the command `wrangler dev` always opens an inspector, which lets whoever reaches it run code in the
// Worker, and a second port by which other Workers reach this one (decision 27). Says 'ready' to its parent when it
// listens.
import { createRequire } from 'node:module';
import { bundlePlace, keepBundle, keptBundle } from './tests/kept-bundle.mjs';

/**
 * wrangler is one file of 15 MB. An `import` would parse it two times more, to find out what it is and what it exports.
 * @type {typeof import('wrangler')}
 */
const { unstable_DevEnv: DevEnv } = createRequire(import.meta.url)('wrangler');

/**
 * @typedef {object} DevOptions
 * @property {string} config the wrangler configuration
 * @property {string[]} envFiles
 * @property {string} hostname
 * @property {number} port
 * @property {number} [inspectorPort] missing: no inspector
 * @property {string} persistTo
 * @property {'error' | 'warn'} logLevel
 * @property {string} [bundles] a folder in which bundles are kept: one that is there is taken, and no source is watched
 */

/** @type {DevOptions} */
const { config, envFiles, hostname, port, inspectorPort, persistTo, logLevel, bundles } = JSON.parse(
  process.argv[2] ?? '{}',
);

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

const place = bundles === undefined ? undefined : bundlePlace(bundles, config);
const kept = place === undefined ? undefined : keptBundle(place);
const devEnv = new DevEnv();
if (place !== undefined && kept === undefined) {
  const dispatch = devEnv.dispatch.bind(devEnv);
  devEnv.dispatch = (event) => {
    dispatch(event);
    // A later start that finds no bundle makes its own.
    if (event.type === 'bundleComplete') {
      try {
        keepBundle(place, event.bundle);
      } catch (error) {
        console.error(`The bundle of ${config} was not kept: ${error}`);
      }
    }
  };
}
const started = devEnv.startWorker({
  config,
  envFiles,
  ...kept,
  dev: {
    server: { hostname, port },
    inspector: inspectorPort === undefined ? false : { hostname, port: inspectorPort },
    persist: persistTo,
    logLevel,
    watch: place === undefined,
  },
});
const worker = await started.catch(fail);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => worker.dispose().finally(() => process.exit(0)));
}
await worker.ready;
process.send?.('ready');
