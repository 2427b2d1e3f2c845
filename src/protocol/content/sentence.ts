/**
 * A text of somebody else as the end of a sentence.
 *
 * Keeps TX2.
 */

/** The text with a stop behind it, unless it has one. */
export function sentence(text: string): string {
  const words = text.trimEnd();
  return /[.!?…。]["'”’»)\]]*$/u.test(words) ? words : `${words}.`;
}
