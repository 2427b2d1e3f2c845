/**
 * The log of an agent's subtree, read by a door from the answer of the verb `stream`.
 *
 * OC10. A door reads no faster than its own reader does, and lets the stream go when that one leaves.
 */
import type { Chunk } from '../protocol/chunks';
import type { Json } from '../protocol/json';
import { type SseEvent, SseParser } from '../protocol/wire/sse';

/** The problem document that ends a stream, as far as a door reads it. */
interface RefusedLog {
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  readonly details?: Json;
}

/** An event of the stream. */
export type LogEvent =
  | { readonly kind: 'chunk'; readonly sequence: number; readonly chunk: Chunk }
  /** The log begins at `from` now: earlier chunks are gone. */
  | { readonly kind: 'reset'; readonly from: number }
  /** All that was written when the stream was opened has been read. */
  | { readonly kind: 'up-to-date' }
  /** The run has ended or is suspended, and all of it has been read. */
  | { readonly kind: 'end'; readonly status: string }
  /** The right is gone, or the agent: a problem document. */
  | { readonly kind: 'refused'; readonly problem: RefusedLog }
  /** A sign of life. */
  | { readonly kind: 'alive' }
  /** The stream is over, as by a deploy: the last event of a reader who waited for more. */
  | { readonly kind: 'broken' };

/** The end of a stream whose agent is gone from memory, as by a deploy. */
const BROKEN = { done: true, value: undefined } as const;

/** Reads a stream until its reader leaves it, or it breaks off. */
export async function* readLog(bytes: ReadableStream<Uint8Array>): AsyncGenerator<LogEvent, void, void> {
  const reader = bytes.getReader();
  const parser = new SseParser();
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(() => BROKEN);
      if (done) {
        yield { kind: 'broken' };
        return;
      }
      const events = parser.push(value);
      if (events.length === 0) yield { kind: 'alive' };
      for (const event of events) {
        const found = logEventOf(event);
        if (found) yield found;
      }
    }
  } finally {
    // It may be broken already.
    await reader.cancel().catch(() => undefined);
  }
}

/** The meaning of an event; undefined for one of another name. */
function logEventOf({ event, data, id }: SseEvent): LogEvent | undefined {
  switch (event) {
    case 'message':
      return { kind: 'chunk', sequence: Number(id), chunk: JSON.parse(data) };
    case 'reset':
      return { kind: 'reset', from: JSON.parse(data).from };
    case 'up-to-date':
      return { kind: 'up-to-date' };
    case 'end':
      return { kind: 'end', status: JSON.parse(data).status };
    case 'refused':
      return { kind: 'refused', problem: JSON.parse(data) };
    default:
      return undefined;
  }
}
