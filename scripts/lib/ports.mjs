// TCP ports on this machine.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { UserError } from './fail.mjs';

/** Where servers listen: this machine alone. */
export const LOOPBACK = '127.0.0.1';

/**
 * Where servers choose their ports: below those that a system gives to connections that are opened (Linux from 32768,
 * macOS and Windows from 49152). One of those could take the port of a server that is away for a moment.
 */
const LOWEST = 20_000;
const HIGHEST = 29_999;
/** So many taken ones in a row mean that something else is wrong. */
const TRIES = 100;

/**
 * A port that is free now, and is given to no connection while its server is started anew.
 * @throws {UserError} when none was found
 */
export async function freePort() {
  for (let tried = 0; tried < TRIES; tried++) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isPortFree(port)) return port;
  }
  throw new UserError(`No free port from ${LOWEST} to ${HIGHEST} was found in ${TRIES} tries.`);
}

/**
 * True when a server could listen on the port now.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function isPortFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
  });
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
