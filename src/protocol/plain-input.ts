/**
 * What comes in for a verb, as a text or as a value: JSON of a shape that is safe to look at, and bounded.
 *
 * Decides: how what is given as a value, and not as a text, is bounded.
 * Keeps A23, Y4, AE15.
 */

import { beginningOf } from './content/cut';
import { exactJson } from './content/exact-json';
import { DATA_LIMITS } from './data-limits';
import { refuse } from './errors';
import { byteLength, isObject, type Json, toJson } from './json';
import { WIRE_LIMITS } from './wire/wire-limits';

/**
 * JSON from a text. `around` levels of it are no part of what is bounded: 0 by default.
 * @throws OffshootError `invalid_json`, `invalid_request`
 */
export function parseJson(text: string, around = 0): Json {
  const read = exactJson(text, DATA_LIMITS.maxDepth + around);
  if (!read.ok && !read.isJson)
    refuse('invalid_json', 'The body is not valid JSON. Look for a missing quotation mark, comma or bracket.');
  if (!read.ok) refuse('invalid_request', `The body ${read.problem}.`);
  checkShape(read.json, DATA_LIMITS.maxDepth + around);
  return read.json;
}

/** Refuses what is nested too deep to be looked at, and keys that would change how objects behave. */
function checkShape(json: Json, maxDepth: number): void {
  const open: { value: Json; depth: number }[] = [{ value: json, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (!isContainer(value)) continue;
    if (depth > maxDepth) refuse('invalid_request', `The body is nested deeper than ${DATA_LIMITS.maxDepth} levels.`);
    if (isObject(value) && Object.hasOwn(value, '__proto__'))
      refuse('invalid_request', 'The key "__proto__" is not allowed at any level of a body.');
    // A list of a million numbers is looked at without a million notes.
    for (const inner of Object.values(value)) if (isContainer(inner)) open.push({ value: inner, depth: depth + 1 });
  }
}

const isContainer = (value: Json): value is Exclude<Json, null | boolean | number | string> =>
  typeof value === 'object' && value !== null;

/**
 * The JSON that an input is: bounded like a body of HTTP. A property that is undefined is not there.
 * @throws OffshootError `invalid_request` that names what is no JSON, `payload_too_large`
 */
export function plainInput(given: unknown): Json {
  if (given === undefined) return {};
  checkPlain(given);
  const made = toJson(given);
  if (!made.ok) refuse('invalid_request', `The input is not JSON: ${made.problem}`);
  if (byteLength(made.text) > WIRE_LIMITS.maxBodyBytes) tooLarge();
  checkShape(made.json, DATA_LIMITS.maxDepth);
  return made.json;
}

function tooLarge(): never {
  refuse(
    'payload_too_large',
    `An input has at most ${WIRE_LIMITS.maxBodyBytes} bytes as JSON. Send files with writeFile.`,
  );
}

interface Open {
  readonly value: unknown;
  readonly depth: number;
  readonly at: string;
}

/** Refuses what JSON would drop or change without a word. Cycles end at the depth, shared parts at the count. */
function checkPlain(given: unknown): void {
  const open: Open[] = [{ value: given, depth: 1, at: 'input' }];
  // Each value is a byte of JSON at least.
  let left = WIRE_LIMITS.maxBodyBytes;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth, at } = next;
    if (isScalar(value)) continue;
    const inner = innerOf(value);
    if (inner === undefined) refuse('invalid_request', `The input must be plain JSON: ${at} is ${nameOf(value)}.`);
    if (depth > DATA_LIMITS.maxDepth)
      refuse('invalid_request', `The input is nested deeper than ${DATA_LIMITS.maxDepth} levels.`);
    left -= inner.length;
    if (left < 0) tooLarge();
    for (const [key, each] of inner) open.push({ value: each, depth: depth + 1, at: beginningOf(`${at}.${key}`, 200) });
  }
}

const isScalar = (value: unknown): boolean =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));

/** What an array or a plain object holds; undefined for anything else. */
function innerOf(value: unknown): [string, unknown][] | undefined {
  if (Array.isArray(value)) {
    if (value.length > WIRE_LIMITS.maxBodyBytes) tooLarge();
    return Array.from(value, (each, index) => [String(index), each]);
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  return Object.entries(value).filter(([, each]) => each !== undefined);
}

function nameOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return typeof value;
  return value.constructor?.name ?? 'an object';
}
