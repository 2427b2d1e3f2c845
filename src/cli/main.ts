/** The command on Node. `scripts/ask.mjs` bundles this file and gives it the servers. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { WriteStream } from 'node:tty';
import { ask } from './ask';
import type { Servers, Terminal } from './io';

function terminalOf(stream: NodeJS.WriteStream | WriteStream): Terminal {
  return {
    write: (text) => void stream.write(text),
    isTTY: stream.isTTY === true,
    // A terminal that does not know its size says 0.
    columns: () => stream.columns || 80,
    rows: () => stream.rows || 24,
  };
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

const REQUESTS_TO_END = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function onInterrupt(call: () => void): () => void {
  for (const signal of REQUESTS_TO_END) process.on(signal, call);
  return () => {
    for (const signal of REQUESTS_TO_END) process.off(signal, call);
  };
}

/** Waits until what was written has left the process, so that no pipe loses the end of a report. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength > 0) await new Promise<void>((resolve) => stream.write('', () => resolve()));
}

/** Runs the command with the arguments of this process and gives its exit code. */
export async function main(args: readonly string[], servers: Servers): Promise<number> {
  // Whoever reads may leave early, as `head` does: nobody is left to tell.
  process.stdout.on('error', () => process.exit(1));
  process.stderr.on('error', () => undefined);
  const code = await ask({
    args,
    env: process.env,
    stdout: terminalOf(process.stdout),
    stderr: terminalOf(process.stderr),
    servers,
    fetch: globalThis.fetch,
    readFile: (path) => readFile(path),
    now: Date.now,
    wait,
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
