/**
 * The shapes of a message that arrived; types alone. What the framework says itself is in task.ts (notices) and
 * answer.ts.
 *
 * Keeps DL1.
 */
import type { Json } from '../../protocol/json';
import type { MessageRole, UserPart } from '../../protocol/messages';
import type { SideName } from '../../protocol/sides';

/** A file that goes with a message or an end, as whoever gets it has it. */
export interface Enclosure {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly mediaType: string;
  /** SHA-256 of the content, in hex. */
  readonly etag: string;
}

/** What the files of an agent are that somebody asked about, by path. */
export type KnownFiles = { readonly [path: string]: Omit<Enclosure, 'path'> };

/** What came with the end of a task: files, or why they could not be brought. */
export type Brought = { readonly files: readonly Enclosure[] } | { readonly failed: string };

/** A message that arrived, in order of arrival. */
export interface InboundMessage {
  /** From 1, over the whole session; order of delivery. */
  readonly id: number;
  readonly messageId: string;
  readonly role: MessageRole;
  readonly content: string | readonly UserPart[];
  /** Who sent it: `caller`, `parent`, a child, the agent's own code (`agent`), or `offshoot` for what the framework adds. */
  readonly from: 'caller' | 'parent' | 'child' | 'agent' | 'offshoot';
  readonly at: number;
  readonly metadata?: Json;
  /** The side that it is for, where the agent has two; the first by default. */
  readonly to?: SideName;
  /** It begins a turn of a root at rest (CO9). */
  readonly wakes?: true;
  /** For the model, not for people who read the transcript. */
  readonly silent?: true;
  /** Files that came with it. */
  readonly files?: readonly Enclosure[];
  /** How many of the hooks that it passes before a step sees it have ended; none where this is missing. */
  readonly hooked?: number;
}

/** What a parent tells its child: numbered over the life of the child, so that each is taken once (CO4). */
export interface Mail {
  /** From 1. */
  readonly number: number;
  readonly message: NewMessage;
  /** The call that wrote it. */
  readonly callId: string;
}

/** What is told with the end of a run of what it was told. */
export interface MailFacts {
  /** The number of the last message that was taken; 0 before the first. */
  readonly taken: number;
  /** How many messages no step has seen. */
  readonly unseen: number;
}

/** A message on its way in; its id and time are set when it is accepted. */
export type NewMessage = Pick<
  InboundMessage,
  'messageId' | 'role' | 'content' | 'from' | 'metadata' | 'to' | 'wakes' | 'silent' | 'files'
>;
