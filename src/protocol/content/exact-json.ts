/**
 * JSON texts that are read as exactly what they say. JavaScript keeps the last of two keys that are the same, and rounds
 * what it has no number for: nobody who wrote, or agrees to, such a text would see what runs.
 *
 * Decides: which JSON texts are refused although they are JSON.
 * Keeps JS5, JS8.
 */

import { DATA_LIMITS } from '../data-limits';
import type { Json } from '../json';
import { beginningOf } from './cut';

/** The value of a text, or the reason why it is refused. */
export type ExactJson =
  | { readonly ok: true; readonly json: Json }
  | { readonly ok: false; readonly isJson: boolean; readonly problem: string; readonly excess?: Excess };

/** The bounds of a text: levels, and arrays and objects. */
export type Excess = 'depth' | 'count';

/** Reads a text as JSON. @param maxDepth arrays and objects inside each other, at most */
export function exactJson(text: string, maxDepth: number = DATA_LIMITS.maxDepth): ExactJson {
  const excess = excessIn(text, maxDepth);
  if (excess === 'depth')
    return { ...EXCESSIVE, excess, problem: `is nested deeper than ${DATA_LIMITS.maxDepth} levels` };
  if (excess === 'count')
    return { ...EXCESSIVE, excess, problem: `has more than ${DATA_LIMITS.maxContainers} arrays and objects` };
  let json: Json;
  try {
    json = JSON.parse(text);
    // A row would keep -0 as 0.
    if (MINUS_ZERO.test(text)) json = JSON.parse(JSON.stringify(json));
  } catch {
    return { ok: false, isJson: false, problem: 'is not valid JSON' };
  }
  const problem = inexactIn(text);
  return problem === undefined ? { ok: true, json } : { ok: false, isJson: true, problem };
}

/** Where a number may be -0; also some texts and other numbers, which a copy leaves as they are. */
const MINUS_ZERO = /-0(?!\d)/u;

const EXCESSIVE = { ok: false, isJson: true } as const;

/**
 * The bound that a text exceeds, should it be JSON: levels, or arrays and objects. It is known before any of them is made,
 * because a byte of text can make fifty of memory.
 */
function excessIn(text: string, maxDepth: number): Excess | undefined {
  let depth = 0;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = behindText(text, at) - 1;
    } else if (unit === BRACE || unit === BRACKET) {
      if (++depth > maxDepth) return 'depth';
      if (++count > DATA_LIMITS.maxContainers) return 'count';
    } else if (unit === BRACE_END || unit === BRACKET_END) depth--;
  }
  return undefined;
}

const SHOWN = 100;
const [QUOTE, ESCAPE, MINUS, ZERO, NINE] = [0x22, 0x5c, 0x2d, 0x30, 0x39];
const [BRACE, BRACKET, BRACE_END, BRACKET_END] = [0x7b, 0x5b, 0x7d, 0x5d];
const NUMBER = /[\d.eE+-]+/y;

/** The part of a valid JSON text that would be lost or changed when it is read. */
function inexactIn(text: string): string | undefined {
  /** The keys of the objects that are open; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = behindText(text, at);
      const keys = open.at(-1);
      if (keys && isKey(text, end)) {
        const key: string = JSON.parse(text.slice(at, end));
        if (keys.has(key)) return `has the key "${beginningOf(key, SHOWN)}" twice in one object: send it once`;
        keys.add(key);
      }
      at = end - 1;
    } else if (unit === MINUS || (unit >= ZERO && unit <= NINE)) {
      NUMBER.lastIndex = at;
      const [token = ''] = NUMBER.exec(text) ?? [];
      if (!isExact(token))
        return `has the number ${beginningOf(token, SHOWN)}, which would be read as ${Number(token)}: send it as a string`;
      at += token.length - 1;
    } else if (unit === BRACE) open.push(new Set());
    else if (unit === BRACKET) open.push(undefined);
    else if (unit === BRACE_END || unit === BRACKET_END) open.pop();
  }
  return undefined;
}

/** Where a text ends that begins at a quotation mark: behind the one that closes it, or at the end of all. */
function behindText(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); ; end = text.indexOf('"', end + 1)) {
    if (end < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === ESCAPE) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
}

/** True where the text that ended there is a key. */
function isKey(text: string, at: number): boolean {
  let next = at;
  while (' \t\n\r'.includes(text.charAt(next)) && next < text.length) next++;
  return text.charAt(next) === ':';
}

/** True where a number is read as its digits say; those behind the point may be more than a number holds. */
function isExact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  if (/[.eE]/.test(token)) return value !== 0 || !/[1-9]/.test(token.split(/[eE]/, 1)[0] ?? '');
  return Number.isSafeInteger(value) || String(value) === token || BigInt(value) === BigInt(token);
}
