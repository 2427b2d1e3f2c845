/** A server over real HTTP that answers each path as a test says: what it writes is no part of any protocol. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { portOf } from '../../../support/ports';

/** Answers a request; it may write for ever, for as long as `open` says that somebody reads. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse, open: () => boolean) => unknown;

export interface HostileServer {
  readonly url: string;
  /** What came in, by path. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** Bytes that it has written to the last connection. */
  written: number;
  close(): Promise<void>;
}

export async function hostileServer(behaviour: Behaviour): Promise<HostileServer> {
  const requests: HostileServer['requests'] = [];
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    let open = true;
    response.on('close', () => {
      open = false;
      hostile.written = response.socket?.bytesWritten ?? hostile.written;
    });
    request.resume().on('end', () => behaviour(request, response, () => open));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hostile: HostileServer = {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests,
    written: 0,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return hostile;
}

/** Writes the same piece again and again, no faster than it is read, until nobody reads or `most` bytes are written. */
export async function pour(
  response: ServerResponse,
  piece: Buffer | string,
  open: () => boolean,
  most = Number.POSITIVE_INFINITY,
) {
  const size = Buffer.byteLength(piece);
  for (let given = 0; open() && given < most; given += size) {
    if (response.write(piece)) continue;
    await new Promise<void>((resolve) => {
      const done = () => {
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.on('drain', done).on('close', done);
    });
  }
  response.end();
}
