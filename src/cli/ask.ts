/** The command: what was asked for, and how it is told when it cannot be. */

import { ClientError } from '../client/errors';
import { parseCommand, withLocalToken } from './args';
import { CliError, EXIT, exitCodeOf } from './cli-error';
import { coloursOn, writeLines } from './drawing/display';
import { helpText } from './help';
import type { CliIo } from './io';
import { Session } from './session';

/** Runs the command and gives its exit code. Never throws. */
export async function ask(io: CliIo): Promise<number> {
  try {
    const command = await withLocalToken(io, parseCommand(io.args, io.env));
    if (command.kind === 'help') {
      io.stdout.write(helpText(io.agent, io.servers.start !== undefined));
      return EXIT.completed;
    }
    return await new Session(io, command).run();
  } catch (error) {
    const told =
      error instanceof CliError || error instanceof ClientError
        ? error
        : new CliError(`Something went wrong: ${String(error)}`, EXIT.failed);
    writeLines(io.stderr, told.message, 'bad', coloursOn(io, io.stderr, true));
    return exitCodeOf(told);
  }
}
