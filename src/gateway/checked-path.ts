/** Paths that an author chooses for routes. */

import { invalidDefinition } from '../core/definition/invalid';

/** @throws OffshootError `invalid_definition` for what is no path of segments, each behind a slash; `what` names the option */
export function checkPath(what: string, path: string): void {
  if (typeof path === 'string' && /^(\/[\w.~-]*[\w~-][\w.~-]*)+$/.test(path)) return;
  invalidDefinition(`${what} must be a path like "/ai", without a trailing slash, not "${path}".`);
}

/** First segments of the API's own paths. */
const API = ['agents', 'directory', 'healthz', 'openapi.json'];

/** True for a path at or below one of the API's own. */
export function isApiPath(path: string): boolean {
  const [, first = ''] = path.split('/', 2);
  return API.includes(first);
}
