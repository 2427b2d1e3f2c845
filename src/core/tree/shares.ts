/**
 * Shares of what a root has a fixed number of: sockets, streams, tokens.
 *
 * Decides: how many of them one caller may hold.
 * Keeps X34.
 */

/**
 * Whether a holder may hold one more of `most`, where `holders` names the holder of each that is held: as many as are free
 * beside them. One holder alone gets half of them, the next one half of the rest; some are always free for another.
 */
export function mayHold(most: number, holders: readonly string[], holder: string): boolean {
  const own = holders.reduce((sum, one) => (one === holder ? sum + 1 : sum), 0);
  return own < most - holders.length;
}
