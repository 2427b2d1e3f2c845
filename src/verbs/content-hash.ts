/**
 * Digests of JSON: the same for the same content, whatever the order of its keys.
 *
 * Keeps A18.
 */
import { createHash } from 'node:crypto';
import { canonical, type JsonLike } from '../protocol/json';

/** Of a body, as a receipt compares it: of variables their names, because a digest of a short value gives that away. */
export function digestOf(body: JsonLike): string {
  return createHash('sha256')
    .update(canonical(withoutValues(body)))
    .digest('base64url');
}

function withoutValues(body: JsonLike): JsonLike {
  if (typeof body !== 'object' || body === null || !('env' in body)) return body;
  const { env } = body;
  if (typeof env !== 'object' || env === null) return body;
  return { ...body, env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value === null])) };
}
