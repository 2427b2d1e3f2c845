/**
 * Texts that say nothing.
 *
 * Decides: when a text is blank.
 * Keeps M62.
 */

/** With the blanks of Unicode that JavaScript does not count as such, and those that Python does. */
const BLANK = /^[\s\u0085\u001c-\u001f]*$/;

/** Whether a text says nothing. */
export const isBlank = (text: string): boolean => BLANK.test(text);
