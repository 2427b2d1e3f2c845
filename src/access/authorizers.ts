/**
 * The authorizers of this Worker, where its objects find them.
 *
 * X11, X33. Frames of an open socket and events of an open stream bypass the Worker, so their root asks the
 * same authorizer again, with the request that opened them (decision 25).
 */

import type { RequestOpening } from '../engine/object/object-calls';
import { failure, refuse } from '../protocol/errors';
import { type Access, access, type Secrets } from './auth';
import type { AccessQuestion, Authorize } from './authorize';

/** The URL of a socket or a stream with the headers of the request that opens it. Unit: characters. */
const MAX_OPENING = 32_768;

/** Headers of the handshake alone: no right depends on them. */
const HANDSHAKE = new Set(['connection', 'sec-websocket-extensions', 'sec-websocket-key', 'sec-websocket-version']);

const authorizers: { readonly authorize: Authorize | undefined }[] = [];

/** Adds an authorizer and returns its number, which is the same in each process: Workers are made in the order of the code. */
export function addAuthorizer(authorize: Authorize | undefined): number {
  return authorizers.push({ authorize }) - 1;
}

/** What has to be kept of a request that opens a socket or a stream. @throws OffshootError `invalid_request` when it is too long */
export function openingOf(authorizer: number, request: Request): RequestOpening {
  const headers = [...request.headers].filter(([name]) => !HANDSHAKE.has(name));
  const size = headers.reduce((sum, [name, value]) => sum + name.length + value.length, request.url.length);
  if (size > MAX_OPENING)
    refuse(
      'invalid_request',
      `The URL and headers of a request that opens a socket or a stream have at most ${MAX_OPENING} characters.`,
    );
  return { authorizer, url: request.url, headers };
}

/** Whether what was asked for once would be granted now. */
export async function reauthorize(
  { authorizer, url, headers }: RequestOpening,
  question: AccessQuestion,
  secrets: Secrets,
): Promise<Access> {
  const known = authorizers[authorizer];
  // Another release of the Worker has fewer of them.
  if (known === undefined) return { ok: false, error: failure('unauthorized', 'Open the connection again.') };
  const request = new Request(url, { headers: headers.map(([name, value]): [string, string] => [name, value]) });
  return access(request, question, { authorize: known.authorize, ...secrets, socket: 'open' });
}
