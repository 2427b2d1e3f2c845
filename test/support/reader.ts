/** A reader of a tree's stream that can be cut off and resumed by sequence. */

import type { SequencedChunk } from '../../src/protocol/chunks';
import { SseParser } from '../../src/protocol/wire/sse';

/**
 * Reads a stream from a sequence on into a list.
 * @returns the status that the stream ended with, or undefined when it was cut
 */
export async function readStream(
  base: string,
  address: string,
  into: SequencedChunk[],
  options: { signal?: AbortSignal; from?: number } = {},
): Promise<string | undefined> {
  const from = options.from ?? (into.at(-1)?.sequence ?? 0) + 1;
  const signal = options.signal ?? null;
  const response = await fetch(`${base}${address}/stream?from=${from}`, {
    headers: { accept: 'text/event-stream' },
    signal,
  });
  if (!response.ok || response.body === null)
    throw new Error(`The stream answered ${response.status}: ${await response.text()}`);
  const parser = new SseParser();
  try {
    for await (const bytes of response.body) {
      for (const event of parser.push(bytes)) {
        if (event.event === 'end') return JSON.parse(event.data).status;
        if (event.event === 'reset') throw new Error(`The stream was reset: ${event.data}`);
        if (event.event === 'message') into.push({ sequence: Number(event.id), chunk: JSON.parse(event.data) });
      }
    }
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('The stream was reset')) throw error;
  }
  return undefined;
}
