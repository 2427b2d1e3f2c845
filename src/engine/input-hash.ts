/** The hash that binds a person's decision to the arguments that were shown. */
import { canonical, type Json } from '../protocol/json';

/** Of the arguments of a call, in hex: SHA-256 of JSON with its keys in order. Anyone can work it out. */
export async function inputHashOf(input: Json): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(input)));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
