/** A log that a test tells event by event to whoever follows it, and what its readers asked for. */
import type { ClientFollowOptions } from '../../src/client/client';
import type { FollowEvent } from '../../src/client/follow';
import type { SequencedChunk } from '../../src/protocol/chunks';

/** One connection. */
class Connection {
  readonly #events: (FollowEvent | Error)[] = [];
  #wake: () => void = () => undefined;

  constructor(
    readonly address: string,
    readonly options: ClientFollowOptions,
  ) {
    options.signal?.addEventListener('abort', () => this.#wake());
  }

  get isOpen(): boolean {
    return this.options.signal?.aborted === false;
  }

  tell(...events: readonly (FollowEvent | Error)[]): void {
    this.#events.push(...events);
    this.#wake();
  }

  async *read(): AsyncGenerator<FollowEvent, void, void> {
    for (;;) {
      this.options.signal?.throwIfAborted();
      const next = this.#events.shift();
      if (next instanceof Error) throw next;
      if (next !== undefined) yield next;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

/** The client of a test, as far as it follows. */
export class PuppetLog {
  readonly connections: Connection[] = [];

  readonly follow = (address: string, options: ClientFollowOptions = {}): AsyncGenerator<FollowEvent, void, void> => {
    const connection = new Connection(address, options);
    this.connections.push(connection);
    return connection.read();
  };

  get open(): readonly Connection[] {
    return this.connections.filter(({ isOpen }) => isOpen);
  }

  /** Tells all that are connected. */
  tell(...events: readonly (FollowEvent | Error)[]): void {
    for (const connection of this.open) connection.tell(...events);
  }
}

/** Entries of a log as events. */
export const asEvents = (entries: readonly SequencedChunk[]): FollowEvent[] =>
  entries.map((entry) => ({ type: 'chunk', entry, missing: 0 }));
