// How scripts end when something is wrong: one clear message, no stack.
import { MIN_NODE_MAJOR } from './paths.mjs';

/** Something that the person at the terminal can mend: `message` says what and how. */
export class UserError extends Error {}

/** Refuses a Node that is too old, before anything of it is missed. @throws {UserError} */
function checkNode() {
  if (Number(process.versions.node.split('.')[0]) >= MIN_NODE_MAJOR) return;
  throw new UserError(
    `Offshoot needs Node ${MIN_NODE_MAJOR} or newer; this is ${process.versions.node}. Install a newer one (https://nodejs.org, or \`nvm install 24\`) and run this again.`,
  );
}

/**
 * Runs a script's main function and turns its end into an exit code. A `UserError` prints its message alone.
 * @param {() => Promise<number | undefined>} main gives the exit code; undefined is 0
 */
export async function run(main) {
  try {
    checkNode();
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (error instanceof UserError) console.error(error.message);
    else console.error(error);
    process.exitCode = 1;
  }
}
