/**
 * Messages as hooks are told of them, and what may be changed of one.
 *
 * Keeps HK20.
 */
import type { Json } from '../../protocol/json';
import type { UserPart } from '../../protocol/messages';
import type { SideName } from '../../protocol/sides';

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
