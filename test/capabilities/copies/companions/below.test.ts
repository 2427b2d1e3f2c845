/** What is below a companion comes along with its copy: whose memory it has, what they share, caps, and crashes at every commit. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/protocol/json';
import { transcripts } from '../../../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { asking, companion, questions, resultOf } from '../../../support/levels';
import { moments } from '../../../support/sizes';
import { agentOf, answer, toolResults } from '../../../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 13;
const [ADA, BOB] = ['/agents/top/one/sub/scout/ada', '/agents/top/one/sub/scout/bob'];
const [OWN, DEEP] = ['/sub/leaf/own', '/sub/leaf/own/sub/tip/deep'];

type Call = ReturnType<typeof companion>;

/** Four levels: `top`, its scouts, the leaf of each, and the tip of each leaf. */
function levels(calls: readonly (() => Call)[], maxTreeChildren?: number): TreeParts {
  const tip = agentOf('tip', { outputSchema: answer });
  const leaf = agentOf('leaf', { persistentAgents: [{ agent: tip }], outputSchema: answer });
  const scout = agentOf('scout', { persistentAgents: [{ agent: leaf }], outputSchema: answer });
  const top = agentOf('top', { persistentAgents: [{ agent: scout }] });
  const limits = maxTreeChildren === undefined ? top.limits : { ...top.limits, maxTreeChildren };
  return {
    agents: [{ ...top, limits }, scout, leaf, tip],
    scripts: {
      top: ({ step }) => {
        const next = calls[step - 1];
        return next ? { calls: [next()] } : { text: 'Done.' };
      },
      scout: asking('leaf', 'own'),
      leaf: asking('tip', 'deep'),
      tip: ({ messages }) =>
        questions(messages).at(-1)?.startsWith('hang')
          ? { hang: true }
          : { finish: { answer: questions(messages).join(' ') } },
    },
  };
}

const spawns = (message: string, mode?: string) => () =>
  companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: message, ...(mode ? { mode } : {}) });
const tells = (name: string, message: string) => () => companion('sendMessage', { name, message, wait: true });
const copies =
  (message: string, more: JsonObject = {}) =>
  () =>
    companion('forkChild', { name: 'ada', newName: 'bob', message, ...more });

const both = () => levels([spawns('one'), copies('two'), tells('ada', 'three'), tells('bob', 'four')]);

async function ran(make: (tree: Tree) => TreeParts, options: TreeOptions = {}) {
  return withTree(make, options, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    const below = (of: string) => new Set([of, of + OWN, of + DEEP].flatMap((address) => idsIn(tree, address)));
    return {
      results: toolResults(tree).map(resultOf),
      said: transcripts(tree),
      nodes: tree.nodes,
      addresses: tree.world.addresses(),
      ids: { ada: below(ADA), bob: below(BOB) },
      kinds: tree.kinds,
      problems: tree.time.problems,
    };
  });
}

/** Every id in the store of an agent: of sessions, runs, calls and messages. */
function idsIn(tree: Tree, address: string): string[] {
  const storage = tree.world.storage(address);
  const tables = ['session', 'runs', 'steps', 'settlements', 'messages', 'queued', 'children', 'outbox', 'receipts'];
  const rows = tables.flatMap((table) => storage?.sql.exec(`select * from "${table}"`).toArray() ?? []);
  return JSON.stringify(rows).match(/\b[srcm]_[A-Za-z0-9_.]+/g) ?? [];
}

/** Ids that both have, but for those of who is above both, and of whom the copy says that it is one of. */
function shared({ ids }: Awaited<ReturnType<typeof ran>>, known: ReadonlySet<string>): string[] {
  return [...ids.bob].filter((id) => ids.ada.has(id) && !known.has(id));
}

describe('the companions of a companion that is copied', () => {
  it('[CP12] come along at every level with what they remember, under their names; from then on neither knows of the other', async () => {
    const { results, nodes, problems } = await ran(both);
    expect(results).toMatchObject([
      { name: 'ada', output: { answer: 'one; one; one' } },
      { name: 'bob', output: { answer: 'one two; one two; one two' } },
      { name: 'ada', result: { answer: 'one three; one three; one three' } },
      { name: 'bob', result: { answer: 'one two four; one two four; one two four' } },
    ]);
    expect(nodes.map(({ address }) => address).sort()).toEqual(
      ['/agents/top/one', ADA, ADA + OWN, ADA + DEEP, BOB, BOB + OWN, BOB + DEEP].sort(),
    );
    expect(problems).toEqual([]);
  });

  it('[CP27, CP41] share no call, message, run or session with the originals', async () => {
    const found = await ran(both);
    expect(found.ids.ada.size).toBeGreaterThan(20);
    expect(found.ids.bob.size).toBeGreaterThan(20);
    // Their root and parent above, and the session that each says it was copied from.
    const top = found.nodes[0]?.sessionId ?? '';
    const originals = found.nodes.filter(({ address }) => address.startsWith(ADA)).map(({ sessionId }) => sessionId);
    expect(shared(found, new Set([top, ...originals]))).toEqual([]);
  });

  it('[CP12, CP41, CP4] are in the record as they stand, at rest and with nothing spent, before they are told anything', async () => {
    const { nodes, addresses } = await ran(() => levels([spawns('one'), copies('quiet')]));
    const of = (address: string) => nodes.find((node) => node.address === address);
    for (const below of [OWN, DEEP])
      expect(of(BOB + below)).toMatchObject({ status: 'completed', lastChunk: 0, usage: { modelCalls: 0 } });
    expect(of(BOB + DEEP)).toMatchObject({ parentId: of(BOB + OWN)?.id, depth: 4 });
    expect(addresses).toEqual(expect.arrayContaining([BOB + OWN, BOB + DEEP]));
  });

  it('[CP5, CP12] are all there or none, the same after a crash at any commit', async () => {
    const calm = await ran(both);
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran(both, { crashAt: new Set([commit]) });
      const what = `a crash at ${commit}`;
      expect(found.said, what).toEqual(calm.said);
      expect(found.results, what).toEqual(calm.results);
      expect(found.addresses, what).toEqual(calm.addresses);
      expect(found.nodes.map(({ address }) => address).sort(), what).toEqual(
        calm.nodes.map(({ address }) => address).sort(),
      );
      expect(found.problems, what).toEqual([]);
    }
  });

  it('[CP29, CP41] count for maxTreeChildren: a copy that they have no place for leaves nothing behind', async () => {
    const within = async (most: number) => ran(() => levels([spawns('one'), copies('two')], most));
    const full = await within(5);
    expect(full.results[1]).toMatchObject({ code: 'max_tree_children' });
    expect(full.addresses.filter((address) => address.startsWith(BOB))).toEqual([]);
    expect(full.nodes.filter(({ address }) => address.startsWith(BOB))).toEqual([]);
    expect((await within(6)).results[1]).toMatchObject({ output: { answer: 'one two; one two; one two' } });
  });

  it('[CP3, CP12] that are at work come along at rest, and go on in the copy with what they are told next', async () => {
    const { results, nodes, problems } = await ran(() =>
      levels([
        spawns('one'),
        // Everybody above the tip waits for it, and so does nobody in the copy.
        () => companion('sendMessage', { name: 'ada', message: 'hang', wait: true, timeout: 500 }),
        copies('two'),
        () => companion('terminateChild', { name: 'ada' }),
      ]),
    );
    expect(results[2]).toMatchObject({ output: { answer: 'one hang two; one hang two; one hang two' } });
    expect(nodes.find(({ address }) => address === BOB + DEEP)?.status).toBe('completed');
    expect(problems).toEqual([]);
  });

  it('[CP43] stay with the original where the copy goes back to a step before their last task', async () => {
    const at = async (step: number) => {
      const { results, nodes } = await ran((tree) =>
        levels([
          spawns('one'),
          tells('ada', 'quiet'),
          () => copies('quiet two', { checkpoint: checkpointOf(tree, step) })(),
        ]),
      );
      return { result: results[2], below: nodes.filter(({ address }) => address.startsWith(`${BOB}/`)).length };
    };
    // The task of `own` is of the first step.
    expect(await at(1)).toMatchObject({ result: { output: { answer: 'one quiet two' } }, below: 2 });
    const later = await ran((tree) =>
      levels([
        spawns('one'),
        tells('ada', 'two'),
        () => copies('quiet three', { checkpoint: checkpointOf(tree, 2) })(),
      ]),
    );
    expect(later.results[2]).toMatchObject({ output: { answer: 'one quiet three' } });
    expect(later.nodes.filter(({ address }) => address.startsWith(`${BOB}/`))).toEqual([]);
    expect(later.addresses.filter((address) => address.startsWith(`${BOB}/`))).toEqual([]);
  });
});

function checkpointOf(tree: Tree, step: number): string {
  const node = tree.nodes.find(({ address }) => address === ADA);
  return `${node?.sessionId}.${step}`;
}
