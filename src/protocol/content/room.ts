/**
 * Room for what a request may have so much of.
 *
 * Decides: how many of the oldest are left out where all of them are too many.
 * Keeps M94.
 */

/**
 * The number of the oldest that do not fit. Where one is too many, the oldest are left out until half of the room is free, so that
 * the beginning of the requests after it stays the same. The newest stays wherever it fits alone.
 * @param sizes of all, the oldest first
 */
export function oldestOut(sizes: readonly number[], most: number): number {
  let out = 0;
  let sum = 0;
  for (const [at, size] of sizes.entries()) {
    sum += size;
    if (sum <= most) continue;
    for (; out < at && sum > most / 2; out++) sum -= sizes[out] ?? 0;
    if (sum <= most) continue;
    sum = 0;
    out = at + 1;
  }
  return out;
}
