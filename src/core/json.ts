/** A value that JSON can hold. Everything that crosses an object, a store or the wire is one. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/**
 * Turns any value into JSON, or says why it cannot be.
 * @returns the value as JSON would read it back (`undefined` becomes `null`), or the reason as `problem`.
 */
export function toJson(value: unknown): { ok: true; json: Json; text: string } | { ok: false; problem: string } {
  try {
    const text = JSON.stringify(value) ?? 'null';
    return { ok: true, json: JSON.parse(text) as Json, text };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : 'not serializable' };
  }
}

/** The length of a text in bytes of UTF-8. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // A surrogate pair is two units and four bytes; any other unit from 0x800 on is three bytes.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
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
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
