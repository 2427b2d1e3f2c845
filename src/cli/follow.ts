/**
 * Following a run: one event stream after the other, each from the sequence after the last one held, until the
 * server says that the run has ended. A lost connection loses nothing and repeats nothing.
 */
import { type Chunk, chunkBaseSchema, chunkSchema, isChunkType, type SequencedChunk } from '../protocol/chunks';
import { isObject, type Json } from '../protocol/json';
import { isAtRest, isEndChunk, isSuspended } from '../protocol/status';
import { backoffOf, GIVE_UP_MS } from './again';
import { ProtocolError, Refused, Unreachable } from './cli-error';
import { type Api, openStream, requestJson } from './http';
import { type SseEvent, SseParser, SseTooLong } from './sse';

/** What a follower tells while it follows. Nothing is told twice. */
export interface FollowEvents {
  /** The next chunk. `missing` is how many sequences before it the server does not give any more. */
  onChunk(entry: SequencedChunk, missing: number): void;
  /** What was held before `from` is void: the log begins there now. */
  onReset(from: number): void;
  /** All that has happened so far was told. */
  onUpToDate(): void;
  /** The connection was lost (with the reason) or found again (undefined). */
  onConnection(problem: string | undefined): void;
  /** The run is suspended with that status: whether to follow it on until it ends. Without it, no. */
  onSuspended?(status: string): Promise<boolean>;
}

/** What a follower needs. Times are in ms. */
export interface FollowOptions {
  readonly api: Api;
  /** The address to follow, as in `/agents/coordinator/x`. */
  readonly address: string;
  readonly signal: AbortSignal;
  now(): number;
  /** Settles after that time, at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Without any byte for so long, a connection counts as lost: three heartbeats of the server. Default 45 s. */
  readonly stallMs?: number;
  /** Without a connection for so long, the server counts as gone. Default 60 s. */
  readonly giveUpMs?: number;
}

const STALL_MS = 45_000;
const OPEN_TIMEOUT_MS = 15_000;
/** Streams that bring nothing new, one after the other, before the next one waits in any case. */
const FREE_IDLE_STREAMS = 3;

type StreamEnd =
  | { readonly kind: 'ended'; readonly status: string }
  | { readonly kind: 'reset' }
  | { readonly kind: 'gap' }
  /** A suspended run goes on, is suspended anew or has ended: whether the stream is over is for the server to tell. */
  | { readonly kind: 'turned' }
  /** `inOrder`: the server closed it, but without a word. */
  | { readonly kind: 'cut'; readonly problem: string; readonly inOrder: boolean };

/**
 * Follows until the run has ended, or is suspended and not to be followed on, and gives its status.
 * @throws {Refused} when the server refuses for good (unknown address, no access)
 * @throws {Unreachable} when it cannot be reached for `giveUpMs`
 * @throws {ProtocolError} when what it sends makes no sense
 * @throws the signal's reason when it aborts
 */
export async function follow(options: FollowOptions, events: FollowEvents): Promise<string> {
  const follower = new Follower(options, events);
  return follower.run();
}

class Follower {
  readonly #options: FollowOptions;
  readonly #events: FollowEvents;
  /** In a subtree's log the sequences of other agents are left out. */
  readonly #filtered: boolean;
  #last = 0;
  /** The sequence at which the server left something out before; asked again, it may go on without it. */
  #gapAt = 0;
  #lastContact: number;
  #failures = 0;
  #idleStreams = 0;
  /** Streams that were closed in order, one after the other, with nothing new in them. */
  #emptyStreams = 0;
  /** The run is suspended and followed on: the server holds the stream open meanwhile. */
  #patient = false;
  /** How the agent waits, as the open stream told. */
  #waitsAs: string | undefined;

  constructor(options: FollowOptions, events: FollowEvents) {
    this.#options = options;
    this.#events = events;
    this.#filtered = options.address.includes('/sub/');
    this.#lastContact = options.now();
  }

  async run(): Promise<string> {
    for (;;) {
      const before = this.#last;
      const end = await this.#oneStream();
      if (end.kind === 'ended') {
        // A patient stream has no end: a server that ends it all the same is not asked without a pause.
        const early = this.#patient && this.#last === before;
        if (!(await this.#staysAt(end.status))) return end.status;
        if (early) await this.#backOff('The stream brings nothing new.');
        continue;
      }
      if (end.kind === 'turned') {
        this.#patient = false;
        continue;
      }
      const idle = this.#last === before;
      this.#idleStreams = idle ? this.#idleStreams + 1 : 0;
      this.#emptyStreams = idle && end.kind === 'cut' && end.inOrder ? this.#emptyStreams + 1 : 0;
      if (end.kind === 'cut') {
        const status = await this.#endWithoutWord();
        if (status !== undefined && !(await this.#staysAt(status))) return status;
        await this.#backOff(end.problem);
      } else if (this.#idleStreams > FREE_IDLE_STREAMS) {
        await this.#backOff('The stream brings nothing new.');
      }
    }
  }

  async #staysAt(status: string): Promise<boolean> {
    if (!isSuspended(status)) return false;
    const stays = (await this.#events.onSuspended?.(status)) ?? false;
    this.#options.signal.throwIfAborted();
    this.#patient = stays;
    return stays;
  }

  async #oneStream(): Promise<StreamEnd> {
    const { api, address, signal } = this.#options;
    try {
      const path = `${address}/stream?from=${this.#last + 1}${this.#patient ? '&follow=1' : ''}`;
      const response = await openStream(api, path, { timeoutMs: OPEN_TIMEOUT_MS, signal });
      return await this.#read(response);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Unreachable) return { kind: 'cut', problem: error.message, inOrder: false };
      if (error instanceof Refused && mayPass(error)) {
        return { kind: 'cut', problem: error.message, inOrder: false };
      }
      if (error instanceof SseTooLong) throw new ProtocolError(error.message);
      throw error;
    }
  }

  async #read(response: Response): Promise<StreamEnd> {
    const { signal, stallMs = STALL_MS } = this.#options;
    const parser = new SseParser();
    const reader = response.body?.getReader();
    if (reader === undefined) return { kind: 'cut', problem: 'The stream has no body.', inOrder: false };
    let told = false;
    this.#waitsAs = undefined;
    try {
      for (;;) {
        const next = await within(reader.read(), stallMs, signal);
        if (next === 'stalled') return { kind: 'cut', problem: 'The server has gone silent.', inOrder: false };
        if (next.done) {
          // A server that told how the agent waits, and did not stay.
          if (this.#waitsAs !== undefined) return { kind: 'ended', status: this.#waitsAs };
          return { kind: 'cut', problem: 'The connection was closed.', inOrder: true };
        }
        this.#lastContact = this.#options.now();
        this.#failures = 0;
        if (!told) this.#events.onConnection(undefined);
        told = true;
        for (const event of parser.push(next.value)) {
          const end = this.#take(event);
          if (end !== undefined) return end;
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ProtocolError || error instanceof SseTooLong) throw error;
      return { kind: 'cut', problem: 'The connection was lost.', inOrder: false };
    } finally {
      // A stream that is left behind must not hold its connection; that it may be broken already is all the same.
      await reader.cancel().catch(() => undefined);
    }
  }

  #take(event: SseEvent): StreamEnd | undefined {
    switch (event.event) {
      case 'message':
      case 'chunk':
        return this.#takeChunk(event);
      case 'reset': {
        const from = numberIn(event, 'from');
        if (from === this.#last + 1) throw new ProtocolError('it resets a reader to where the reader is.');
        this.#last = from - 1;
        this.#events.onReset(from);
        return { kind: 'reset' };
      }
      case 'up-to-date':
        this.#events.onUpToDate();
        return undefined;
      case 'end': {
        const data = dataOf(event);
        const status = isObject(data) ? data.status : undefined;
        if (typeof status !== 'string') throw new ProtocolError('its `end` tells no status.');
        // A stream that stays open tells how the agent waits, and goes on.
        this.#waitsAs = isSuspended(status) ? status : undefined;
        return this.#patient && this.#waitsAs !== undefined ? undefined : { kind: 'ended', status };
      }
      default:
        return undefined;
    }
  }

  #takeChunk(event: SseEvent): StreamEnd | undefined {
    const sequence = /^[1-9]\d{0,15}$/u.test(event.id) ? Number(event.id) : 0;
    if (sequence === 0) throw new ProtocolError('a chunk has no sequence.');
    if (sequence <= this.#last) return undefined;
    const missing = this.#filtered ? 0 : sequence - this.#last - 1;
    if (missing > 0 && this.#gapAt !== this.#last + 1) {
      this.#gapAt = this.#last + 1;
      return { kind: 'gap' };
    }
    const chunk = dataOf(event);
    if (!isChunk(chunk)) throw new ProtocolError(`chunk ${sequence} is not as it should be.`);
    this.#last = sequence;
    this.#events.onChunk({ sequence, chunk }, missing);
    const turned = chunk.address === this.#options.address && (isEndChunk(chunk) || TURNS.has(chunk.type));
    return this.#patient && turned ? { kind: 'turned' } : undefined;
  }

  /** A stream that closed without its `end`: the status document tells whether more is to come. */
  async #endWithoutWord(): Promise<string | undefined> {
    const { api, address, signal } = this.#options;
    try {
      const document = await requestJson(api, `${address}/status`, { timeoutMs: OPEN_TIMEOUT_MS, signal });
      this.#lastContact = this.#options.now();
      const { status, lastSequence } = document;
      if (typeof status !== 'string' || !isAtRest(status)) return undefined;
      // The server holds a patient stream open: one that closed was cut, and is opened again.
      if (this.#patient && isSuspended(status)) return undefined;
      const complete = typeof lastSequence === 'number' && lastSequence <= this.#last;
      return complete || this.#emptyStreams > 1 ? status : undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refused && !mayPass(error)) throw error;
      return undefined;
    }
  }

  async #backOff(problem: string): Promise<void> {
    const { now, wait, signal, giveUpMs = GIVE_UP_MS } = this.#options;
    const silent = now() - this.#lastContact;
    if (silent >= giveUpMs) {
      throw new Unreachable(`${problem}\nThe server has been gone for ${Math.round(silent / 1000)} s.`);
    }
    this.#events.onConnection(problem);
    const backoff = backoffOf(Math.max(this.#failures, this.#idleStreams - 1));
    this.#failures += 1;
    await wait(backoff, signal);
    signal.throwIfAborted();
  }
}

const TURNS: ReadonlySet<string> = new Set(['suspended', 'unsuspended']);

/** Whether the same request may be answered later. A server without access configured waits for its owner. */
function mayPass({ status, code }: Refused): boolean {
  return status === 429 || (status >= 500 && code !== 'auth_not_configured');
}

/** The value of a promise, or `stalled` when it takes longer than `ms`. Rejects when the signal aborts. */
function within<Value>(promise: Promise<Value>, ms: number, signal: AbortSignal): Promise<Value | 'stalled'> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const timer = setTimeout(() => resolve('stalled'), ms);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
}

function dataOf(event: SseEvent): Json {
  try {
    return JSON.parse(event.data);
  } catch {
    throw new ProtocolError(`an event (${event.event}) is not JSON.`);
  }
}

function numberIn(event: SseEvent, name: string): number {
  const data = dataOf(event);
  const value = isObject(data) ? data[name] : undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    throw new ProtocolError(`its \`${event.event}\` has no \`${name}\`.`);
  }
  return value;
}

/** Whether a value is a chunk: a known kind by its schema; of a kind that a newer server may send, what all share. */
function isChunk(value: Json): value is Json & Chunk {
  if (!isObject(value) || typeof value.type !== 'string') return false;
  return (isChunkType(value.type) ? chunkSchema : chunkBaseSchema).safeParse(value).success;
}
