/**
 * A copy on its way to the objects that it is to be in, as who has it made follows it: until it is there, is stopped, or
 * nothing of it comes any more.
 *
 * Keeps CP19, CP20.
 */
import type { ChildRef, ChildTransport } from '../core/ports/child-transport';
import { COPY_SILENCE_MS } from '../core/tree/copied-tree';
import { failure } from '../protocol/errors';
import { type Environment, pause } from './environment';
import type { ChildCalls, CopyAnswer, CopyAsk } from './object-calls';
import type { SendCopyMessage } from './tree-messages';

/** An object that is asked what has come there answers within this, in ms, or counts as one to which nothing has. */
const ANSWER_MS = 5_000;

/** Why a copy was not made that was stopped first. */
export const WAS_STOPPED = 'It was stopped before it was copied.';
/** What came of one that nobody wants any more. */
export const NOT_WANTED = { ok: false, error: failure('superseded', WAS_STOPPED) } as const;
const SILENT = {
  ok: false,
  error: failure('unavailable', `Nothing of the copy has come for ${COPY_SILENCE_MS / 1_000} s.`),
} as const;

/** An object that stands alone, and the way from it to where something of a copy comes. */
interface Place {
  readonly to: ChildRef;
  readonly way: readonly ChildRef[];
}

/** Who has a copy made. */
interface Maker {
  readonly environment: Environment;
  readonly children: Pick<ChildTransport<ChildCalls>, 'send'>;
}

/** One try to send a copy. */
export class CopyProgress {
  readonly #over = new AbortController();
  /** Where memory is coming now. */
  readonly #coming = new Set<Place>();
  /** When something has come last, as far as is known, in ms since 1970. */
  #heardAt: number;

  /**
   * @param copy which try of which copy it is
   * @param stopped aborts when the copy is not wanted any more
   */
  constructor(
    readonly maker: Maker,
    readonly copy: string,
    readonly stopped: AbortSignal | undefined,
  ) {
    this.#heardAt = maker.environment.now();
  }

  /** Aborts when the try is over, whatever of it is still on its way. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Says something to where a copy is to be. */
  ask({ to, way }: Place, ask: CopyAsk): Promise<CopyAnswer> {
    return this.maker.children.send(to, { kind: 'copy', copy: this.copy, way, ask });
  }

  /** Somebody lets memory come to a place until this is answered. */
  async follow<Answer>({ to, way }: Pick<SendCopyMessage, 'to' | 'way'>, answered: Promise<Answer>): Promise<Answer> {
    // A root is copied by itself, and not by whoever is above it.
    const place = 'sessionId' in to ? { to, way } : undefined;
    if (place) this.#coming.add(place);
    try {
      return await answered;
    } finally {
      if (place) this.#coming.delete(place);
    }
  }

  /** Sends all of it, as long as that is wanted and something of it comes. */
  async until(sends: () => Promise<CopyAnswer>): Promise<CopyAnswer> {
    const { stopped } = this;
    const ends = Promise.withResolvers<CopyAnswer>();
    const stop = (): void => ends.resolve(NOT_WANTED);
    stopped?.addEventListener('abort', stop, { once: true });
    if (stopped?.aborted) stop();
    try {
      return await Promise.race([sends(), ends.promise, this.#silence()]);
    } finally {
      stopped?.removeEventListener('abort', stop);
      this.#over.abort();
    }
  }

  /** Resolves when nothing has come for too long, or the try is over. */
  async #silence(): Promise<CopyAnswer> {
    const { environment } = this.maker;
    const left = (): number => this.#heardAt + COPY_SILENCE_MS - environment.now();
    while (!this.over.aborted && left() > 0) {
      await pause(environment, left(), this.over);
      if (!this.over.aborted && left() <= 0) await this.#look();
    }
    return SILENT;
  }

  /** Asks the places to which memory comes when that was heard of there. */
  async #look(): Promise<void> {
    const { environment } = this.maker;
    const looked = new AbortController();
    const asked = [...this.#coming].map(async (place) => {
      const answer = await this.ask(place, { op: 'heard' });
      if (answer.ok && typeof answer.body === 'number')
        this.#heardAt = Math.max(this.#heardAt, environment.now() - answer.body);
    });
    await Promise.race([Promise.allSettled(asked), pause(environment, ANSWER_MS, looked.signal)]);
    looked.abort();
  }
}
