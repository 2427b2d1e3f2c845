/**
 * The response to a client as a stream: of events over HTTP, of chunks over a socket.
 */
import { failure, isErrorCode, refuse, refuseWith } from '../../protocol/errors';
import { type LogEvent, readLog } from '../read-log';
import { SNAPSHOT_MS } from './answer';
import { ChatResponse, type From } from './response';
import type { UiChunk } from './ui';

/** Time, as far as a stream needs it. */
export interface Clock {
  /** ms since some time. */
  now(): number;
  /** Comes back after so many ms, unless it is cancelled. */
  wait(ms: number): { readonly over: Promise<void>; cancel(): void };
}

/** The clock of this machine. */
export const CLOCK: Clock = {
  now: () => Date.now(),
  wait(ms) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    return { over, cancel: () => clearTimeout(timer) };
  },
};

/** One response. */
export interface StreamRequest {
  readonly address: string;
  readonly filesAt: string;
  readonly from: From;
  readonly clock: Clock;
}

/** Chunks as they come; an empty list is a sign of life. `close` ends it at once. */
export interface UiStream {
  readonly chunks: AsyncGenerator<readonly UiChunk[], void, void>;
  close(): void;
}

/** The chunks that a log makes. */
export function uiStream(bytes: ReadableStream<Uint8Array>, request: StreamRequest): UiStream {
  const reader = bytes.getReader();
  const close = (): void => {
    // It may be broken already.
    reader.cancel().catch(() => undefined);
  };
  const passed = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
  return { chunks: chunksOf(readLog(passed), request), close };
}

/** A stream that adds nothing to a chat. */
export function nothingNew(): UiStream {
  async function* chunks(): UiStream['chunks'] {
    yield [{ type: 'start' }, { type: 'finish', finishReason: 'interrupted' }];
  }
  return { chunks: chunks(), close: () => undefined };
}

async function* chunksOf(
  events: AsyncGenerator<LogEvent, void, void>,
  { address, filesAt, from, clock }: StreamRequest,
): AsyncGenerator<readonly UiChunk[], void, void> {
  const response = new ChatResponse(address, filesAt, from);
  try {
    let next = events.next();
    while (!response.isDone) {
      const timer = response.holdsBack ? clock.wait(SNAPSHOT_MS) : undefined;
      const found = await (timer ? Promise.race([next, timer.over]) : next);
      timer?.cancel();
      if (!found) {
        yield response.show(clock.now());
        continue;
      }
      // Its client reads it again: an end would be taken for that of the answer.
      if (found.done || found.value.kind === 'broken')
        refuse('unavailable', 'The log was interrupted. Resume the stream.');
      const made = response.push(found.value, clock.now());
      if (made.length > 0 || found.value.kind === 'alive') yield made;
      if (!response.isDone) next = events.next();
    }
  } finally {
    await events.return();
  }
}

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
};

/** The stream as events of HTTP. */
export function eventsOf({ chunks, close }: UiStream, requestId: string): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done) {
          controller.enqueue(encoder.encode('data: [DONE]\n\n'));
          controller.close();
          return;
        }
        const text = value.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
        controller.enqueue(encoder.encode(text === '' ? ': still here\n\n' : text));
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { ...HEADERS, 'x-request-id': requestId } });
}

function refuseAs({ code, title, detail, details }: Extract<LogEvent, { kind: 'refused' }>['problem']): never {
  refuseWith(failure(isErrorCode(code) ? code : 'unavailable', detail ?? title, undefined, details));
}

/**
 * The part of the log that is known now, without waiting for more.
 * @throws OffshootError as the log is refused, `unavailable` where it breaks off: half an answer would look like a whole one
 */
export async function chunksNow(
  bytes: ReadableStream<Uint8Array>,
  address: string,
  filesAt: string,
): Promise<UiChunk[]> {
  const response = new ChatResponse(address, filesAt, { kind: 'start' });
  const made: UiChunk[] = [];
  for await (const event of readLog(bytes)) {
    if (event.kind === 'chunk') made.push(...response.push(event, 0));
    if (event.kind === 'broken') refuse('unavailable', 'The log was interrupted. Ask again.');
    if (event.kind === 'refused') refuseAs(event.problem);
    if (event.kind === 'end' || event.kind === 'up-to-date') break;
  }
  return [...made, ...response.whole()];
}
