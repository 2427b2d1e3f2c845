/**
 * Finding the server to ask: the one that was named, that of this folder, or one that is started for the purpose.
 *
 * Keeps K12, K13, K28, K32.
 */
import { Refused, Unreachable } from '../client/errors';
import { type Api, isRefusedConnection, requestJson } from '../client/http';
import { isLocal } from './args';
import { CliError, EXIT } from './cli-error';
import type { CliIo, OwnServer } from './io';

/** Where `npm start` listens unless told otherwise. */
const DEFAULT_URL = 'http://localhost:8787';

/**
 * A known server may be waking up on a busy machine, and a request may be lost: it is asked so often, and each time the
 * wait for its answer is at most so long, in ms. A refused connection ends it at once.
 */
const KNOWN_TRIES = 3;
const KNOWN_TIMEOUT_MS = 20_000;
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

/** The same for a server that was named or is this folder's, which is asked again when no answer has come in time. */
async function probeKnown(api: Api, signal: AbortSignal): Promise<void> {
  for (let tries = KNOWN_TRIES; ; tries--) {
    try {
      return await probe(api, KNOWN_TIMEOUT_MS, signal);
    } catch (error) {
      if (!isUnreachable(error) || !isLate(error) || tries === 1) throw error;
    }
  }
}

const isLate = ({ cause }: Error): boolean => cause instanceof Error && cause.name === 'TimeoutError';

const isUnreachable = (error: unknown): error is Unreachable => error instanceof Unreachable;

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
      await probeKnown({ base: url, fetch: io.fetch }, signal);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      const advice = isLocal(url) ? `Start a server with: ${io.servers.command}` : 'Check the URL of the server.';
      throw new Unreachable(`${error.message}\n${advice}`, { cause: error });
    }
    return { base: url };
  }
  const running = (await ownRunning(io, signal)) ?? (await usualRunning(io, signal));
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
    const other = await ownRunning(io, signal);
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

/**
 * The server of this folder, unless its port refuses connections. K32: another project may have the usual port, and would
 * get this folder's token.
 * @throws {Unreachable} when it does not answer, or something else does, and {Refused} when it refuses
 */
async function ownRunning({ servers, fetch }: Pick<CliIo, 'servers' | 'fetch'>, signal: AbortSignal) {
  const base = servers.running();
  if (base === undefined) return undefined;
  try {
    await probeKnown({ base, fetch }, signal);
    return base;
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    if (isRefusedConnection(error.cause)) return undefined;
    const advice =
      error.cause === undefined
        ? `If its Worker has a base path, name it: --url ${base}/PATH`
        : `Try again, or restart it with: ${servers.command}`;
    throw new Unreachable(`${error.message}\nIt is the server of this folder. ${advice}`, { cause: error });
  }
}

/** The server on the usual port, if one answers. */
async function usualRunning({ fetch }: Pick<CliIo, 'fetch'>, signal: AbortSignal): Promise<string | undefined> {
  try {
    await probe({ base: DEFAULT_URL, fetch }, GUESSED_TIMEOUT_MS, signal);
    return DEFAULT_URL;
  } catch (error) {
    signal.throwIfAborted();
    if (!isUnreachable(error) && !(error instanceof Refused)) throw error;
    return undefined;
  }
}
