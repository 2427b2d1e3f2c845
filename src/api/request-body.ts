/** Reading the body of a request: bounded while it is read, JSON, and no more than what a schema knows. */
import { z } from 'zod';
import { DATA_LIMITS } from '../protocol/data-limits';
import { isObject, type Json } from '../protocol/json';
import { refuse } from './problem';
import { WIRE_LIMITS } from './wire-limits';

/**
 * The JSON of a request's body; undefined when there is none.
 * @throws OffshootError `unsupported_media_type`, `payload_too_large`, `request_timeout`, `invalid_json`,
 *   `invalid_request`
 */
export async function readJson(request: Request): Promise<Json | undefined> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const text = await readText(request);
  if (text === '') return undefined;
  if (type !== 'application/json')
    refuse('unsupported_media_type', 'Send JSON, with the header content-type: application/json.');
  return parseJson(text);
}

/** JSON from a text. @throws OffshootError `invalid_json`, `invalid_request` */
export function parseJson(text: string): Json {
  let json: Json;
  try {
    json = JSON.parse(text) as Json;
  } catch {
    refuse('invalid_json', 'The body is not valid JSON. Look for a missing quotation mark, comma or bracket.');
  }
  checkShape(json);
  return json;
}

async function readText(request: Request): Promise<string> {
  const most = WIRE_LIMITS.maxBodyBytes;
  const tooLarge = `A body has at most ${most} bytes. Send files with PUT …/files/{path}.`;
  if (Number(request.headers.get('content-length') ?? 0) > most) refuse('payload_too_large', tooLarge);
  if (request.body === null) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  let size = 0;
  let text = '';
  const reader = request.body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), WIRE_LIMITS.maxBodyMs);
  });
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), late]);
      if (next === 'late') {
        // Its sender may never answer that.
        reader.cancel().catch(() => undefined);
        refuse('request_timeout', `A body must come within ${WIRE_LIMITS.maxBodyMs / 1_000} s. Send it again.`);
      }
      if (next.done) break;
      size += next.value.byteLength;
      if (size > most) {
        await reader.cancel();
        refuse('payload_too_large', tooLarge);
      }
      text += decoder.decode(next.value, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) refuse('invalid_json', 'The body is not valid UTF-8.');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Lets go of a body that nobody reads. Its sender may wait for the answer, and servers hold that back while a body still
 * comes. One that was read, or is being read, is left alone.
 */
export function letGo({ body }: Request): void {
  if (body !== null && !body.locked) body.cancel().catch(() => undefined);
}

/** Refuses what is nested too deep to be looked at, and keys that would change how objects behave. */
function checkShape(json: Json): void {
  const open: { value: Json; depth: number }[] = [{ value: json, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > DATA_LIMITS.maxDepth)
      refuse('invalid_request', `The body is nested deeper than ${DATA_LIMITS.maxDepth} levels.`);
    if (isObject(value) && Object.hasOwn(value, '__proto__'))
      refuse('invalid_request', 'The key "__proto__" is not taken, at any level of a body.');
    for (const inner of Object.values(value)) open.push({ value: inner, depth: depth + 1 });
  }
}

/** What a schema makes of an input. @throws OffshootError `invalid_request` that names what does not fit */
export function checked(schema: z.ZodType, input: unknown): Json {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data as Json;
  refuse('invalid_request', z.prettifyError(parsed.error).replaceAll('✖ ', '').replaceAll(/\s+/g, ' ').slice(0, 1_000));
}

/** The parameters of a query as an input: text by name. @throws OffshootError `invalid_request` */
export function queryInput(url: string): { [name: string]: string } {
  const query: { [name: string]: string } = {};
  for (const [name, value] of new URL(url).searchParams) {
    if (Object.hasOwn(query, name)) refuse('invalid_request', `The parameter "${name.slice(0, 100)}" is given twice.`);
    if (name === '__proto__') refuse('invalid_request', 'There is no parameter "__proto__".');
    query[name] = value;
  }
  return query;
}
