/** Gates outside of every Worker: whoever comes waits until its gate is open, and is counted by its key. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { present } from '../../support/present';

/** Gates on this machine. */
export class Gates {
  readonly #open = new Set<string>();
  readonly #came = new Map<string, string[]>();
  readonly #waiting = new Map<string, Set<ServerResponse>>();
  readonly #server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(present(request.url), 'http://localhost');
    const gate = pathname.slice(1);
    this.#came.set(gate, [...this.came(gate), searchParams.get('key') ?? '']);
    if (this.#open.has(gate)) return void response.end('open');
    const waiting = this.#waiting.get(gate) ?? new Set();
    this.#waiting.set(gate, waiting.add(response));
    response.once('close', () => waiting.delete(response));
  });

  /** Where they are, once they are there. */
  listen(): Promise<string> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
      });
    });
  }

  /** Opens one: whoever waits there passes, and whoever comes later. */
  open(gate: string): void {
    this.#open.add(gate);
    for (const response of this.#waiting.get(gate) ?? []) response.end('open');
  }

  /** The keys of those who came to one, in order. */
  came(gate: string): readonly string[] {
    return this.#came.get(gate) ?? [];
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
