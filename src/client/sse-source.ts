/** The log as server-sent events: what `fetch` can read anywhere, with a token in its header. */
import { isObject, type Json } from '../protocol/json';
import { type SseEvent, SseParser, SseTooLong } from '../protocol/wire/sse';
import { ProtocolError, Refused } from './errors';
import { type Api, openStream, refusedBy } from './http';
import { type Cut, OPEN_TIMEOUT_MS, type Source, type SourceRequest, type WireEvent, within } from './source';

const cut = (problem: string, inOrder = false): Cut => ({ problem, inOrder });

/** Reads by `GET A/stream`. */
export function sseSource(api: Api): Source {
  return async function* (request) {
    const { address, from, staysOpen, deltas, signal } = request;
    const path = `${address}/stream?from=${from}${staysOpen ? '&follow=1' : ''}${deltas ? '' : '&deltas=0'}`;
    const response = await openStream(api, path, { timeoutMs: OPEN_TIMEOUT_MS, signal });
    const reader = response.body?.getReader();
    if (reader === undefined) return cut('The stream has no body.');
    try {
      return yield* eventsOf(reader, request);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SseTooLong) throw new ProtocolError(error.message);
      if (error instanceof ProtocolError || error instanceof Refused) throw error;
      return cut('The connection was lost.');
    } finally {
      // A stream that is left behind must not hold its connection; that it may be broken already is all the same.
      await reader.cancel().catch(() => undefined);
    }
  };
}

async function* eventsOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { stallMs, signal }: SourceRequest,
): AsyncGenerator<WireEvent, Cut, void> {
  const parser = new SseParser();
  for (;;) {
    const next = await within(reader.read(), stallMs, signal);
    if (next === 'stalled') return cut('The server has gone silent.');
    if (next.done) return cut('The connection was closed.', true);
    yield { kind: 'alive' };
    for (const event of parser.push(next.value)) {
      const told = wireEventOf(event);
      if (told !== undefined) yield told;
    }
  }
}

/** What an event says; undefined for one of a kind that a newer server may send. @throws {Refused} where it is the last one */
function wireEventOf(event: SseEvent): WireEvent | undefined {
  switch (event.event) {
    case 'message':
    case 'chunk': {
      const sequence = /^[1-9]\d{0,15}$/u.test(event.id) ? Number(event.id) : 0;
      if (sequence === 0) throw new ProtocolError('a chunk has no sequence.');
      return { kind: 'chunk', sequence, chunk: dataOf(event) };
    }
    case 'reset': {
      const data = dataOf(event);
      return { kind: 'reset', from: fromIn(isObject(data) ? data.from : undefined) };
    }
    case 'up-to-date':
      return { kind: 'up-to-date' };
    case 'end': {
      const data = dataOf(event);
      const status = isObject(data) ? data.status : undefined;
      if (typeof status !== 'string') throw new ProtocolError('its `end` has no status.');
      return { kind: 'rest', status };
    }
    case 'refused': {
      const data = dataOf(event);
      if (!isObject(data) || typeof data.code !== 'string' || typeof data.status !== 'number')
        throw new ProtocolError('its `refused` is not a problem document.');
      throw refusedBy(data, data.code, data.status);
    }
    default:
      return undefined;
  }
}

/** The sequence of a reset. */
export function fromIn(value: Json | undefined): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    throw new ProtocolError('its `reset` has no `from`.');
  }
  return value;
}

function dataOf(event: SseEvent): Json {
  try {
    return JSON.parse(event.data);
  } catch {
    throw new ProtocolError(`an event (${event.event}) is not JSON.`);
  }
}
