/** Work in portions: a generator that yields wherever others may have their turn. */

/** Does all of it at once. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Does it a portion at a time; `turn` resolves when others have had theirs. What it throws ends the work. */
export async function inTurns<Result>(work: Generator<void, Result>, turn: () => Promise<void>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await turn();
  }
}
