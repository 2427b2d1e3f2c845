/**
 * Event streams that hold no object in memory while nothing happens.
 *
 * Keeps W39.
 *
 * An open stream keeps its root in memory, and a socket does not. So the root ends a stream of which nothing came for a
 * while, and says where. The Worker keeps its reader: it sends the heartbeats, and has a socket at the root as its bell. When
 * that rings, the stream is opened again where it was.
 */
import { PASS_HEADER } from '../engine/object/object-calls';
import { type Failure, failureOf } from '../protocol/errors';
import { problemOf } from '../protocol/problem';
import type { ClientFrame, UnreadFrame } from '../protocol/wire/frames';
import { WIRE_LIMITS } from '../protocol/wire/wire-limits';
import { HEARTBEAT, type Pause, pauseIn } from '../verbs/reads/event-stream';

/** The longest last words of a pause, in bytes. */
const MAX_PAUSE = 64;

/** The ways to continue a stream. */
export interface StreamSource {
  /** Why it may not be read any more, asked anew. */
  refusal(): Promise<Failure | undefined>;
  /** A socket at the root that rings when there is more; undefined where none is to be had. */
  bell(pause: Pause): Promise<Bell | undefined>;
  /** Opens the stream again. `pauses`: the root may end it again. Without bytes nothing more comes. */
  again(pause: Pause, pauses: boolean): Promise<ReadableStream<Uint8Array> | Failure | undefined>;
}

/** A socket that waits for the next chunk. */
export interface Bell {
  /** Settles when it has rung, or was closed. */
  readonly rung: Promise<void>;
  close(): void;
}

/** The socket that a pass of the root opens, not yet accepted. Nothing where the root does not take it. */
export async function openPassed(
  fetch: (request: Request) => Promise<Response>,
  pass: string,
  url: string,
): Promise<WebSocket | undefined> {
  const { webSocket } = await fetch(new Request(url, { headers: { upgrade: 'websocket', [PASS_HEADER]: pass } }));
  return webSocket ?? undefined;
}

/** Opens a bell by a pass that the root has given. Nothing where the root does not take it. */
export async function openBell(
  fetch: (request: Request) => Promise<Response>,
  pass: string,
  { url, from, deltas }: { readonly url: string; readonly from: number; readonly deltas: boolean },
): Promise<Bell | undefined> {
  const webSocket = await openPassed(fetch, pass, url);
  if (!webSocket) return undefined;
  const rung = new Promise<void>((resolve) => {
    webSocket.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string' || !isRing(data)) return;
      resolve();
      // Its reader may be slow to come back: until then the root would send the rest of the log here.
      webSocket.close();
    });
    webSocket.addEventListener('close', () => resolve());
    webSocket.addEventListener('error', () => resolve());
  });
  webSocket.accept();
  const frame: ClientFrame = { type: 'offshoot.subscribe', from, deltas, batch: false };
  webSocket.send(JSON.stringify(frame));
  return { rung, close: () => webSocket.close() };
}

const RINGS: ReadonlySet<UnreadFrame['type']> = new Set([
  'offshoot.chunk',
  'offshoot.reset',
  'offshoot.error',
] as const);

function isRing(text: string): boolean {
  try {
    const frame: UnreadFrame = JSON.parse(text);
    return RINGS.has(frame.type);
  } catch {
    return false;
  }
}

/** The same stream for its reader, whatever its root ends. */
export function sleepingStream(first: ReadableStream<Uint8Array>, source: StreamSource): ReadableStream<Uint8Array> {
  const stream = new SleepingStream(first, source);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await stream.next();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
      cancel: () => stream.cancel(),
    },
    { highWaterMark: 0 },
  );
}

class SleepingStream {
  readonly #source: StreamSource;
  readonly #encoder = new TextEncoder();
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #last = new Uint8Array();
  /** While it sleeps: where it was, and what wakes it. */
  #asleep: { readonly pause: Pause; readonly bell: Bell } | undefined;
  #gone = false;

  constructor(first: ReadableStream<Uint8Array>, source: StreamSource) {
    this.#source = source;
    this.#reader = first.getReader();
  }

  cancel(): void {
    this.#gone = true;
    this.#asleep?.bell.close();
    this.#reader.cancel().catch(() => undefined);
  }

  /** The next piece; undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    while (!this.#gone) {
      if (this.#asleep) {
        const { pause, bell } = this.#asleep;
        if (!(await isWithin(bell.rung, WIRE_LIMITS.heartbeatMs))) {
          const refused = await this.#refusal();
          return refused ? this.#end(refused) : this.#encoder.encode(HEARTBEAT);
        }
        bell.close();
        this.#asleep = undefined;
        const refused = (await this.#refusal()) ?? (await this.#open(pause, true));
        if (refused) return this.#end(refused);
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (!done) {
        this.#keep(value);
        return value;
      }
      const pause = pauseIn(new TextDecoder().decode(this.#last));
      if (pause === undefined) return undefined;
      const refused = await this.#sleep(pause);
      if (refused) return this.#end(refused);
    }
    return undefined;
  }

  /** Keeps the end of what came: a piece may hold a part of the last words. */
  #keep(value: Uint8Array): void {
    const before = this.#last.subarray(Math.max(0, this.#last.length + value.length - MAX_PAUSE));
    this.#last = Uint8Array.from([...before, ...value.subarray(-MAX_PAUSE)]).subarray(-MAX_PAUSE);
  }

  /** Waits at a bell; without one the root holds the stream. */
  async #sleep(pause: Pause): Promise<Failure | undefined> {
    const bell = await this.#source.bell(pause).catch(() => undefined);
    if (this.#gone) bell?.close();
    else if (bell) this.#asleep = { pause, bell };
    else return await this.#open(pause, false);
    return undefined;
  }

  async #refusal(): Promise<Failure | undefined> {
    try {
      return await this.#source.refusal();
    } catch (error) {
      return failureOf(error);
    }
  }

  async #open(pause: Pause, pauses: boolean): Promise<Failure | undefined> {
    const opened = await this.#source.again(pause, pauses);
    if (opened instanceof ReadableStream) {
      this.#reader = opened.getReader();
      this.#last = new Uint8Array();
      if (this.#gone) this.cancel();
      return undefined;
    }
    if (opened === undefined) this.#gone = true;
    return opened;
  }

  #end(error: Failure): Uint8Array {
    this.cancel();
    const data = JSON.stringify(problemOf(error, crypto.randomUUID()));
    return this.#encoder.encode(`event: refused\ndata: ${data}\n\n`);
  }
}

/** True where a promise settles within so long, in ms. */
async function isWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
