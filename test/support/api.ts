/** Requests to the Worker under test. */
import { exports } from 'cloudflare:workers';
import { SseParser } from '../../src/client/sse';
import type { SequencedChunk } from '../../src/protocol/chunks';
import type { Json, JsonObject } from '../../src/protocol/json';

/** The host that is answered without a secret. */
export const HOST = 'http://localhost';

let names = 0;

/** An address that no other test has. */
export function address(agent = 'top'): string {
  names += 1;
  return `/agents/${agent}/t${names}-${crypto.randomUUID().slice(0, 8)}`;
}

/** Sends a request as it is. */
export function send(path: string, init?: RequestInit): Promise<Response> {
  return (exports as unknown as { default: Fetcher }).default.fetch(
    `${HOST}${path}`,
    init as never,
  ) as unknown as Promise<Response>;
}

/** What a request was answered with. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

async function answered(response: Response): Promise<Answered> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as JsonObject,
  };
}

/** Reads JSON. */
export async function get(path: string, headers: Record<string, string> = {}): Promise<Answered> {
  return answered(await send(path, { headers }));
}

/** Sends JSON. */
export async function post(path: string, body: Json, headers: Record<string, string> = {}): Promise<Answered> {
  return answered(
    await send(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    }),
  );
}

/** Deletes. */
export async function del(path: string, headers: Record<string, string> = {}): Promise<Answered> {
  return answered(await send(path, { method: 'DELETE', headers }));
}

/** An event of a stream: a chunk, or what the stream says of itself. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: Json;
}

/** A stream that is being read. */
export class Reader {
  readonly #parser = new SseParser();
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly events: StreamEvent[] = [];
  closed = false;

  constructor(response: Response) {
    if (response.body === null) throw new Error('There is no body.');
    this.#reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  get chunks(): SequencedChunk[] {
    return this.events
      .filter(({ event }) => event === 'message')
      .map(({ id, data }) => ({ sequence: Number(id), chunk: data as unknown as SequencedChunk['chunk'] }));
  }

  /** Reads on until a condition holds or the stream is closed. */
  async until(condition: (events: readonly StreamEvent[]) => boolean): Promise<void> {
    while (!this.closed && !condition(this.events)) {
      const { done, value } = await this.#reader.read();
      if (done) this.closed = true;
      else
        for (const { event, id, data } of this.#parser.push(value))
          this.events.push({ event, id, data: JSON.parse(data) as Json });
    }
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }
}

/** Opens a stream. */
export async function open(path: string, headers: Record<string, string> = {}): Promise<Reader> {
  const response = await send(path, { headers });
  if (response.status !== 200)
    throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return new Reader(response);
}

/** Reads a stream to its end. */
export async function readAll(path: string): Promise<Reader> {
  const reader = await open(path);
  await reader.until(() => false);
  return reader;
}
