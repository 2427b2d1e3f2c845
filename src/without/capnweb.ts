/**
 * `offshoot/without/capnweb`: stands for `capnweb` in the bundle of an app. The SDK bundles that second way to speak over
 * its sockets always; Offshoot lets no socket through that asks for it. An `alias` in wrangler.jsonc leaves it out.
 */
import { OffshootError } from '../protocol/errors';

/** What the SDK derives a class of its client from. */
export class RpcTarget {}

/** @throws OffshootError `invalid_definition` */
export function newWebSocketRpcSession(): never {
  throw new OffshootError(
    'invalid_definition',
    'Cap\'n Web is not bundled in this Worker: remove the alias of "capnweb" in wrangler.jsonc.',
  );
}
