/** Copies in objects of their own while they are sent: who waits for them, who begins meanwhile, and how many go at once. */
import { describe, expect, it } from 'vitest';
import { COPIES_AT_ONCE } from '../../../../src/capabilities/copies/plan';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { companion, resultOf } from '../../../support/levels';
import { toolResults } from '../../../support/trees';
import { isCopyCall, messageIn } from '../support/calls';
import { type Call, calling as callingAt, type Places, TOP, unexpected } from '../support/sent-copies';

const PLACES: Places = ['object', 'facet', 'facet'];
const addressOf = (name: string): string => `${TOP}/sub/scout/${name}`;
const calling = (...steps: readonly (readonly Call[])[]): TreeParts => callingAt(PLACES, ...steps);

const spawned = (name: string, initialMessage: string): Call =>
  companion('spawnAgent', { agent: 'scout', name, initialMessage });
const forked = (name: string, newName: string, message: string): Call =>
  companion('forkChild', { name, newName, message });
const told = (name: string, message: string): Call => companion('sendMessage', { name, message, wait: true });

/** A gate before the memory of copies under these names, and what of copies has come so far. */
function gated(...names: readonly string[]) {
  const held = new Set(names.map(addressOf));
  const opened = Promise.withResolvers<void>();
  const planned: string[] = [];
  const entered = new Set<string>();
  const network: TreeOptions['network'] = async (address, call, perform) => {
    const message = messageIn(call);
    if (message?.type === 'plan_copy') planned.push(message.session.address);
    if (isCopyCall(call) && call.ask.op === 'enter') entered.add(address);
    if (isCopyCall(call) && call.ask.op === 'rows' && held.has(address)) await opened.promise;
    return perform();
  };
  return { planned, entered, options: { network }, open: () => opened.resolve() };
}

/** What each of the top's calls gave, in the order of the calls. */
const results = (tree: Tree) => toolResults(tree).map(resultOf);

/** Runs until nothing goes on but by the gate, looks, and opens it. */
async function through(parts: TreeParts, gate: ReturnType<typeof gated>, look: (tree: Tree) => void) {
  await withTree(
    () => parts,
    gate.options,
    async (tree) => {
      await tree.start();
      await tree.time.pass(5_000);
      look(tree);
      gate.open();
      await tree.finish();
      await tree.rest();
      expect(unexpected(tree)).toEqual([]);
    },
  );
}

describe('while a copy in an object is sent', () => {
  it('[CP18, CP56] its siblings begin, and so do copies of others; its original waits, and then has its further task', async () => {
    const gate = gated('bob');
    let done: Tree | undefined;
    const parts = calling(
      [spawned('ada', 'quiet one'), spawned('eve', 'quiet one')],
      [
        told('ada', 'quiet three'),
        forked('ada', 'bob', 'quiet two'),
        spawned('cid', 'quiet new'),
        forked('eve', 'fay', 'quiet four'),
        told('eve', 'quiet five'),
      ],
    );
    await through(parts, gate, (tree) => {
      done = tree;
      const ended = (name: string) => {
        const node = tree.nodes.find(({ address }) => address === addressOf(name));
        return [node?.status, node?.kind === 'child' && node.task.number];
      };
      expect(gate.entered).toContain(addressOf('bob'));
      expect([ended('cid'), ended('fay'), ended('eve')]).toEqual([
        ['completed', 1],
        ['completed', 1],
        ['completed', 2],
      ]);
      expect(ended('ada')).toEqual(['completed', 1]);
      expect(ended('bob')[0]).not.toBe('completed');
    });
    expect(done && results(done).slice(2)).toMatchObject([
      { name: 'ada', result: { answer: 'quiet one quiet three' } },
      { name: 'bob', output: { answer: 'quiet one quiet two' } },
      { name: 'cid', output: { answer: 'quiet new' } },
      { name: 'fay', output: { answer: 'quiet one quiet four' } },
      { name: 'eve', result: { answer: 'quiet one quiet five' } },
    ]);
  });

  const names = Array.from({ length: COPIES_AT_ONCE + 1 }, (_, at) => `c${at}`);
  const many = () =>
    calling(
      [spawned('ada', 'quiet one')],
      names.map((name) => forked('ada', name, `quiet ${name}`)),
    );

  it(`[CP19] a parent sends ${COPIES_AT_ONCE} at once, and the next one when one of them is there`, async () => {
    const gate = gated(...names);
    let done: Tree | undefined;
    await through(many(), gate, (tree) => {
      done = tree;
      expect(gate.entered.size).toBe(COPIES_AT_ONCE);
      expect(gate.planned).toHaveLength(COPIES_AT_ONCE);
    });
    expect(done && results(done).slice(1)).toMatchObject(
      names.map((name) => ({ name, output: { answer: `quiet one quiet ${name}` } })),
    );
  });

  it('[CP57, SP13] the one that waits for that is not sent when it is stopped meanwhile, and is made when its parent goes on', async () => {
    const gate = gated(...names);
    await withTree(many, gate.options, async (tree) => {
      await tree.start();
      await tree.time.pass(5_000);
      expect(tree.stop('interrupt')).toBe(true);
      await tree.time.pass(5_000);
      gate.open();
      await tree.rest();
      expect(tree.outcome.status).toBe('interrupted');
      expect(gate.planned).toHaveLength(COPIES_AT_ONCE);
      await tree.resume();
      await tree.finish();
      await tree.rest();
      expect(results(tree).slice(1)).toMatchObject(
        names.map((name) => ({ name, output: { answer: `quiet one quiet ${name}` } })),
      );
      expect(unexpected(tree)).toEqual([]);
    });
  });
});
