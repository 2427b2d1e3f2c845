/**
 * Fetches of a set of keys, with a bound: a caller decides which key its token names, so it must not decide how often
 * keys are fetched.
 *
 * Keeps X36.
 */
import { createLocalJWKSet } from 'jose';
import { OffshootError } from '../protocol/errors';

/** After a failed fetch none is made for so long, in ms. */
const PAUSE_MS = 5_000;
/** Characters of a set of keys; that of a team has about 4,000. */
const MAX_KEYS = 262_144;
/** So often, in ms, a request looks for the end of a fetch that another request makes. */
const LOOK_MS = 20;
/** A fetch that has not ended after so many ms belonged to a request that was cancelled. */
const LOST_MS = 6_000;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The fetches of one set of keys: one at a time, and none just after a failure. */
export class KeyFetches {
  /** The begin of the fetch under way, in ms since 1970. */
  #begun: number | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** The last answer, and how many there were. */
  #keys: object | undefined;
  #answered = 0;

  constructor(readonly send: Fetch) {}

  /** The refusal of a request while there are no keys. It may be repeated. */
  static unavailable(cause: unknown): OffshootError {
    const text = 'The keys of Cloudflare Access could not be fetched. Try again.';
    return new OffshootError('unavailable', text, { cause, retryAfterMs: PAUSE_MS });
  }

  /** The set of keys. @throws OffshootError `unavailable` for every failure, and within the pause after one */
  async fetch(url: string, init: RequestInit): Promise<Response> {
    const answered = this.#answered;
    // The Workers runtime lets no request await what belongs to another one.
    while (isWithin(this.#begun, LOST_MS)) {
      if (init.signal?.aborted) throw KeyFetches.unavailable(init.signal.reason);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    if (isWithin(this.#failedAt, PAUSE_MS)) throw KeyFetches.unavailable('A fetch has just failed.');
    if (this.#answered !== answered) return Response.json(this.#keys);
    this.#begun = Date.now();
    try {
      this.#keys = await keysFrom(await this.send(url, init));
      this.#answered++;
      return Response.json(this.#keys);
    } catch (error) {
      this.#failedAt = Date.now();
      throw KeyFetches.unavailable(error);
    } finally {
      this.#begun = undefined;
    }
  }
}

/** True for a time that is less than so many ms ago. A clock that was set back ends every wait. */
function isWithin(time: number | undefined, ms: number): boolean {
  const age = time === undefined ? Number.POSITIVE_INFINITY : Date.now() - time;
  return age >= 0 && age < ms;
}

async function keysFrom(response: Response): Promise<object> {
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`The request for the keys returned ${response.status}.`);
  }
  const read: unknown = JSON.parse(await textOf(response));
  if (typeof read !== 'object' || read === null || !('keys' in read) || !Array.isArray(read.keys))
    throw new Error('The response is not a set of keys.');
  // A set that jose does not take is a failure here, too: otherwise each request would fetch it again.
  createLocalJWKSet({ keys: read.keys });
  return read;
}

/** The text of a response; no more of it is read than a set of keys may have. */
async function textOf({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const next = await reader?.read();
    if (next === undefined || next.done) return text + decoder.decode();
    text += decoder.decode(next.value, { stream: true });
    if (text.length <= MAX_KEYS) continue;
    reader?.cancel().catch(() => undefined);
    throw new Error('The set of keys is too long.');
  }
}
