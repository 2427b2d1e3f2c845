/**
 * A socket at a door: its end is in the Worker, and one at the root, which sleeps, stands for it there.
 *
 * Keeps OC11, TK4, TK8, X34.
 */
import { access, protocolsOf, SOCKET_PROTOCOL } from '../../access/auth';
import { openingOf } from '../../access/authorizers';
import { segmentOf } from '../../engine/tree-messages';
import { parseAddress } from '../../protocol/address';
import { refuse, refuseWith } from '../../protocol/errors';
import { problemOf } from '../../protocol/problem';
import { SOCKET_CLOSES } from '../../protocol/view/closes';
import { openPassed } from '../../sockets/sleeping-stream';
import { refuseUnknownClass } from '../ask-agent';
import { askRoot, rootStub } from '../objects';
import { failureFor } from '../problem';
import type { RequestContext } from '../request-context';
import { doorAgents } from './agents';
import type { DoorSocket } from './door';

/** @throws OffshootError as the socket of the agent itself is refused */
export async function doorSocket(context: RequestContext, at: string): Promise<DoorSocket> {
  const { request, requestId, log } = context;
  const first = await openAtRoot(context, at);
  const { 0: client, 1: socket } = new WebSocketPair();
  socket.accept();
  const join = (atRoot: WebSocket): void => {
    joined(atRoot, socket);
    joined(socket, atRoot);
    atRoot.accept();
    if (socket.readyState !== WebSocket.OPEN) atRoot.close();
  };
  if (first) join(first);
  let isAttached = first !== undefined;
  const isOurs = protocolsOf(request).includes(SOCKET_PROTOCOL);
  return {
    socket,
    response: new Response(null, {
      status: 101,
      webSocket: client,
      ...(isOurs ? { headers: { 'sec-websocket-protocol': SOCKET_PROTOCOL } } : {}),
    }),
    async attach() {
      if (isAttached) return;
      // Requests of one socket come at once.
      isAttached = true;
      try {
        const atRoot = await openAtRoot(context, at);
        if (atRoot) join(atRoot);
        isAttached = atRoot !== undefined;
      } catch (error) {
        isAttached = false;
        throw error;
      }
    },
    agents: doorAgents({ ...context, access: { ...context.access, socket: 'open' } }),
    problemOf: (thrown) => problemOf(failureFor(thrown, log), requestId),
  };
}

/** Its socket at the root; undefined where nobody has begun the agent yet, so that there is nothing to close it for. */
async function openAtRoot(context: RequestContext, at: string): Promise<WebSocket | undefined> {
  const { request, exports, authorizer, log } = context;
  const address = parseAddress(at);
  const opens = { ...context.access, socket: 'opens' } as const;
  const allowed = await access(request, { address: address.address, action: 'read' }, opens);
  if (!allowed.ok) refuseWith(allowed.error);
  refuseUnknownClass(context, address);
  const opening = openingOf(authorizer, request);
  const path = address.below.map(segmentOf);
  const { token, grant } = allowed;
  const by = { path, opening, caller: grant.subject, ...(token ? { token } : {}) };
  const root = () => rootStub(exports, address.root);
  const admitted = await askRoot(() => root().offshoot({ kind: 'socket', bell: true, ...by }), log);
  if (!admitted.ok)
    return admitted.error.code === 'not_found' && token === undefined ? undefined : refuseWith(admitted.error);
  const url = new URL(address.address, request.url).href;
  const socket = await openPassed((upgrade) => root().fetch(upgrade), admitted.pass, url);
  return socket ?? refuse('unavailable', 'The agent did not accept the socket. Try again.');
}

/** Closes one where the other is closed. */
function joined(one: WebSocket, other: WebSocket): void {
  const close = (code: number, reason: string): void => {
    try {
      other.close(code, reason);
    } catch {
      // It is closed already.
    }
  };
  one.addEventListener('close', ({ code, reason }) => close(maySend(code) ? code : SOCKET_CLOSES.failed, reason));
  one.addEventListener('error', () => close(SOCKET_CLOSES.failed, ''));
}

/** Others are codes of a connection that broke. */
const maySend = (code: number): boolean =>
  (code >= 1_000 && code < 1_004) || (code > 1_006 && code < 1_015) || code >= 3_000;
