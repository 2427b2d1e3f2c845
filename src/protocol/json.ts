/**
 * JSON: what is taken as such, how deep and how large it may be, and how values become it.
 *
 * Keeps JS1, JS2.
 */

import { beginningOf } from './content/cut';
import { DATA_LIMITS } from './data-limits';

/** A value that JSON can hold. Everything that crosses an object, a store or the wire is one. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A value that can be written as JSON. Undefined properties are omitted. */
export type JsonLike =
  | null
  | boolean
  | number
  | string
  | readonly JsonLike[]
  | { readonly [key: string]: JsonLike | undefined };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** What `toJson` makes of a value. `tooLarge` tells a value that is too large from one that is no JSON. */
export type Plain =
  | { readonly ok: true; readonly json: Json; readonly text: string }
  | { readonly ok: false; readonly problem: string; readonly tooLarge: boolean };

/**
 * Turns what an author's code or a model gave into JSON, or says why it cannot be and where. What has a `toJSON` (a date,
 * a URL) is what that gives; a property that is undefined is left out, and nothing at all is `null`. Whatever else JSON
 * would drop or change is refused, and so is what is nested deeper than `DATA_LIMITS.maxDepth` levels.
 * @param most the longest text that it may have as JSON, in bytes of UTF-8
 * @param depth arrays and objects inside each other, at most
 */
export function toJson(
  value: unknown,
  most: number = DATA_LIMITS.maxBytes,
  depth: number = DATA_LIMITS.maxDepth,
): Plain {
  const copy = new PlainCopy(most, depth);
  try {
    const json = copy.of(value, '') ?? null;
    const text = JSON.stringify(json);
    if (byteLength(text) > most) return { ok: false, problem: `it has more than ${most} bytes`, tooLarge: true };
    return { ok: true, json, text };
  } catch (error) {
    if (error instanceof NotPlain) return { ok: false, problem: error.message, tooLarge: error.tooLarge };
    return {
      ok: false,
      problem: copy.said(`could not be read: ${thrownText(error).replace(/[.!?…\s]+$/u, '')}`),
      tooLarge: false,
    };
  }
}

class NotPlain extends Error {
  constructor(
    problem: string,
    readonly tooLarge = false,
  ) {
    super(problem);
  }
}

/** Copies a value as JSON. It goes no deeper than the limit and no further than the text may be long, also where parts are shared. */
class PlainCopy {
  readonly #path: string[] = [];
  readonly #open: object[] = [];
  #left: number;

  constructor(
    readonly most: number,
    readonly depth: number,
  ) {
    this.#left = most;
  }

  /** A sentence about the value that is looked at. */
  said(what: string): string {
    const path = this.#path.join('.');
    const where = path.length > MAX_PATH ? `${beginningOf(path, MAX_PATH)}…` : path;
    return `${where === '' ? 'it' : where} ${what}`;
  }

  /** The copy of a value; undefined for what JSON leaves out. */
  of(value: unknown, key: string): Json | undefined {
    this.#count(typeof value === 'string' ? value.length : 1);
    if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'string') return value;
    if (typeof value === 'number') {
      // A row would keep -0 as 0.
      if (Number.isFinite(value)) return value + 0;
      throw new NotPlain(this.said(`is ${value}, which JSON has no number for`));
    }
    if (typeof value !== 'object') throw new NotPlain(this.said(`is ${kindOf(value)}`));
    const given = jsonValueOf(value, key);
    if (given === null && value instanceof Date) throw new NotPlain(this.said('is an invalid date'));
    return typeof given === 'object' && given !== null ? this.#inner(given) : this.of(given, key);
  }

  /** Each value is a character of JSON at least, and so is each of a text and a key. */
  #count(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new NotPlain(`it has more than ${this.most} bytes`, true);
  }

  #inner(value: object): Json {
    const isArray = Array.isArray(value);
    if (!isArray && !isPlainObject(value)) throw new NotPlain(this.said(`is ${kindOf(value)}`));
    if (this.#open.length >= this.depth) {
      const again = new Set(this.#open).size < this.#open.length;
      throw new NotPlain(again ? 'it contains itself' : `it is nested deeper than ${this.depth} levels`);
    }
    this.#open.push(value);
    const copy = isArray ? this.#array(value) : this.#object(value);
    this.#open.pop();
    return copy;
  }

  #array(value: readonly unknown[]): Json {
    this.#count(value.length);
    return Array.from({ length: value.length }, (_, index) => {
      const copy = this.#at(String(index), value[index]);
      if (copy === undefined) throw new NotPlain(this.said(`has a hole at index ${index}: give null`));
      return copy;
    });
  }

  #object(value: object): Json {
    const copy: { [key: string]: Json } = {};
    for (const [key, each] of Object.entries(value)) {
      this.#count(key.length);
      const inner = this.#at(key, each);
      if (inner === undefined) continue;
      // An assignment to this one would set the prototype.
      if (key === '__proto__')
        Object.defineProperty(copy, key, { value: inner, enumerable: true, writable: true, configurable: true });
      else copy[key] = inner;
    }
    return copy;
  }

  #at(key: string, value: unknown): Json | undefined {
    this.#path.push(key);
    const copy = this.of(value, key);
    this.#path.pop();
    return copy;
  }
}

/** Longer paths are cut. Unit: characters. */
const MAX_PATH = 200;

/** What the `toJSON` of an object gives, where it has one. Bytes are refused, whatever they have. */
function jsonValueOf(value: object, key: string): unknown {
  if (ArrayBuffer.isView(value)) return value;
  const toJSON: unknown = Reflect.get(value, 'toJSON');
  return typeof toJSON === 'function' ? toJSON.call(value, key) : value;
}

/** Whether an object is one of JSON: no instance of a class, whichever realm it comes from. */
function isPlainObject(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.hasOwn(prototype, 'isPrototypeOf');
}

function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  if (value instanceof Promise) return 'a promise: await it first';
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'bytes: give them as base64, or write a file';
  const name: unknown = value.constructor?.name;
  const known =
    typeof name === 'string' && name !== '' ? `an instance of ${beginningOf(name, 100)}` : 'not a plain object';
  return `${known}, which has no toJSON`;
}

function thrownText(error: unknown): string {
  return error instanceof Error ? beginningOf(error.message, 500) : 'its code threw an error';
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** Where a text is encoded piece by piece, which nobody reads: each piece overwrites the one before. */
const pieces = /* @__PURE__ */ new Uint8Array(16_384);

/** The length of a text in bytes of UTF-8. Half of a surrogate pair has three, as what is encoded in its place. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let rest = text; rest !== ''; ) {
    const { read, written } = encoder.encodeInto(rest, pieces);
    bytes += written;
    rest = rest.slice(read);
  }
  return bytes;
}

/** Whether a value is a JSON object (neither an array nor null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * JSON with its keys in order, so that two bodies with the same content have the same text.
 * Used to compare the bodies of two requests that carry one idempotency key.
 */
export function canonical(value: JsonLike): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
