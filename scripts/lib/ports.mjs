// TCP ports on this machine.
import { createServer } from 'node:net';
import { UserError } from './fail.mjs';

/** Where servers listen: this machine alone. */
export const LOOPBACK = '127.0.0.1';

/**
 * @param {number} port 0 takes any free one
 * @returns {Promise<number>} the port that was free just now
 */
function tryPort(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      const address = server.address();
      server.close(() => resolve(address && typeof address === 'object' ? address.port : port));
    });
  });
}

/** A port that is free now. */
export function freePort() {
  return tryPort(0);
}

/**
 * True when a server could listen on the port now.
 * @param {number} port
 */
export async function isPortFree(port) {
  try {
    await tryPort(port);
    return true;
  } catch {
    return false;
  }
}

/**
 * The number that a person wrote as a port.
 * @param {string} text
 * @throws {UserError} unless it is a whole number from 1 to 65535
 */
export function parsePort(text) {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) {
    throw new UserError(`"${text}" is not a port. Give a whole number from 1 to 65535, as in \`-- --port 8787\`.`);
  }
  return port;
}
