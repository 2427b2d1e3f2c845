import type { Server } from 'node:net';

/** The port that a server of a test listens at. */
export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens at no port.');
  return address.port;
}
