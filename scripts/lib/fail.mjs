// How scripts end when something is wrong: one clear message, no stack.

/** Something that the person at the terminal can mend: `message` says what and how. */
export class UserError extends Error {}

/**
 * Runs a script's main function and turns its end into an exit code. A `UserError` prints its message alone.
 * @param {() => Promise<number | undefined>} main gives the exit code; undefined is 0
 */
export async function run(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (error instanceof UserError) console.error(error.message);
    else console.error(error);
    process.exitCode = 1;
  }
}
