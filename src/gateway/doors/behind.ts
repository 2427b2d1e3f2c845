/**
 * Doors at agents: which request is for one.
 *
 * Keeps OC8.
 */
import { parseAddress } from '../../protocol/address';
import { refuse } from '../../protocol/errors';
import type { AgentDoor } from './door';

/** A door, and what a request asks of it. */
interface AtDoor {
  readonly door: AgentDoor;
  readonly address: string;
  /** The decoded segments behind the door's own. */
  readonly rest: readonly string[];
}

/**
 * The door that a path is for; undefined for a route of the API.
 * @throws OffshootError `invalid_address` for no address, `invalid_request` for a segment that cannot be decoded
 */
export function agentDoorFor(doors: readonly AgentDoor[], path: string): AtDoor | undefined {
  if (doors.length === 0) return undefined;
  const { address, rest } = parseAddress(path);
  const [first, ...others] = rest;
  const door = doors.find(({ behind }) => behind === first);
  return door && { door, address, rest: others.map(decoded) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    refuse('invalid_request', 'A segment of this path is not encoded correctly.');
  }
}
