/**
 * What a call spent although it was aborted. Providers that hear of the abort close their connection; one that does
 * not works on to its end, and bills for it.
 *
 * Decides: how long an aborted call is read on for its usage.
 * Keeps M34.
 */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Usage } from '../protocol/usage';
import { toUsage } from './reply';
import { Watch } from './watch';

/**
 * How long what is left of a stream is read on after an abort, in ms: the grace that a stop gives to tools. Longer
 * would hold a connection for an answer that nobody wants.
 */
export const LATE_USAGE_MS = 2_000;

/** The parts of one stream. What is asked for and was not waited for is not lost. */
export class Parts {
  readonly #reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
  #last: Promise<ReadableStreamReadResult<LanguageModelV4StreamPart>> | undefined;

  /** Locks the stream. */
  constructor(stream: ReadableStream<LanguageModelV4StreamPart>) {
    this.#reader = stream.getReader();
  }

  /** The part that was asked for last, which may have come already; the first, if none was. */
  get last(): Promise<ReadableStreamReadResult<LanguageModelV4StreamPart>> {
    return this.#last ?? this.next();
  }

  /** Asks for the next part. Rejects where the stream fails. */
  next(): Promise<ReadableStreamReadResult<LanguageModelV4StreamPart>> {
    this.#last = this.#reader.read();
    return this.#last;
  }

  /** Lets go of the stream. Not awaited, because a provider may take its time over it. Safe to call twice. */
  close(reason: unknown): void {
    this.#reader.cancel(reason).catch(() => {});
  }
}

/**
 * Reads the stream of an aborted or failed call on, also one that begins only now, up to the `finish` that says what was spent:
 * `onUsage` is called with it, or never, where the stream fails, ends without a count of tokens or takes longer than
 * `LATE_USAGE_MS`. Settles then, and never rejects: what `onUsage` throws is dropped, because the call that it
 * belongs to is over. It leaves no timer, and leaves the stream open.
 */
export async function reportLateUsage(asked: Promise<Parts>, onUsage: (usage: Usage) => void): Promise<void> {
  const clock = new Watch(new AbortController().signal);
  clock.expect(LATE_USAGE_MS, () => 'The usage of the call did not arrive in time.');
  try {
    const parts = await clock.race(asked);
    for (let part = await clock.race(parts.last); !part.done; part = await clock.race(parts.next())) {
      // Behind an error a package may still say what was spent.
      if (part.value?.type !== 'finish') continue;
      const usage = toUsage(part.value.usage);
      if (usage.inputTokens + usage.outputTokens > 0) onUsage(usage);
      return;
    }
  } catch {
    // A stream that fails or takes too long says nothing of what was spent.
  } finally {
    clock.close();
  }
}
