// The combinations of a package manager and a Node in which the app of `npm create offshoot` is tried.
import { UserError } from '../fail.mjs';

const MANAGERS = ['npm', 'pnpm'];
/** The oldest Node that an app may have, and that of the project. */
const NODES = ['22', '24'];

const COMBINATIONS = NODES.flatMap((node) =>
  MANAGERS.map((manager) => ({ name: `${manager}@${node}`, manager, node })),
);

/**
 * The combinations that are named, all without a name. A wrong name is refused: nothing would be tried, and pass.
 * @param {string[]} names
 * @throws {UserError}
 */
export function combinationsOf(names) {
  const known = COMBINATIONS.map(({ name }) => name);
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined) throw new UserError(`"${wrong}" is no combination: choose among ${known.join(', ')}.`);
  return COMBINATIONS.filter(({ name }) => names.length === 0 || names.includes(name));
}
