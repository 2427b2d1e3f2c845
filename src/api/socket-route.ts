/** Opening a socket: the right and the place are checked before anything is upgraded. */

import { TICKET_HEADER } from '../engine/object-calls';
import { segmentOf } from '../engine/tree-messages';
import type { ParsedAddress } from '../protocol/address';
import { access, protocolsOf, SOCKET_PROTOCOL } from './auth';
import { openingOf } from './doors';
import { askRoot, rootStub } from './objects';
import { accessProblem, problemResponse, refuse } from './problem';
import type { RequestContext } from './request-context';

/** Longer URLs do not fit into what a sleeping socket remembers. Unit: characters. */
const MAX_URL = 3_000;

/** By this parameter a client asks the SDK for frames of another kind. */
const TRANSPORT = '__agents_transport';

/** Headers that only this code may set, or that must not go further. */
const KEPT_BACK = [
  'authorization',
  'sec-websocket-protocol',
  'x-cf-agents-subagent-url',
  'x-agents-lifecycle-props',
  TICKET_HEADER,
];

/** Opens a socket at an agent. */
export async function openSocket(context: RequestContext, address: ParsedAddress): Promise<Response> {
  const { request, requestId } = context;
  const allowed = await access(request, { address: address.address, action: 'read' }, context.access);
  if (!allowed.ok) return accessProblem(allowed.error, requestId);
  if (!context.classes.has(address.root.className)) refuse('not_found');
  if (request.url.length > MAX_URL) refuse('invalid_request', `The URL of a socket has at most ${MAX_URL} characters.`);
  const stub = () => rootStub(context.exports, address.root);
  const { searchParams } = new URL(request.url);
  if (searchParams.has(TRANSPORT))
    refuse('invalid_request', `Frames are JSON here: open the socket without ${TRANSPORT}.`);
  const opening = openingOf(context.door, request);
  const path = address.below.map(segmentOf);
  const admitted = await askRoot(() => stub().offshoot({ kind: 'socket', path, opening }), context.log);
  if (!admitted.ok) return problemResponse(admitted.error, requestId);
  const headers = new Headers(request.headers);
  for (const name of KEPT_BACK) headers.delete(name);
  headers.set(TICKET_HEADER, admitted.ticket);
  const response = await stub().fetch(new Request(request.url, { headers }));
  if (response.webSocket === null || !protocolsOf(request).includes(SOCKET_PROTOCOL)) return response;
  // The objects know no protocols; a client that asked for ours is told that it has it, and never its secret.
  return new Response(null, {
    status: 101,
    webSocket: response.webSocket,
    headers: { 'sec-websocket-protocol': SOCKET_PROTOCOL },
  });
}
