/** What a process says, for tests that wait for a text of it. */
import type { ChildProcess } from 'node:child_process';

/** The output of a process of its own. */
export class Output {
  stdout = '';
  stderr = '';
  /** Settles with the exit code once all is said; null where a signal ended the process. */
  readonly closed: Promise<number | null>;
  readonly #looks = new Set<() => void>();
  #isClosed = false;

  /** @param clean makes of each piece what is kept */
  constructor(
    readonly child: ChildProcess,
    clean = (text: string): string => text,
  ) {
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this[name] += clean(text);
        this.#look();
      });
    }
    this.closed = new Promise((resolve, reject) => {
      child.once('error', (error) => {
        this.#isClosed = true;
        reject(error);
        this.#look();
      });
      child.once('close', (code) => {
        this.#isClosed = true;
        resolve(code);
        this.#look();
      });
    });
  }

  /** Everything that it has said. */
  get said(): string {
    return `${this.stdout}\n${this.stderr}`;
  }

  /**
   * Resolves once something is found in what was said.
   * @throws Error with what was said, once the process has ended without it
   */
  async until<Found>(what: string, find: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.#isClosed) throw new Error(`The process has ended without ${what}. It said:\n${this.said}`);
      await new Promise<void>((resolve) => this.#looks.add(resolve));
    }
  }

  #look(): void {
    for (const look of this.#looks) look();
    this.#looks.clear();
  }
}
