/**
 * The facts that a door keeps with a message, in its metadata: the id that its client gave it, and a digest of the content
 * that was sent.
 *
 * CH17, AU16. A message is known again by these, whatever an author's hook makes of its content and its metadata.
 */
import { isObject, type Json, type JsonObject } from './json';

/** The fields that every door keeps. */
export interface SentMessage {
  readonly id: string;
  readonly digest: string;
}

/** The doors that keep facts with a message, each under its name. */
const DOORS = ['chat', 'agui'] as const;

/** The facts that a door has kept in the metadata of a message; empty for a message that came another way. */
export function keptBy(door: (typeof DOORS)[number], metadata: Json | undefined): JsonObject & Partial<SentMessage> {
  const kept = isObject(metadata) ? metadata[door] : undefined;
  if (!isObject(kept)) return {};
  const { id, digest } = kept;
  // A caller of the API may have put anything in their place.
  return typeof id === 'string' && typeof digest === 'string' ? { ...kept, id, digest } : {};
}

/** Other metadata for a message, with the facts that a door has kept; undefined where these cannot hold them. */
export function withKept(before: Json | undefined, given: Json): Json | undefined {
  const kept = DOORS.flatMap((door) => {
    const { id, digest } = keptBy(door, before);
    return id === undefined || digest === undefined ? [] : [[door, { id, digest }] as const];
  });
  if (kept.length === 0) return given;
  const rest = given === null ? {} : given;
  if (!isObject(rest)) return undefined;
  const facts = kept.map(([door, own]) => {
    const { [door]: said } = rest;
    return [door, isObject(said) ? { ...said, ...own } : own] as const;
  });
  return { ...rest, ...Object.fromEntries(facts) };
}
