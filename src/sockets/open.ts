/**
 * Opening a socket: the place is checked, and a pass had from the root, before anything is upgraded.
 *
 * Keeps X13, X44, W18.
 */

import { protocolsOf, SOCKET_PROTOCOL } from '../access/auth';
import { openingOf } from '../access/authorizers';
import { PASS_HEADER, type SocketAnswer, type SocketCall, type TokenUse } from '../engine/object/object-calls';
import { segmentOf } from '../engine/tree-messages';
import type { ParsedAddress } from '../protocol/address';
import { refuse, refuseWith } from '../protocol/errors';

/** Longer URLs do not fit into what a sleeping socket remembers. Unit: characters. */
const MAX_URL = 3_000;

/** By this parameter a client asks the SDK for frames of another kind. */
const TRANSPORT = '__agents_transport';

/** Headers that only this code may set, or that must not go further. */
const KEPT_BACK = [
  'authorization',
  'cf-access-jwt-assertion',
  'sec-websocket-protocol',
  'x-cf-agents-subagent-url',
  'x-agents-lifecycle-props',
  PASS_HEADER,
];

/** The cookie in which Cloudflare Access keeps its token, among others. */
const ACCESS_COOKIE = /(?:^|;\s*)CF_Authorization=[^;]*/gu;

/** The root of an agent that a socket is opened at. */
export interface SocketRoot {
  /** Asks it for a pass. What goes wrong on the way is data. */
  ask(call: SocketCall): Promise<SocketAnswer>;
  fetch(request: Request): Promise<Response>;
}

/**
 * Opens a socket at an agent, for a request whose right was checked by the authorizer of that number.
 * @throws OffshootError `invalid_request` for a URL or headers that no socket has; `not_found` and others from the root
 */
export async function openSocket(
  request: Request,
  {
    authorizer,
    token,
    caller,
  }: { readonly authorizer: number; readonly token: TokenUse | undefined; readonly caller: string },
  address: ParsedAddress,
  root: SocketRoot,
): Promise<Response> {
  if (request.url.length > MAX_URL) refuse('invalid_request', `The URL of a socket has at most ${MAX_URL} characters.`);
  const { searchParams } = new URL(request.url);
  if (searchParams.has(TRANSPORT))
    refuse('invalid_request', `Frames are JSON here: open the socket without ${TRANSPORT}.`);
  const opening = openingOf(authorizer, request);
  const path = address.below.map(segmentOf);
  const admitted = await root.ask({ kind: 'socket', path, opening, caller, ...(token ? { token } : {}) });
  if (!admitted.ok) refuseWith(admitted.error);
  const headers = new Headers(request.headers);
  for (const name of KEPT_BACK) headers.delete(name);
  const cookies = headers.get('cookie')?.replace(ACCESS_COOKIE, '').replace(/^;\s*/u, '');
  if (cookies === '') headers.delete('cookie');
  else if (cookies !== undefined) headers.set('cookie', cookies);
  headers.set(PASS_HEADER, admitted.pass);
  // Nobody behind this authorizer has a use for a ticket that was shown at it.
  const url = new URL(request.url);
  url.searchParams.delete('ticket');
  const response = await root.fetch(new Request(url, { headers }));
  if (response.webSocket === null || !protocolsOf(request).includes(SOCKET_PROTOCOL)) return response;
  // The objects know no protocols; a client that asked for ours is told that it has it, and never its secret.
  return new Response(null, {
    status: 101,
    webSocket: response.webSocket,
    headers: { 'sec-websocket-protocol': SOCKET_PROTOCOL },
  });
}
