/**
 * A deploy while trees are at work: for a while some objects are of the older version, and refuse calls that they do not
 * know. Nothing ends for that, and every tree comes to the end that it has without a deploy.
 */
import { describe, expect, it } from 'vitest';
import type { ObjectCall } from '../../src/engine/object/object-calls';
import { unknownCall } from '../../src/engine/versions/known-calls';
import { inObjects } from '../support/alone';
import { deepWait } from '../support/control';
import { type Make, ran, SCENARIOS } from '../support/crashes';
import { examine, transcripts } from '../support/examine';
import { Tree } from '../support/harness';
import { deploying, ORDERS, type Order, refusals } from '../support/newer-calls';
import { People } from '../support/people';
import { present } from '../support/present';

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
    const before = refusals();
    const found = await deployed(make, order);
    expect(found.transcripts).toEqual(calm.transcripts);
    expect(found.outcome).toEqual(calm.outcome);
    expect(refusals()).toBeGreaterThan(before);
  });

  it('[SO11] loses no wait for a person', async () => {
    const { outcome } = await deployed((tree) => deepWait(tree), order);
    expect(outcome).toMatchObject({ output: 'Done.' });
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
