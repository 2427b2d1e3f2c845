/** Servers of the Workers that lie in this repository: what one start has bundled, the later ones of the run take. */
import { type ServeOptions, type Server, serve as serveAnew } from '../../scripts/lib/serve.mjs';

/** Starts one. What a test itself writes is served by `serve` of `scripts/lib/serve.mjs`, with a folder of its own for the bundle. */
export function serve(options: ServeOptions): Promise<Server> {
  const bundles = process.env.OFFSHOOT_TEST_BUNDLES;
  return serveAnew({ ...options, ...(bundles === undefined ? {} : { bundles }) });
}
