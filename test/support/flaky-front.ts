/**
 * A front before a real server, over real HTTP: passes everything on to where the server is now, and lets a test act at
 * the moment at which a request is on its way.
 */

import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { portOf } from './ports';

/** What happens to a request on its way; both may stop the server, and what they throw fails the test's `close`. */
export interface OnItsWay {
  /** Before the server gets it. */
  before?(): Promise<void>;
  /** When the server has answered, before the client hears of it; the answer is lost. */
  after?(): Promise<void>;
}

/** A running front. */
export interface Front {
  readonly url: string;
  /** The next request whose path ends so is met with that, once. */
  meet(pathEnd: string, what: OnItsWay): void;
  close(): Promise<void>;
}

/**
 * Starts a front on a free port.
 * @param target the server's address now; undefined while there is none, when every connection is dropped
 */
export async function startFront(target: () => string | undefined): Promise<Front> {
  let met: { readonly pathEnd: string; readonly what: OnItsWay } | undefined;
  let broken: unknown;
  const server = createServer((request, response) => {
    const what = request.url?.endsWith(met?.pathEnd ?? '\0') ? met?.what : undefined;
    if (what !== undefined) met = undefined;
    pass(request, response, target, what).catch((error: unknown) => {
      broken = error;
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    meet(pathEnd, what) {
      met = { pathEnd, what };
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      if (broken !== undefined) throw broken;
    },
  };
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  target: () => string | undefined,
  what: OnItsWay | undefined,
): Promise<void> {
  await what?.before?.();
  const base = target();
  if (base === undefined || what?.before !== undefined) {
    response.destroy();
    return;
  }
  const { method, headers } = request;
  const onward = send(`${base}${request.url}`, { method, headers: { ...headers, connection: 'close' } });
  response.once('close', () => onward.destroy());
  request.pipe(onward);
  const answer = await new Promise<IncomingMessage | undefined>((resolve) => {
    onward.once('response', resolve);
    onward.once('error', () => resolve(undefined));
  });
  if (answer === undefined || what?.after !== undefined) {
    await what?.after?.();
    response.destroy();
    return;
  }
  // A server that dies breaks what it was sending.
  answer.once('error', () => response.destroy());
  answer.once('close', () => !answer.complete && response.destroy());
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  response.flushHeaders();
  answer.pipe(response);
}
