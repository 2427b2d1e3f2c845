/** Paths that an author chooses for routes. */

/** @throws TypeError for what is no path of segments, each behind a slash; `what` names the option */
export function checkPath(what: string, path: string): void {
  if (/^(\/[\w.~-]*[\w~-][\w.~-]*)+$/.test(path)) return;
  throw new TypeError(`${what} is a path like "/ai", without a slash at its end; not "${path}".`);
}
