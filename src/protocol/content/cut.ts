/**
 * Cutting texts between characters. The half of a surrogate pair is no text: providers refuse a whole request for one.
 *
 * Decides: where a text may be cut.
 * Keeps TX1.
 */

/** A character that is longer is cut all the same, between code points. Unit: UTF-16 code units. */
const LONGEST_CHARACTER = 64;

/** Code points that belong to the one before them: combining marks, variation selectors, joiners, skin tones and tags. */
const EXTENDS = /^(?:\p{M}|\u200D|[\u{1F3FB}-\u{1F3FF}]|[\u{E0020}-\u{E007F}])/u;
const JOINER = 0x200d;
const FIRST_FLAG = 0x1f1e6;
const LAST_FLAG = 0x1f1ff;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
const isFlag = (point: number): boolean => point >= FIRST_FLAG && point <= LAST_FLAG;

const splitsPair = (text: string, at: number): boolean => isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));

/** True for a place between two code points that is inside of one visible character. */
function splitsCharacter(text: string, at: number): boolean {
  if (text.charCodeAt(at) < 0x300 && text.charCodeAt(at - 1) < 0x300) return false;
  if (text.charCodeAt(at - 1) === JOINER) return true;
  const next = text.codePointAt(at) ?? 0;
  if (EXTENDS.test(String.fromCodePoint(next))) return true;
  if (!isFlag(next)) return false;
  // Two of these are one flag: an odd number of them before leaves the last one without its other half.
  let before = 0;
  while (2 * before < LONGEST_CHARACTER && isFlag(text.codePointAt(at - 2 * before - 2) ?? 0)) before++;
  return before % 2 === 1;
}

const splits = (text: string, at: number): boolean => splitsPair(text, at) || splitsCharacter(text, at);

/** The nearest place in one direction that splits no character; 0 and the end of a text split none. */
function nearest(text: string, place: number, step: -1 | 1): number {
  if (place <= 0) return 0;
  if (place >= text.length) return text.length;
  for (let at = place; at > 0 && at < text.length && Math.abs(at - place) < LONGEST_CHARACTER; at += step)
    if (!splits(text, at)) return at;
  return splitsPair(text, place) ? place + step : place;
}

/** Where a text is cut at a place or before it, so that no character is in two parts. */
export const cutBefore = (text: string, place: number): number => nearest(text, place, -1);

/** The beginning of a text, at most so many UTF-16 code units of it, in whole characters. */
export function beginningOf(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, cutBefore(text, most));
}

/** The end of a text, at most so many UTF-16 code units of it, in whole characters. */
export function endOf(text: string, most: number): string {
  return text.length <= most ? text : text.slice(nearest(text, text.length - most, 1));
}
