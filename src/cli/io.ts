/** What the command needs from its surroundings. `main.ts` gives those of Node; tests give their own. */
import type { Environment } from './args';

/** A place to write to. */
export interface Terminal {
  write(text: string): void;
  readonly isTTY: boolean;
  columns(): number;
  rows(): number;
}

/** A server that this command has started. */
export interface OwnServer {
  readonly url: string;
  /** Ends it in order. Again is harmless. */
  stop(): Promise<void>;
}

/** The servers of this machine. */
export interface Servers {
  /** The URL of the server that this project runs already, wherever it listens. */
  running(): string | undefined;
  /** Starts one on a free port, on the same state as `npm start`. Throws an Error that says what is wrong. */
  start(): Promise<OwnServer>;
}

/** The surroundings. */
export interface CliIo {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly servers: Servers;
  readonly fetch: typeof fetch;
  /** The bytes of a file. Throws an Error with a `code` as Node does. */
  readFile(path: string): Promise<Uint8Array>;
  /** ms since 1970. */
  now(): number;
  /** Settles after that time, at once when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls every so many ms until the returned function is called. */
  every(ms: number, call: () => void): () => void;
  /** A random UUID. */
  randomId(): string;
  /** Calls at each Ctrl-C (and other request to end) until the returned function is called. */
  onInterrupt(call: () => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}
