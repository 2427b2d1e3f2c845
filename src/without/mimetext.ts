/**
 * `offshoot/without/mimetext`: stands for `mimetext` in the bundle of an app whose agents answer no e-mail. The SDK
 * bundles that package, with a table of all media types, always; an `alias` in wrangler.jsonc leaves it out.
 */
import { OffshootError } from '../protocol/errors';

/** @throws OffshootError `invalid_definition` */
export function createMimeMessage(): never {
  throw new OffshootError(
    'invalid_definition',
    'E-mail is not bundled in this Worker: remove the alias of "mimetext" in wrangler.jsonc.',
  );
}
