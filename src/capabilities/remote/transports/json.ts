/**
 * JSON of another side: its depth is known before it is read, and no key of it changes how objects behave.
 *
 * Keeps AE2.
 */
import { exactJson } from '../../../protocol/content/exact-json';
import type { Json } from '../../../protocol/json';
import { faulty } from './faults';

/** JSON from a text. @throws RemoteError `too_deep`, `not_json`, `shape` */
export function boundedJson(text: string, maxDepth: number, what: string): Json {
  if (isDeeper(text, maxDepth)) throw faulty('too_deep', `${what} is nested deeper than ${maxDepth} levels.`);
  const read = exactJson(text);
  if (!read.ok) throw faulty('not_json', `${what} ${read.problem}.`);
  const { json } = read;
  if (text.includes('__proto__') && hasPrototypeKey(json)) throw faulty('shape', `${what} has the key "__proto__".`);
  return json;
}

const QUOTE = 34;
const BACKSLASH = 92;

/** Whether a text has more arrays and objects inside each other, should it be JSON: found without making any of them. */
function isDeeper(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) inText = true;
    else if (code === 91 || code === 123) {
      depth++;
      if (depth > maxDepth) return true;
    } else if (code === 93 || code === 125) depth--;
  }
  return false;
}

function hasPrototypeKey(json: Json): boolean {
  const open: Json[] = [json];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next) && Object.hasOwn(next, '__proto__')) return true;
    for (const inner of Object.values(next)) open.push(inner);
  }
  return false;
}
