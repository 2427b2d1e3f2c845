/**
 * A text of somebody else as the end of a sentence.
 *
 * Keeps TX2.
 */

/** The text with a stop behind it, unless it has one. */
export const sentence = (text: string): string => (/[.!?…]$/u.test(text) ? text : `${text}.`);
