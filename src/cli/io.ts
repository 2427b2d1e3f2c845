/** What the command needs from its surroundings. `main.ts` gives those of Node; tests give their own. */
import type { Clock } from '../client/again';

/** The environment, as far as it is looked at. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An output to write to. */
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
  /** The command that starts a server, for hints: `npm start`. */
  readonly command: string;
  /** The URL of the server that this project runs already, wherever it listens. */
  running(): string | undefined;
  /**
   * Starts one on a free port, on the same state as `command`. Throws an Error that says what is wrong. Missing where only a
   * person starts servers.
   */
  start?(): Promise<OwnServer>;
}

/** The keys of a terminal. */
export interface Keyboard {
  /**
   * Gives what is typed, as the terminal sends it, at once and without an echo, also Ctrl-C, until the returned function
   * is called. What is pasted comes in brackets (`keys.ts`).
   */
  listen(call: (input: string) => void): () => void;
}

/** How the process was asked to end: by Ctrl-C, or for good. */
export type EndRequest = 'interrupt' | 'end';

/** The surroundings. */
export interface CliIo extends Clock {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  /** Missing where stdin is no terminal. */
  readonly keyboard?: Keyboard;
  readonly servers: Servers;
  /** The agent that is asked where none is named. Missing in an app, whose server knows its agents. */
  readonly agent?: string;
  readonly fetch: typeof fetch;
  /** The bytes of a file. Throws an Error with a `code` as Node does. */
  readFile(path: string): Promise<Uint8Array>;
  /**
   * Opens a text in the person's editor and gives it as it was saved; the keyboard is the editor's meanwhile. Throws an
   * Error that says what is wrong.
   */
  edit(text: string): Promise<string>;
  /** Calls every so many ms until the returned function is called. */
  every(ms: number, call: () => void): () => void;
  /** A random UUID. */
  randomId(): string;
  /** Calls at each Ctrl-C (and other request to end) until the returned function is called. */
  onInterrupt(call: (request: EndRequest) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}
