/**
 * Any character as the unit of a random text, surrogates apart. The one that fast-check calls `binary` makes a table of all
 * 1,112,064 characters in each process, which takes seconds; this one works a character out.
 */
import fc from 'fast-check';

/** The surrogates lie between. */
const BELOW = 0xd800;
const SKIPPED = 0x800;

/** The same characters as those of `binary`. */
export const ANY_CHARACTER: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SKIPPED })
  .map((number) => String.fromCodePoint(number < BELOW ? number : number + SKIPPED), numberOf);

/** Of which number a character is made: fast-check tries names such as `__proto__`, too, where it can make them. */
function numberOf(character: unknown): number {
  const code = typeof character === 'string' ? (character.codePointAt(0) ?? BELOW) : BELOW;
  if (
    typeof character !== 'string' ||
    String.fromCodePoint(code) !== character ||
    (code >= BELOW && code < BELOW + SKIPPED)
  )
    throw new Error('This is no character.');
  return code < BELOW ? code : code - SKIPPED;
}
