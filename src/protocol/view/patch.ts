/**
 * What changed between two values, as a JSON Patch (RFC 6902): the `state_patch` of a change of the custom state.
 *
 * Keeps CL8.
 *
 * (a) The work is in proportion to the two values, whatever they hold: arrays are compared from both ends, and what is
 *     left between is compared place by place, never each with each.
 * (b) A change in many places is told as the whole member that it is in, so that a patch has a bounded number of parts.
 */
import { isObject, type Json, type JsonObject } from '../json';

/** One part of a JSON Patch. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string };

/** A member of the state that changed in more places than these is given whole. */
const MAX_PLACES = 1_000;
/** The same for the length of the paths of its places together, in characters. */
const MAX_PATHS = 100_000;

/** The operations that turn `before` into `after`; none where they are equal. Applying them one after the other is exact. */
export function patchOf(before: Json, after: Json): PatchOperation[] {
  return ofMember(before, after, '');
}

/** The operations of a value, or its whole new value. */
function ofMember(before: Json, after: Json, path: string): PatchOperation[] {
  if (before === after) return [];
  if (changesPrototype(before, after)) return [{ op: 'replace', path, value: after }];
  const places = new Places();
  if (Array.isArray(before) && Array.isArray(after)) ofArrays(before, after, path, places);
  else if (isObject(before) && isObject(after)) ofObjects(before, after, path, places);
  else return [{ op: 'replace', path, value: after }];
  return places.tooMany ? [{ op: 'replace', path, value: after }] : places.operations;
}

/**
 * Whether a path into the two would go by `__proto__`. Libraries that apply patches refuse such a path or, worse, set
 * the prototype of what they apply it to; as a key inside of a value it is only a key.
 */
function changesPrototype(before: Json, after: Json): boolean {
  if (!isObject(before) || !isObject(after)) return false;
  return !isEqual(own(before, '__proto__'), own(after, '__proto__'));
}

/** What changed inside a value. */
class Places {
  readonly operations: PatchOperation[] = [];
  #characters = 0;

  get tooMany(): boolean {
    return this.operations.length > MAX_PLACES || this.#characters > MAX_PATHS;
  }

  add(...operations: readonly PatchOperation[]): void {
    for (const operation of operations) {
      this.operations.push(operation);
      this.#characters += operation.path.length;
    }
  }
}

function ofObjects(before: JsonObject, after: JsonObject, path: string, places: Places): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const at = `${path}/${escaped(key)}`;
    const [was, is] = [own(before, key), own(after, key)];
    if (is === undefined) places.add({ op: 'remove', path: at });
    else if (was === undefined) places.add({ op: 'add', path: at, value: is });
    else places.add(...ofMember(was, is, at));
    if (places.tooMany) return;
  }
}

function ofArrays(before: readonly Json[], after: readonly Json[], path: string, places: Places): void {
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && isEqual(before[first], after[first])) first++;
  let last = 0;
  while (last < shorter - first && isEqual(before.at(-1 - last), after.at(-1 - last))) last++;
  const both = shorter - last;
  for (let at = first; at < both && !places.tooMany; at++)
    places.add(...ofMember(before[at] ?? null, after[at] ?? null, `${path}/${at}`));
  // The last one first, so that each stands where its path says when its turn comes.
  for (let at = before.length - last - 1; at >= both && !places.tooMany; at--)
    places.add({ op: 'remove', path: `${path}/${at}` });
  for (let at = both; at < after.length - last && !places.tooMany; at++)
    places.add({ op: 'add', path: `${path}/${at}`, value: after[at] ?? null });
}

/** Whether two values are the same JSON. */
function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => isEqual(each, other[at]));
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isEqual(own(one, key), own(other, key)));
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A key as a part of a JSON Pointer (RFC 6901). */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
