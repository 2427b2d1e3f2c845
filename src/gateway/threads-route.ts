/**
 * Where Standard Agents give a sub-agent its variables: `/threads/{thread}/variables/{request}`.
 *
 * Keeps SAQ3, SA33.
 *
 * The id of a thread is its address without `/agents/`, with its slashes as they are or as `%2F`. The route is another name
 * of that agent's own, so rights, input and answers are the same.
 */
import { invalidDefinition } from '../core/definition/invalid';
import { addressOfThread, formatAddress, parseAddress } from '../protocol/address';
import { refuse } from '../protocol/errors';
import { isApiPath } from './checked-path';

/** Where the threads lie by default. */
export const THREADS = '/threads';

const ROUTE = /^\/(.+)\/variables\/([^/]+)$/;

/** The path of the agent's own route. @param path what follows the prefix. @throws OffshootError `not_found`, `invalid_address` */
export function ownPathOf(path: string): string {
  const [, thread, request] = ROUTE.exec(path) ?? [];
  if (thread === undefined) refuse('not_found', 'There is no such route. A thread has only /variables/{request}.');
  const { root, below, rest } = parseAddress(addressOfThread(thread));
  if (rest.length > 0) refuse('not_found', 'There is no such thread: a thread is named by the address of its agent.');
  return `${formatAddress(root, below)}/variables/${request}`;
}

/** Whether a path lies at the threads of a class that is known. */
export function isThreadOf(path: string, prefix: string, isClass: (addressClass: string) => boolean): boolean {
  if (!path.startsWith(`${prefix}/`)) return false;
  const [addressClass = ''] = path.slice(prefix.length + 1).split(/\/|%2f/i, 1);
  return isClass(addressClass);
}

/** @throws OffshootError `invalid_definition` for a path of the API. A base path is checked by `checkPath`. */
export function checkThreads(path: string): void {
  if (isApiPath(path)) invalidDefinition(`createWorker: other routes are at threadsPath "${path}".`);
}
