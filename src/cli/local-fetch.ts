/**
 * Requests to a server of this machine over HTTPS: `wrangler dev` makes a certificate that nobody has signed.
 *
 * Keeps K34.
 */
import { request as requestOf } from 'node:https';
import type { Readable } from 'node:stream';
import { isLocal } from './args';

/** Answers that have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The same `fetch`, which takes any certificate of this machine, and of no other one. */
export function trustingLocal(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const url = typeof input === 'object' && 'url' in input ? input.url : String(input);
    return url.startsWith('https:') && isLocal(url) ? localFetch(new Request(input, init)) : fetch(input, init);
  };
}

async function localFetch(request: Request): Promise<Response> {
  const { url, method, headers, signal } = request;
  const body = new Uint8Array(await request.arrayBuffer());
  return new Promise((resolve, reject) => {
    const facts = { method, headers: Object.fromEntries(headers), signal, rejectUnauthorized: false };
    const sending = requestOf(url, facts, (answer) => {
      const { statusCode: status = 500, statusMessage: statusText = '' } = answer;
      const given = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      if (EMPTY.has(status)) answer.resume();
      const content = EMPTY.has(status) ? null : bytesOf(answer);
      resolve(new Response(content, { status, statusText, headers: given }));
    });
    // As `fetch` does: the reason of a signal is thrown itself.
    sending.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    if (body.byteLength > 0) sending.write(body);
    sending.end();
  });
}

/** The bytes of an answer as they come. */
function bytesOf(answer: Readable): ReadableStream<Uint8Array> {
  const pieces = answer[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel: () => void answer.destroy(),
  });
}
