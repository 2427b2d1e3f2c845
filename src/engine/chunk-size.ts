/**
 * How long a chunk is, and what is left of one that cannot be sent: both as the table of chunks says of its fields.
 *
 * Decides: what stands for a chunk that cannot be sent.
 * Keeps OB6, W26.
 */
import { CHUNKS, type Chunk, type FieldSize } from '../protocol/chunks';
import { type Failure, failure } from '../protocol/errors';
import type { Json } from '../protocol/json';

/** About how long a chunk is beside its long fields, in characters. */
const SHORT_FIELDS = 500;

type LongField = readonly [name: string, size: Exclude<FieldSize, 'short'>];

/** The long fields of each type. */
const LONG: ReadonlyMap<string, readonly LongField[]> = new Map(
  Object.entries(CHUNKS).map(([type, { fields }]) => [
    type,
    Object.entries(fields).flatMap(([name, { size }]): LongField[] => (size === 'short' ? [] : [[name, size]])),
  ]),
);

type AnyChunk = { readonly [field: string]: unknown };

/** About how long a chunk's JSON is, in characters; exact only where a field can be long. */
export function chunkSize(chunk: Chunk): number {
  const fields: AnyChunk = chunk;
  let size = SHORT_FIELDS;
  for (const [name, kind] of LONG.get(chunk.type) ?? []) {
    const value = fields[name];
    if (value === undefined) continue;
    size += kind === 'text' ? String(value).length : JSON.stringify(value).length;
  }
  return size;
}

/** A chunk with a statement in the place of each long field; one that carries nothing long is as it was. */
export function withoutPayload(chunk: Chunk, why: string): Chunk {
  const fields: AnyChunk = chunk;
  const statement = `(left out: it could not be sent: ${why})`;
  const replaced = (LONG.get(chunk.type) ?? []).flatMap(([name, size]) => {
    const has = fields[name] !== undefined && size !== 'items';
    return has ? [[name, INSTEAD[size](statement)] as const] : [];
  });
  // The table holds each field's size to its type, so what stands in its place is of that type again.
  return Object.assign({}, chunk, Object.fromEntries(replaced));
}

/** What stands in the place of a field that cannot be sent. The items of a list are short: it is never in the way. */
const INSTEAD: { readonly [Size in Exclude<FieldSize, 'short' | 'items'>]: (statement: string) => Json | Failure } = {
  text: (statement) => statement,
  json: (statement) => statement,
  list: (statement) => [statement],
  failure: (statement) => failure('internal', statement),
};
