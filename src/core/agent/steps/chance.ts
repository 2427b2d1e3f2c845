/**
 * Chance for decisions that are pure: it comes with the randomness of an event.
 *
 * Keeps ST21, MT6.
 */

/** A number from 0 up to 1 that a token stands for: the same for the same token, and spread evenly over many. */
export function chanceOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < token.length; at++) hash = Math.imul(hash ^ token.charCodeAt(at), 0x01000193);
  // Tokens that differ in their end alone differ in high bits, too.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
