/**
 * Texts as providers take them: without halves of characters.
 *
 * Keeps M63.
 */
import { isObject, type Json, type JsonObject } from '../../protocol/json';

/** A text in which U+FFFD stands for each half of a character. */
export const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed());

/** JSON whose texts and keys are well formed; the same value where they are. */
export function wellFormedJson(value: Json): Json {
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isObject(value)) return wellFormedObject(value);
  const items = value.map(wellFormedJson);
  return items.every((item, at) => item === value[at]) ? value : items;
}

/** The same of an object. Two keys that become one get different ones. */
export function wellFormedObject(value: JsonObject): JsonObject {
  const entries = Object.entries(value);
  if (entries.every(([key, inner]) => key.isWellFormed() && wellFormedJson(inner) === inner)) return value;
  const made = new Map<string, Json>();
  for (const [key, inner] of entries) {
    let name = wellFormed(key);
    while (made.has(name) || (name !== key && Object.hasOwn(value, name))) name += '_';
    made.set(name, wellFormedJson(inner));
  }
  return Object.fromEntries(made);
}
