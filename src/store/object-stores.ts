/**
 * The stores of one object, in its own SQLite: one ladder for the agent, and another for the tree of a top-level object.
 *
 * Keeps SO3, SO6.
 */
import type { ObjectStores } from '../core/ports/object-stores';
import { SqlAgentStore } from './agent-store';
import { type Formats, formatsOf, type Ladders, migrate, newerThan } from './migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from './migrations';
import type { ObjectStorage } from './storage';
import { SqlTreeStore } from './tree-store';

const OF_AGENT: Ladders = { agent: AGENT_MIGRATIONS };
const OF_TOP: Ladders = { ...OF_AGENT, root: ROOT_MIGRATIONS };

/** The stores over a storage. */
export function sqlStores(storage: ObjectStorage, isTopLevel: boolean): ObjectStores {
  const ladders = isTopLevel ? OF_TOP : OF_AGENT;
  let isCurrent = false;
  // Nobody but this object writes here, so they are read once.
  let found: Formats | undefined;
  const formats = (): Formats => {
    found ??= formatsOf(storage);
    return found;
  };
  const migrateOnce = (): void => {
    if (!isCurrent) migrate(storage, ladders, formats());
    isCurrent = true;
  };
  return {
    agent: new SqlAgentStore(storage),
    tree() {
      if (!isTopLevel) throw new TypeError('Only a top-level object has the store of a tree.');
      return new SqlTreeStore(storage);
    },
    refusal: () => (isCurrent ? undefined : newerThan(formats(), ladders)),
    open() {
      if (formats().size === 0) return isCurrent;
      migrateOnce();
      return true;
    },
    make: migrateOnce,
  };
}
