/**
 * Keeps credentials out of text that others read.
 *
 * Decides: what counts as a credential.
 * Keeps M19, M39.
 */

import { Buffer } from 'node:buffer';

const GONE = '[redacted]';

/** Shapes that credentials have in the error texts of providers and proxies; what a group holds stays. */
const SHAPES: readonly RegExp[] = [
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{6,}/gi,
  /\b(?:sk|pk|rk|xai|gsk|key)[-_][\w*.-]{6,}/gi,
  /((?:api[-_ ]?key|authorization|x-api-key|access[-_ ]?token|secret|password)["']?\s*[:=]\s*["']?)[^\s"',;}]{4,}/gi,
];

/** A user with a password in a URL. */
const USER = /(\/\/)([^\s/@]+)(?=@)/g;

/** Names of settings whose values are secrets. */
const SECRET_NAME = /key|token|secret|password|credential/i;

/** Shorter values are words that may stand anywhere; taking them out would only garble text. */
const MIN_SECRET = 6;

/** Shorter pieces of base64 may stand anywhere, as short values may. Unit: characters. */
const MIN_ENCODED = 8;

/**
 * How a value can stand in a text: as it is, percent-encoded, in hex, and in base64 wherever it begins in what was
 * encoded; of base64 only the characters that the value alone decides.
 */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const encoded = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
    const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return own.length < MIN_ENCODED ? [] : [own, own.replaceAll('-', '+').replaceAll('_', '/')];
  });
  return [...new Set([secret, encodeURIComponent(secret.toWellFormed()), ...encoded, bytes.toString('hex')])];
}

/** The text without the given values, encoded or not, and without what looks like a credential. */
export function redact(value: string, secrets: readonly string[]): string {
  let clean = value;
  for (const form of secrets.flatMap(formsOf)) clean = clean.replaceAll(form, GONE);
  for (const shape of SHAPES)
    clean = clean.replace(shape, (_, kept: unknown) => (typeof kept === 'string' ? kept + GONE : GONE));
  return clean.replace(USER, (user, slashes: string, words: string) => (/.:./.test(words) ? slashes + GONE : user));
}

/** The values of an environment that are secrets by their names, longest first. */
export function secretsOf(env: unknown): string[] {
  if (typeof env !== 'object' || env === null) return [];
  const found: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (typeof value === 'string' && value.trim().length >= MIN_SECRET && SECRET_NAME.test(name))
      found.push(value.trim());
  }
  return found.sort((a, b) => b.length - a.length);
}
