/** How the command fails: each kind with what the person at the terminal reads and the exit code that follows. */
import type { Json } from '../protocol/json';

/** The exit codes of the command. */
export const EXIT = {
  completed: 0,
  /** The run ended otherwise than completed, waits for a person, or was refused. */
  failed: 1,
  usage: 2,
  /** The server cannot be reached, is not an Offshoot server, or does not keep to the protocol. */
  unreachable: 3,
  /** Ctrl-C: the run goes on, nobody looks. */
  lookedAway: 130,
} as const;

/** A failure that is told in a few plain lines. `message` says what happened and what to do. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number, options?: { cause?: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Wrong arguments. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super(`${message}\nSee: npm run ask -- --help`, EXIT.usage);
  }
}

/** Nothing answers, or something that is no Offshoot server. May pass. */
export class Unreachable extends CliError {
  override readonly name = 'Unreachable';

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, EXIT.unreachable, options);
  }
}

/** The server answered, but not as the protocol says. */
export class ProtocolError extends CliError {
  override readonly name = 'ProtocolError';

  constructor(message: string) {
    super(`The server does not keep to the protocol: ${message}`, EXIT.unreachable);
  }
}

/** The server refused a request; `code` and `details` are its own. */
export class Refused extends CliError {
  override readonly name = 'Refused';
  readonly status: number;
  readonly code: string;
  readonly details: Json;

  constructor(status: number, code: string, message: string, details: Json = null) {
    super(message, EXIT.failed);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}
