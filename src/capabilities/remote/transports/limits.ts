/**
 * How much another side may send, how deep, and for how long.
 *
 * Decides: the limits of everything that an agent elsewhere sends, with their defaults.
 * Keeps AE2, RM31.
 */
import { invalidDefinition, refuseUnknown } from '../../../core/definition/invalid';
import { REMOTE_BOUNDS, type RemoteBounds } from '../../../core/definition/remote-transport';
import { DATA_LIMITS } from '../../../protocol/data-limits';

/** Limits for the data that a remote side may send. Whole numbers from 1 on. */
export interface RemoteLimits extends RemoteBounds {
  /** One response, in bytes; over a binding, in bytes of its JSON. 4 MiB by default. */
  readonly maxAnswerBytes: number;
  /** Nesting of arrays and objects, in a response or in an event of the stream. 110 by default. */
  readonly maxDepth: number;
  /** One line or one event of the stream, in characters. 16 Mi by default: no valid chunk is longer. */
  readonly maxEventCharacters: number;
  /** The data of one connection to the stream, in bytes; a longer log takes several connections. 1 GiB by default. */
  readonly maxStreamBytes: number;
  /** Time from a call to the end of its response, in ms. 30 s by default. */
  readonly callMs: number;
  /** Time until a stream begins, in ms. 15 s by default. */
  readonly openMs: number;
  /** Time between two pieces of a response or a stream, in ms. 45 s by default: three heartbeat comments. */
  readonly idleMs: number;
  /** Duration of one connection to the stream, in ms; another connection then continues. An hour by default. */
  readonly streamMs: number;
}

/** What an answer has around the data that it carries: a page, a run, its output. */
const AROUND = 10;

/** The default limits of a transport. */
export const REMOTE_LIMITS: RemoteLimits = {
  ...REMOTE_BOUNDS,
  maxAnswerBytes: 4 * 1_048_576,
  maxDepth: DATA_LIMITS.maxDepth + AROUND,
  maxEventCharacters: 16 * 1_048_576,
  maxStreamBytes: 1_024 * 1_048_576,
  callMs: 30_000,
  openMs: 15_000,
  idleMs: 45_000,
  streamMs: 3_600_000,
};

/** The longest time, in ms: what timers can hold. */
const MAX_MS = 2_147_483_647;

/** The limits of a transport. @throws OffshootError `invalid_definition` */
export function limitsOf(where: string, given: Partial<RemoteLimits> = {}): RemoteLimits {
  refuseUnknown(`${where}: limits`, given, Object.keys(REMOTE_LIMITS));
  for (const [name, value] of Object.entries(given)) {
    const most = name.endsWith('Ms') ? MAX_MS : Number.MAX_SAFE_INTEGER;
    if (!Number.isSafeInteger(value) || value < 1 || value > most)
      invalidDefinition(`${where}: limits.${name} is a whole number from 1 to ${most}.`);
  }
  return { ...REMOTE_LIMITS, ...given };
}
