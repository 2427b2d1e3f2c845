/**
 * A copy on its way to the objects that it is to be in, as who has it made follows it: until it is there, is stopped, or
 * nothing of it comes any more.
 *
 * Keeps CP19, CP20, CP24, CP52.
 */
import type { ChildRef } from '../../core/ports/child-transport';
import { type Environment, pause } from '../../engine/environment';
import { failure } from '../../protocol/errors';
import type { CopyAnswer, CopyAsk } from './messages';
import { COPY_SILENCE_MS } from './plan';

/** An object that is asked what has come there answers within this, in ms, or counts as one to which nothing has. */
export const ANSWER_MS = 5_000;

/** Why a copy was not made that was stopped first. */
export const WAS_STOPPED = 'It was stopped before it was copied.';
/** What came of one that nobody wants any more. */
export const NOT_WANTED = { ok: false, error: failure('superseded', WAS_STOPPED) } as const;
/** What came of one of which nothing has come for too long. */
export const SILENT = {
  ok: false,
  error: failure('unavailable', `No data of the copy has arrived for ${COPY_SILENCE_MS / 1_000} s.`),
} as const;

/** An object, and the way from it to an agent that receives a part of a copy. */
interface Place<To> {
  readonly to: To;
  readonly way: readonly ChildRef[];
}

/** One try to send a copy. */
export class CopyProgress<To> {
  readonly #over = new AbortController();
  /** Where memory is coming now. */
  readonly #coming = new Set<Place<To>>();
  /** When something has come last, as far as is known, in ms since 1970. */
  #heardAt: number;

  /**
   * @param ask says something to where the copy is to be
   * @param stopped aborts when the copy is not wanted any more
   */
  constructor(
    readonly environment: Environment,
    readonly ask: (place: Place<To>, ask: CopyAsk) => Promise<CopyAnswer>,
    readonly stopped?: AbortSignal,
  ) {
    this.#heardAt = environment.now();
  }

  /** Aborts when the try is over, whatever of it is still on its way. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Somebody lets memory come to a place until this is answered. */
  async follow<Answer>(place: Place<To>, answered: Promise<Answer>): Promise<Answer> {
    this.#coming.add(place);
    try {
      return await answered;
    } finally {
      this.#coming.delete(place);
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
    const { environment } = this;
    const left = (): number => this.#heardAt + COPY_SILENCE_MS - environment.now();
    while (!this.over.aborted && left() > 0) {
      await pause(environment, left(), this.over);
      if (!this.over.aborted && left() <= 0) await this.#look();
    }
    return SILENT;
  }

  /** Asks the places to which memory comes when that was heard of there. */
  async #look(): Promise<void> {
    const { environment } = this;
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

/** Does works in the order in which they came, so many of them at once. */
export class AtMost {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
