/**
 * Messages as hooks are told of them, and what may be changed of one.
 *
 * Keeps HK20.
 *
 * CH17, AU16. A door knows a message again by the id and the digest in its metadata, which stay when a hook returns others.
 */
import { isObject, type Json, type JsonObject } from '../../../protocol/json';
import type { UserPart } from '../../../protocol/messages';
import type { SideName } from '../../../protocol/sides';

/** A message of a session: a received one, or a reply of its model (`assistant`, whose content is its text). */
export interface HookedMessage {
  readonly messageId: string;
  readonly role: 'user' | 'system' | 'assistant';
  readonly content: string | readonly UserPart[];
  /** The author: `agent` is the session's own code, or its model if the role is `assistant`. */
  readonly from: 'caller' | 'parent' | 'child' | 'agent' | 'offshoot';
  readonly metadata?: Json;
  /** The side that it is for, if the agent has two sides. */
  readonly to?: SideName;
  /** Shown only to the model. */
  readonly silent?: true;
  /** The paths of its files. */
  readonly files?: readonly string[];
  /** The calls of a reply. */
  readonly calls?: readonly { readonly toolName: string; readonly input: Json }[];
}

/** The fields of a message that can be changed. */
export interface MessageChanges {
  readonly content?: HookedMessage['content'];
  readonly metadata?: Json;
}

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
