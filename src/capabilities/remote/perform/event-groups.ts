/**
 * Events of a stream in groups: what comes within a moment is one commit.
 *
 * Keeps RM3.
 */
import type { RemoteEvent } from '../../../core/definition/remote-transport';
import { chunkSize } from '../../../engine/chunk-size';
import type { Environment } from '../../../engine/environment';

/** An event waits so long for others, in ms. */
const LINGER_MS = 10;
/** A group has so many events at most, and about so many characters. */
const MOST_EVENTS = 64;
const MOST_CHARACTERS = 250_000;

const LINGERED = Symbol('lingered');

/** Groups of the events of a stream, in order. @throws what the stream throws, after what came before it */
export async function* gathered(
  stream: AsyncIterable<RemoteEvent>,
  environment: Environment,
): AsyncGenerator<readonly RemoteEvent[]> {
  const events = stream[Symbol.asyncIterator]();
  let next = events.next();
  let failed: { readonly error: unknown } | undefined;
  try {
    for (;;) {
      const first = await next;
      if (first.done) return;
      const group = [first.value];
      let size = sizeOf(first.value);
      next = events.next();
      next.catch(() => undefined);
      const { lingered, cancel } = linger(environment);
      while (group.length < MOST_EVENTS && size < MOST_CHARACTERS) {
        const come = await Promise.race([next, lingered]).catch((error: unknown) => {
          failed = { error };
          return LINGERED;
        });
        if (typeof come === 'symbol' || come.done) break;
        group.push(come.value);
        size += sizeOf(come.value);
        next = events.next();
        next.catch(() => undefined);
      }
      cancel();
      yield group;
      if (failed) throw failed.error;
    }
  } finally {
    // Whoever reads no further closes the stream; a read that is under way ends with its signal.
    events.return?.().catch(() => undefined);
  }
}

function linger(environment: Environment): { lingered: Promise<typeof LINGERED>; cancel: () => void } {
  let cancel: () => void = () => undefined;
  const lingered = new Promise<typeof LINGERED>((resolve) => {
    cancel = environment.timer(LINGER_MS, () => resolve(LINGERED));
  });
  return { lingered, cancel };
}

const sizeOf = (event: RemoteEvent): number => (event.type === 'chunk' ? chunkSize(event.chunk) : 0);
