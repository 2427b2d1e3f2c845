/**
 * A session as code sees it that works for it (Standard Agents: `ThreadState`): what it has below and above it, and its
 * queue.
 *
 * Keeps SAW36, SA51.
 */
import type { Json } from '../../protocol/json';
import type { SessionStatus } from '../../protocol/status';
import type { MessageChanges } from './hooks/hooked-message';

/** A child in the form of a Standard Agents registry entry. `createdAt` is in microseconds since 1970. */
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
  /** Its last progress text (`sessionStatus`) while it works; otherwise its lifecycle. */
  readonly status: string;
  /** Its state, independent of its progress text. */
  readonly lifecycle: 'running' | 'idle' | 'failed' | 'awaiting_input' | 'terminated';
}

/** A message for a session. */
export interface QueueMessageInput {
  /** The role. In a session with two sides, `user` addresses the first side and `assistant` the second. */
  readonly role: 'user' | 'assistant';
  /** The text: at least one character, at most `maxMessageBytes`. */
  readonly content: string;
  /** The side that it is for, if `role` does not determine it. */
  readonly side?: 'side_a' | 'side_b';
  /** Shows the message only to the model, not to people. `false` by default. */
  readonly silent?: boolean;
  /** Your own JSON, stored with the message; at most 16 KB. */
  readonly metadata?: Json;
}

/** A message with files of the session whose code queues it. */
export interface QueueFilesInput extends QueueMessageInput {
  /**
   * Paths of files of the session whose code queues the message, at most 20. A child gets copies of them with the
   * message, as they are now, under its own paths.
   */
  readonly attachments?: readonly string[];
}

/** A session that takes messages. */
export interface MessageQueue<Input extends QueueMessageInput = QueueMessageInput> {
  /** The thread's id: the address of its agent without `/agents/`, as in the routes of threads. */
  readonly threadId: string;
  /**
   * Resolves once the message is durable. A working session reads it before its next step. An idle root starts a turn;
   * an idle child reads it when its parent gives it work. Code that runs again after a crash queues nothing twice, as
   * long as it queues in the same order.
   * @throws OffshootError `terminated`, `inbox_full`, `invalid_input`, `payload_too_large`, `gone`; once the call is no
   *   longer awaited, `stale_epoch` or the code of the stop
   */
  queueMessage(input: Input): Promise<void>;
}

/** Actions of an agent's code on a session below it, as if that session's own code did them. */
export interface ThreadBelow {
  /** Terminates the session and all agents below it. A session that has already ended does not change. */
  terminate(): Promise<void>;
  /**
   * Its child with that reference in its own registry; null if there is none. @throws OffshootError `gone`,
   * `unavailable`
   */
  getChildThread(reference: string): Promise<DescendantThread | null>;
  /**
   * Changes one of its messages, as `updateMessage` in its own code does, even while it is idle. Its own hooks for
   * changes are called.
   * @throws OffshootError `not_found`, `invalid_input`, `terminated`, `gone`, `unavailable`
   */
  updateMessage(messageId: string, changes: MessageChanges): Promise<void>;
}

/** A descendant below a direct child. */
export interface DescendantThread extends MessageQueue, ThreadBelow {
  /** Its registry entry at the time of the request. */
  readonly entry: SubagentRegistryEntry;
  /** When it was terminated, in microseconds since 1970, as known at the time of the request; null if it was not. */
  readonly terminated: number | null;
}

/** A child of the session, with the actions that its parent may take. */
export interface ChildThread extends MessageQueue<QueueFilesInput>, ThreadBelow {
  /** Its current registry entry, read at each access. */
  readonly entry: SubagentRegistryEntry;
  /**
   * When its parent terminated it, or learned that somebody did, in microseconds since 1970; null if it was not
   * terminated.
   */
  readonly terminated: number | null;
}

/**
 * The parent of the session. A child can only send it messages and read its status. Files are returned at the end of a
 * session.
 */
export interface ParentThread extends MessageQueue {
  /** Its status at the time of the request. */
  readonly status: SessionStatus;
  /** The entry of this session in the parent's registry at that time; null if it has none. */
  readonly entry: SubagentRegistryEntry | null;
}

/**
 * The session for which the code runs.
 * @example
 * const tell = (thread: ThreadState, reference: string) =>
 *   thread.getChildThread(reference).then((child) => child?.queueMessage({ role: 'user', content: 'Hurry.' }));
 */
export interface ThreadState extends MessageQueue<QueueFilesInput> {
  /** The current registry, read at each access, in the order in which the children began. */
  readonly children: readonly SubagentRegistryEntry[];
  /** When the session was terminated, in microseconds since 1970; null if it was not. */
  readonly terminated: number | null;
  /** The session's own child with that reference; null if there is none. */
  getChildThread(reference: string): Promise<ChildThread | null>;
  /** The parent; null for a root, and if the parent is gone. @throws OffshootError `unavailable` */
  getParentThread(): Promise<ParentThread | null>;
  /**
   * Changes the content or metadata of a received message for all later requests. It must be one of the newest 1,000; a
   * step may have read it already. Resolves once the change is durable. A summary made from the old text does not
   * change.
   * @throws OffshootError `not_found`, `invalid_input`, `terminated`; once the call is no longer awaited, `stale_epoch`
   *   or the code of the stop
   */
  updateMessage(messageId: string, changes: MessageChanges): Promise<void>;
  /**
   * Terminates the session and all agents below it; its data stays readable. A session that has already ended does not
   * change.
   */
  terminate(): Promise<void>;
}
