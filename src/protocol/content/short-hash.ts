/** A short name for a text: the same for the same text, and as good as never for another. */

const LETTERS = 9;

/** Nine digits and small letters that stand for a text. */
export function shortHash(text: string): string {
  let high = 0xdead_beef;
  let low = 0x41c6_ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  const number = 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
  return number.toString(36).padStart(LETTERS, '0').slice(-LETTERS);
}
