/** The sockets of `ws`, where a client takes the class of browsers. */
import { WebSocket } from 'ws';
import type { SocketClass } from '../../src/client/socket-source';

export const NodeSocket = WebSocket as unknown as SocketClass;
