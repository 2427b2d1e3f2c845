/** Servers of the Workers that lie in this repository: what one start has bundled, the later ones of the run take. */
import { join } from 'node:path';
import { type ServeOptions, type Server, serve as serveAnew } from '../../scripts/lib/serve.mjs';

/** Starts one. What a test itself writes is served by `serve` of `scripts/lib/serve.mjs`, with a folder of its own for the bundle. */
export function serve(options: ServeOptions): Promise<Server> {
  const bundles = process.env.OFFSHOOT_TEST_BUNDLES;
  return serveAnew({ ...options, ...(bundles === undefined ? {} : { bundles }) });
}

/** Starts a Worker with others beside it, which reach each other by their bindings. It is the first, and is asked. */
export function serveTogether(persistTo: string, [config, ...beside]: readonly string[]): Promise<Server> {
  const bundles = process.env.OFFSHOOT_TEST_BUNDLES ?? join(persistTo, 'bundles');
  return serveAnew({ persistTo, bundles, beside, ...(config === undefined ? {} : { config }) });
}
