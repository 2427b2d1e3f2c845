/** Finding the server to ask: the one that was named, one that runs here, or one that is started for the purpose. */
import { Refused, Unreachable } from '../client/errors';
import { type Api, requestJson } from '../client/http';
import { isLocal } from './args';
import { CliError, EXIT } from './cli-error';
import type { CliIo, OwnServer } from './io';

/** Where `npm start` listens unless told otherwise. */
const DEFAULT_URL = 'http://localhost:8787';

/**
 * A named server may be waking up on a busy machine, and a request may be lost: it is asked so often, and each time the
 * wait for its answer is at most so long, in ms. A refused connection ends it at once.
 */
const NAMED_TRIES = 3;
const NAMED_TIMEOUT_MS = 20_000;
/** The longest wait for an answer of a server that may not be there at all, in ms. */
const GUESSED_TIMEOUT_MS = 2_000;

/** The server that was found. `own` is there when this command started it, and has to end it. */
export interface Found {
  readonly base: string;
  readonly own?: OwnServer;
}

/**
 * Whether an Offshoot server answers there.
 * @throws {Unreachable} when nothing does, or something else
 * @throws {Refused} when it is one that refuses
 */
async function probe(api: Api, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const health = await requestJson(api, '/healthz', { timeoutMs, signal });
  if (health.ok !== true || health.name !== 'offshoot') {
    throw new Unreachable(`${api.base} responds, but is not an Offshoot server.`);
  }
}

/** The same for a server that was named, which is asked again when no answer has come in time. */
async function probeNamed(api: Api, signal: AbortSignal): Promise<void> {
  for (let tries = NAMED_TRIES; ; tries--) {
    try {
      return await probe(api, NAMED_TIMEOUT_MS, signal);
    } catch (error) {
      const isLate =
        error instanceof Unreachable && error.cause instanceof Error && error.cause.name === 'TimeoutError';
      if (!isLate || tries === 1) throw error;
    }
  }
}

/**
 * Finds the server.
 * @param url the one that was named; then no other is tried and none is started
 * @param tell called before a server is started, which takes a few seconds
 * @throws {Unreachable} when the named server is not there, {CliError} when none could be started
 */
export async function findServer(
  io: Pick<CliIo, 'servers' | 'fetch'>,
  url: string | undefined,
  signal: AbortSignal,
  tell: (text: string) => void,
): Promise<Found> {
  if (url !== undefined) {
    try {
      await probeNamed({ base: url, fetch: io.fetch }, signal);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const advice = isLocal(url) ? `Start a server with: ${io.servers.command}` : 'Check the URL of the server.';
      throw new Unreachable(`${error.message}\n${advice}`, { cause: error });
    }
    return { base: url };
  }
  // Another project may have the usual port.
  const running = await firstRunning(io, [...lockedUrl(io), DEFAULT_URL], signal);
  if (running !== undefined) return { base: running };
  if (io.servers.start === undefined)
    throw new CliError(`No server found. Start one with: ${io.servers.command}`, EXIT.unreachable);
  const start = io.servers.start.bind(io.servers);
  tell('No server found; starting one for this question…');
  try {
    const own = await started(start, signal);
    return { base: own.url, own };
  } catch (error) {
    signal.throwIfAborted();
    // Another command may have started one in the meantime.
    const other = await firstRunning(io, lockedUrl(io), signal);
    if (other !== undefined) return { base: other };
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError(why, EXIT.unreachable, { cause: error });
  }
}

/** A server, unless the signal aborts first: then it is ended as soon as it is there. */
function started(start: () => Promise<OwnServer>, signal: AbortSignal): Promise<OwnServer> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    start().then((own) => {
      signal.removeEventListener('abort', onAbort);
      if (signal.aborted) own.stop().catch(() => undefined);
      else resolve(own);
    }, reject);
  });
}

function lockedUrl(io: Pick<CliIo, 'servers'>): string[] {
  const url = io.servers.running();
  return url === undefined ? [] : [url];
}

async function firstRunning(
  io: Pick<CliIo, 'fetch'>,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const base of urls) {
    try {
      await probe({ base, fetch: io.fetch }, GUESSED_TIMEOUT_MS, signal);
      return base;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Unreachable) && !(error instanceof Refused)) throw error;
    }
  }
  return undefined;
}
