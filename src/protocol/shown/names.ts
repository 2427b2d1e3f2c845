/**
 * Texts that people read as one line: names of files and sessions.
 *
 * Keeps A53.
 */

/**
 * What no name may hold: controls, line and paragraph separators, and marks that turn the direction of text. They make a
 * terminal or a list show another name than the one that is there.
 */
const DECEIVING = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Whether a name holds what would make it look like another one. */
export function isDeceiving(name: string): boolean {
  return DECEIVING.test(name);
}
