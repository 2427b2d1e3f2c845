/** Requests to the Worker under test, answered with the documents that the client knows by their paths. */

import type { SequencedChunk } from '../../src/protocol/chunks';
import type { Json, JsonObject } from '../../src/protocol/json';
import type { Problem } from '../../src/protocol/problem';
import { SseParser } from '../../src/protocol/wire/sse';
import type { Acceptances, Document, Page, Transcript } from '../../src/protocol/wire/wire-types';
import { served } from './bindings';

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
  return served.default.fetch(`${HOST}${path}`, init);
}

/** What a path gives, by its last part. */
interface Gets {
  readonly status: Document<'status'>;
  readonly tree: Document<'tree'>;
  readonly runs: Page<Document<'run'>>;
  readonly children: Page<Document<'child'>>;
  readonly messages: Transcript;
  readonly calls: Page<Document<'call'>>;
  readonly logs: Page<Document<'log'>>;
  readonly checkpoints: Page<Document<'checkpoint'>>;
  readonly chunks: Page<SequencedChunk>;
  readonly audit: Page<Document<'audit'>>;
  readonly schedules: Page<Document<'due'>>;
  readonly state: Document<'state'>;
  readonly limits: Document<'limits'>;
  readonly pending: Page<Document<'pendingItem'>>;
  readonly usage: Document<'usage'>;
  readonly files: Page<Document<'file'>>;
  readonly documents: Page<Document<'document'>>;
  readonly roots: Page<Document<'root'>>;
  readonly agents: Page<Document<'agent'>>;
  readonly tokens: Page<Document<'token'>>;
  readonly me: Document<'me'>;
}

/** An acceptance, or where the end was waited for the status document. */
type Started<Accepted> = Accepted & Partial<Omit<Document<'status'>, keyof Accepted>>;

/** What each change is answered with. */
interface Posts {
  readonly start: Started<Acceptances['start']>;
  readonly messages: Acceptances['send'];
  readonly interrupt: Acceptances['stop'];
  readonly abort: Acceptances['stop'];
  readonly terminate: Acceptances['stop'];
  readonly resume: Started<Acceptances['resume']>;
  readonly retry: Started<Acceptances['resume']>;
  readonly 'tool-results': Acceptances['answer'];
  readonly tokens: Acceptances['createToken'];
  readonly tickets: Acceptances['createToken'];
}

type Bare<Path> = Path extends `${infer Before}?${string}` ? Before : Path;
type Named<Path, Answers> = {
  [Name in keyof Answers & string]: Bare<Path> extends `${string}/${Name}` ? Answers[Name] : never;
}[keyof Answers & string];
/** What a path that is known as it is written is answered with; any other one with any object. */
type Known<Path, Answers> = [Named<Path, Answers>] extends [never] ? JsonObject : Named<Path, Answers>;

type Got<Path> = Known<Path, Gets>;
/** A page of the list at a path. */
export interface PageAt<Path> {
  readonly items: Got<Path> extends Page<infer Item> ? readonly Item[] : readonly JsonObject[];
  readonly cursor?: string;
}

/** What a request was answered with: what was asked for, or the problem with its code. */
export interface Answered<Body = JsonObject> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body & Partial<Omit<Problem, 'status'>>;
}

async function answered<Body>(response: Response): Promise<Answered<Body>> {
  const text = await response.text();
  const body = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
}

/** Reads JSON. */
export async function get<const Path extends string>(
  path: Path,
  headers: Record<string, string> = {},
): Promise<Answered<Got<Path>>> {
  return answered(await send(path, { headers }));
}

/** Reads a page of a list; what `query` adds to its path says which. */
export async function page<const Path extends string>(path: Path, query = ''): Promise<PageAt<Path>> {
  return (await answered<PageAt<Path>>(await send(`${path}${query}`))).body;
}

/** Sends JSON. */
export async function post<const Path extends string>(
  path: Path,
  body: Json,
  headers: Record<string, string> = {},
): Promise<Answered<Known<Path, Posts>>> {
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

/** The object in an answer. */
export async function objectIn(response: Response): Promise<JsonObject> {
  return JSON.parse(await response.text());
}

/** The problem that a request was answered with. */
export async function problemIn(response: Response): Promise<Problem> {
  return JSON.parse(await response.text());
}

/** The socket that a request has opened. */
export function socketIn({ status, webSocket }: Response): WebSocket {
  if (webSocket === null) throw new Error(`No socket was opened: ${status}.`);
  return webSocket;
}

/** An event of a stream: a chunk, or what the stream says of itself. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string;
  /** As it came. */
  readonly text: string;
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
    this.#reader = response.body.getReader();
  }

  get chunks(): SequencedChunk[] {
    return this.events
      .filter(({ event }) => event === 'message')
      .map(({ id, text }) => ({ sequence: Number(id), chunk: JSON.parse(text) }));
  }

  /** Reads on until a condition holds or the stream is closed. */
  async until(condition: (events: readonly StreamEvent[]) => boolean): Promise<void> {
    while (!this.closed && !condition(this.events)) {
      const { done, value } = await this.#reader.read();
      if (done) this.closed = true;
      else
        for (const { event, id, data: text } of this.#parser.push(value))
          this.events.push({ event, id, text, data: JSON.parse(text) });
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
