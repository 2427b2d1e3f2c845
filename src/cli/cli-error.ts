/** How the command fails: each kind with what the person at the terminal reads and the exit code that follows. */
import { type ClientError, Refused } from '../client/errors';

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

/** The exit code that follows a failure: a refusal is told, all else of a client means that the server is not there. */
export function exitCodeOf(error: CliError | ClientError): number {
  if (error instanceof CliError) return error.exitCode;
  return error instanceof Refused ? EXIT.failed : EXIT.unreachable;
}
