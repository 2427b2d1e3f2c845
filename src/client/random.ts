/** A random text of hex digits, two for each byte; `crypto.randomUUID` is missing on pages that came over plain HTTP. */
export function randomHex(bytes: number): string {
  const digits = (byte: number): string => byte.toString(16).padStart(2, '0');
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), digits).join('');
}

/** A key for a request that nobody else has made. */
export const newKey = (): string => randomHex(16);
