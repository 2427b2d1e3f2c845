/**
 * Ids and addresses of a remote agent, as ids of their own below the session and the address of its child.
 *
 * Decides: which fields of chunks and documents hold an id, and which hold JSON of an author that no id is looked for in.
 * Keeps RM4, RM27.
 */

import { RemoteError } from '../../../core/definition/remote-transport';
import { isAddress } from '../../../protocol/address';
import type { Chunk } from '../../../protocol/chunks';
import { beginningOf } from '../../../protocol/content/cut';
import { DATA_LIMITS } from '../../../protocol/data-limits';
import { isObject, type Json, type JsonObject } from '../../../protocol/json';

/** A child in its tree, and its remote root. */
export interface RemotePlace {
  readonly sessionId: string;
  readonly address: string;
  readonly agentType: string;
  readonly runId: string;
  readonly addressClass: string;
  readonly name: string;
}

/** An address is one at or below the child; everything else is any id. */
type Names = 'id' | 'address';

/** The fields that name something, by the field, or by the type of chunk and the field where that alone names something. */
const NAMING: { readonly [field: string]: Names } = {
  ...{ agentId: 'id', sessionId: 'id', subSessionId: 'id', fromSessionId: 'id' },
  ...{ address: 'address', subAddress: 'address', fromAddress: 'address' },
  ...{ runId: 'id', chainRunId: 'id', resumedFrom: 'id' },
  ...{ toolCallId: 'id', callId: 'id', messageId: 'id', requestId: 'id', checkpointId: 'id' },
  ...{ 'context_compacted.from': 'id', 'context_compacted.to': 'id' },
};

/** The fields whose JSON is an author's, a model's or a person's: it is shown as it came. */
const FREE: ReadonlySet<string> = new Set([
  ...[
    'arguments',
    'content',
    'data',
    'detail',
    'details',
    'input',
    'metadata',
    'output',
    'patch',
    'result',
    'settings',
    'state',
  ],
]);

/** True for a field that holds JSON of an author. */
export const isFree = (field: string): boolean => FREE.has(field);

/** The kind of name that a field of a chunk of that type, or of a document, holds; undefined for other fields. */
export function namesOf(field: string, type = ''): Names | undefined {
  const own = `${type}.${field}`;
  if (Object.hasOwn(NAMING, own)) return NAMING[own];
  return Object.hasOwn(NAMING, field) ? NAMING[field] : undefined;
}

/** The address of the remote root. */
export const remoteRoot = ({ addressClass, name }: Pick<RemotePlace, 'addressClass' | 'name'>): string =>
  `/agents/${addressClass}/${name}`;

/**
 * A remote id as one below the child's session. A request that answers a call has to hold it.
 * @throws RemoteError `remote_invalid` for one that is too long
 */
function localId({ sessionId }: Pick<RemotePlace, 'sessionId'>, id: string): string {
  const mapped = `${sessionId}.${id}`;
  if (mapped.length > DATA_LIMITS.maxCallId)
    throw new RemoteError('remote_invalid', `It sent an id of ${id.length} characters.`);
  return mapped;
}

/** The remote id of a local one; undefined for an id of another agent. */
export function remoteId({ sessionId }: Pick<RemotePlace, 'sessionId'>, id: string): string | undefined {
  return id.startsWith(`${sessionId}.`) ? id.slice(sessionId.length + 1) : undefined;
}

/** A remote address as one at or below the child's. @throws RemoteError `remote_invalid` for any other */
function localAddress(place: RemotePlace, address: string): string {
  const root = remoteRoot(place);
  if (address === root) return place.address;
  // A URL would resolve dots in it, and so lead to another agent.
  if (address.startsWith(`${root}/sub/`) && isAddress(address)) return `${place.address}${address.slice(root.length)}`;
  throw new RemoteError('remote_invalid', `It named the agent ${beginningOf(address, 200)}, which is not below it.`);
}

/** A chunk as one of the child, or of an agent below it. @throws RemoteError `remote_invalid` for one of another agent */
export function localChunk(place: RemotePlace, chunk: Chunk): Chunk {
  const mapped = localFields(place, chunk, chunk.type);
  if (mapped.address !== place.address) return mapped;
  const { sessionId: agentId, agentType, runId } = place;
  return { ...mapped, agentId, agentType, runId };
}

/** A document with the ids that it has here. @throws RemoteError `remote_invalid` for one that names another agent */
export const localDocument = (place: RemotePlace, document: Json): Json => localValue(place, document, '');

/** The same fields, of which those that name something name something of the child. */
function localFields<Fields extends object>(place: RemotePlace, given: Fields, type: string): Fields {
  const mapped: { [field: string]: unknown } = {};
  for (const [field, value] of Object.entries(given)) {
    const names = namesOf(field, type);
    if (isFree(field)) mapped[field] = value;
    else if (names === undefined || typeof value !== 'string')
      mapped[field] = typeof value === 'object' ? localValue(place, value, type) : value;
    else mapped[field] = names === 'address' ? localAddress(place, value) : localId(place, value);
  }
  return Object.assign({}, given, mapped);
}

function localValue(place: RemotePlace, value: Json, type: string): Json {
  if (Array.isArray(value)) return value.map((one: Json) => localValue(place, one, type));
  return isObject(value) ? localFields<JsonObject>(place, value, type) : value;
}
