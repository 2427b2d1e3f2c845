/**
 * How much of a sweep runs: a sample of it with `npm test`, all of it with `npm run nightly`. What is left out is the
 * same each time, so that a failure comes again.
 */
import fc from 'fast-check';
import { afterAll } from 'vitest';

/** Whether all of it runs. */
export const NIGHTLY = process.env.OFFSHOOT_NIGHTLY !== undefined;

const SEED = Number(process.env.OFFSHOOT_SEED ?? 20_261_121);

/** The seeds of random schedules: one that stays the same, or three that are new each night. OFFSHOOT_SEED is the first. */
export const SEEDS: readonly number[] = NIGHTLY ? [SEED, SEED + 1, SEED + 2] : [SEED];

/** Holds a property against random inputs: so many rounds for each seed. */
export async function always(property: fc.IRawProperty<unknown>, rounds: number): Promise<void> {
  for (const seed of SEEDS) await fc.assert(property, { seed, numRuns: rounds });
}

/** A number of rounds for each seed. */
export const sized = (sample: number, nightly: number): number => (NIGHTLY ? nightly : sample);

/**
 * The numbers from 1 to `last`: all of them, or a sample of at most `most`, evenly spread.
 * @param offset where a sample begins: one that differs between sweeps hits other numbers in each
 */
export function sample(last: number, most: number, offset = 0): number[] {
  const stride = NIGHTLY ? 1 : Math.max(1, Math.ceil(last / most));
  const first = 1 + (offset % stride);
  return Array.from({ length: Math.max(0, Math.floor((last - first) / stride) + 1) }, (_, at) => first + at * stride);
}

/** Tells figures when the tests of a file have ended; `npm run nightly` gathers them. */
export function figures(title: string, text: () => string): void {
  afterAll(() => console.info(`Figures: ${title}: ${text()}`));
}
