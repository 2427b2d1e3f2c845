/**
 * `offshoot/without/cron-schedule`: stands for `cron-schedule` in the bundle of an app whose agents give the SDK's `schedule`
 * no cron expression; dates and delays need none of it. The SDK bundles that package always; an `alias` in wrangler.jsonc
 * leaves it out.
 */
import { OffshootError } from '../protocol/errors';

/** @throws OffshootError `invalid_definition` */
export function parseCronExpression(): never {
  throw new OffshootError(
    'invalid_definition',
    'Cron expressions are not bundled in this Worker: remove the alias of "cron-schedule" in wrangler.jsonc.',
  );
}
