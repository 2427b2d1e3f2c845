/**
 * How the SDK carries the sockets of a tree: it asks our protocol first, and keeps what a socket needs while it sleeps.
 *
 * Keeps W12, W13.
 */
import type { Agent, Connection } from 'agents';
import { LifecycleCapability } from 'agents/lifecycle';
import { registerInternalConnectionKeys } from 'agents/websockets';
import { type NamedObject, objectNamed } from '../core/ports/object-names';
import type { HeldSocket, ObjectSockets, SocketDeps } from '../engine/object/object-sockets';
import { parseAddress } from '../protocol/address';
import { kebabCase } from '../protocol/ids';
import { facetOf } from './facets';
import { SDK_PARAMETERS, SOCKET_NAME, setSocketFlag, socketFlag } from './sdk-internals';
import { isShared } from './worker-ports';

/** The key of a socket's position in its state; hidden from the agent's own code. */
const POSITION = '_cf_offshoot_next';
registerInternalConnectionKeys(POSITION);

/** What our protocol needs of the SDK, at an agent. */
export function sdkSockets(
  agent: Agent,
  ctx: Pick<DurableObjectState, 'getWebSockets' | 'storage'>,
): Pick<SocketDeps, 'sockets' | 'openings' | 'position' | 'setPosition' | 'direct'> {
  return {
    sockets() {
      // Going through them makes the SDK give sockets that slept their fields back.
      for (const _ of agent.getConnections());
      return ctx.getWebSockets().filter((socket): socket is HeldSocket & WebSocket => 'uri' in socket);
    },
    openings: () => ctx.storage.kv,
    position: (socket) => socketFlag(agent, socket as Connection, POSITION),
    setPosition: (socket, kept) => setSocketFlag(agent, socket as Connection, POSITION, kept),
    direct(url, address, name) {
      url.pathname = facetPath(address);
      for (const key of [...url.searchParams.keys()]) if (SDK_PARAMETERS.test(key)) url.searchParams.delete(key);
      url.searchParams.set(SOCKET_NAME, name);
    },
  };
}

/** Has the frames of an object's sockets seen by our protocol before the SDK's own handlers. */
export class SocketFrames extends LifecycleCapability {
  readonly #sockets: () => ObjectSockets;

  constructor(sockets: () => ObjectSockets) {
    super('offshoot-sockets');
    this.#sockets = sockets;
  }

  onWebSocketMessage(ws: WebSocket, message: string | ArrayBuffer): Promise<boolean> {
    return this.#sockets().take(ws, message);
  }

  onWebSocketClose(ws: WebSocket): void {
    this.#sockets().closed(ws);
  }
}

/** An address in the names of facets. */
function facetPath(address: string): string {
  const { root, below } = parseAddress(address);
  let at = objectNamed(root, isShared);
  let path = `/agents/${segmentsOf(at)}`;
  for (const level of below) {
    at = facetOf(level, at);
    path += `/sub/${segmentsOf(at)}`;
  }
  return path;
}

const segmentsOf = ({ className, name }: NamedObject): string => `${kebabCase(className)}/${encodeURIComponent(name)}`;
