/**
 * Reading what a request brings: its body, bounded while it is read, and its query.
 *
 * Decides: how a body is bounded.
 * Keeps A23, A67, A69, A51, A122, A127.
 */

import { beginningOf } from '../protocol/content/cut';
import { refuse } from '../protocol/errors';
import type { Json } from '../protocol/json';
import { parseJson } from '../protocol/plain-input';
import { WIRE_LIMITS } from '../protocol/wire/wire-limits';

/**
 * The JSON of a request's body, of at most so many bytes; undefined when there is none.
 * @throws OffshootError `unsupported_media_type`, `payload_too_large`, `request_timeout`, `invalid_json`,
 *   `invalid_request`
 */
export async function readJson(request: Request, most: number = WIRE_LIMITS.maxBodyBytes): Promise<Json | undefined> {
  refuseEncoded(request);
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const text = await readText(request, most);
  if (text === '') return undefined;
  if (type !== 'application/json')
    refuse('unsupported_media_type', 'Send JSON, with the header content-type: application/json.');
  return parseJson(text);
}

/** @throws OffshootError `unsupported_media_type` for a body that was compressed: the platform hands it on as it came */
export function refuseEncoded({ headers }: Request): void {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity')
    refuse('unsupported_media_type', 'Send the body uncompressed, without the header content-encoding.');
}

async function readText(request: Request, most: number): Promise<string> {
  const tooLarge = `A body has at most ${most} bytes. Send files with PUT …/files/{path}.`;
  if (Number(request.headers.get('content-length') ?? 0) > most) refuse('payload_too_large', tooLarge);
  if (request.body === null) return '';
  const bytes = new Gathered();
  const reader = request.body.getReader();
  // A race with one promise of the end of its time would keep something for each piece: a body may come byte by byte.
  let onLate = (): void => undefined;
  const timer = setTimeout(() => onLate(), WIRE_LIMITS.maxBodyMs);
  try {
    for (;;) {
      const next = await new Promise<Awaited<ReturnType<typeof reader.read>> | 'late'>((resolve, reject) => {
        onLate = () => resolve('late');
        reader.read().then(resolve, reject);
      });
      if (next === 'late') {
        // Its sender may never answer that.
        reader.cancel().catch(() => undefined);
        refuse('request_timeout', `A body must arrive within ${WIRE_LIMITS.maxBodyMs / 1_000} s. Send it again.`);
      }
      if (next.done) break;
      if (bytes.size + next.value.byteLength > most) {
        await reader.cancel();
        refuse('payload_too_large', tooLarge);
      }
      bytes.add(next.value);
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes.all);
  } catch (error) {
    if (error instanceof TypeError) refuse('invalid_json', 'The body is not valid UTF-8.');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Bytes that come in pieces. They take twice their size at most, however small the pieces are. */
class Gathered {
  size = 0;
  #bytes = new Uint8Array(4_096);

  get all(): Uint8Array {
    return this.#bytes.subarray(0, this.size);
  }

  add(piece: Uint8Array): void {
    const size = this.size + piece.byteLength;
    if (size > this.#bytes.byteLength) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.byteLength));
      larger.set(this.all);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.size);
    this.size = size;
  }
}

/**
 * Lets go of a body that nobody reads. Its sender may wait for the answer, and servers hold that back while a body still
 * comes. One that was read, or is being read, is left alone.
 */
export function letGo({ body }: Request): void {
  if (body !== null && !body.locked) body.cancel().catch(() => undefined);
}

/** The parameters of a query as an input: text by name. @throws OffshootError `invalid_request` */
export function queryInput(url: string): { [name: string]: string } {
  const query: { [name: string]: string } = {};
  for (const [name, value] of new URL(url).searchParams) {
    if (Object.hasOwn(query, name))
      refuse('invalid_request', `The parameter "${beginningOf(name, 100)}" is given twice.`);
    if (name === '__proto__') refuse('invalid_request', 'There is no parameter "__proto__".');
    query[name] = value;
  }
  return query;
}
