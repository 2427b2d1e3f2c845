/**
 * From the path of a request to the agent and the verb that it means. Our own reading: the SDK's router is never asked.
 *
 * Keeps A24, AD1.
 */

import { type ParsedAddress, parseAddress } from '../protocol/address';
import { refuse } from '../protocol/errors';
import { VERBS } from '../verbs/table';
import type { Verb } from '../verbs/verb';

/** What a path means. */
export interface Route {
  readonly address: ParsedAddress;
  /** What follows the address, as verbs by method: none for an unknown route. */
  readonly verbs: ReadonlyMap<string, Verb>;
  /** The decoded segment that stands for `{path}`. */
  readonly path?: string;
}

/** Any segment, in the path of a verb. */
export const PARAMETER = '{path}';

/** The path of a URL as it was sent. */
export function rawPath(url: string): string {
  const afterHost = url.indexOf('/', url.indexOf('//') + 2);
  const path = afterHost < 0 ? '/' : url.slice(afterHost);
  return path.split(/[?#]/, 1)[0] ?? '/';
}

/**
 * Reads a path. @throws OffshootError `invalid_address` for no address, `invalid_request` for a file's path that cannot
 * be decoded
 */
export function routeOf(path: string): Route {
  const address = parseAddress(path);
  const verbs = new Map<string, Verb>();
  let parameter: string | undefined;
  for (const verb of VERBS) {
    const segments = verb.path === '' ? [] : verb.path.split('/');
    if (segments.length !== address.rest.length) continue;
    const matches = segments.every((segment, index) => segment === PARAMETER || segment === address.rest[index]);
    if (!matches) continue;
    const at = segments.indexOf(PARAMETER);
    if (at >= 0) parameter = decoded(address.rest[at] ?? '');
    verbs.set(verb.method, verb);
  }
  return { address, verbs, ...(parameter === undefined ? {} : { path: parameter }) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    refuse(
      'invalid_request',
      'The path of the file is not encoded correctly: encode it as one segment, with %2F for each slash.',
    );
  }
}
