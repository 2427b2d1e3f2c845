/** Digests of JSON: the same for the same content, whatever the order of its keys. */
import { createHash } from 'node:crypto';
import { canonical, type JsonLike } from '../protocol/json';

/** Of a body, as a receipt compares it. */
export function digestOf(body: JsonLike): string {
  return createHash('sha256').update(canonical(body)).digest('base64url');
}
