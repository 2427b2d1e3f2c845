/** The command on Node. `scripts/ask.mjs` bundles this file and gives it the servers. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { WriteStream } from 'node:tty';
import { realClock } from '../client/again';
import { ask } from './ask';
import type { EndRequest, Servers, Terminal } from './io';
import { trustingLocal } from './local-fetch';
import { editText } from './terminal/editor';
import { keyboardOf } from './terminal/keyboard';

/** The command in this repository; an app has another one. */
const OWN_COMMAND = 'npm run ask --';

/** The name of the command in hints, and the agent that it asks where none is named. */
export interface Named {
  readonly command: string;
  readonly agent?: string;
}

function terminalOf(stream: NodeJS.WriteStream | WriteStream, command: string): Terminal {
  return {
    write: (text) => void stream.write(text.replaceAll(OWN_COMMAND, command)),
    isTTY: stream.isTTY === true,
    // A terminal that does not know its size says 0.
    columns: () => stream.columns || 80,
    rows: () => stream.rows || 24,
  };
}

const REQUESTS_TO_END = ['SIGTERM', 'SIGHUP'] as const;

function onInterrupt(call: (request: EndRequest) => void): () => void {
  const interrupt = () => call('interrupt');
  const end = () => call('end');
  process.on('SIGINT', interrupt);
  for (const signal of REQUESTS_TO_END) process.on(signal, end);
  return () => {
    process.off('SIGINT', interrupt);
    for (const signal of REQUESTS_TO_END) process.off(signal, end);
  };
}

/** Waits until what was written has left the process, so that no pipe loses the end of a report. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength > 0) await new Promise<void>((resolve) => stream.write('', () => resolve()));
}

/** Runs the command with the arguments of this process. @returns the exit code */
export async function main(
  args: readonly string[],
  servers: Servers,
  { command, agent }: Named = { command: OWN_COMMAND, agent: 'coordinator' },
): Promise<number> {
  // Whoever reads may leave early, as `head` does: nobody is left to tell.
  process.stdout.on('error', () => process.exit(1));
  process.stderr.on('error', () => undefined);
  const keyboard = keyboardOf(process.stdin, (text) => void process.stdout.write(text));
  const code = await ask({
    args,
    env: process.env,
    stdout: terminalOf(process.stdout, command),
    stderr: terminalOf(process.stderr, command),
    ...(keyboard === undefined ? {} : { keyboard }),
    servers,
    ...(agent === undefined ? {} : { agent }),
    fetch: trustingLocal(globalThis.fetch),
    readFile: (path) => readFile(path),
    edit: (text) => editText(text, process.env),
    ...realClock,
    every(ms, call) {
      const timer = setInterval(call, ms);
      return () => clearInterval(timer);
    },
    randomId: randomUUID,
    onInterrupt,
    exit: (exitCode) => process.exit(exitCode),
  });
  await flushed(process.stdout);
  return code;
}
