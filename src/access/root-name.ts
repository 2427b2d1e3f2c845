/**
 * Names of roots for people: an address takes few characters, and a subject may hold any.
 *
 * Decides: the name of a root that belongs to a subject.
 * Keeps X37.
 */
import { createHash } from 'node:crypto';
import { DATA_LIMITS } from '../protocol/data-limits';
import { OffshootError } from '../protocol/errors';

/** Characters that stay. Capitals do not: names that differ in case alone would look like one. */
const PLAIN = /^[a-z0-9.-]$/;
/** Names that are refused: `.` and `..` change a URL, and numbers belong to sub-agents. */
const RESERVED = /^(?:\.{1,2}|[0-9]+)$/;
/** Before the hash of a long subject. No escape begins so: two hex digits follow its `_`. */
const HASHED = '_-';

const escaped = (byte: number): string => `_${byte.toString(16).padStart(2, '0')}`;

/**
 * The name of the root that belongs to a subject: an e-mail address, an identity provider's id, or any other string.
 *
 * - Valid: every string except the empty one has a name.
 * - Stable: the name depends only on the string, and stays the same in later releases.
 * - Injective: two strings never share a name. Strings are compared exactly, so `Ann` and `ann` get different names, as
 *   do the two normal forms of `Zoë`. Names have no capitals, so they stay distinct in a system that ignores case.
 *
 * Letters from a to z, digits, `.` and `-` stay; each byte of the UTF-8 of other characters becomes `_` and two hex
 * digits. A name that would be longer than 128 characters is `_-` and the SHA-256 of the subject.
 * @throws OffshootError `invalid_request` for an empty string, and for half of a surrogate pair
 * @example
 * const name = rootNameOf('ann@example.com'); // 'ann_40example.com'
 */
export function rootNameOf(subject: string): string {
  if (typeof subject !== 'string' || subject === '' || !subject.isWellFormed())
    throw new OffshootError('invalid_request', 'rootNameOf takes a string that is not empty and is valid Unicode.');
  const bytes = new TextEncoder().encode(subject);
  const reserved = RESERVED.test(subject);
  let name = '';
  for (const [at, byte] of bytes.entries()) {
    const character = String.fromCharCode(byte);
    name += PLAIN.test(character) && !(reserved && at === 0) ? character : escaped(byte);
  }
  if (name.length <= DATA_LIMITS.maxName) return name;
  return HASHED + createHash('sha256').update(subject).digest('hex');
}
