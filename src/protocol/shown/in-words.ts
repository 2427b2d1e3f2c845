/** JSON that an agent was told, in words: its fields by name, without the marks of JSON. */

import { beginningOf } from '../content/cut';
import { isObject, type Json, type JsonObject } from '../json';

/** A longer text is shown as it is, in characters. */
const MAX_PARSED = 65_536;

/** The object that a text is the JSON of; undefined where it is any other text. */
export function objectIn(text: string): JsonObject | undefined {
  if (!text.startsWith('{') || text.length > MAX_PARSED) return undefined;
  try {
    const found: Json = JSON.parse(text);
    return isObject(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** An object by what it names. */
export function inWords(value: JsonObject): string {
  const named = Object.entries(value).map(([name, each]) => {
    return `${name}: ${typeof each === 'string' ? each : isObject(each) ? `(${inWords(each)})` : listed(each)}`;
  });
  return named.join(', ');
}

/** How a value begins, on one line: of an object with one field what that holds, of any other its fields by name. */
export function beginningInWords(value: Json, most: number): string {
  const only = isObject(value) && Object.keys(value).length === 1 ? Object.values(value)[0] : undefined;
  const told = only ?? value;
  const text = typeof told === 'string' ? told : isObject(told) ? inWords(told) : listed(told);
  // Of blanks that are made one there may be many: most of them are never looked at.
  const line = beginningOf(text, 4 * most).replaceAll(/\s+/gu, ' ');
  return beginningOf(line.trim(), most);
}

const listed = (value: Json): string =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join('; ') : JSON.stringify(value);
