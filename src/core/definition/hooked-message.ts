/**
 * Messages as hooks are told of them, and what may be changed of one.
 *
 * Keeps HK20.
 */
import type { Json } from '../../protocol/json';
import type { UserPart } from '../../protocol/messages';
import type { SideName } from '../../protocol/sides';

/** A message of a session: one that came, or a reply of its model (`assistant`, whose content is its text). */
export interface HookedMessage {
  readonly messageId: string;
  readonly role: 'user' | 'system' | 'assistant';
  readonly content: string | readonly UserPart[];
  /** Who wrote it: `agent` is the session's own code, or with the role `assistant` its model. */
  readonly from: 'caller' | 'parent' | 'child' | 'agent' | 'offshoot';
  readonly metadata?: Json;
  /** The side that it is for, where the agent has two. */
  readonly to?: SideName;
  /** It is for the model alone. */
  readonly silent?: true;
  /** The paths of the files that came with it. */
  readonly files?: readonly string[];
  /** What a reply calls. */
  readonly calls?: readonly { readonly toolName: string; readonly input: Json }[];
}

/** What may be changed of a message. */
export interface MessageChanges {
  readonly content?: HookedMessage['content'];
  readonly metadata?: Json;
}
