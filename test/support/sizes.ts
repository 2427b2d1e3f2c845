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

/**
 * Numbers of commits, from 1: all of them at night, else at most `most`, spread over the whole of them. They are cut into
 * `most` parts in a row; of each part the commit is taken whose kind was taken the fewest times before, and is the rarest.
 * @param kinds the kind of each commit, in order: two of one kind are the same step of the same agent
 * @param offset which of a part is taken where several are as rare: one that differs between sweeps hits others in each
 */
export function moments(kinds: readonly string[], most: number, offset = 0): number[] {
  const parts = NIGHTLY ? kinds.length : Math.min(most, kinds.length);
  const count = (of: readonly string[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const kind of of) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return counts;
  };
  const all = count(kinds);
  const taken: number[] = [];
  for (let part = 0; part < parts; part++) {
    const first = Math.floor((part * kinds.length) / parts);
    const last = Math.floor(((part + 1) * kinds.length) / parts);
    const before = count(taken.map((number) => kinds[number - 1] ?? ''));
    const weight = (at: number): number => {
      const kind = kinds[at] ?? '';
      return (before.get(kind) ?? 0) * kinds.length + (all.get(kind) ?? 0);
    };
    const places = Array.from({ length: last - first }, (_, at) => first + ((at + offset) % (last - first)));
    taken.push(1 + places.reduce((best, at) => (weight(at) < weight(best) ? at : best)));
  }
  return taken;
}

/** Of several ways to try a moment: all of them at night, else one, each in its turn. */
export const inTurn = <Way>(ways: readonly Way[], turn: number): readonly Way[] =>
  NIGHTLY ? ways : ways.slice(turn % ways.length).slice(0, 1);

/** Something made once for each, at the first call, and given to each further one. */
export function onceEach<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const made = new WeakMap<Of, Made>();
  return (of) => {
    const before = made.get(of) ?? make(of);
    made.set(of, before);
    return before;
  };
}

/** Tells figures when the tests of a file have ended; `npm run nightly` gathers them. */
export function figures(title: string, text: () => string): void {
  afterAll(() => console.info(`Figures: ${title}: ${text()}`));
}
