/**
 * The stores of one object, in its own SQLite: one ladder for the agent, and another for the tree of a top-level object.
 *
 * Keeps SO3.
 */
import type { ObjectStores } from '../core/ports/object-stores';
import { SqlAgentStore } from './agent-store';
import { migrate, schemaLevel } from './migrate';
import { AGENT_MIGRATIONS, ROOT_MIGRATIONS } from './migrations';
import type { ObjectStorage } from './storage';
import { SqlTreeStore } from './tree-store';

/** The stores over a storage. */
export function sqlStores(storage: ObjectStorage, isTopLevel: boolean): ObjectStores {
  let isCurrent = false;
  const bring = (level?: number): void => {
    if (isCurrent) return;
    migrate(storage, 'agent', AGENT_MIGRATIONS, level);
    if (isTopLevel) migrate(storage, 'root', ROOT_MIGRATIONS);
    isCurrent = true;
  };
  return {
    agent: new SqlAgentStore(storage),
    tree() {
      if (!isTopLevel) throw new TypeError('Only a top-level object has the store of a tree.');
      return new SqlTreeStore(storage);
    },
    open() {
      const level = schemaLevel(storage, 'agent');
      if (level > 0) bring(level);
      return level > 0;
    },
    make: () => bring(),
  };
}
