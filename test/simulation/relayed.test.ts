/**
 * Children that cannot reach their root, for whom their parents relay: through their whole lives, with people, stops,
 * crashes and a bad network, a tree ends as one whose agents reach the root themselves.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ObjectCall } from '../../src/engine/object/object-calls';
import { GONE, type RootRequest } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import { fates, network } from '../support/bad-network';
import { deepWait } from '../support/control';
import { type Make, ran, SCENARIOS, tellRuns } from '../support/crashes';
import { examine } from '../support/examine';
import { type TreeOptions, withTree } from '../support/harness';
import { People } from '../support/people';
import { PLAYS, played } from '../support/plays';
import { always, moments, onceEach, sized } from '../support/sizes';
import { threeLevels } from '../support/trees';

const ROUNDS = sized(3, 30);
/** So many commits of each scenario, and of each play, are crashed at with `npm test`. */
const MOST = 4;
const MOST_OF_A_PLAY = 2;

/** Everybody who is deeper than a child of the root. */
const isRelayed = (address: string): boolean => parseAddress(address).below.length > 1;
const RELAYED: TreeOptions = { isRelayed };

/** A tree whose agents all reach the root: once for all that is compared with it. */
const directly = onceEach((make: Make) => ran(make));

tellRuns('children that cannot reach their root');

describe.each(SCENARIOS.map((one, at) => ({ ...one, at })))('relayed: $name', ({ make, at }) => {
  it('[RT5, RC5, TR1, TR2, DL3, OB1] ends in the same transcripts, also after a crash at any one commit', async () => {
    const direct = await directly(make);
    const calm = await ran(make, RELAYED);
    expect(calm.problems).toEqual([]);
    expect(calm.transcripts).toEqual(direct.transcripts);
    for (const commit of moments(calm.kinds, MOST, at)) {
      const found = await ran(make, { isRelayed, crashAt: new Set([commit]) }, `a crash at ${commit}`);
      expect(found.transcripts, `a crash at ${commit}`).toEqual(direct.transcripts);
    }
  });

  it('[RT5, OB2, TR4] and whatever is lost or delivered twice on either part of the way', async () => {
    const direct = await directly(make);
    const holds = fc.asyncProperty(fates(1), async (given) => {
      expect((await ran(make, { isRelayed, network: network(given) })).transcripts).toEqual(direct.transcripts);
    });
    await always(holds, ROUNDS);
  });
});

describe.each(PLAYS.map((play, at) => ({ ...play, at })))('relayed: $name', (play) => {
  it('[RT5, SP9, RS1, AN1, CS2, DG10, MS1, RC6] ends as without a crash, wherever one comes', async () => {
    const calm = await played(play, RELAYED);
    expect(calm.problems).toEqual([]);
    if (play.same) expect(calm.transcripts).toEqual((await played(play)).transcripts);
    for (const commit of moments(calm.kinds, MOST_OF_A_PLAY, play.at)) {
      const found = await played(play, { isRelayed, crashAt: new Set([commit]) }, `a crash at ${commit}`);
      if (play.same) expect(found.transcripts, `a crash at ${commit}`).toEqual(calm.transcripts);
    }
  });
});

/** What goes where: who asks whom, and whom they relay. */
function noted() {
  const requests: { to: string; from: string; relays: readonly string[] }[] = [];
  const inside = ({ sessionId, relayed = [] }: RootRequest): string[] => [sessionId, ...relayed.flatMap(inside)];
  const noting = async <Answer>(to: string, call: ObjectCall, perform: () => Promise<Answer>): Promise<Answer> => {
    if (call.kind === 'root') {
      const [from = '', ...relays] = inside(call.request);
      requests.push({ to, from, relays });
    }
    return perform();
  };
  return { requests, network: noting };
}

describe('who cannot reach the root', () => {
  it('[RT5, WT1] says everything to its parent, which passes it on, through three levels and two waits', async () => {
    const { requests, network: noting } = noted();
    await withTree(
      (tree) => deepWait(tree),
      { isRelayed, network: noting },
      async (tree) => {
        await tree.start();
        await new People({}).attend(tree);
        examine(tree, 'relayed');
        const byId = new Map(tree.nodes.map(({ sessionId, address }) => [sessionId, address]));
        const below = tree.nodes.filter(({ address }) => isRelayed(address));
        expect(below.length).toBeGreaterThan(1);
        for (const { address, sessionId } of below) {
          const own = requests.filter(({ from }) => from === sessionId);
          expect(own.length, address).toBeGreaterThan(3);
          const parent = address.slice(0, address.lastIndexOf('/sub/'));
          expect(new Set(own.map(({ to }) => to)), address).toEqual(new Set([parent]));
          // Each of them reached the root in the hands of those above.
          const relays = requests.filter(({ to, relays }) => to === tree.address && relays.includes(sessionId));
          expect(relays.length, address).toBeGreaterThan(3);
        }
        const atRoot = requests.filter(({ to }) => to === tree.address).map(({ from }) => byId.get(from) ?? '');
        expect(atRoot.filter(isRelayed)).toEqual([]);
      },
    );
  });

  it('[RT5, TR5] is told by way of its parent that it is no part of the tree; and nobody relays for others than its children', async () => {
    await withTree(
      (tree) => threeLevels(tree),
      RELAYED,
      async (tree) => {
        await tree.run();
        const leaf = tree.nodes.find(({ address }) => isRelayed(address));
        const parent = tree.nodes.find(({ id }) => leaf?.kind === 'child' && id === leaf.parentId);
        const other = tree.nodes.find((node) => node.depth === 2 && node.id !== parent?.id);
        if (leaf === undefined || parent === undefined || other === undefined)
          throw new Error('There are fewer agents.');
        const says = (to: string, sessionId: string) => {
          const request: RootRequest = { sessionId, batches: [], admit: [], deliver: [], withdraw: [], lost: [] };
          return tree.world.object(to).call({ kind: 'root', request });
        };
        expect(await says(parent.address, leaf.sessionId)).toMatchObject({ merge: 'merged', merged: leaf.lastChunk });
        expect(await says(other.address, leaf.sessionId)).toEqual(GONE);
        expect(await says(parent.address, 's_nobody')).toEqual(GONE);
        // Nobody lives there.
        expect(await says(`${tree.address}/sub/leaf/9~9`, leaf.sessionId)).toEqual(GONE);
      },
    );
  });
});
