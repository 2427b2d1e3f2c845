/**
 * Sockets at an object: what their protocol and the host that carries them need of each other.
 *
 * Keeps W13.
 */

import type { TreeNode } from '../../core/tree/node';
import type { JsonObject } from '../../protocol/json';
import type { RootRuntime } from '../root/root';
import type { ObjectRuntime } from './object';
import type { SocketAnswer, SocketCall, SocketOpening } from './object-calls';

/** True for an agent that is not in the object of its root. */
export function isInOtherObject({ tree }: RootRuntime, node: TreeNode): boolean {
  for (let at: TreeNode | undefined = node; at?.kind === 'child'; at = tree.parentOf(at))
    if (at.placement !== 'facet') return true;
  return false;
}

/** A socket with what its host keeps of it while it sleeps. */
export interface HeldSocket extends WebSocket {
  readonly id: string;
  /** The URL that it was opened with. */
  readonly uri: string | null;
}

/** What the sockets of an object need of its host. */
export interface SocketDeps {
  object(): ObjectRuntime;
  /** Whether the object is going: its tables may be gone already. */
  isLeaving(): boolean;
  /** Every socket, also those that slept, with what is kept of it. */
  sockets(): HeldSocket[];
  /** What is kept of where a socket is in the log; anything else where it is nowhere. */
  position(socket: HeldSocket): unknown;
  setPosition(socket: HeldSocket, kept: JsonObject): void;
  /** Where the requests that opened sockets are kept, by key. */
  openings(): {
    get(key: string): SocketOpening | undefined;
    put(key: string, opening: SocketOpening): void;
    delete(key: string): void;
    list(options: { prefix: string }): Iterable<readonly [key: string, opening: SocketOpening]>;
  };
  /** The environment of the Worker, with its secrets. */
  env(): unknown;
  /** Writes into the URL of an upgrade which agent it is for and how its socket is called, as the host reads them. */
  direct(url: URL, address: string, name: string): void;
}

/** The sockets of one tree. */
export interface ObjectSockets {
  /** A pass for a socket at an agent that is there. */
  admit(call: SocketCall): SocketAnswer;
  /** An upgrade as the host takes it, with the grant of its pass in its URL; or a refusal. */
  prepare(request: Request): Request | Response;
  /** Goes on with the sockets that slept. */
  restore(): void;
  /** A token was taken back: what it has opened is closed. */
  revoked(): void;
  /** Closes every socket: the tree goes. */
  closeAll(): void;
  /** Has a frame handled, and counts it until that is done. */
  handle(ws: WebSocket, message: string | ArrayBuffer, handlers: () => Promise<void>): Promise<void>;
  /** Takes a frame; whether the host's own handlers are not to have it. */
  take(ws: WebSocket, message: string | ArrayBuffer): Promise<boolean>;
  /** Whether a socket is for an agent that is not in this object: no code of the agent here may have it. */
  isFramesOnly(socket: Pick<HeldSocket, 'uri'>): boolean;
  /** A socket was closed. */
  closed(ws: WebSocket): void;
}
