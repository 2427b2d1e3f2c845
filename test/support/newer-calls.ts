/** A deploy while a tree is at work: for a while some objects are of the older version, and refuse calls that they do not know. */
import type { ObjectCall } from '../../src/engine/object/object-calls';
import { CALLS } from '../../src/engine/versions/known-calls';
import type { Tree, TreeOptions } from './harness';
import { figures } from './sizes';

const TOP = '/agents/top/one';
/** The deploy reaches the older objects after so long, in ms: longer than it is tried to reach a child. */
const DEPLOYED_MS = 120_000;

let refused = 0;
/** So many calls of a newer version were refused so far. */
export const refusals = (): number => refused;
figures('two versions', () => `${refused} calls of a newer version were refused`);

/** The objects that are older for a while, and which calls of their newer neighbours they do not know. */
export interface Order {
  readonly order: string;
  readonly isOlder: (address: string) => boolean;
  readonly isNew: (call: number) => boolean;
}

export const ORDERS: readonly Order[] = [
  { order: 'the root is older', isOlder: (address: string) => address === TOP, isNew: () => true },
  { order: 'the sub-agents are older', isOlder: (address: string) => address !== TOP, isNew: () => true },
  { order: 'every second call is newer', isOlder: () => true, isNew: (call: number) => call % 2 === 1 },
];

/** What makes a call one of a newer version. */
const NEWER: readonly ((call: ObjectCall) => object)[] = [
  () => ({ since: CALLS + 1 }),
  (call) => (call.kind === 'agent' ? { message: { ...call.message, type: 'thought_of_later' } } : { kind: 'later' }),
  (call) => (call.kind === 'root' ? { request: { ...call.request, hopes: true } } : { kind: 'later' }),
];

/** A deploy that begins with the tree. */
export function deploying({ isOlder, isNew }: Order): TreeOptions & { readonly begin: (tree: Tree) => void } {
  let tree: Tree | undefined;
  let from = 0;
  let calls = 0;
  return {
    begin: (made) => {
      tree = made;
      from = made.time.now;
    },
    network: async (address, call, perform) => {
      const isDeployed = tree === undefined || tree.time.now - from >= DEPLOYED_MS;
      const isTreeCall = call.kind === 'agent' || call.kind === 'root';
      if (isDeployed || !isTreeCall || !isOlder(address) || !isNew(++calls)) return perform();
      const given = { ...call };
      Object.assign(call, NEWER[calls % NEWER.length]?.(call));
      try {
        return await perform();
      } catch (error) {
        refused++;
        throw error;
      } finally {
        Object.assign(call, given);
      }
    },
  };
}
