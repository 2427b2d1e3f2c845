/**
 * Calls within the platform: nothing ends them but their answer, so what comes too late is let go of.
 *
 * Keeps AE2, AE8.
 */
import {
  type RemoteAgent,
  type RemoteCall,
  RemoteError,
  type RemoteEvent,
} from '../../../core/definition/remote-transport';
import { givenAnswer } from './answer';
import { eventsOf, refusedStream } from './events';
import { faulty } from './faults';
import type { RemoteLimits } from './limits';
import { within } from './time';
import { remoteVerb } from './verbs';

/** What came; nothing of it is checked yet. */
export type Given = { readonly [name: string]: unknown };

/** The answer of a call that came in time. @throws RemoteError, the signal's reason when that aborts */
export async function callWithin(
  ask: () => Promise<Given>,
  { verb, caller, signal }: Pick<RemoteCall, 'verb' | 'caller' | 'signal'>,
  label: string,
  { callMs }: RemoteLimits,
): Promise<Given> {
  remoteVerb(verb);
  const left = caller?.deadline === undefined ? callMs : Math.max(1, Math.min(callMs, caller.deadline - Date.now()));
  const late = { ms: left, fault: 'too_slow', what: `${label} took longer than ${Math.ceil(left)} ms.` } as const;
  signal.throwIfAborted();
  return reached(within(ask(), signal, late), signal, label);
}

/** A stream that began in time. */
export async function* streamWithin(
  ask: () => Promise<Given>,
  { agent, from, signal }: { readonly agent: RemoteAgent; readonly from: number; readonly signal: AbortSignal },
  label: string,
  limits: RemoteLimits,
): AsyncGenerator<RemoteEvent> {
  const late = { ms: limits.openMs, fault: 'silent', what: `${label} returned no stream in time.` } as const;
  signal.throwIfAborted();
  const asked = ask();
  let answer: Given;
  try {
    answer = await reached(within(asked, signal, late), signal, label);
  } catch (error) {
    asked.then(drop, () => undefined);
    throw error;
  }
  const { bytes } = answer;
  if (bytes instanceof ReadableStream) {
    yield* eventsOf(bytes, { agent, from, limits, signal });
    return;
  }
  const refusal = answer.ok === false ? givenAnswer('status', answer, limits) : undefined;
  if (refusal?.ok === false) throw refusedStream(refusal);
  throw faulty('shape', `${label} returned no stream.`);
}

function drop({ bytes }: Given): void {
  if (bytes instanceof ReadableStream) bytes.cancel().catch(() => undefined);
}

async function reached(asked: Promise<Given>, signal: AbortSignal, label: string): Promise<Given> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RemoteError) throw error;
    throw signal.aborted ? signal.reason : faulty('no_connection', `${label} could not be reached.`, { cause: error });
  }
}
