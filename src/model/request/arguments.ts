/**
 * Arguments as an object, which is all that providers take.
 *
 * Keeps M65.
 */
import { isObject, type Json, type JsonObject } from '../../protocol/json';
import { wellFormedJson, wellFormedObject } from './texts';

/** The arguments of a call; those that are no object stand in one, as `input`. */
export function argumentsOf(input: Json): JsonObject {
  if (isObject(input)) return wellFormedObject(input);
  return input === null ? {} : { input: wellFormedJson(input) };
}
