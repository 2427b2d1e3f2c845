/** What differs between two values, leaf by leaf. */
import type { Json } from '../../client';
import { escaped } from './words';

/** One leaf that differs; undefined where it is not there. */
interface Change {
  readonly path: string;
  readonly was: Json | undefined;
  readonly is: Json | undefined;
}

const partsOf = (value: Json | undefined): readonly (readonly [string, Json])[] | undefined =>
  typeof value === 'object' && value !== null ? Object.entries(value) : undefined;

/** All leaves that differ, in the order of the first value. */
export function changesOf(was: Json | undefined, is: Json | undefined, path = ''): readonly Change[] {
  if (JSON.stringify(was) === JSON.stringify(is)) return [];
  const [before, after] = [partsOf(was), partsOf(is)];
  if (before === undefined || after === undefined || Array.isArray(was) !== Array.isArray(is))
    return [{ path, was, is }];
  const [one, other] = [new Map(before), new Map(after)];
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((name) =>
    changesOf(one.get(name), other.get(name), path === '' ? name : `${path}.${name}`),
  );
}

const shown = (value: Json): string => escaped(typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** The changes as a list: what was asked, and what is in its place. */
export function Changes({ was, is }: { was: Json; is: Json }) {
  const changes = changesOf(was, is);
  if (changes.length === 0) return <p className="muted">No changes yet.</p>;
  return (
    <ul className="changes" aria-label="Changes">
      {changes.map(({ path, was: before, is: after }) => (
        <li key={path}>
          <code>{path || 'all'}</code>
          {before !== undefined && <del>{shown(before)}</del>}
          {after !== undefined && <ins>{shown(after)}</ins>}
        </li>
      ))}
    </ul>
  );
}
