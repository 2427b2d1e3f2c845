/**
 * JSON of another side: its depth is known before it is read, and no key of it changes how objects behave.
 *
 * Keeps AE2, AE29.
 */
import { exactJson } from '../../../protocol/content/exact-json';
import type { Json } from '../../../protocol/json';
import { faulty } from './faults';

/** JSON from a text. @throws RemoteError `too_deep`, `too_many_parts`, `not_json`, `shape` */
export function boundedJson(text: string, maxDepth: number, what: string): Json {
  const read = exactJson(text, maxDepth);
  if (!read.ok && read.excess === 'depth')
    throw faulty('too_deep', `${what} is nested deeper than ${maxDepth} levels.`);
  if (!read.ok) throw faulty(read.excess === 'count' ? 'too_many_parts' : 'not_json', `${what} ${read.problem}.`);
  const { json } = read;
  // Any letter of a key may be written as `\u` and its number.
  if (text.includes('__proto__') || text.includes('\\u')) refusePrototypeKey(json, what);
  return json;
}

/** @throws RemoteError `shape` for a key that an assignment would take for the prototype, at any level */
export function refusePrototypeKey(json: Json, what: string): void {
  if (hasPrototypeKey(json)) throw faulty('shape', `${what} has the key "__proto__".`);
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
