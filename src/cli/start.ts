/** Starting a run: a readable name, one idempotency key, and another try where a try is harmless. */

import { Refused } from '../client/errors';
import type { Api } from '../client/http';
import { POST_TIMEOUT_MS, post } from '../client/post';
import type { JsonObject } from '../protocol/json';
import { CliError, EXIT } from './cli-error';
import type { CliIo } from './io';

/** Names to try when one is taken by another run. */
const NAMES = 3;

const STOP_WORDS = new Set(
  'a an and are as at be by can did do does for from how i in is it its my of on or that the their this to was what when where which who why will with you your'.split(
    ' ',
  ),
);
const MAX_SLUG = 40;

/**
 * A readable name for a new root: up to four telling words of the question, and six letters of `id` that make it
 * unique. It keeps the rules for names in addresses.
 */
export function rootName(question: string, id: string): string {
  const words = question
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== '' && !STOP_WORDS.has(word));
  let slug = '';
  for (const word of words.slice(0, 4)) {
    const longer = slug === '' ? word.slice(0, MAX_SLUG) : `${slug}-${word}`;
    if (longer.length > MAX_SLUG) break;
    slug = longer;
  }
  return `${slug === '' ? 'question' : slug}-${id.replace(/[^a-z0-9]/gu, '').slice(0, 6)}`;
}

/**
 * Starts a run of a new root and gives its address. A start whose answer was lost is sent again with its key, so it
 * never starts twice.
 * @param announce called with the address before it is asked for: from then on the run may exist
 * @throws {Refused} when the server refuses, {Unreachable} when it cannot be reached
 */
export async function startRun(
  io: Pick<CliIo, 'wait' | 'now' | 'randomId'>,
  api: Api,
  agent: string,
  body: JsonObject,
  signal: AbortSignal,
  announce: (address: string) => void,
): Promise<string> {
  for (let name = 1; ; name += 1) {
    const id = io.randomId();
    const address = `/agents/${agent}/${rootName(String(body.message), id)}`;
    announce(address);
    try {
      await post(io, api, `${address}/start`, { body, timeoutMs: POST_TIMEOUT_MS }, id, signal);
      return address;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // The name is new to us: a conflict can only mean that another run has it.
      if (error.status === 409 && error.code !== 'idempotency_conflict' && name < NAMES) continue;
      throw explained(error, agent);
    }
  }
}

/** A refusal with what the person can do about it. */
export function explained(error: Refused, agent?: string): CliError | Refused {
  if (error.status === 401 || error.status === 403) {
    return new CliError(`${error.message}\nGive the server's secret as OFFSHOOT_TOKEN or --token.`, EXIT.failed, {
      cause: error,
    });
  }
  if (error.status === 404 && agent !== undefined) {
    return new CliError(
      `${error.message}\nThe command asks "${agent}". Name another agent with --agent TYPE.`,
      EXIT.failed,
      {
        cause: error,
      },
    );
  }
  if (error.status === 413) {
    return new CliError(`${error.message}\nThe question and its files exceed the size of one request.`, EXIT.failed, {
      cause: error,
    });
  }
  return error;
}
