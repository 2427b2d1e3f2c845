/**
 * A session as code sees it that works for it (Standard Agents: `ThreadState`): what it has below and above it, and its
 * queue.
 *
 * Keeps SAW36, SA51.
 */
import type { Json } from '../../protocol/json';
import type { SessionStatus } from '../../protocol/status';
import type { MessageChanges } from './hooked-message';

/** A child as Standard Agents have it in a registry. `createdAt` is in microseconds since 1970. */
export interface SubagentRegistryEntry {
  readonly reference: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly resumable: boolean;
  readonly blocking: boolean;
  readonly threadName?: string;
  readonly spawnGroupId?: string;
  readonly createdAt: number;
  /** Its last word on how far it is (`sessionStatus`) while it works; else its lifecycle. */
  readonly status: string;
  /** Its state, whatever it says of itself. */
  readonly lifecycle: 'running' | 'idle' | 'failed' | 'awaiting_input' | 'terminated';
}

/** A message for a session. */
export interface QueueMessageInput {
  /** Whose word it is to a session of two sides: the user's is for the first side, the assistant's for the second. */
  readonly role: 'user' | 'assistant';
  /** At least one character; at most `maxMessageBytes`. */
  readonly content: string;
  /** The side that it is for, where `role` does not say it. */
  readonly side?: 'side_a' | 'side_b';
  /** It is for the model, and not shown to people who read along. `false` by default. */
  readonly silent?: boolean;
  /** Kept with it; at most 16 KB. */
  readonly metadata?: Json;
}

/** A message with files of the session whose code queues it. */
export interface QueueFilesInput extends QueueMessageInput {
  /**
   * Paths of files of the session whose code queues it, at most 20, `[]` for none: a child has copies of them as they are
   * now, under paths of its own, with the message.
   */
  readonly attachments?: readonly string[];
}

/** A session that takes messages. */
export interface MessageQueue<Input extends QueueMessageInput = QueueMessageInput> {
  /** Its id: the address of its agent without `/agents/`, as the routes of threads take it. */
  readonly threadId: string;
  /**
   * Resolves when the message would survive a crash. A session at work sees it before its next step; one at rest takes a turn
   * (one below another: where its parent gives it work). A body that runs again after a crash queues nothing twice, as long
   * as it queues in the same order.
   * @throws OffshootError `terminated`, `inbox_full`, `invalid_input`, `payload_too_large`, `gone`; once nobody waits for
   *   the body any more `stale_epoch` or how it was stopped
   */
  queueMessage(input: Input): Promise<void>;
}

/** What the code of an agent does in a session below it, as the code of that session would. */
export interface ThreadBelow {
  /** Ends it for good, with all below it. One that has ended stays as it is. */
  terminate(): Promise<void>;
  /** A child of it, by the reference in its own registry; null where none of its own has that. @throws OffshootError `gone`, `unavailable` */
  getChildThread(reference: string): Promise<DescendantThread | null>;
  /**
   * Changes a message of it, as `updateMessage` of its own code does, also while it is at rest. Its own hooks of a change
   * are asked.
   * @throws OffshootError `not_found`, `invalid_input`, `terminated`, `gone`, `unavailable`
   */
  updateMessage(messageId: string, changes: MessageChanges): Promise<void>;
}

/** A child of a child, or of one further down. */
export interface DescendantThread extends MessageQueue, ThreadBelow {
  /** As it stood when it was asked for. */
  readonly entry: SubagentRegistryEntry;
  /** When it was ended for good, in microseconds since 1970, as far as was known when it was asked for; else null. */
  readonly terminated: number | null;
}

/** A child of the session, as its parent may treat it. */
export interface ChildThread extends MessageQueue<QueueFilesInput>, ThreadBelow {
  /** As it stands when it is read. */
  readonly entry: SubagentRegistryEntry;
  /** When its parent has ended it for good, or heard that somebody did, in microseconds since 1970; null where it lives. */
  readonly terminated: number | null;
}

/** The parent of the session, as a child may treat it: it can be told something, and nothing else. Files go up with the end of a session. */
export interface ParentThread extends MessageQueue {
  /** How it stood when it was asked for. */
  readonly status: SessionStatus;
  /** What its registry told then of the session that asked; null where that is in no registry. */
  readonly entry: SubagentRegistryEntry | null;
}

/**
 * The session that a body works for.
 * @example
 * const tell = (thread: ThreadState, reference: string) =>
 *   thread.getChildThread(reference).then((child) => child?.queueMessage({ role: 'user', content: 'Hurry.' }));
 */
export interface ThreadState extends MessageQueue<QueueFilesInput> {
  /** Its registry as it is when it is read, in the order in which they began. */
  readonly children: readonly SubagentRegistryEntry[];
  /** When it was ended for good, in microseconds since 1970; null where that has not happened. */
  readonly terminated: number | null;
  /** The child of that reference; null where none of its own has it. */
  getChildThread(reference: string): Promise<ChildThread | null>;
  /** Null for a root, and where the parent is gone. @throws OffshootError `unavailable` */
  getParentThread(): Promise<ParentThread | null>;
  /**
   * Changes what a message says that came to the session, or its metadata, for all later requests: one of the newest 1,000,
   * whether a step has seen it or not. Resolves when that would survive a crash; a summary that was made of it stays.
   * @throws OffshootError `not_found`, `invalid_input`, `terminated`; once nobody waits for the body any more `stale_epoch` or
   *   how it was stopped
   */
  updateMessage(messageId: string, changes: MessageChanges): Promise<void>;
  /** Ends the session for good, with all below it; its memory stays readable. One that has ended stays as it is. */
  terminate(): Promise<void>;
}
