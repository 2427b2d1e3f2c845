/** The stores of agents and trees over the storage of a Durable Object. */
import { agentStoreContract } from '../contract/agent-store';
import { formatContract } from '../contract/formats';
import { keptRowsContract } from '../contract/kept-rows';
import type { WithStorage } from '../contract/stores-support';
import { treeStoreContract } from '../contract/tree-store';
import { withObjectStorage } from './storage';

/** An object has one storage; opening it again makes new statements over it. */
const withStorage: WithStorage = (body) => withObjectStorage((storage) => body({ storage, reopen: () => storage }));

agentStoreContract('a Durable Object', withStorage);
treeStoreContract('a Durable Object', withStorage);
formatContract('a Durable Object', withStorage);
keptRowsContract('a Durable Object', withStorage);
