/**
 * Texts that say nothing.
 *
 * Decides: when a text is blank.
 * Keeps M62.
 */

/** Blanks as JavaScript and as Unicode counts them, which are not the same, and control characters. */
const BLANK = /^[\s\p{White_Space}\p{Cc}]*$/u;

/** True for a text of blanks alone, or without any character. */
export const isBlank = (text: string): boolean => BLANK.test(text);
