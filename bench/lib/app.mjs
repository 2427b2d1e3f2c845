// The smallest app of a checkout, built and bundled by that checkout's own scripts.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * @param {import('./checkouts.mjs').Checkout} checkout @param {number} side which checkout that is
 * @returns {Promise<{ folder: string, remove: () => void, side: number } & import('../../scripts/lib/app.mjs').Bundled>}
 */
export async function appOf({ root }, side) {
  /** @type {Pick<typeof import('../../scripts/lib/app.mjs'), 'builtApp' | 'bundled'>} */
  const { builtApp, bundled } = await import(pathToFileURL(join(root, 'scripts', 'lib', 'app.mjs')).href);
  const app = await builtApp();
  try {
    return { ...app, side, ...(await bundled(app.folder)) };
  } catch (error) {
    app.remove();
    throw error;
  }
}
