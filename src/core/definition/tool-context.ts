/**
 * What authors' code is given while it runs: the context of a tool's body, and the files of its agent.
 *
 * Keeps CL5.
 */
import type { Json } from '../../protocol/json';
import type { ThreadState } from './thread-state';

/**
 * What a tool's body may use. `State` is what the body needs of the custom state of its agent, `Env` what it needs of the
 * Worker's environment; a tool that says neither is for every agent.
 *
 * After a stop, or once the body's time is up, `abortSignal` aborts; when its result is not waited for any more,
 * `updateState`, `emit` and `emitCustom` throw an OffshootError (`stale_epoch`, `interrupted`, `aborted` or
 * `terminated`) and change nothing.
 * @example
 * const countOf = (context: ToolContext<{ count: number }>): number => context.getState().count;
 */
export interface ToolContext<State = unknown, Env = unknown> extends CapabilityContext {
  /** The agent's custom state, as committed last. */
  getState(): State;
  /**
   * Changes the custom state; committed before it returns, shown as a `state_patch` chunk. Give back all of it: the
   * `stateSchema` of the agent checks it, and what that makes of it is kept.
   * @throws OffshootError `invalid_input` for what is no JSON or does not fit, `payload_too_large`; the state stays as it was
   */
  updateState(change: (state: State) => State): void;
  /** Shows free text about what the agent does now (`statusText`); past 1,000 characters it is cut. */
  emit(statusText: string): void;
  /** Sends a `custom` chunk. @throws OffshootError `invalid_input` for data that are no JSON or a name over 128 characters */
  emitCustom(name: string, data: Json): void;
  /** Aborts when the call is stopped, timed out or superseded. */
  readonly abortSignal: AbortSignal;
  /** The same for every body of this call: give it to whatever you call. */
  readonly idempotencyKey: string;
  /** What a person agreed to, where the call needed it. */
  readonly approval?: { readonly at: number; readonly actor?: string; readonly reason?: string };
  /**
   * Who asked for the run, as the access check named them: of a sub-agent who asked for the run above it, of a resumed
   * run who resumed it. Missing where nobody is known.
   */
  readonly caller?: string;
  /**
   * The trace that the run belongs to (W3C `traceparent`): send it on as that header. Missing where who asked for the run
   * named none.
   */
  readonly traceparent?: string;
  /** The agent whose body it is: the name of its definition, its session, its address and the run. */
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
   * The value of a variable: what the session was given, else what the agent brings along (`env`), else what the agents
   * above were given, else the Worker's own; undefined where there is none. In what the body says and in the files that it
   * writes from then on, the name of a `secret` stands for its value.
   * @throws OffshootError `no_encryption_key` for a value that cannot be opened any more, `unavailable`, `gone`
   */
  variable(name: string): Promise<string | undefined>;
  /** The session that the body works for: its children, its parent and its queue. */
  readonly thread: ThreadState;
  /** Adds what this call spent elsewhere. */
  recordUsage(usage: { inputTokens?: number; outputTokens?: number; costUsd?: number }): void;
}

/** The methods that capabilities add to the context of bodies: one table for authors, whoever implements them. */
export interface CapabilityContext {
  /**
   * Schedules an effect of the agent (`defineEffect`) and returns its id; committed before it resolves. It runs `delayMs`
   * from now (at once by default, at most a year), whatever the agent does then, and no model hears of it. A body that is
   * repeated schedules the same ones under the same ids.
   * @throws OffshootError `unknown_effect`, `invalid_input` for arguments or a delay that do not fit, `payload_too_large`,
   *   `too_many_effects`, `terminated`
   */
  scheduleEffect(name: string, args: unknown, delayMs?: number): Promise<string>;
  /** The effects of the agent that are not done yet, all or those of that name; the earliest first. */
  getScheduledEffects(name?: string): Promise<readonly ScheduledEffect[]>;
  /** Removes an effect, also while it runs (its signal aborts); false where there is none of that id. */
  removeScheduledEffect(id: string): Promise<boolean>;
}

/** The names of those methods. */
export const CAPABILITY_METHODS: { readonly [Method in keyof CapabilityContext]: true } = {
  scheduleEffect: true,
  getScheduledEffects: true,
  removeScheduledEffect: true,
};

/** An effect that is not done yet. Times are in ms since 1970. */
export interface ScheduledEffect {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
  readonly scheduledAt: number;
  /** When it is done, or tried again. */
  readonly dueAt: number;
  /** How often it was begun. */
  readonly tries: number;
}

/**
 * What the body of an effect may use. It has no part in a run: there is no stream to write to, and nobody waits for it.
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
  /** Aborts when the effect is taken back, takes too long, or its agent is ended for good. */
  readonly abortSignal: AbortSignal;
  /** The same for every try of this effect: give it to whatever you call. */
  readonly idempotencyKey: string;
  /** Which try this is, from 1. */
  readonly attempt: number;
  readonly agent: Pick<ToolContext['agent'], 'type' | 'sessionId' | 'address'>;
}

/**
 * A file without its bytes. `updatedAt` is in ms since 1970. `version` is that which the model reads: the first 16 digits of
 * the `etag` over HTTP, which is the SHA-256 of the content in hex.
 */
export interface ToolFileInfo {
  readonly path: string;
  readonly size: number;
  readonly mediaType: string;
  readonly version: string;
  readonly updatedAt: number;
}

/** Bytes of a file, from 0; what is missing means from the beginning, and to the end. */
export interface ToolFileRange {
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
}

/**
 * The files that an agent works on, as its tools see them: those that its tools and its model wrote, and those that people
 * put there; with `inheritWorkspace` those of its parent. Paths are relative; reading or removing a missing file is an `OffshootError` `not_found`, a range that begins behind the end
 * `invalid_request`.
 */
export interface ToolFiles {
  list(prefix?: string): Promise<readonly ToolFileInfo[]>;
  /** What the file is; undefined where there is none. */
  stat(path: string): Promise<ToolFileInfo | undefined>;
  /** The bytes, whole or a part. @throws `payload_too_large` for more than `maxReadBytes` (16 MiB by default) */
  read(path: string, range?: ToolFileRange): Promise<Uint8Array>;
  /** The same as text of UTF-8; what is none, such as a character that the range cuts, becomes U+FFFD. */
  readText(path: string, range?: ToolFileRange): Promise<string>;
  /**
   * The bytes in pieces of at most 1 MiB, each read when it is asked for, of a file of any size. It stays the version
   * that it was opened as. Read it to the end or cancel it.
   */
  stream(path: string, range?: ToolFileRange): Promise<ReadableStream<Uint8Array>>;
  /**
   * Writes a file, whole or not at all. A stream may have any number of bytes up to `maxFileBytes`; `size` says how many it
   * must have. `ifVersion` writes only over that version, or with null only where there is no file yet: others may work on
   * the same files.
   * @throws `file_changed` for another version than `ifVersion`, `payload_too_large`, `too_many_files`
   */
  write(
    path: string,
    content: string | Uint8Array | ReadableStream<Uint8Array>,
    options?: { mediaType?: string; ifVersion?: string | null; size?: number },
  ): Promise<ToolFileInfo>;
  /** Removes a file, with `ifVersion` only that version of it. @throws `not_found`, `file_changed` */
  remove(path: string, options?: { ifVersion?: string }): Promise<void>;
}
