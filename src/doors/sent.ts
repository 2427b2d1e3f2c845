/**
 * A digest of the content that a client of a door has sent.
 *
 * Keeps CH17, AU16.
 */
import { createHash } from 'node:crypto';
import { canonical, type JsonLike } from '../protocol/json';

/** The same for the same content, whatever the order of its keys. */
export const digestOf = (content: JsonLike): string =>
  createHash('sha256').update(canonical(content)).digest('base64url');
