/**
 * How the hash is made that binds a person's decision to the arguments that were shown; take-answer.ts compares it.
 *
 * Keeps A35, A36.
 */
import { canonical, type Json } from '../../protocol/json';
import type { Environment } from '../environment';

/** Of the arguments of a call, in hex: SHA-256 of JSON with its keys in order. Anyone can work it out. */
export function inputHashOf({ sha256 }: Pick<Environment, 'sha256'>, input: Json): string {
  return sha256(canonical(input));
}
