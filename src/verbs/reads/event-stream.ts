/**
 * The log as server-sent events.
 *
 * Keeps W1, W2.
 *
 * W38. A browser's `EventSource` opens a stream again that was closed, and says the last id that it has. So the event `end` has an
 *      id: a reader that returns with it knows the status of the run.
 * W6. Nothing is read before the reader can take it: a page of rows at a time, and new rows only wake it.
 * X33. Its right is asked again while it is open (decision 25); one that is gone ends it, as the agent's removal does (W29).
 */

import { HELD_MS, pause } from '../../engine/environment';
import { LogReader } from '../../engine/log-reader';
import type { RootRuntime } from '../../engine/root/root';
import { type Failure, failure, OffshootError } from '../../protocol/errors';
import { problemOf } from '../../protocol/problem';
import { isSuspended } from '../../protocol/status';
import { WIRE_LIMITS } from '../../protocol/wire/wire-limits';

/** How a stream is read. */
export interface StreamOptions {
  /** The agent whose subtree is read. */
  readonly address: string;
  /** The first sequence. */
  readonly from: number;
  /** Whether the stream stays open after the run has ended; `run`: only until then, also while it is suspended. */
  readonly follow: boolean | 'run';
  /** Its reader knows the status of the run, where nothing has come since. */
  readonly rested?: boolean;
  /** Whether the pieces of texts and arguments are in it. */
  readonly deltas: boolean;
  /** Why it may not be read any more, asked anew; undefined where it may. Without this, the right stays. */
  readonly refusal?: (() => Promise<Failure | undefined>) | undefined;
  /** It ends where nothing happens, and says where it was; `again`: it was ended so before. */
  readonly pauses?: 'first' | 'again' | undefined;
  /** Called when nobody reads it any more. */
  readonly leave?: () => void;
}

/** A piece of a stream; `last` when it is the end. */
interface Piece {
  readonly text: string;
  readonly last?: true;
}

/** Keeps a line open while nothing is said. */
export const HEARTBEAT = ': still here\n\n';

/** The place at which a silent stream was ended, and whether its reader knows the status of the run. */
export interface Pause {
  readonly from: number;
  readonly rested: boolean;
}

/** The last words of such a stream: a comment, which readers pass over. */
const pauseText = ({ from, rested }: Pause): string => `: pause ${from}${rested ? ' rested' : ''}\n\n`;

/** The pause that the last words of a stream name; undefined for others. */
export function pauseIn(text: string): Pause | undefined {
  const [, from, rested] = /: pause (\d+)( rested)?\n\n$/.exec(text) ?? [];
  return from === undefined ? undefined : { from: Number(from), rested: rested !== undefined };
}

/** The wait of an `EventSource` before it opens a lost stream again, in ms. Browsers wait 3 s to 5 s by default. */
const RETRY_MS = 2_000;

/** The end of the id of the event `end`, behind the sequence. */
const END = ':end';

/** The place after the event of that id; undefined for what is no id of ours. */
export function afterEvent(id: string): { readonly from: number; readonly rested: boolean } | undefined {
  const sequence = id.endsWith(END) ? id.replace(END, '') : id;
  if (!/^(0|[1-9]\d{0,14})$/.test(sequence)) return undefined;
  return { from: Number(sequence) + 1, rested: sequence !== id };
}

const event = (name: string, data: object, id?: number | string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

class EventStream {
  readonly #reader: LogReader;
  readonly #gone = new AbortController();
  #upToDate = false;
  /** The sequence of the end that was told last. */
  #endTold = -1;
  /** When it was known last that it may be read: the Worker has just asked. */
  #confirmed: number;

  constructor(
    readonly tree: RootRuntime,
    readonly options: StreamOptions,
  ) {
    this.#reader = new LogReader(tree, options.address, options.from, options.deltas);
    this.#confirmed = tree.deps.environment.now();
    this.#upToDate = options.pauses === 'again';
    if (options.rested && tree.log.last < options.from) this.#endTold = this.#reader.ended?.sequence ?? -1;
  }

  cancel(): void {
    this.#gone.abort();
  }

  /** The next piece of the stream. Waits until there is something to say. */
  async next(): Promise<Piece> {
    const { environment } = this.tree.deps;
    while (!this.#gone.signal.aborted) {
      const refused = this.#isStale ? await this.#refusal() : undefined;
      if (refused) return this.#refused(refused);
      const reading = this.#reader.read();
      if (reading.kind === 'reset') return { text: event('reset', { from: reading.from }, reading.from - 1) };
      if (reading.kind === 'tail') {
        const end = this.#atTail();
        if (end) return end;
        const woken = await this.#change();
        if (!woken) return this.#silence();
      } else if (reading.chunks.length > 0) {
        return {
          text: reading.chunks
            .map(({ sequence, chunk }) => `id: ${sequence}\ndata: ${JSON.stringify(chunk)}\n\n`)
            .join(''),
        };
      } else {
        // All of the page belonged to other agents: others get their turn before the next one.
        await pause(environment, 1, this.#gone.signal);
      }
    }
    return { text: '', last: true };
  }

  /** Nothing happened for long. A stream that is not ended then would keep the object in memory. */
  #silence(): Piece {
    if (this.options.pauses === undefined) return { text: HEARTBEAT };
    const { next, ended } = this.#reader;
    return { text: pauseText({ from: next, rested: ended?.sequence === this.#endTold }), last: true };
  }

  get #isStale(): boolean {
    const age = this.tree.deps.environment.now() - this.#confirmed;
    // A clock that was set back makes nothing fresh.
    return this.options.refusal !== undefined && (age < 0 || age >= WIRE_LIMITS.freshRightMs);
  }

  /** Why it may not be read any more, if it may not. */
  async #refusal(): Promise<Failure | undefined> {
    const { environment } = this.tree.deps;
    try {
      const refused = await this.options.refusal?.();
      this.#confirmed = environment.now();
      return refused;
    } catch (error) {
      environment.report('The permission of a stream could not be checked.', error);
      // A reader repeats what may be repeated.
      return error instanceof OffshootError ? error.failure : failure('internal');
    }
  }

  #refused(error: Failure): Piece {
    return { text: event('refused', problemOf(error, this.tree.deps.environment.token())), last: true };
  }

  #atTail(): Piece | undefined {
    if (!this.#upToDate) {
      this.#upToDate = true;
      return { text: event('up-to-date', { sequence: this.tree.log.last }) };
    }
    const { ended } = this.#reader;
    if (ended === undefined) return undefined;
    const { status, sequence, final } = ended;
    const { follow } = this.options;
    if (final && follow) return this.#refused(failure('gone', 'The agent was removed while it was followed.'));
    if (sequence === this.#endTold) return undefined;
    this.#endTold = sequence;
    const text = event('end', { status }, `${this.tree.log.last}${END}`);
    const stays = follow === 'run' ? isSuspended(status) : follow;
    return stays ? { text } : { text, last: true };
  }

  get #patience(): number {
    return this.options.pauses === undefined ? WIRE_LIMITS.heartbeatMs : HELD_MS;
  }

  /** Waits for a change of the tree, but not for long; whether there was one. */
  #change(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (changed: boolean): void => {
        stop();
        cancel();
        this.#gone.signal.removeEventListener('abort', onGone);
        resolve(changed);
      };
      const onGone = (): void => settle(true);
      const stop = this.tree.watch(() => settle(true));
      const cancel = this.tree.deps.environment.timer(this.#patience, () => settle(false));
      this.#gone.signal.addEventListener('abort', onGone);
    });
  }
}

/** True where a reader that knows the end of the run would get nothing more. */
export function isOver(tree: RootRuntime, { address, from, follow, rested }: StreamOptions): boolean {
  const { ended } = new LogReader(tree, address, from);
  return (
    rested === true && follow !== true && tree.log.last < from && ended !== undefined && !isSuspended(ended.status)
  );
}

/** The events of a subtree from a sequence on. */
export function eventStream(tree: RootRuntime, options: StreamOptions): ReadableStream<Uint8Array> {
  const stream = new EventStream(tree, options);
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      // At once, so that the headers go out.
      start: (controller) => controller.enqueue(encoder.encode(`: offshoot\nretry: ${RETRY_MS}\n\n`)),
      async pull(controller) {
        const { text, last } = await stream.next();
        if (text !== '') controller.enqueue(encoder.encode(text));
        if (last) {
          controller.close();
          options.leave?.();
        }
      },
      cancel() {
        stream.cancel();
        options.leave?.();
      },
    },
    { highWaterMark: 0 },
  );
}
