/**
 * A deploy while trees are at work: for a while some objects are of the older version, and refuse calls that they do not
 * know. Nothing ends for that, and every tree comes to the end that it has without a deploy.
 */
import { describe, expect, it } from 'vitest';
import type { ObjectCall } from '../../src/engine/object-calls';
import { CALLS, unknownCall } from '../../src/engine/versions/known-calls';
import { inObjects } from '../support/alone';
import { deepWait } from '../support/control';
import { type Make, ran, SCENARIOS } from '../support/crashes';
import { examine, transcripts } from '../support/examine';
import { examined, farParts } from '../support/far';
import { Tree, type TreeOptions } from '../support/harness';
import { People } from '../support/people';
import { present } from '../support/present';
import { figures } from '../support/sizes';

const TOP = '/agents/top/one';
/** The deploy reaches the older objects after so long, in ms: longer than it is tried to reach a child. */
const DEPLOYED_MS = 120_000;

let refused = 0;
figures('two versions', () => `${refused} calls of a newer version were refused`);

/** The objects that are older for a while, and which calls of their newer neighbours they do not know. */
interface Order {
  readonly order: string;
  readonly isOlder: (address: string) => boolean;
  readonly isNew: (call: number) => boolean;
}

const ORDERS: readonly Order[] = [
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
function deploying({ isOlder, isNew }: Order): TreeOptions & { readonly begin: (tree: Tree) => void } {
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

/** Runs a tree through a deploy, and answers what waits. */
async function deployed(make: Make, order: Order) {
  const { begin, ...options } = deploying(order);
  const tree = new Tree(make, options);
  try {
    begin(tree);
    await tree.start();
    await new People({}).attend(tree);
    await tree.finish();
    examine(tree);
    return { transcripts: transcripts(tree), outcome: tree.outcome };
  } finally {
    tree.close();
  }
}

const TREES: readonly { readonly name: string; readonly make: Make }[] = [
  ...SCENARIOS.filter(({ name }) => !name.includes('time') && !name.includes('message')),
  { name: 'three levels in objects', make: inObjects(present(SCENARIOS[0]).make) },
];

describe.each(ORDERS)('a deploy, where $order', (order) => {
  it.each(TREES)('[SO11] ends no run of $name, and changes no transcript', async ({ make }) => {
    const calm = await ran(make);
    const before = refused;
    const found = await deployed(make, order);
    expect(found.transcripts).toEqual(calm.transcripts);
    expect(found.outcome).toEqual(calm.outcome);
    expect(refused).toBeGreaterThan(before);
  });

  it('[SO11] loses no wait for a person', async () => {
    const { outcome } = await deployed((tree) => deepWait(tree), order);
    expect(outcome).toMatchObject({ output: 'Done.' });
  });

  it('[SO11] loses nothing of an agent elsewhere', async () => {
    const { begin, ...options } = deploying(order);
    const tree = new Tree((it) => farParts(it), options);
    begin(tree);
    await tree.run();
    tree.time.problems.length = 0;
    examined(tree);
    tree.close();
  });
});

/** Calls of a newer version, by the part that is new in them. */
const NEWER_PARTS: readonly (readonly [part: string, call: unknown])[] = [
  ['the use of files "lock"', { kind: 'files', path: [], owner: 's', asker: {}, ask: { op: 'lock' } }],
  ['the deed "rename"', { kind: 'thread', path: [], owner: 's', asker: 't', does: { type: 'rename' } }],
  ['the reading "notes"', { kind: 'thread', path: [], owner: 's', asker: 't', reads: { what: 'notes' } }],
  ['a turn with queued', { kind: 'root', request: { batches: [], deliver: [], turn: { queued: 'x' } } }],
];

describe('a call of a newer version', () => {
  it.each(NEWER_PARTS)('[SO11] is refused as retryable for %s', (part, call) => {
    expect(unknownCall(call as ObjectCall)?.failure).toMatchObject({
      retryable: true,
      message: expect.stringContaining(part),
    });
  });

  it('[SO11] is answered where all of its parts are known', () => {
    const known = [
      { kind: 'files', ask: { op: 'take' } },
      { kind: 'capability', capability: 'copies' },
      { kind: 'thread', does: { type: 'send' } },
      { kind: 'thread', reads: { what: 'file' } },
      ...[{ ended: '' }, { rests: 1 }, { id: 't', provider: 'p', afterMs: 0 }].map((turn) => ({
        ...{ kind: 'root', request: { batches: [], deliver: [], turn } },
      })),
    ];
    expect(known.map((call) => unknownCall(call as ObjectCall))).toEqual(known.map(() => undefined));
  });
});
