/** A random text of hex digits, two for each byte; `crypto.randomUUID` is missing on pages that came over plain HTTP. */
export function randomHex(bytes: number): string {
  const digits = (byte: number): string => (0x100 + byte).toString(16).slice(1);
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), digits).join('');
}
