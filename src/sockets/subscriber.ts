/**
 * One socket that reads the log.
 *
 * Decides: when a slow socket is let go.
 *
 * W12. Its position is kept with the socket, so that one that slept continues from it.
 * W15. Nothing is read for a socket that has not taken what it was sent; one that takes nothing for long is let go.
 * X11. Nothing is sent to a socket whose right to read was not confirmed just now.
 */

import type { Environment } from '../engine/environment';
import { LogReader } from '../engine/log-reader';
import type { VerbAnswer } from '../engine/object/object-calls';
import type { RootRuntime } from '../engine/root/root';
import { isQuiet } from '../protocol/chunks';
import type { WrittenFrame } from '../protocol/wire/frames';
import { WIRE_LIMITS } from '../protocol/wire/wire-limits';

const LOOK_AGAIN_MS = 50;
/** Status documents come at most so often, in ms: 10 a second. */
const STATUS_MS = 100;

/** The place of a socket in the log. */
export interface LogPosition {
  /** The sequence that it gets next. */
  readonly next: number;
  /** Whether it was sent that it is up to date, since its first chunk or the last reset. */
  readonly upToDate: boolean;
}

/** What a subscriber reaches. */
export interface SubscriberDeps {
  readonly environment: Environment;
  readonly tree: RootRuntime;
  readonly address: string;
  /** Whether its frames tell the address. */
  readonly named: boolean;
  /** Whether the pieces of texts and arguments are sent. */
  readonly deltas: boolean;
  /** Whether chunks that are read together are sent as one frame. */
  readonly batch: boolean;
  readonly socket: Pick<WebSocket, 'send' | 'readyState'> & { readonly bufferedAmount?: number };
  /** Whether the socket may read now; a promise while that is asked. One that may not is closed by then. */
  mayRead(): true | Promise<boolean>;
  /** With more than this still to send, in bytes, a socket is left alone for a while. */
  share(): number;
  /** Closes the socket, which has taken nothing for `socketStallMs`. */
  drop(): void;
  /** Keeps the position with the socket. */
  keep(position: LogPosition): void;
  /** The status document of the address. */
  status(): Promise<VerbAnswer>;
}

/** Sends what is new to one socket, in order, each once. */
export class Subscriber {
  readonly #reader: LogReader;
  /** What its frames say of the subscription. */
  readonly #named: { readonly address?: string };
  #timer: (() => void) | undefined;
  #upToDate: boolean;
  #statusDue = true;
  #statusAt = 0;
  #statusSent = '';
  #asking = false;
  #asksRight = false;
  /** What was unsent when it was looked at last, and since when that has not become less. */
  #stalled: { readonly unsent: number; readonly since: number } | undefined;
  #closed = false;

  constructor(
    readonly deps: SubscriberDeps,
    { next, upToDate }: LogPosition,
  ) {
    this.#reader = new LogReader(deps.tree, deps.address, next, deps.deltas);
    this.#named = deps.named ? { address: deps.address } : {};
    this.#upToDate = upToDate;
  }

  /** Looks soon whether there is something to send. */
  wake(ms = 0): void {
    if (this.#closed) return;
    this.#timer ??= this.deps.environment.timer(ms, () => {
      this.#timer = undefined;
      this.#step();
    });
  }

  /** Sends nothing more. */
  close(): void {
    this.#closed = true;
    this.#timer?.();
  }

  #step(): void {
    const { socket } = this.deps;
    if (socket.readyState !== WebSocket.OPEN) return this.close();
    if (this.#isBehind(socket.bufferedAmount ?? 0) || !this.#mayRead()) return;
    const reading = this.#reader.read();
    if (reading.kind === 'tail') return this.#atTail();
    if (reading.kind === 'reset') {
      this.#upToDate = false;
      this.#send({ type: 'offshoot.reset', ...this.#named, from: reading.from });
    } else {
      for (const { sequence, chunk } of reading.chunks) {
        if (!isQuiet(chunk.type)) this.#statusDue = true;
        if (!this.deps.batch) this.#send({ type: 'offshoot.chunk', ...this.#named, sequence, chunk });
      }
      const { chunks } = reading;
      if (this.deps.batch && chunks.length > 0) this.#send({ type: 'offshoot.chunks', ...this.#named, chunks });
    }
    this.#keep();
    this.wake();
  }

  #keep(): void {
    this.deps.keep({ next: this.#reader.next, upToDate: this.#upToDate });
  }

  /** Whether the socket has not taken what it was sent. Then it is looked at again, or let go. */
  #isBehind(unsent: number): boolean {
    if (unsent <= this.deps.share()) {
      this.#stalled = undefined;
      return false;
    }
    const now = this.deps.environment.now();
    if (this.#stalled === undefined || unsent < this.#stalled.unsent) this.#stalled = { unsent, since: now };
    if (now - this.#stalled.since < WIRE_LIMITS.socketStallMs) this.wake(LOOK_AGAIN_MS);
    else this.deps.drop();
    return true;
  }

  /** Whether its right is fresh. If not it goes on once it is. */
  #mayRead(): boolean {
    const may = this.deps.mayRead();
    if (may === true) return true;
    if (this.#asksRight) return false;
    this.#asksRight = true;
    may.then((yes) => {
      this.#asksRight = false;
      if (yes) this.wake();
      else this.close();
    });
    return false;
  }

  #atTail(): void {
    if (!this.#upToDate) {
      this.#upToDate = true;
      this.#send({ type: 'offshoot.up-to-date', ...this.#named, sequence: this.deps.tree.log.last });
      this.#keep();
    }
    if (!this.#statusDue || this.#asking) return;
    const wait = this.#statusAt + STATUS_MS - this.deps.environment.now();
    // A clock that was set back would have it wait for long.
    if (wait > 0 && wait <= STATUS_MS) return this.wake(wait);
    this.#statusDue = false;
    this.#asking = true;
    this.#sendStatus().finally(() => {
      this.#asking = false;
      if (this.#statusDue) this.wake();
    });
  }

  async #sendStatus(): Promise<void> {
    const reply = await this.deps.status().catch(() => undefined);
    if (reply?.ok !== true || this.#closed) return;
    const text = JSON.stringify(reply.body);
    if (text === this.#statusSent) return;
    this.#statusSent = text;
    this.#statusAt = this.deps.environment.now();
    this.#send({ type: 'offshoot.status', status: reply.body });
  }

  #send(frame: WrittenFrame): void {
    try {
      this.deps.socket.send(JSON.stringify(frame));
    } catch {
      // The other side has gone in the meantime.
      this.close();
    }
  }
}
