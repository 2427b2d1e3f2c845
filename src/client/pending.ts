/** What waits for a person, as the server lists it. */

import { isObject, type Json } from '../protocol/json';
import { PENDING_KINDS, type PendingKind } from '../protocol/view/waiting';
import { ProtocolError } from './errors';
import { type Api, requestJson } from './http';

/** A pending call. Times are in ms since 1970. Its texts come from a model: sanitize them before you show them. */
export interface PendingItem {
  readonly toolCallId: string;
  readonly kind: PendingKind;
  readonly toolName: string;
  /** The exact arguments. */
  readonly input: Json;
  /** The hash of the arguments. An answer with this hash is valid only for these arguments. */
  readonly inputHash?: string;
  /** The agent that called the tool. */
  readonly address: string;
  readonly agentType: string;
  readonly requestedAt?: number;
  readonly expiresAt?: number;
  /** The arguments that no longer match the tool's schema, each with its path. A plain approval is refused. */
  readonly invalidFields?: readonly FieldProblem[];
}

/** A value that does not match a schema. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

const TIMEOUT_MS = 15_000;
/** A list is not read beyond so many pages. */
const MAX_PAGES = 20;

/**
 * What waits in the subtree of an address, the one asked first at the front.
 * @throws as `requestJson` does; {ProtocolError} when the list makes no sense
 */
export async function fetchPending(api: Api, address: string, signal: AbortSignal): Promise<PendingItem[]> {
  const items: PendingItem[] = [];
  let cursor: Json | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = typeof cursor === 'string' ? `?cursor=${encodeURIComponent(cursor)}` : '';
    const answer = await requestJson(api, `${address}/pending${query}`, { timeoutMs: TIMEOUT_MS, signal });
    if (!Array.isArray(answer.items)) throw new ProtocolError('its list of pending calls has no items.');
    items.push(...answer.items.map(itemOf));
    cursor = answer.cursor;
    if (typeof cursor !== 'string') break;
  }
  return items.sort((one, other) => (one.requestedAt ?? 0) - (other.requestedAt ?? 0));
}

function itemOf(value: Json): PendingItem {
  if (!isObject(value)) throw new ProtocolError('its list of pending calls has an invalid item.');
  const kind = PENDING_KINDS.find((each) => each === value.kind);
  if (kind === undefined) throw new ProtocolError('a pending call is of an unknown kind.');
  const text = (name: string) => {
    const found = value[name];
    if (typeof found !== 'string') throw new ProtocolError(`a pending call has no ${name}.`);
    return found;
  };
  return {
    toolCallId: text('toolCallId'),
    kind,
    toolName: text('toolName'),
    input: value.input ?? null,
    address: text('address'),
    agentType: text('agentType'),
    ...(typeof value.inputHash === 'string' ? { inputHash: value.inputHash } : {}),
    ...(typeof value.requestedAt === 'number' ? { requestedAt: value.requestedAt } : {}),
    ...(typeof value.expiresAt === 'number' ? { expiresAt: value.expiresAt } : {}),
    ...invalidIn(value.invalidFields),
  };
}

function invalidIn(given: Json | undefined): Pick<PendingItem, 'invalidFields'> {
  const fields = (Array.isArray(given) ? given : []).filter(isObject);
  const known = fields.flatMap(({ path, message }) =>
    typeof path === 'string' && typeof message === 'string' ? [{ path, message }] : [],
  );
  return known.length === 0 ? {} : { invalidFields: known };
}
