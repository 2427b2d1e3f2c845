/**
 * A loopback HTTP server that plays the part of a model provider: it records what it is sent and answers as told,
 * also with silence, half a stream or a broken connection.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { portOf } from '../ports';

/** What a server does with one request. */
export type Answer =
  | {
      readonly kind: 'stream';
      /** Server-sent events, each with its closing blank line. */
      readonly frames: readonly string[];
      /** After the frames: the end of the body, a broken connection, or nothing more. Default `end`. */
      readonly after?: 'end' | 'cut' | 'hang';
      /** Bytes of each write, to split frames and characters; default one write for each frame. */
      readonly bytes?: number;
    }
  | {
      readonly kind: 'body';
      readonly status: number;
      readonly body: string;
      readonly type?: string;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: 'silence' };

/** A request as it came over the wire. */
export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The JSON of the body. */
  readonly body: Record<string, unknown>;
  /** Resolves when the client goes away before the answer is whole; never when the answer is whole. */
  readonly gone: Promise<void>;
}

/** A running server. `close` drops every connection and resolves when the port is free. */
export interface WireServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly requests: readonly WireRequest[];
  close(): Promise<void>;
}

/** Starts a server on a free port of the loopback interface. */
export async function startWireServer(
  answer: (request: WireRequest, response: ServerResponse) => Answer | Promise<Answer | undefined> | undefined,
): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      response.on('close', () => (response.writableFinished ? undefined : resolve()));
    });
    let text = '';
    for await (const piece of incoming.setEncoding('utf8')) text += piece;
    const request = { path: incoming.url ?? '', headers: incoming.headers, body: JSON.parse(text || '{}'), gone };
    requests.push(request);
    const told = await answer(request, response);
    if (told) await give(told, response);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function give(answer: Answer, response: ServerResponse): Promise<void> {
  if (answer.kind === 'silence') return;
  if (answer.kind === 'body') {
    response.writeHead(answer.status, { 'content-type': answer.type ?? 'application/json', ...answer.headers });
    response.end(answer.body);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  for (const piece of split(answer.frames, answer.bytes)) await write(response, piece);
  if (answer.after === 'cut') response.destroy();
  else if (answer.after !== 'hang') response.end();
}

function split(frames: readonly string[], bytes: number | undefined): Buffer[] {
  if (bytes === undefined) return frames.map((frame) => Buffer.from(frame));
  const whole = Buffer.from(frames.join(''));
  const pieces: Buffer[] = [];
  for (let at = 0; at < whole.length; at += bytes) pieces.push(whole.subarray(at, at + bytes));
  return pieces;
}

/** Resolves when the piece is on its way, or the client is gone. */
export function write(response: ServerResponse, piece: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(piece, () => resolve());
  });
}

/** One server-sent event, named where its format names events. */
export function frame(data: unknown, event?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return event === undefined ? `data: ${text}\n\n` : `event: ${event}\ndata: ${text}\n\n`;
}
