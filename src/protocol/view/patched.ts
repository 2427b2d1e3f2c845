/**
 * The application of a `state_patch`: the custom state after it.
 *
 * Keeps R19.
 */
import { isObject, type Json } from '../json';

type Change = { readonly op: 'add' | 'replace'; readonly value: Json } | { readonly op: 'remove' };

/** The value after the operations of a patch; undefined where one has no place in it, as after a patch that was missed. */
export function patched(before: Json, patch: readonly Json[]): Json | undefined {
  let value: Json | undefined = before;
  for (const operation of patch) {
    const change = changeOf(operation);
    if (value === undefined || change === undefined) return undefined;
    value = changedAt(value, change.path, change);
  }
  return value;
}

function changeOf(operation: Json): (Change & { readonly path: readonly string[] }) | undefined {
  if (!isObject(operation) || typeof operation.path !== 'string') return undefined;
  const { op, value } = operation;
  const path = operation.path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (op === 'remove') return { op, path };
  return (op === 'add' || op === 'replace') && value !== undefined ? { op, path, value } : undefined;
}

/** A copy with the change at its place, which shares all that did not change; undefined where there is no such place. */
function changedAt(target: Json, path: readonly string[], change: Change): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return change.op === 'remove' ? undefined : change.value;
  const isLast = rest.length === 0;
  const adds = isLast && change.op === 'add';
  if (Array.isArray(target)) {
    const items: readonly Json[] = target;
    const at = /^(0|[1-9]\d*)$/u.test(key) ? Number(key) : items.length + 1;
    const [item] = items.slice(at, at + 1);
    if (adds) return at > items.length ? undefined : items.toSpliced(at, 0, change.value);
    if (item === undefined) return undefined;
    if (isLast && change.op === 'remove') return items.toSpliced(at, 1);
    const next = changedAt(item, rest, change);
    return next === undefined ? undefined : items.with(at, next);
  }
  if (!isObject(target)) return undefined;
  if (adds) return { ...target, [key]: change.value };
  const { [key]: member, ...others } = target;
  if (member === undefined || !Object.hasOwn(target, key)) return undefined;
  if (isLast && change.op === 'remove') return others;
  const next = changedAt(member, rest, change);
  return next === undefined ? undefined : { ...target, [key]: next };
}
