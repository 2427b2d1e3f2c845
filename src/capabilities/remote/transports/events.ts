/**
 * Reading the stream of another side: server-sent events, each checked before it is given on. What is kept is one event and
 * the last sequence, however much comes.
 *
 * AE3. Sequences rise; a log that begins anew is told so, first and once.
 */
import { type RemoteAgent, RemoteError, type RemoteEvent } from '../../../core/definition/remote-transport';
import { isAddress, isWithin, parseAddress } from '../../../protocol/address';
import { CHUNKS, type Chunk, type ChunkType, chunkSchema, isWireChunk } from '../../../protocol/chunks';
import { refuse } from '../../../protocol/errors';
import { byteLength, isObject, type Json, type JsonObject } from '../../../protocol/json';
import { SESSION_STATUSES } from '../../../protocol/status';
import { type SseEvent, SseParser, SseTooLong } from '../../../protocol/wire/sse';
import { refusalOf } from './answer';
import { faulty, quoted } from './faults';
import { boundedJson } from './json';
import type { RemoteLimits } from './limits';
import { limited, within } from './time';

/** The address of an agent there. @throws OffshootError `invalid_address` */
export function addressOf({ addressClass, name, below = '' }: RemoteAgent): string {
  const { address, rest } = parseAddress(`/agents/${addressClass}/${name}${below}`);
  if (rest.length > 0) refuse('invalid_address', 'The address of a remote agent ends with its name.');
  return address;
}

/** How a stream is read. */
interface Reading {
  readonly agent: RemoteAgent;
  readonly from: number;
  readonly limits: RemoteLimits;
  readonly signal: AbortSignal;
}

/**
 * The events of a stream, until its end. The bytes are let go of when their reader stops.
 * @throws RemoteError where it was cut or is not lawful, the signal's reason when that aborts
 */
export async function* eventsOf(bytes: ReadableStream<Uint8Array>, reading: Reading): AsyncGenerator<RemoteEvent> {
  const { limits } = reading;
  const { signal, end } = limited(reading.signal, limits.streamMs, 'The stream reached its maximum duration.');
  const reader = bytes.getReader();
  const parser = new SseParser(limits.maxEventCharacters, { fatal: true });
  const checks = new Checks(addressOf(reading.agent), reading.from, limits);
  let taken = 0;
  try {
    for (;;) {
      const silent = { ms: limits.idleMs, fault: 'silent', what: 'The stream has gone silent.' } as const;
      const next = await within(reader.read(), signal, silent);
      if (next.done) throw faulty('cut', 'The stream ended without the event `end`.');
      taken += next.value.byteLength;
      if (taken > limits.maxStreamBytes) throw tooLong(limits, checks.given);
      for (const event of parsed(parser, next.value)) {
        const given = checks.read(event);
        if (given !== undefined) yield given;
        // What came together with it is not given to who has gone meanwhile (AE8).
        signal.throwIfAborted();
        if (given?.type === 'end') return;
      }
    }
  } catch (error) {
    throw translated(error, signal);
  } finally {
    end();
    reader.cancel().catch(() => undefined);
  }
}

/** What has told something is taken up where it was: the next connection begins after that. */
const tooLong = ({ maxStreamBytes }: RemoteLimits, given: number) =>
  faulty('stream_too_large', `The stream sent more than ${maxStreamBytes} bytes.`, { retryable: given > 0 });

function translated(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof RemoteError) return error;
  if (signal.aborted) return signal.reason;
  return faulty('cut', 'The stream was cut off.', { cause: error });
}

function parsed(parser: SseParser, bytes: Uint8Array): SseEvent[] {
  try {
    return parser.push(bytes);
  } catch (error) {
    if (error instanceof SseTooLong) throw faulty('event_too_large', error.message, { cause: error });
    throw faulty('not_utf8', 'The stream is not UTF-8.', { cause: error });
  }
}

/** What is known of one connection. */
class Checks {
  /** Chunks so far. */
  given = 0;
  #next: number;
  #first = true;
  /** Chunks that there were when it was said last that these are all. */
  #told = -1;

  constructor(
    readonly address: string,
    from: number,
    readonly limits: RemoteLimits,
  ) {
    this.#next = from;
  }

  /** What an event says; undefined for one of a kind that a newer server may send. */
  read(event: SseEvent): RemoteEvent | undefined {
    switch (event.event) {
      case 'message':
      case 'chunk':
        return this.#chunk(event);
      case 'reset':
        return this.#reset(this.#data(event));
      case 'up-to-date':
        return this.#upToDate();
      case 'end':
        return endOf(this.#data(event));
      case 'refused':
        throw refusedBy(this.#data(event));
      default:
        return undefined;
    }
  }

  #data(event: SseEvent): JsonObject {
    const data = boundedJson(event.data, this.limits.maxDepth, 'An event of the stream');
    if (!isObject(data)) throw faulty('shape', `An event of the stream (${quoted(event.event)}) is not an object.`);
    return data;
  }

  #chunk(event: SseEvent): RemoteEvent {
    const sequence = /^[1-9]\d{0,15}$/u.test(event.id) ? Number(event.id) : 0;
    if (!Number.isSafeInteger(sequence) || sequence === 0) throw faulty('shape', 'A chunk has no sequence.');
    if (sequence === this.#next - 1 && this.given > 0)
      throw faulty('repeated', `The stream sent sequence ${sequence} twice.`);
    if (sequence < this.#next)
      throw faulty('out_of_order', `The stream sent sequence ${sequence} where ${this.#next} or more was expected.`);
    const chunk = chunkOf(this.#data(event), this.address);
    this.#next = sequence + 1;
    this.#first = false;
    this.given++;
    return chunk === undefined
      ? { type: 'passed_over', sequence, bytes: byteLength(event.data) }
      : { type: 'chunk', sequence, chunk };
  }

  /** Said once until there is something new. */
  #upToDate(): RemoteEvent | undefined {
    if (this.#told === this.given) return undefined;
    this.#told = this.given;
    return { type: 'up_to_date' };
  }

  #reset({ from }: JsonObject): RemoteEvent {
    if (typeof from !== 'number' || !Number.isSafeInteger(from) || from < 1)
      throw faulty('shape', 'The stream was reset without a sequence.');
    if (!this.#first && from < this.#next)
      throw faulty('out_of_order', `The stream was reset to ${from}, which it had already passed.`);
    this.#first = false;
    this.#next = from;
    return { type: 'reset', from };
  }
}

const STATUSES: ReadonlySet<string> = new Set(SESSION_STATUSES);

function endOf({ status }: JsonObject): RemoteEvent {
  if (typeof status === 'string' && STATUSES.has(status)) return { type: 'end', status };
  throw faulty('unknown_status', `The stream ends with an unknown status: ${quoted(status)}.`);
}

function refusedBy(problem: Json): RemoteError {
  const refusal = refusalOf(problem);
  if (refusal === undefined) return faulty('shape', 'The refusal of the stream is not a problem document.');
  return refusedStream(refusal);
}

/** The other side does not give the stream. */
export function refusedStream({ code, title, detail, status }: NonNullable<ReturnType<typeof refusalOf>>): RemoteError {
  const refusal = { code, title, ...(detail === undefined ? {} : { detail }), status };
  const retryable = status >= 500 || status === 429;
  return new RemoteError('remote_refused', `The stream was refused: ${title} (${code})`, { refusal, retryable });
}

/** A name, an id, a number of a chunk: the longest that is taken as JSON, in characters. */
const MAX_SHORT = 1_024;

const isChunkType = (type: string): type is ChunkType => Object.hasOwn(CHUNKS, type);

/** A chunk of the agent or one below it, with the fields that its type has; undefined for a type of a newer version. */
function chunkOf(data: JsonObject, address: string): Chunk | undefined {
  const { type } = data;
  if (typeof type !== 'string') throw faulty('bad_chunk', 'A chunk has no type.');
  if (!isChunkType(type)) {
    if (!isWireChunk(data)) throw faulty('bad_chunk', `A chunk of an unknown type is invalid: ${quoted(type)}.`);
    if (!isFrom(data.address, address)) throw foreign();
    return undefined;
  }
  const chunk = lawfulChunk(data, type);
  if (!isFrom(chunk.address, address)) throw foreign();
  return chunk;
}

/** The same chunk, with the fields that its type has. @throws RemoteError `bad_chunk` for one against the protocol */
export function lawfulChunk(given: unknown, type: ChunkType): Chunk {
  const read = chunkSchema.safeParse(given);
  if (!read.success) {
    const where = read.error.issues[0]?.path.join('.') ?? '';
    throw faulty('bad_chunk', `A chunk "${type}" does not match the protocol, at ${quoted(where)}.`);
  }
  checkShort(read.data, type);
  return read.data;
}

const foreign = () => faulty('foreign_address', 'A chunk is from an agent that was not requested.');

/** True for the address of an agent, or of one below it. */
function isFrom(address: Json | undefined, top: string): boolean {
  if (address === top) return true;
  return typeof address === 'string' && isWithin(address, top) && isAddress(address);
}

/** Fields that are short here are short there. */
function checkShort(chunk: Chunk, type: ChunkType): void {
  const fields: { readonly [name: string]: { readonly size: string } } = CHUNKS[type].fields;
  for (const [name, value] of Object.entries(chunk)) {
    if ((fields[name]?.size ?? 'short') !== 'short') continue;
    const length = typeof value === 'string' ? value.length : JSON.stringify(value).length;
    if (length > MAX_SHORT)
      throw faulty('bad_chunk', `A chunk "${type}" has more than ${MAX_SHORT} characters in ${name}.`);
  }
}
