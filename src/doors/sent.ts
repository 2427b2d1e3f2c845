/**
 * The facts that a door keeps with a message: the id that its client gave it, and a digest of the content that was sent.
 *
 * CH17, AU16. A message is known again by these. Its content may differ from what was sent, since a hook may change it.
 */
import { createHash } from 'node:crypto';
import { canonical, isObject, type Json, type JsonLike, type JsonObject } from '../protocol/json';

/** The fields that every door keeps. */
export interface SentMessage {
  readonly id: string;
  readonly digest: string;
}

/** The same for the same content, whatever the order of its keys. */
export const digestOf = (content: JsonLike): string =>
  createHash('sha256').update(canonical(content)).digest('base64url');

/** The facts that a door has kept in the metadata of a message; empty for a message that came another way. */
export function keptBy(door: 'chat' | 'agui', metadata: Json | undefined): JsonObject & Partial<SentMessage> {
  const kept = isObject(metadata) ? metadata[door] : undefined;
  if (!isObject(kept)) return {};
  const { id, digest } = kept;
  // An author's hook may have put anything in their place.
  return typeof id === 'string' && typeof digest === 'string' ? { ...kept, id, digest } : {};
}
