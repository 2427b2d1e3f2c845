/**
 * Copies of companions in objects of their own, with those below them in facets and in objects: whose memory they have, what
 * they share, limits, what a crash at any commit leaves, and what is left of a copy that nobody needs.
 */
import { describe, expect, it, vi } from 'vitest';
import { type CopyAsk, copyCall } from '../../../../src/capabilities/copies/messages';
import { MAX_COPY_BYTES } from '../../../../src/capabilities/copies/plan';
import { createSubAgentTool } from '../../../../src/core/definition/children/relationship';
import type { ChildRef } from '../../../../src/core/ports/child-transport';
import type { VerbAnswer } from '../../../../src/engine/object/object-calls';
import { segmentOf } from '../../../../src/engine/tree-messages';
import { parseAddress } from '../../../../src/protocol/address';
import type { Message } from '../../../../src/protocol/messages';
import { AGENT_MIGRATIONS } from '../../../../src/store/migrations';
import { ask, code } from '../../../support/asks';
import { transcripts } from '../../../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { asking, companion, questions, resultOf } from '../../../support/levels';
import { figures, moments, sample } from '../../../support/sizes';
import { agentOf, answer, question, toolResults } from '../../../support/trees';
import { COPY, isCopyCall, messageIn } from '../support/calls';
import {
  ADA,
  BOB,
  both,
  copies,
  DEEP,
  levels,
  MIXED,
  OBJECTS,
  OWN,
  PLACES,
  type Places,
  spawns,
  TOP,
  tells,
  unexpected,
} from '../support/sent-copies';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 13;
/** The same of moments of a copy of one at work. */
const RACES = 5;

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
    it('[CP17, CP51, CP12, CP1, CP2, CP4, CP27, CP41] has its memory, with those below it under their names; then neither knows of the other', async () => {
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
      // Other commits for each placement.
      for (const commit of moments(calm.kinds, MOST, PLACES.indexOf(places))) {
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

    it('[CP29, CP50] that the tree has no place for is refused before anything is made', async () => {
      const within = (most: number) => ran(() => levels([spawns('one'), copies('two')], places, most));
      const full = await within(5);
      expect(full.results[1]).toMatchObject({ code: 'max_tree_children' });
      expect(full.addresses.filter((address) => address.startsWith(BOB))).toEqual([]);
      expect(full.nodes.filter(({ address }) => address.startsWith(BOB))).toEqual([]);
      expect((await within(6)).results[1]).toMatchObject({ output: { answer: 'one two; one two; one two' } });
    });
  },
);

describe.each([OBJECTS, MIXED])('the making of a copy where the levels are %s, %s, %s', (...places) => {
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
          return both(places)();
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
          return both(places)();
        },
        {
          network(address, call, perform) {
            // Those below are on their way.
            if (isCopyCall(call) && call.ask.op === 'rows' && (call.way.length > 0 || address !== BOB)) {
              // Not before everybody on the way waits for the answer.
              if (lose) queueMicrotask(lose);
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

  it('[CP15, CP46] is refused where memory and files of all are too large together, and nothing is made', () =>
    withTree(
      () => levels([spawns('one'), copies('two')], places),
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

describe.each([OBJECTS, MIXED])('a copy where the levels are %s, %s, %s', (...places) => {
  it('[CP3, CP17] of one at work has none of its work, and nor have those below it', async () => {
    const { results, nodes, problems } = await ran(() =>
      levels(
        [
          spawns('one'),
          () => companion('sendMessage', { name: 'ada', message: 'hang', wait: true, timeout: 500 }),
          copies('two'),
          () => companion('terminateChild', { name: 'ada' }),
        ],
        places,
      ),
    );
    expect(results[2]).toMatchObject({ output: { answer: 'one hang two; one hang two; one hang two' } });
    expect(nodes.find(({ address }) => address === BOB + DEEP)?.status).toBe('completed');
    expect(problems).toEqual([]);
  });

  it('[CP1, CP22] of one that was ended for good has its memory, and one of whom has not begun has none', async () => {
    const { results } = await ran(() =>
      levels([spawns('quiet one'), () => companion('terminateChild', { name: 'ada' }), copies('quiet two')], places),
    );
    expect(results[2]).toMatchObject({ output: { answer: 'quiet one quiet two' } });
    const found = await ran(() => {
      const parts = levels([], places);
      const calls = [spawns('quiet one', { mode: 'non-blocking' })(), copies('quiet two')()];
      return {
        ...parts,
        scripts: { ...parts.scripts, top: ({ step }) => (step === 1 ? { calls } : { text: 'Done.' }) },
      };
    });
    expect(found.results[1]).toMatchObject({ output: { answer: 'quiet two' } });
  });

  it('[CP7, CP43] from a checkpoint remembers nothing behind it, and those come along whose last task is no later', async () => {
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
          places,
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
    // A facet is refused by itself, when the record has it already.
    const known = places[0] === 'facet' ? [BOB] : [];
    expect(none.nodes.map(({ address }) => address).filter((address) => address.startsWith(BOB))).toEqual(known);
  });

  it('[CP8, CP33] is made for a person, once for the key, and has files', () =>
    withTree(
      () => levels([spawns('one')], places),
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
});

/** `top`, and below it `a` to `d`, each the parent of the next: facets end with the fourth level. */
function deep(): TreeParts {
  const names = ['a', 'b', 'c', 'd'];
  const agents: ReturnType<typeof agentOf>[] = [];
  const below = () => ({ persistentAgents: agents.slice(0, 1).map((agent) => ({ agent })) });
  for (const name of names.toReversed()) agents.unshift(agentOf(name, { ...below(), outputSchema: answer }));
  const top = agentOf('top', below());
  const calls = [
    companion('spawnAgent', { agent: 'a', name: 'ada', initialMessage: 'one' }),
    companion('forkChild', { name: 'ada', newName: 'bob', message: 'quiet two' }),
  ];
  const scripts = Object.fromEntries(names.slice(0, -1).map((name, at) => [name, asking(names[at + 1] ?? '', 'own')]));
  return {
    agents: [top, ...agents],
    scripts: {
      ...scripts,
      top: ({ step }) => {
        const next = calls[step - 1];
        return next ? { calls: [next] } : { text: 'Done.' };
      },
      d: ({ messages }) => ({ finish: { answer: questions(messages).join(' ') } }),
    },
  };
}

/**
 * The copy is asked for by a person at a commit of a turn that reaches from the original down to the deepest, which goes on
 * after that was planned.
 */
async function raced(places: Places, at: number) {
  let [commits, counts] = [0, false];
  let goOn = async (): Promise<void> => undefined;
  let said: Promise<VerbAnswer> | undefined;
  return withTree(
    (tree) => {
      goOn = () => new Promise((resolve) => void tree.time.environment.timer(1_000, resolve));
      return levels([spawns('one')], places);
    },
    {
      async network(address, call, perform) {
        const answer = await perform();
        if (address === ADA && messageIn(call)?.type === 'plan_copy') await goOn();
        return answer;
      },
      onCommit(tree) {
        if (!counts || ++commits !== at) return;
        const path = parseAddress(ADA).below.map(segmentOf);
        const call = { kind: 'verb', path, verb: 'fork', caller: 'ada', idempotencyKey: 'k' } as const;
        queueMicrotask(() => {
          said = tree.world.object(TOP).call({ ...call, input: { name: 'bob', message: 'quiet three' } });
        });
      },
    },
    async (tree) => {
      await tree.run('one');
      await tree.rest();
      counts = true;
      expect(code(await ask(tree, 'send', { content: 'two' }, 's', ADA))).toBe('ok');
      await tree.rest();
      const what = `at ${at}`;
      if (said === undefined) return commits;
      expect(await said, what).toMatchObject({ ok: true });
      expect(questions(tree.transcript(BOB)), what).toContain('quiet three');
      for (const [above, below] of [
        [BOB, BOB + OWN],
        [BOB + OWN, BOB + DEEP],
      ] as const) {
        const given = tree
          .transcript(above)
          .flatMap((message) => (message.role === 'assistant' ? message.content : []));
        const calls = given.filter((part) => part.type === 'tool-call' && part.toolName.startsWith('companion__'));
        const read = tree.transcript(above).filter(hasRead);
        const heard = questions(tree.transcript(below)).length;
        expect(heard, `${what}: ${below} remembers what its parent never gave`).toBeLessThanOrEqual(calls.length);
        expect(heard, `${what}: ${below} has forgotten what its parent has read`).toBeGreaterThanOrEqual(read.length);
      }
      expect(unexpected(tree), what).toEqual([]);
      return commits;
    },
  );
}

/** Whether a message is the result of a call that has read the end of a companion's task. */
const hasRead = (message: Message): boolean =>
  message.role === 'tool' && message.result.success && /"(output|result)":/.test(JSON.stringify(message.result.value));

describe.each(PLACES)('a copy of one at work, where the levels are %s, %s, %s', (...places) => {
  it('[CP44, CP26] is of one moment with all below it, whatever they do meanwhile', async () => {
    const commits = await raced(places, Number.POSITIVE_INFINITY);
    expect(commits).toBeGreaterThan(10);
    for (const at of sample(commits, RACES, 0)) await raced(places, at);
  });
});

describe('a copy in a facet of the second level', () => {
  it('[OP2, CP17] has whom the last facet below it has in an object, which goes with it', () =>
    withTree(deep, {}, async (tree) => {
      await tree.run('one');
      await tree.rest();
      const below = '/sub/b/own/sub/c/own/sub/d/own';
      const [one, two] = [`${TOP}/sub/a/ada`, `${TOP}/sub/a/bob`];
      expect(toolResults(tree).map(resultOf)[1]).toMatchObject({ name: 'bob', status: 'completed' });
      for (const at of [one, two]) {
        expect(questions(tree.transcript(at + below))).toEqual(['one']);
        expect(tree.nodes.find(({ address }) => address === at + below)).toMatchObject({
          kind: 'child',
          placement: 'object',
        });
      }
      expect(code(await ask(tree, 'remove', {}, 'gone', two))).toBe('ok');
      await tree.rest();
      expect(tree.world.addresses().filter((address) => address.startsWith(two))).toEqual([]);
      expect(tree.world.addresses()).toContain(one + below);
      expect(unexpected(tree)).toEqual([]);
    }));
});

describe('a copy in an object', () => {
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
});

describe('what comes too late into an object', () => {
  const left: ChildRef = {
    sessionId: 's_left',
    address: BOB,
    placement: { via: 'object', className: 'Scout', segment: 'bob' },
  };
  const said = (tree: Tree, op: CopyAsk) =>
    tree.world.object(TOP).children.send(left, copyCall({ copy: 'x', way: [], ask: op }));

  /** A whole copy is in that object, of which no tree knows. */
  const comes = async (tree: Tree) => {
    const { root, sessionId } = tree.state(TOP).session;
    const parent = { sessionId, address: TOP };
    const copyOf = { sessionId: 's_x', address: ADA };
    const begins = { sessionId: 's_left', agentType: 'scout', address: BOB, root, depth: 2, objectLevel: 1, parent };
    const session = { ...begins, tags: [], copyOf };
    expect(await said(tree, { op: 'rest', session, custom: {} })).toEqual({ ok: true });
  };

  it.each([
    { fault: 'says nothing', fails: 0 },
    { fault: 'is heard, and erasing fails', fails: 1 },
    { fault: 'is heard, and erasing fails again and again', fails: 3 },
  ])('[OP11] is erased by a later alarm where the root $fault; no alarm waits for long', async ({ fails }) => {
    let isAway = fails === 0;
    await withTree(
      () => levels([], OBJECTS),
      {
        network(_address, call, perform) {
          if (isAway && call.kind === 'root') throw new Error('The root is away.');
          return perform();
        },
      },
      async (tree) => {
        await tree.run('one');
        await tree.rest();
        expect(await said(tree, { op: 'enter', format: AGENT_MIGRATIONS.length, children: [] })).toEqual({ ok: true });
        const { ports } = tree.world.object(BOB);
        const { erase } = ports;
        let tries = 0;
        const counted = (): void => {
          if (++tries <= fails) throw new Error('Not now.');
          erase?.();
        };
        Object.assign(ports, { erase: counted });
        await comes(tree);
        let hasEnded = false;
        void tree.world
          .object(BOB)
          .alarm()
          .then(() => {
            hasEnded = true;
          });
        await tree.time.pass(2_999);
        expect(tree.world.addresses()).toContain(BOB);
        await tree.time.pass(1);
        expect(hasEnded).toBe(true);
        isAway = false;
        await tree.time.pass(5_000 * Math.max(fails, 1));
        expect(tries).toBe(fails + 1);
        expect(tree.world.addresses()).toEqual([TOP]);
      },
    );
  });

  it('[CP55] goes by itself, whether it is half made, lost from memory meanwhile, or whole', async () => {
    for (const fate of ['half made', 'lost', 'whole'])
      await withTree(
        () => levels([], OBJECTS),
        {},
        async (tree) => {
          await tree.run('one');
          await tree.rest();
          expect(await said(tree, { op: 'enter', format: AGENT_MIGRATIONS.length, children: [] })).toEqual({
            ok: true,
          });
          if (fate === 'whole') await comes(tree);
          if (fate === 'lost') tree.crash();
          expect(tree.world.addresses()).toContain(BOB);
          await tree.rest();
          expect(tree.world.addresses(), fate).toEqual([TOP]);
          expect(unexpected(tree), fate).toEqual([]);
        },
      );
  });

  it('[CP55] goes when nothing has come for 60 s, and not while something is on its way through it to those below', async () => {
    let arrive = (): void => undefined;
    const onItsWay = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const network: NonNullable<TreeOptions['network']> = async (address, call, perform) => {
      if (address === BOB + OWN && isCopyCall(call) && call.ask.op === 'rows') await onItsWay;
      return perform();
    };
    await withTree(
      () => levels([], OBJECTS),
      { network },
      async (tree) => {
        await tree.run('one');
        await tree.rest();
        expect(await said(tree, { op: 'enter', format: AGENT_MIGRATIONS.length, children: [] })).toEqual({ ok: true });
        const below: ChildRef = {
          sessionId: 's_below',
          address: BOB + OWN,
          placement: { via: 'facet', className: 'Leaf', segment: 'own' },
        };
        const pass = (ask: CopyAsk) =>
          tree.world.object(TOP).children.send(left, copyCall({ copy: 'x', way: [below], ask }));
        expect(await pass({ op: 'enter', format: AGENT_MIGRATIONS.length, children: [] })).toEqual({ ok: true });
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

  it('[CP5] no try is written over what an earlier one has left', () =>
    withTree(
      () => levels([], OBJECTS),
      {},
      async (tree) => {
        await tree.run('one');
        const enter = { op: 'enter', format: AGENT_MIGRATIONS.length, children: [] } as const;
        const message = { id: 1, messageId: 'm', role: 'user', content: 'x', from: 'caller', at: 1 } as const;
        expect(await said(tree, enter)).toEqual({ ok: true });
        expect(await said(tree, { op: 'rows', rows: [{ put: 'message', message }] })).toEqual({ ok: true });
        tree.crash();
        expect(await said(tree, enter)).toMatchObject({ ok: false, error: { code: 'superseded' } });
      },
    ));

  it('[CP55] nothing is written for a try that another one has followed', () =>
    withTree(
      () => levels([], OBJECTS),
      {},
      async (tree) => {
        await tree.run('one');
        expect(await said(tree, { op: 'enter', format: AGENT_MIGRATIONS.length, children: [] })).toEqual({ ok: true });
        expect(await said(tree, { op: 'enter', format: AGENT_MIGRATIONS.length, children: [] })).toMatchObject({
          ok: false,
          error: { code: 'superseded' },
        });
        const rows = { ...COPY, copy: 'y', way: [], ask: { op: 'rows', rows: [] } } as const;
        expect(await tree.world.object(TOP).children.send(left, rows)).toMatchObject({ error: { code: 'superseded' } });
      },
    ));
});
