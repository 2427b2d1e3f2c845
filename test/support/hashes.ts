/** The hashes that an environment gives, for tests that need nothing else of one. */
import { createHash } from 'node:crypto';

export const HASHES = { sha256: (text: string): string => createHash('sha256').update(text).digest('hex') };
