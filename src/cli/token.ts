/** The server's secret: as it was given, or that of the server of this folder (`.dev.vars`). */
import type { Command } from './args';
import { UsageError } from './cli-error';
import type { CliIo } from './io';

/** The file in which wrangler's local server finds its secrets. */
const DEV_VARS = '.dev.vars';
const LINE = /^[ \t]*(?:export[ \t]+)?OFFSHOOT_TOKEN[ \t]*=[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^#\r\n]*))/gmu;

/** Names of this machine: the secret of its server goes nowhere else. */
const LOCAL = /^https?:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$)/u;

/** @throws {UsageError} for a token that no header can carry: the error of `fetch` would show it */
export function checkToken(token: string | undefined): void {
  if (token !== undefined && !/^[\u0021-\u007e]+$/u.test(token)) {
    throw new UsageError('The token may contain only printable ASCII characters without spaces.');
  }
}

/** The token in the text of a `.dev.vars`; the last one counts. */
export function tokenIn(text: string): string | undefined {
  const [, double, single, bare] = [...text.matchAll(LINE)].at(-1) ?? [];
  return (double ?? single ?? bare?.trim()) || undefined;
}

/** The same command with the token of this folder, where none was given and the server is on this machine. */
export async function withLocalToken(io: Pick<CliIo, 'readFile'>, command: Command): Promise<Command> {
  if (command.kind === 'help' || command.token !== undefined) return command;
  if (command.url !== undefined && !LOCAL.test(command.url)) return command;
  const text = await io.readFile(DEV_VARS).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => '',
  );
  const token = tokenIn(text);
  checkToken(token);
  return token === undefined ? command : { ...command, token };
}
