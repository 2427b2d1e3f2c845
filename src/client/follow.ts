/**
 * Following a subtree's log: one connection after the other, each from the sequence after the last one held. A lost
 * connection, a restarted server or a laptop that slept loses nothing and repeats nothing.
 *
 * Keeps J2, J3, J4, J8.
 */
import type { Chunk, SequencedChunk } from '../protocol/chunks';
import { isObject, type Json } from '../protocol/json';
import { isAtRest, isEndChunk, isSuspended } from '../protocol/status';
import { reduce } from '../protocol/view/reduce';
import type { TreeView } from '../protocol/view/view';
import { backoffOf, type Clock, GIVE_UP_MS, realClock } from './again';
import { ProtocolError, Refused, Unreachable } from './errors';
import { type Api, requestJson } from './http';
import { type Cut, OPEN_TIMEOUT_MS, type Source, type WireEvent } from './source';
import { sseSource } from './sse-source';

/** An event of a followed log. No event is delivered twice. */
export type FollowEvent =
  /** The next chunk. `missing` is the number of chunks before it that the server no longer has. */
  | { readonly type: 'chunk'; readonly entry: SequencedChunk; readonly missing: number }
  /** The log now begins at `from`; discard everything before it. */
  | { readonly type: 'reset'; readonly from: number }
  /** All events so far have been delivered. */
  | { readonly type: 'up-to-date' }
  /** The connection was lost, with the reason, or is open (again). */
  | { readonly type: 'connection'; readonly problem?: string }
  /** The run has ended or is suspended, and all its events were delivered. The last event, unless `stay` is set. */
  | { readonly type: 'rest'; readonly status: string };

/** Options for following a log. Times are in ms. */
export interface FollowOptions {
  /** The first sequence number; to continue later, your last one plus 1. Default 1. */
  readonly from?: number;
  /** Ends the iteration, which throws the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Whether to continue after the run has ended or is suspended. `true` continues until the signal aborts or the agent
   * is gone. A function is called at each suspension; the iteration then ends with the run. Default false.
   */
  readonly stay?: boolean | ((status: string) => Promise<boolean>);
  /** Time that a connection may be silent before it counts as lost. Default 45 s: three heartbeats of the server. */
  readonly stallMs?: number;
  /** Time without a connection before `Unreachable` is thrown; Infinity tries forever. Default 60 s. */
  readonly giveUpMs?: number;
  /** A stricter validator for chunks. A chunk that it rejects ends the iteration. */
  readonly isChunk?: (chunk: Json) => boolean;
  /**
   * `false` omits the deltas of text, thinking and arguments. A view without them has no text of steps. Default true.
   */
  readonly deltas?: boolean;
  /** A clock, for tests. */
  readonly clock?: Clock;
}

/** What a follower stands on. */
export interface FollowDeps {
  readonly api: Api;
  /** Where the log comes from; server-sent events by default. */
  readonly source?: Source;
}

const STALL_MS = 45_000;
/** Connections that bring nothing new, one after the other, before the next one waits in any case. */
const FREE_IDLE_STREAMS = 3;

type StreamEnd =
  | { readonly kind: 'rest'; readonly status: string }
  | { readonly kind: 'reset' }
  | { readonly kind: 'gap' }
  /** The token of the connection has run out: the next connection takes a fresh one. */
  | { readonly kind: 'expired' }
  /** A suspended run goes on, is suspended anew or has ended: whether the stream is over is for the server to tell. */
  | { readonly kind: 'turned' }
  | ({ readonly kind: 'cut' } & Cut);

/**
 * Follows a log. The next event is read when it is asked for: a slow reader slows the server down and holds no more
 * than one connection's buffer here.
 * @throws {Refused} when the server refuses for good (unknown address, no access, 410 for a slot that is used again)
 * @throws {Unreachable} when it cannot be reached for `giveUpMs`
 * @throws {ProtocolError} when what it sends makes no sense
 * @throws the signal's reason when it aborts
 */
export function follow(
  deps: FollowDeps,
  address: string,
  options: FollowOptions = {},
): AsyncGenerator<FollowEvent, void, void> {
  return new Follower(deps, address, options).run();
}

class Follower {
  readonly #api: Api;
  readonly #source: Source;
  readonly #address: string;
  readonly #options: FollowOptions;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** In a subtree's log the sequences of other agents are left out, without deltas theirs. */
  readonly #filtered: boolean;
  #last: number;
  /** The sequence at which the server left something out before; asked again, it may go on without it. */
  #gapAt = 0;
  #lastContact: number;
  #failures = 0;
  #idleStreams = 0;
  /** Streams that were closed in order, one after the other, with nothing new in them. */
  #emptyStreams = 0;
  /** The run is suspended and followed on: the server holds the stream open meanwhile. */
  #patient: boolean;
  /** How the agent waits, as the open stream told. */
  #waitsAs: string | undefined;

  constructor({ api, source }: FollowDeps, address: string, options: FollowOptions) {
    this.#api = api;
    this.#source = source ?? sseSource(api);
    this.#address = address;
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#signal = options.signal ?? new AbortController().signal;
    this.#filtered = address.includes('/sub/') || options.deltas === false;
    this.#last = (options.from ?? 1) - 1;
    this.#lastContact = this.#clock.now();
    this.#patient = this.#isForever;
  }

  get #isForever(): boolean {
    return this.#options.stay === true;
  }

  async *run(): AsyncGenerator<FollowEvent, void, void> {
    for (;;) {
      this.#signal.throwIfAborted();
      const before = this.#last;
      const end = yield* this.#oneStream();
      if (end.kind === 'rest') {
        // A patient stream has no end: a server that ends it all the same is not asked without a pause.
        const early = this.#patient && this.#last === before;
        if (!(await this.#staysAt(end.status))) return yield { type: 'rest', status: end.status };
        if (early) yield* this.#backOff('The stream delivers nothing new.');
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
        if (status !== undefined && !(await this.#staysAt(status))) return yield { type: 'rest', status };
        yield* this.#backOff(end.problem);
      } else if (this.#idleStreams > FREE_IDLE_STREAMS) {
        yield* this.#backOff('The stream delivers nothing new.');
      }
    }
  }

  async #staysAt(status: string): Promise<boolean> {
    const { stay } = this.#options;
    if (this.#isForever || !isSuspended(status)) return this.#isForever;
    const stays = typeof stay === 'function' && (await stay(status));
    this.#signal.throwIfAborted();
    this.#patient = stays;
    return stays;
  }

  async *#oneStream(): AsyncGenerator<FollowEvent, StreamEnd, void> {
    let told = false;
    let accepted = false;
    this.#waitsAs = undefined;
    const { stallMs = STALL_MS } = this.#options;
    const { deltas = true } = this.#options;
    const request = { address: this.#address, from: this.#last + 1, staysOpen: this.#patient, deltas, stallMs };
    const events = this.#source({ ...request, signal: this.#signal });
    try {
      for (;;) {
        const next = await events.next();
        if (next.done) {
          // A server that told how the agent waits, and did not stay.
          if (this.#waitsAs !== undefined && !this.#isForever) return { kind: 'rest', status: this.#waitsAs };
          return { kind: 'cut', ...next.value };
        }
        this.#lastContact = this.#clock.now();
        this.#failures = 0;
        if (!told) yield { type: 'connection' };
        told = true;
        accepted ||= next.value.kind !== 'alive';
        const end = yield* this.#take(next.value);
        if (end !== undefined) return end;
      }
    } catch (error) {
      this.#signal.throwIfAborted();
      // A connection that had events was opened with a token that counted then.
      if (accepted && typeof this.#api.token === 'function' && error instanceof Refused && error.status === 401)
        return { kind: 'expired' };
      const passes = error instanceof Unreachable || (error instanceof Refused && mayPass(error));
      if (!passes) throw error;
      return { kind: 'cut', problem: error.message, inOrder: false };
    } finally {
      await events.return({ problem: '', inOrder: true });
    }
  }

  *#take(event: WireEvent): Generator<FollowEvent, StreamEnd | undefined, void> {
    switch (event.kind) {
      case 'alive':
        return undefined;
      case 'chunk':
        return yield* this.#takeChunk(event.sequence, event.chunk);
      case 'reset':
        if (event.from === this.#last + 1)
          throw new ProtocolError("it resets a reader to the reader's current position.");
        this.#last = event.from - 1;
        yield { type: 'reset', from: event.from };
        return { kind: 'reset' };
      case 'up-to-date':
        yield { type: 'up-to-date' };
        return undefined;
      case 'rest':
        if (this.#isForever) {
          yield { type: 'rest', status: event.status };
          return undefined;
        }
        // A stream that stays open tells how the agent waits, and goes on.
        this.#waitsAs = isSuspended(event.status) ? event.status : undefined;
        return this.#patient && this.#waitsAs !== undefined ? undefined : { kind: 'rest', status: event.status };
    }
  }

  *#takeChunk(sequence: number, chunk: Json): Generator<FollowEvent, StreamEnd | undefined, void> {
    if (sequence <= this.#last) return undefined;
    const missing = this.#filtered ? 0 : sequence - this.#last - 1;
    if (missing > 0 && this.#gapAt !== this.#last + 1) {
      this.#gapAt = this.#last + 1;
      return { kind: 'gap' };
    }
    const { isChunk = isEnvelope } = this.#options;
    if (!isEnvelope(chunk) || !isChunk(chunk)) throw new ProtocolError(`chunk ${sequence} is malformed.`);
    this.#last = sequence;
    yield { type: 'chunk', entry: { sequence, chunk }, missing };
    const turned = chunk.address === this.#address && (isEndChunk(chunk) || TURNS.has(chunk.type));
    return this.#patient && !this.#isForever && turned ? { kind: 'turned' } : undefined;
  }

  /** A stream that closed without its `end`: the status document tells whether more is to come. */
  async #endWithoutWord(): Promise<string | undefined> {
    const signal = this.#signal;
    try {
      const document = await requestJson(this.#api, `${this.#address}/status`, { timeoutMs: OPEN_TIMEOUT_MS, signal });
      const { status, lastSequence } = document;
      if (this.#isForever || typeof status !== 'string' || !isAtRest(status)) return undefined;
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

  async *#backOff(problem: string): AsyncGenerator<FollowEvent, void, void> {
    const { giveUpMs = GIVE_UP_MS } = this.#options;
    const silent = this.#clock.now() - this.#lastContact;
    if (silent >= giveUpMs) {
      throw new Unreachable(`${problem}\nThe server has been gone for ${Math.round(silent / 1000)} s.`);
    }
    yield { type: 'connection', problem };
    const backoff = backoffOf(Math.max(this.#failures, this.#idleStreams - 1));
    this.#failures += 1;
    await this.#clock.wait(backoff, this.#signal);
  }
}

/** A view with the next chunk, and from where on it is complete then. */
export function viewAfter(
  view: TreeView,
  { entry, missing }: Extract<FollowEvent, { readonly type: 'chunk' }>,
): TreeView {
  const next = reduce(view, entry, 'filtered').view;
  return missing === 0 ? next : { ...next, completeFrom: entry.sequence };
}

const TURNS: ReadonlySet<string> = new Set(['suspended', 'unsuspended']);

/** Whether the same request may succeed later. A server without access configured waits for its owner. */
function mayPass({ status, code }: Refused): boolean {
  return status === 429 || (status >= 500 && code !== 'auth_not_configured');
}

const TEXTS = ['type', 'agentType', 'address', 'runId'] as const;
const COUNTS = ['step', 'attempt'] as const;

/**
 * Whether a value has what all chunks share. What else is in it the server's own contract says; a chunk of a type that
 * this reader does not know changes no view.
 */
function isEnvelope(value: Json): value is Json & Chunk {
  if (!isObject(value)) return false;
  const { agentId, timestamp } = value;
  const named = typeof agentId === 'string' && agentId !== '' && TEXTS.every((name) => typeof value[name] === 'string');
  const isCount = (name: string) => Number.isSafeInteger(value[name]) && Number(value[name]) >= 0;
  return named && typeof timestamp === 'number' && COUNTS.every(isCount);
}
