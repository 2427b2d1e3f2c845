/**
 * Copies of companions in objects of their own, with those below them in facets and in objects: whose memory they have, what
 * they share, limits, what a crash at any commit leaves, and what is left of a copy that nobody needs.
 */
import { describe, expect, it, vi } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/relationship';
import type { ChildRef } from '../../src/core/ports/child-transport';
import { MAX_COPY_BYTES } from '../../src/core/tree/copied-tree';
import type { CopyAsk } from '../../src/engine/object-calls';
import {
  ADA,
  APART,
  BOB,
  both,
  copies,
  DEEP,
  levels,
  OWN,
  PLACES,
  spawns,
  TOP,
  tells,
  unexpected,
} from '../support/copied-apart';
import { ask, code } from '../support/copied-roots';
import { transcripts } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { companion, questions, resultOf } from '../support/levels';
import { figures, sample } from '../support/sizes';
import { agentOf, answer, question, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 25;

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
      commits: tree.commits.length,
      problems: unexpected(tree),
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

describe.each(PLACES.map((places) => [places.join(', '), places] as const))(
  'a copy of a companion where the three levels below the root are %s',
  (_, places) => {
    it('[CP17, CP1, CP2, CP4] has its memory, with those below it under their names; then neither knows of the other', async () => {
      const found = await ran(both(places));
      expect(found.results).toMatchObject([
        { name: 'ada', output: { answer: 'one; one; one' } },
        { name: 'bob', output: { answer: 'one two; one two; one two' } },
        { name: 'ada', result: { answer: 'one three; one three; one three' } },
        { name: 'bob', result: { answer: 'one two four; one two four; one two four' } },
      ]);
      const all = [TOP, ADA, ADA + OWN, ADA + DEEP, BOB, BOB + OWN, BOB + DEEP].sort();
      expect(found.nodes.map(({ address }) => address).sort()).toEqual(all);
      expect(found.addresses).toEqual(all);
      const originals = found.nodes.filter(({ address }) => address.startsWith(ADA)).map(({ sessionId }) => sessionId);
      const known = new Set([found.nodes[0]?.sessionId, ...originals]);
      expect(found.ids.bob.size).toBeGreaterThan(20);
      expect([...found.ids.bob].filter((id) => found.ids.ada.has(id) && !known.has(id))).toEqual([]);
      expect(found.problems).toEqual([]);
    });

    let crashes = 0;
    figures(`copies of companions placed as ${places.join(', ')}`, () => `${crashes} crashes`);
    it('[CP5, CP17, RC5] is there as a whole or not at all, the same after a crash at any commit', async () => {
      const calm = await ran(both(places));
      for (const commit of sample(calm.commits, MOST, 1)) {
        const found = await ran(both(places), { crashAt: new Set([commit]) });
        const what = `a crash at ${commit}`;
        crashes++;
        expect(found.said, what).toEqual(calm.said);
        expect(found.results, what).toEqual(calm.results);
        expect(found.addresses, what).toEqual(calm.addresses);
        expect(found.nodes.map(({ address }) => address).sort(), what).toEqual(
          calm.nodes.map(({ address }) => address).sort(),
        );
        expect(found.problems, what).toEqual([]);
      }
    });

    it('[CP5, CP17] that the tree has no place for is refused before anything is made', async () => {
      const within = (most: number) => ran(() => levels([spawns('one'), copies('two')], places, most));
      const full = await within(5);
      expect(full.results[1]).toMatchObject({ code: 'max_tree_children' });
      expect(full.addresses.filter((address) => address.startsWith(BOB))).toEqual([]);
      expect(full.nodes.filter(({ address }) => address.startsWith(BOB))).toEqual([]);
      expect((await within(6)).results[1]).toMatchObject({ output: { answer: 'one two; one two; one two' } });
    });
  },
);

describe('the making of a copy in an object', () => {
  it('[CP5, CP17, RC5] ends the same wherever in it everything is lost, also between two rows of a memory', async () => {
    const cut = async (crashAt: number) => {
      let [transactions, counts] = [0, false];
      let crash = (): void => undefined;
      const transaction = (address: string): void => {
        if (address.startsWith(BOB) && counts && ++transactions === crashAt) crash();
      };
      const found = await ran(
        (tree) => {
          counts = true;
          crash = () => tree.crash();
          return both(APART)();
        },
        { transaction },
      );
      return { transactions, found };
    };
    const calm = await cut(0);
    for (const index of sample(calm.transactions, MOST, 0)) {
      const { found } = await cut(index);
      const what = `a crash at ${index}`;
      expect(found.results, what).toEqual(calm.found.results);
      expect(found.addresses, what).toEqual(calm.found.addresses);
      expect(found.problems, what).toEqual([]);
    }
  });

  it('[CP17, OP3] goes on when the object of the original, or of the copy, is lost alone', async () => {
    for (const lost of [ADA, ADA + DEEP, BOB, BOB + OWN]) {
      let lose: (() => void) | undefined;
      const found = await ran(
        (tree) => {
          lose = () => tree.world.evict(lost);
          return both(APART)();
        },
        {
          network(_address, call, perform) {
            // Those below are on their way.
            if (call.kind === 'copy' && call.ask.op === 'rows' && call.way.length > 0) {
              lose?.();
              lose = undefined;
            }
            return perform();
          },
        },
      );
      expect(lose, lost).toBeUndefined();
      expect(found.results[1], lost).toMatchObject({ output: { answer: 'one two; one two; one two' } });
      expect(found.results[3], lost).toMatchObject({ result: { answer: 'one two four; one two four; one two four' } });
    }
  });

  it('[CP15, CP17] is refused where memory and files of all are too large together, and nothing is made', () =>
    withTree(
      () => levels([spawns('one'), copies('two')], APART),
      {},
      async (tree) => {
        const bytes = vi.spyOn(Object.getPrototypeOf(tree.world.object(TOP).store), 'bytes');
        bytes.mockReturnValue(MAX_COPY_BYTES);
        await tree.start();
        await tree.finish();
        await tree.rest();
        bytes.mockRestore();
        expect(toolResults(tree).map(resultOf)[1]).toMatchObject({ code: 'payload_too_large' });
        expect(tree.world.addresses().filter((address) => address.startsWith(BOB))).toEqual([]);
      },
    ));
});

describe('a copy in an object', () => {
  it('[CP3, CP17] of one at work has none of its work, and nor have those below it', async () => {
    const { results, nodes, problems } = await ran(() =>
      levels(
        [
          spawns('one'),
          () => companion('sendMessage', { name: 'ada', message: 'hang', wait: true, timeout: 500 }),
          copies('two'),
          () => companion('terminateChild', { name: 'ada' }),
        ],
        APART,
      ),
    );
    expect(results[2]).toMatchObject({ output: { answer: 'one hang two; one hang two; one hang two' } });
    expect(nodes.find(({ address }) => address === BOB + DEEP)?.status).toBe('completed');
    expect(problems).toEqual([]);
  });

  it('[CP1, CP17] of one that was ended for good has its memory, and one of whom has not begun has none', async () => {
    const { results } = await ran(() =>
      levels([spawns('quiet one'), () => companion('terminateChild', { name: 'ada' }), copies('quiet two')], APART),
    );
    expect(results[2]).toMatchObject({ output: { answer: 'quiet one quiet two' } });
    const found = await ran(() => {
      const parts = levels([], APART);
      const calls = [spawns('quiet one', { mode: 'non-blocking' })(), copies('quiet two')()];
      return {
        ...parts,
        scripts: { ...parts.scripts, top: ({ step }) => (step === 1 ? { calls } : { text: 'Done.' }) },
      };
    });
    expect(found.results[1]).toMatchObject({ output: { answer: 'quiet two' } });
  });

  it('[CP7, CP17] from a checkpoint remembers nothing behind it, and those come along whose last task is no later', async () => {
    const at = async (step: number, second: string) =>
      ran((tree) =>
        levels(
          [
            spawns('one'),
            tells('ada', second),
            () =>
              copies('quiet three', {
                checkpoint: `${tree.nodes.find(({ address }) => address === ADA)?.sessionId}.${step}`,
              })(),
          ],
          APART,
        ),
      );
    const first = await at(1, 'quiet two');
    expect(first.results[2]).toMatchObject({ output: { answer: 'one quiet three' } });
    expect(first.addresses.filter((address) => address.startsWith(BOB))).toEqual([BOB, BOB + OWN, BOB + DEEP]);
    const later = await at(2, 'two');
    expect(later.results[2]).toMatchObject({ output: { answer: 'one quiet three' } });
    expect(later.addresses.filter((address) => address.startsWith(BOB))).toEqual([BOB]);
    const none = await at(99, 'two');
    expect(none.results[2]).toMatchObject({ code: 'not_found' });
    expect(none.addresses.filter((address) => address.startsWith(BOB))).toEqual([]);
    expect(none.nodes.filter(({ address }) => address.startsWith(BOB))).toEqual([]);
  });

  it('[CP8, CP17] is made for a person, once for the key, and has files', () =>
    withTree(
      () => levels([spawns('one')], APART),
      {},
      async (tree) => {
        await tree.run('one');
        await tree.rest();
        for (const below of ['', OWN, DEEP])
          await tree.world.object(ADA + below).ports.files.write('a.txt', below || 'top');
        const input = { name: 'bob', message: 'two' };
        const first = await ask(tree, 'fork', input, 'k', ADA);
        expect(first).toMatchObject({ ok: true, status: 202, body: { address: BOB } });
        expect(await ask(tree, 'fork', input, 'k', ADA)).toEqual(first);
        await tree.rest();
        expect(questions(tree.transcript(BOB))).toEqual(['one', 'two']);
        for (const below of ['', OWN, DEEP])
          expect(await new Response(await tree.world.object(BOB + below).ports.files.read('a.txt')).text()).toBe(
            below || 'top',
          );
        expect(code(await ask(tree, 'remove', {}, 'gone', BOB))).toBe('ok');
        await tree.rest();
        expect(tree.world.addresses()).toEqual([TOP, ADA, ADA + OWN, ADA + DEEP]);
        expect(unexpected(tree)).toEqual([]);
      },
    ));

  it('[CP13, CP17] is made of a sub-agent that was called once', async () => {
    const { results, problems } = await ran(() => {
      const scout = agentOf('scout', { outputSchema: answer });
      const top = agentOf('top', {
        tools: [createSubAgentTool(scout, question, { placement: 'object' })],
        persistentAgents: [{ agent: scout }],
      });
      return {
        agents: [top, scout],
        scripts: {
          top: [
            { calls: [{ name: 'subagent__scout', input: { q: 'a' } }] },
            { calls: [companion('keepChild', { agent: 'scout', name: 'ada', message: 'more' })] },
            { text: 'Done.' },
          ],
          scout: ({ messages }) => ({ finish: { answer: questions(messages).join(' ') } }),
        },
      };
    });
    expect(results[1]).toMatchObject({ name: 'ada', output: { answer: '{"q":"a"} more' } });
    expect(problems).toEqual([]);
  });

  it('[OP7] a companion in a facet is copied without those below it that are in objects', async () => {
    const { addresses } = await ran(() => levels([spawns('one'), copies('quiet two')], ['facet', 'object', 'facet']));
    expect(addresses.filter((address) => address.startsWith(BOB))).toEqual([BOB]);
  });
});

describe('what comes too late into an object', () => {
  const left: ChildRef = {
    sessionId: 's_left',
    address: BOB,
    placement: { via: 'object', className: 'Scout', segment: 'bob' },
  };
  const said = (tree: Tree, op: CopyAsk) =>
    tree.world.object(TOP).children.send(left, { kind: 'copy', copy: 'x', way: [], ask: op });

  it('[CP17] goes by itself, whether it is half made, lost from memory meanwhile, or whole', async () => {
    for (const fate of ['half made', 'lost', 'whole'])
      await withTree(
        () => levels([], APART),
        {},
        async (tree) => {
          await tree.run('one');
          await tree.rest();
          expect(await said(tree, { op: 'enter', children: [] })).toEqual({ ok: true });
          const { root } = tree.state(TOP).session;
          const parent = { sessionId: tree.state(TOP).session.sessionId, address: TOP };
          const copyOf = { sessionId: 's_x', address: ADA };
          const begins = {
            sessionId: 's_left',
            agentType: 'scout',
            address: BOB,
            root,
            depth: 2,
            objectLevel: 1,
            parent,
          };
          const session = { ...begins, tags: [], copyOf };
          if (fate === 'whole') expect(await said(tree, { op: 'rest', session, custom: {} })).toEqual({ ok: true });
          if (fate === 'lost') tree.crash();
          expect(tree.world.addresses()).toContain(BOB);
          await tree.rest();
          expect(tree.world.addresses(), fate).toEqual([TOP]);
          expect(unexpected(tree), fate).toEqual([]);
        },
      );
  });

  it('[CP17] goes when nothing has come for 60 s, and not while something is on its way through it to those below', async () => {
    let arrive = (): void => undefined;
    const onItsWay = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const network: NonNullable<TreeOptions['network']> = async (address, call, perform) => {
      if (address === BOB + OWN && call.kind === 'copy' && call.ask.op === 'rows') await onItsWay;
      return perform();
    };
    await withTree(
      () => levels([], APART),
      { network },
      async (tree) => {
        await tree.run('one');
        await tree.rest();
        expect(await said(tree, { op: 'enter', children: [] })).toEqual({ ok: true });
        const below: ChildRef = {
          sessionId: 's_below',
          address: BOB + OWN,
          placement: { via: 'facet', className: 'Leaf', segment: 'own' },
        };
        const pass = (ask: CopyAsk) =>
          tree.world.object(TOP).children.send(left, { kind: 'copy', copy: 'x', way: [below], ask });
        expect(await pass({ op: 'enter', children: [] })).toEqual({ ok: true });
        const passing = pass({ op: 'rows', rows: [] });
        await tree.time.pass(150_000);
        expect(tree.world.addresses()).toEqual([TOP, BOB, BOB + OWN]);
        arrive();
        expect(await passing).toEqual({ ok: true });
        await tree.time.pass(59_999);
        expect(tree.world.addresses()).toEqual([TOP, BOB, BOB + OWN]);
        await tree.time.pass(60_000);
        expect(tree.world.addresses()).toEqual([TOP]);
      },
    );
  });

  it('[CP17] nothing is written for a try that another one has followed', () =>
    withTree(
      () => levels([], APART),
      {},
      async (tree) => {
        await tree.run('one');
        expect(await said(tree, { op: 'enter', children: [] })).toEqual({ ok: true });
        expect(await said(tree, { op: 'enter', children: [] })).toMatchObject({
          ok: false,
          error: { code: 'superseded' },
        });
        const rows = { kind: 'copy', copy: 'y', way: [], ask: { op: 'rows', rows: [] } } as const;
        expect(await tree.world.object(TOP).children.send(left, rows)).toMatchObject({ error: { code: 'superseded' } });
      },
    ));
});
