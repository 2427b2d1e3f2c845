/**
 * What authors' code is given while it runs: the context of a tool's body, and the files of its agent.
 *
 * Keeps CL5.
 */
import type { Json } from '../../protocol/json';
import type { ThreadState } from './thread-state';

/**
 * The context of a tool. `State` is the part of the agent's custom state that the tool needs, `Env` the part of the
 * Worker's environment. A tool that specifies neither works with every agent.
 *
 * After a stop or a timeout, `abortSignal` aborts. Once the result is no longer awaited, `updateState`, `emit` and
 * `emitCustom` throw an OffshootError (`stale_epoch`, `interrupted`, `aborted` or `terminated`) and change nothing.
 * @example
 * const countOf = (context: ToolContext<{ count: number }>): number => context.getState().count;
 */
export interface ToolContext<State = unknown, Env = unknown> extends CapabilityContext {
  /** Returns the agent's last committed custom state. */
  getState(): State;
  /**
   * Changes the custom state; the change is committed before it returns, and appears as a `state_patch` chunk. Return
   * the whole state: the agent's `stateSchema` parses it, and its output is stored.
   * @throws OffshootError `invalid_input` for a value that is not JSON or does not fit, `payload_too_large`; the state
   *   then does not change
   */
  updateState(change: (state: State) => State): void;
  /** Sets the status line of the agent (`statusText`); longer than 1,000 characters, it is cut. */
  emit(statusText: string): void;
  /**
   * Sends a `custom` chunk. @throws OffshootError `invalid_input` for data that is not JSON, or a name of more than 128
   * characters
   */
  emitCustom(name: string, data: Json): void;
  /** Aborts when the call is stopped, timed out or superseded. */
  readonly abortSignal: AbortSignal;
  /** The idempotency key, the same for every execution of this call. Pass it to the services that you call. */
  readonly idempotencyKey: string;
  /** The decision that allowed the call, if it needed approval. */
  readonly approval?: { readonly at: number; readonly actor?: string; readonly reason?: string };
  /**
   * The caller who started the run, as the access check named them. For a sub-agent, the caller of the run above; for a
   * resumed run, the caller who resumed it. Absent if unknown.
   */
  readonly caller?: string;
  /** The trace of the run (W3C `traceparent`). Pass it on in that header. Absent if the caller sent none. */
  readonly traceparent?: string;
  /** The agent that makes the call: the name of its definition, its session, its address and the run. */
  readonly agent: {
    readonly type: string;
    readonly sessionId: string;
    readonly address: string;
    readonly runId: string;
  };
  /** The agent's persistent files. */
  readonly files: ToolFiles;
  /** The Worker's bindings and variables. */
  readonly env: Env;
  /**
   * The value of a variable, undefined if there is none. It comes from the session, or else the agent's `env`, the
   * agents above, or the Worker's own variables, in this order. After this call, the value of a `secret` is replaced by
   * its name in everything that the code returns or writes.
   * @throws OffshootError `no_encryption_key` for a value that can no longer be decrypted, `unavailable`, `gone`
   */
  variable(name: string): Promise<string | undefined>;
  /** The session of the call: its children, its parent and its queue. */
  readonly thread: ThreadState;
  /** Adds the costs of this call at other services. */
  recordUsage(usage: { inputTokens?: number; outputTokens?: number; costUsd?: number }): void;
}

/** Methods that capabilities add to the context of tools, hooks and effects. */
export interface CapabilityContext {
  /**
   * Schedules an effect of the agent (`defineEffect`), and resolves with its id once it is committed. It runs `delayMs`
   * from now (at once by default, at most a year), even if the agent is busy or idle then, and no model sees it. A tool
   * that is repeated after a crash schedules its effects under the same ids.
   * @throws OffshootError `unknown_effect`, `invalid_input` for arguments or a delay that do not fit, `payload_too_large`,
   *   `too_many_effects`, `terminated`
   */
  scheduleEffect(name: string, args: unknown, delayMs?: number): Promise<string>;
  /** The agent's pending effects, or those with that name, earliest first. */
  getScheduledEffects(name?: string): Promise<readonly ScheduledEffect[]>;
  /** Cancels an effect, even while it runs (its signal aborts); false if none has that id. */
  removeScheduledEffect(id: string): Promise<boolean>;
}

/** The names of those methods. */
export const CAPABILITY_METHODS: { readonly [Method in keyof CapabilityContext]: true } = {
  scheduleEffect: true,
  getScheduledEffects: true,
  removeScheduledEffect: true,
};

/** A pending effect. Times are in ms since 1970. */
export interface ScheduledEffect {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
  readonly scheduledAt: number;
  /** When it runs, or is tried again. */
  readonly dueAt: number;
  /** The number of tries so far. */
  readonly tries: number;
}

/**
 * The context of an effect. An effect belongs to no run: it has no stream to write to, and nothing waits for it.
 * @example
 * const isRepeated = ({ attempt }: EffectContext): boolean => attempt > 1;
 */
export interface EffectContext<State = unknown, Env = unknown>
  extends Pick<
    ToolContext<State, Env>,
    | 'getState'
    | 'files'
    | 'env'
    | 'variable'
    | 'thread'
    | 'recordUsage'
    | 'scheduleEffect'
    | 'getScheduledEffects'
    | 'removeScheduledEffect'
  > {
  /** Aborts when the effect is cancelled, takes too long, or its agent is terminated. */
  readonly abortSignal: AbortSignal;
  /** The idempotency key, the same for every try of this effect. Pass it to the services that you call. */
  readonly idempotencyKey: string;
  /** The number of this try, from 1. */
  readonly attempt: number;
  readonly agent: Pick<ToolContext['agent'], 'type' | 'sessionId' | 'address'>;
}

/**
 * A file without its bytes. `updatedAt` is in ms since 1970. `version`, which the model reads, is the first 16 digits
 * of the `etag` over HTTP: the SHA-256 of the content in hex.
 */
export interface ToolFileInfo {
  readonly path: string;
  readonly size: number;
  readonly mediaType: string;
  readonly version: string;
  readonly updatedAt: number;
}

/** A range of bytes, from 0. The defaults are the beginning and the end of the file. */
export interface ToolFileRange {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
}

/**
 * The files of an agent: those that its tools, its model and people wrote; with `inheritWorkspace`, those of its
 * parent. Paths are relative. Reading or removing a missing file throws an `OffshootError` `not_found`; a range that
 * begins past the end, `invalid_request`.
 */
export interface ToolFiles {
  list(prefix?: string): Promise<readonly ToolFileInfo[]>;
  /** The file's metadata; undefined if there is no such file. */
  stat(path: string): Promise<ToolFileInfo | undefined>;
  /** The bytes, whole or a part. @throws `payload_too_large` for more than `maxReadBytes` (16 MiB by default) */
  read(path: string, range?: ToolFileRange): Promise<Uint8Array>;
  /** The same, decoded as UTF-8. Invalid bytes, such as a character that the range splits, become U+FFFD. */
  readText(path: string, range?: ToolFileRange): Promise<string>;
  /**
   * A stream of a file of any size, in pieces of at most 1 MiB that are read on demand. It stays at the version that
   * was opened. Read it to the end or cancel it.
   */
  stream(path: string, range?: ToolFileRange): Promise<ReadableStream<Uint8Array>>;
  /**
   * Writes a file, completely or not at all. A stream can be up to `maxFileBytes` long; `size` is its exact number of
   * bytes. `ifVersion` overwrites only that version; null only creates a new file. Use it if others work on the same
   * files.
   * @throws `file_changed` if the version is not `ifVersion`, `payload_too_large`, `too_many_files`
   */
  write(
    path: string,
    content: string | Uint8Array | ReadableStream<Uint8Array>,
    options?: { mediaType?: string; ifVersion?: string | null; size?: number },
  ): Promise<ToolFileInfo>;
  /** Removes a file; with `ifVersion`, only that version. @throws `not_found`, `file_changed` */
  remove(path: string, options?: { ifVersion?: string }): Promise<void>;
}
