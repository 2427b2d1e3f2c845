/** Copies of companions in whole trees: what they remember, what they share, and crashes at every commit. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../../../src/core/definition/children/relationship';
import { defineTool } from '../../../../src/core/definition/define-tool';
import type { ToolContext } from '../../../../src/core/definition/tool-context';
import type { JsonObject } from '../../../../src/protocol/json';
import type { CallResult, Message } from '../../../../src/protocol/messages';
import { transcripts } from '../../../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../../../support/harness';
import { moments } from '../../../support/sizes';
import { agentOf, answer, noteTool, toolResults } from '../../../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 13;
const ADA = '/agents/top/one/sub/scout/ada';
const BOB = '/agents/top/one/sub/scout/bob';

const companion = (tool: string, input: JsonObject) => ({ name: `companion__${tool}`, input });
const resultOf = (result: CallResult): unknown => (result.success ? result.value : result.error.code);
const questions = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

async function ran(make: (tree: Tree) => TreeParts, options: TreeOptions = {}) {
  return withTree(make, options, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    return {
      results: toolResults(tree).map(resultOf),
      said: transcripts(tree),
      outcome: tree.outcome,
      nodes: tree.nodes,
      addresses: tree.world.addresses(),
      ada: idsIn(tree, ADA),
      bob: idsIn(tree, BOB),
      bodies: [...tree.bodies.values()],
      kinds: tree.kinds,
      problems: tree.time.problems,
    };
  });
}

/** Every id in the store of an agent: of sessions, runs, calls and messages. */
function idsIn(tree: Tree, address: string): Set<string> {
  const storage = tree.world.storage(address);
  const tables = ['runs', 'steps', 'settlements', 'messages', 'queued', 'children', 'outbox', 'receipts'];
  const rows = tables.flatMap(
    (table) => storage?.sql.exec<{ data: string }>(`select * from "${table}"`).toArray() ?? [],
  );
  // What the parent tells a child in common to both is the parent's own.
  return new Set(JSON.stringify(rows).match(/\b[srcm]_[A-Za-z0-9_.]+/g) ?? []);
}

/** A scout that notes something in each task and answers with all that it was ever asked. */
function scouting(tree: Tree, calls: readonly (readonly ReturnType<typeof companion>[])[]): TreeParts {
  const scout = agentOf('scout', { tools: [noteTool(tree)], outputSchema: answer });
  const top = agentOf('top', { persistentAgents: [{ agent: scout }] });
  return {
    agents: [top, scout],
    scripts: {
      top: [...calls.map((some) => ({ calls: [...some] })), { text: 'Done.' }],
      scout: ({ step, messages }) =>
        step === 1
          ? { calls: [{ name: 'note', input: { text: 'l' } }] }
          : { finish: { answer: questions(messages).join(' ') } },
    },
  };
}

const forked = (tree: Tree): TreeParts =>
  scouting(tree, [
    [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' })],
    [companion('forkChild', { name: 'ada', newName: 'bob', message: 'two' })],
    [companion('sendMessage', { name: 'ada', message: 'three', wait: true })],
    [companion('sendMessage', { name: 'bob', message: 'four', wait: true })],
  ]);

describe('a copy of a companion at rest', () => {
  it('[CP1, CP2, CP27] remembers what the original was asked; from then on neither knows of the other', async () => {
    const { results, nodes, ada, bob, problems, outcome } = await ran(forked);
    expect(results).toEqual([
      { name: 'ada', task: 1, status: 'completed', output: { answer: 'one' } },
      { name: 'bob', task: 1, status: 'completed', output: { answer: 'one two' } },
      { delivered: true, name: 'ada', task: 2, status: 'completed', result: { answer: 'one three' } },
      { delivered: true, name: 'bob', task: 2, status: 'completed', result: { answer: 'one two four' } },
    ]);
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(nodes.map(({ address }) => address)).toEqual(['/agents/top/one', ADA, BOB]);
    expect(ada.size).toBeGreaterThan(5);
    expect(bob.size).toBeGreaterThan(5);
    expect([...bob].filter((id) => ada.has(id))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('[CP4] has spent nothing of what the original spent', async () => {
    const { nodes } = await ran(forked);
    const spent = (address: string) => nodes.find((node) => node.address === address)?.usage.modelCalls;
    // Two tasks of two steps each, both.
    expect([spent(ADA), spent(BOB)]).toEqual([4, 4]);
  });

  it('[CP5, RC5] the same after a crash at any commit: there is no copy, or a whole one, and never two', async () => {
    const calm = await ran(forked);
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran(forked, { crashAt: new Set([commit]) });
      const what = `a crash at ${commit}`;
      expect(found.said, what).toEqual(calm.said);
      expect(found.results, what).toEqual(calm.results);
      expect(found.addresses, what).toEqual(calm.addresses);
      expect(
        [...found.bob].filter((id) => found.ada.has(id)),
        what,
      ).toEqual([]);
      expect(found.problems, what).toEqual([]);
    }
  });

  it('[CP26] is as the original stood then, though that gets its next task in the same step', async () => {
    const { results } = await ran((tree) =>
      scouting(tree, [
        [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' })],
        [
          companion('sendMessage', { name: 'ada', message: 'two', wait: true }),
          companion('forkChild', { name: 'ada', newName: 'bob', message: 'three' }),
        ],
      ]),
    );
    expect(results.slice(1)).toMatchObject([{ result: { answer: 'one two' } }, { output: { answer: 'one three' } }]);
  });
});

describe('a copy of a companion at work', () => {
  it('[CP3, CP28] has none of its work: calls that were open have a result that says so, and no body runs for it', async () => {
    const { results, bodies, ada, bob, problems } = await ran((tree) =>
      scouting(tree, [
        [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one', mode: 'non-blocking' })],
        [companion('forkChild', { name: 'ada', newName: 'bob', message: 'two' })],
        [companion('waitForResult', { name: 'ada' })],
      ]),
    );
    expect(results[1]).toMatchObject({ name: 'bob', status: 'completed' });
    expect(results[2]).toMatchObject({ result: { answer: 'one' } });
    expect(bodies.every((count) => count === 1)).toBe(true);
    expect([...bob].filter((id) => ada.has(id))).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('a copy of a companion that was told something', () => {
  /** A scout that never answers what it is asked first, is told more, and is copied; another call may come before. */
  const unread = (tree: Tree, checkpoint = false): TreeParts => {
    const { agents, scripts } = scouting(tree, []);
    const steps = [
      () => companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' }),
      () => companion('sendMessage', { name: 'ada', message: 'hang' }),
      () => companion('waitForResult', { name: 'ada', timeout: 500 }),
      () => companion('sendMessage', { name: 'ada', message: 'two' }),
      () => companion('waitForResult', { name: 'ada', timeout: 500 }),
      () => {
        const at = checkpoint ? { checkpoint: checkpointsOf(tree, ADA)[0] ?? '' } : {};
        return companion('forkChild', { name: 'ada', newName: 'bob', message: 'three', ...at });
      },
      () => companion('terminateChild', { name: 'ada' }),
    ];
    return {
      agents,
      scripts: {
        ...scripts,
        top: ({ step }) => {
          const next = steps[step - 1];
          return next ? { calls: [next()] } : { text: 'Done.' };
        },
        scout: ({ messages }) => {
          const asked = questions(messages);
          return asked.at(-1) === 'hang' ? { hang: true } : { finish: { answer: asked.join(' ') } };
        },
      },
    };
  };

  it('[CP28] has none of what no step of the original has seen, also not from a checkpoint or after a crash', async () => {
    const calm = await ran((tree) => unread(tree));
    expect(calm.results[5]).toMatchObject({ name: 'bob', output: { answer: 'one hang three' } });
    expect((await ran((tree) => unread(tree, true))).results[5]).toMatchObject({ output: { answer: 'one three' } });
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const { results, problems } = await ran((tree) => unread(tree), { crashAt: new Set([commit]) });
      const told =
        results[5] && typeof results[5] === 'object' && 'output' in results[5] ? results[5].output : undefined;
      // After a crash the original may be asked again, and then it sees what it was told.
      expect([{ answer: 'one hang three' }, { answer: 'one hang two three' }]).toContainEqual(told);
      expect(problems, `a crash at ${commit}`).toEqual([]);
    }
  });
});

it('[CP28] a copy of a companion is given no variables of the original', () =>
  withTree(
    (tree) => {
      const { agents, scripts } = scouting(tree, []);
      const [spawn, fork] = [
        companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' }),
        companion('forkChild', { name: 'ada', newName: 'bob', message: 'two' }),
      ];
      return {
        agents,
        scripts: {
          ...scripts,
          top: ({ messages, step }) =>
            step === 1 ? { calls: [questions(messages).length === 1 ? spawn : fork] } : { text: 'Done.' },
        },
      };
    },
    {},
    async (tree) => {
      await tree.run('one');
      tree.store(ADA).setVariable('KEY', { sealed: 'x' });
      await tree.run('two');
      expect([ADA, BOB].map((address) => tree.store(address).variableNames())).toEqual([['KEY'], []]);
    },
  ));

describe('a copy of a companion that has not begun', () => {
  it('[CP22] begins without a memory, whether it was asked for in the same step or a crash came between', async () => {
    const both = (tree: Tree): TreeParts =>
      scouting(tree, [
        [
          companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one', mode: 'non-blocking' }),
          companion('forkChild', { name: 'ada', newName: 'bob', message: 'two' }),
        ],
        [companion('waitForResult', { name: 'ada' })],
      ]);
    const calm = await ran(both);
    expect(calm.results).toMatchObject([{ name: 'ada' }, { output: { answer: 'two' } }, { result: { answer: 'one' } }]);
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const { results, problems } = await ran(both, { crashAt: new Set([commit]) });
      // After a crash the original may have begun before it is copied.
      expect([{ answer: 'two' }, { answer: 'one two' }], `a crash at ${commit}`).toContainEqual(
        Object.entries(results[1] ?? {}).find(([key]) => key === 'output')?.[1],
      );
      expect(results[2]).toMatchObject({ result: { answer: 'one' } });
      expect(problems).toEqual([]);
    }
  });
});

/** A scout that has a sub-agent and a companion of its own, and asks both in each task. */
function withOwn(tree: Tree): TreeParts {
  const leaf = agentOf('leaf', { outputSchema: answer });
  const scout = agentOf('scout', {
    tools: [noteTool(tree), createSubAgentTool(leaf, z.object({}))],
    persistentAgents: [{ agent: leaf }],
    outputSchema: answer,
  });
  const top = agentOf('top', { persistentAgents: [{ agent: scout }] });
  return {
    agents: [top, scout, leaf],
    scripts: {
      top: [
        { calls: [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' })] },
        { calls: [companion('forkChild', { name: 'ada', newName: 'bob', message: 'two' })] },
        { calls: [companion('forkChild', { name: 'bob', newName: 'eve', message: 'three' })] },
        { text: 'Done.' },
      ],
      scout: ({ step, messages }) =>
        step === 1
          ? {
              calls: [
                { name: 'subagent__leaf', input: {} },
                companion('spawnAgent', { agent: 'leaf', name: 'own', initialMessage: 'x' }),
              ],
            }
          : { finish: { answer: questions(messages).join(' ') } },
      leaf: ({ messages }) => ({ finish: { answer: `${questions(messages).length}` } }),
    },
  };
}

describe('a copy of a companion that has children', () => {
  it('[CP28, CP5] has new ones for its calls, wherever a crash comes, and a copy can be copied', async () => {
    const calm = await ran(withOwn);
    expect(calm.results.filter((result) => JSON.stringify(result).includes('"task":1'))).not.toEqual([]);
    const own = (of: string) => `/agents/top/one/sub/scout/${of}/sub/leaf`;
    expect(calm.addresses).toEqual([
      '/agents/top/one',
      ADA,
      `${own('ada')}/1~1`,
      `${own('ada')}/own`,
      BOB,
      `${own('bob')}/1~1`,
      `${own('bob')}/own`,
      '/agents/top/one/sub/scout/eve',
      `${own('eve')}/1~1`,
      `${own('eve')}/own`,
    ]);
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran(withOwn, { crashAt: new Set([commit]) });
      expect(found.said, `a crash at ${commit}`).toEqual(calm.said);
      expect(found.addresses, `a crash at ${commit}`).toEqual(calm.addresses);
      expect(found.problems, `a crash at ${commit}`).toEqual([]);
    }
  });
});

describe('a copy of a companion that has ended for good', () => {
  it('[CP1, CP3] L24: goes on with the memory of one that failed, and of one that was terminated at work', async () => {
    const make = (tree: Tree): TreeParts => {
      const { agents, scripts } = scouting(tree, [
        [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'fail' })],
        [companion('forkChild', { name: 'ada', newName: 'bob', message: 'two' })],
        [companion('spawnAgent', { agent: 'scout', name: 'eve', initialMessage: 'hang', mode: 'non-blocking' })],
        [companion('waitForResult', { name: 'eve', timeout: 500 })],
        [companion('terminateChild', { name: 'eve' })],
        [companion('forkChild', { name: 'eve', newName: 'ivy', message: 'three' })],
      ]);
      const scout: TreeParts['scripts'][string] = ({ messages }) => {
        const asked = questions(messages).join(' ');
        if (asked === 'hang') return { hang: true };
        return asked === 'fail' ? { fail: { code: 'model_refused' } } : { finish: { answer: asked } };
      };
      return { agents, scripts: { ...scripts, scout } };
    };
    const { results } = await ran(make);
    expect(results[0]).toMatchObject({ name: 'ada', status: 'failed' });
    expect(results[1]).toMatchObject({ name: 'bob', output: { answer: 'fail two' } });
    expect(results.at(-1)).toMatchObject({ name: 'ivy', output: { answer: 'hang three' } });
    expect(results.at(-2)).toMatchObject({ name: 'eve', terminated: true });
  });
});

/** The checkpoints of an agent, as the stream tells them. */
const checkpointsOf = (tree: Tree, address: string): string[] =>
  tree.log.flatMap(({ chunk }) =>
    chunk.type === 'step_committed' && chunk.address === address && chunk.checkpointId ? [chunk.checkpointId] : [],
  );

/** Two tasks of a scout, and then what is asked for its copy. */
function twoTasks(
  tree: Tree,
  ask: (checkpoints: readonly string[]) => JsonObject,
  stateIn: number | 'each',
  more = true,
): TreeParts {
  const count = countTool();
  const scout = agentOf('scout', { tools: [noteTool(tree), count], outputSchema: answer });
  const top = agentOf('top', { persistentAgents: [{ agent: scout }] });
  const steps = [
    () => companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' }),
    () => companion('sendMessage', { name: 'ada', message: 'two', wait: true }),
    () => companion('forkChild', { name: 'ada', newName: 'bob', message: 'three', ...ask(checkpointsOf(tree, ADA)) }),
    ...(more ? [() => companion('sendMessage', { name: 'bob', message: 'four', wait: true })] : []),
  ];
  return {
    agents: [top, scout],
    scripts: {
      top: ({ step }) => {
        const next = steps[step - 1];
        return next ? { calls: [next()] } : { text: 'Done.' };
      },
      scout: ({ step, messages }) => {
        const asked = questions(messages);
        if (step === 1 && (stateIn === 'each' || asked.length === stateIn))
          return { calls: [{ name: 'count', input: {} }] };
        if (step === 1) return { calls: [{ name: 'note', input: { text: 'l' } }] };
        return { finish: { answer: asked.join(' ') } };
      },
    },
  };
}

const countTool = () =>
  defineTool({
    name: 'count',
    description: 'Counts in the custom state.',
    inputSchema: z.object({}),
    execute: (_, context: ToolContext<{ count?: number }>) => {
      context.updateState(({ count = 0 }) => ({ count: count + 1 }));
      return {};
    },
  });

describe('a copy from a checkpoint', () => {
  const at = (step: number) => (checkpoints: readonly string[]) => ({ checkpoint: checkpoints[step - 1] ?? '' });

  it('[CP7] remembers what there was up to that step, and goes on from there', async () => {
    const bobAt = async (step: number) => (await ran((tree) => twoTasks(tree, at(step), 0))).results.slice(2);
    // Two steps for each task: a call, and the end.
    expect(await bobAt(4)).toMatchObject([
      { output: { answer: 'one two three' } },
      { result: { answer: 'one two three four' } },
    ]);
    expect(await bobAt(2)).toMatchObject([
      { output: { answer: 'one three' } },
      { result: { answer: 'one three four' } },
    ]);
    // In the middle of a task: its run was interrupted there.
    expect(await bobAt(3)).toMatchObject([{ output: { answer: 'one two three' } }, {}]);
    expect(await bobAt(1)).toMatchObject([{ output: { answer: 'one three' } }, {}]);
  });

  it('[CP7] has the rows up to there and no others, also after a crash at any commit', async () => {
    const rows = async (options: TreeOptions = {}) => {
      let found: { kinds: string[]; [table: string]: unknown } = { kinds: [] };
      const make = (tree: Tree): TreeParts => twoTasks(tree, at(2), 0);
      await withTree(make, options, async (tree) => {
        await tree.start();
        await tree.finish();
        await tree.rest();
        const { sql } = tree.world.storage(BOB) ?? {};
        const keys = (text: string) =>
          sql
            ?.exec<{ key: number }>(text)
            .toArray()
            .map(({ key }) => key);
        found = {
          kinds: tree.kinds,
          runs: keys('select turn as key from runs'),
          steps: keys('select id as key from steps'),
          messages: keys('select id as key from messages'),
          results: keys('select key / 4096 as key from settlements'),
        };
      });
      return found;
    };
    const { kinds, ...calm } = await rows();
    expect(calm).toMatchObject({ runs: [1, 2, 3], steps: [1, 2, 3, 4, 5, 6], messages: [1, 2, 3] });
    for (const commit of moments(kinds, MOST, 1)) {
      const { kinds: _kinds, ...found } = await rows({ crashAt: new Set([commit]) });
      expect(found, `a crash at ${commit}`).toEqual(calm);
    }
  });

  it('[CP7] has the custom state of that step, whatever became of it since, also after a crash at any commit', async () => {
    const bobAt = async (step: number, options: TreeOptions = {}) => {
      return withTree(
        (tree) => twoTasks(tree, at(step), 'each'),
        options,
        async (tree) => {
          await tree.start();
          await tree.finish();
          await tree.rest();
          const [ada, bob] = [tree.state(ADA), tree.state(BOB)];
          return {
            kinds: tree.kinds,
            states: [ada.custom, bob.custom],
            last: bob.session.customStep,
            kept: tree.store(BOB).customBefore({}),
            atCut: [ADA, BOB].map((address) => {
              const [next] = tree.store(address).customBefore({ after: step, limit: 1 });
              return next ? next.custom : tree.state(address).custom;
            }),
          };
        },
      );
    };
    // Each task counts one, in its first step of two. The copy has two tasks of its own.
    const first = { step: 1, custom: {}, changed: 0 };
    const counted = (count: number, step: number, changed: number) => ({ step, custom: { count }, changed });
    expect(await bobAt(1)).toMatchObject({
      states: [{ count: 2 }, { count: 3 }],
      last: 4,
      kept: [first, counted(1, 2, 1), counted(2, 4, 2)],
    });
    const calm = await bobAt(2);
    expect(calm).toMatchObject({
      states: [{ count: 2 }, { count: 3 }],
      last: 5,
      kept: [first, counted(1, 3, 1), counted(2, 5, 3)],
      atCut: [{ count: 1 }, { count: 1 }],
    });
    expect(await bobAt(3)).toMatchObject({ states: [{ count: 2 }, { count: 4 }] });
    expect(await bobAt(4)).toMatchObject({ states: [{ count: 2 }, { count: 4 }] });
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const [of, its] = (await bobAt(2, { crashAt: new Set([commit]) })).atCut;
      expect(its, `a crash at ${commit}`).toEqual(of);
    }
  });

  it('[CP6, CP7] is refused for a step that is none, and for a checkpoint of somebody else', async () => {
    const asked = async (change: (checkpoint: string) => string) => {
      const make = (tree: Tree): TreeParts =>
        twoTasks(tree, ([first = '']) => ({ checkpoint: change(first) }), 0, false);
      const { results, addresses } = await ran(make);
      expect(addresses).not.toContain(BOB);
      return results[2];
    };
    expect(await asked((first) => first.replace(/\d+$/, '99'))).toMatchObject({ name: 'bob', code: 'not_found' });
    expect(await asked(() => 's_other.1')).toBe('not_found');
    expect(await asked(() => '1')).toBe('invalid_arguments');
  });
});

describe('what cannot be copied', () => {
  it('[CP6, CP30] a name that nobody has, one that is taken, and one of the form that is given, are refused', async () => {
    const { results, addresses } = await ran((tree) =>
      scouting(tree, [
        [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' })],
        [
          companion('forkChild', { name: 'eve', newName: 'bob', message: 'two' }),
          companion('forkChild', { name: 'ada', newName: 'ada', message: 'two' }),
          companion('forkChild', { name: 'ada', newName: 'scout-7', message: 'two' }),
        ],
      ]),
    );
    expect(results.slice(1)).toEqual(['not_found', 'name_taken', 'invalid_arguments']);
    expect(addresses).not.toContain(BOB);
  });

  it('[CP29] a copy that the tree has no place for leaves nothing behind', async () => {
    const { results, addresses, nodes } = await ran((tree) => {
      const { agents, scripts } = forked(tree);
      const [top, scout] = agents;
      return {
        agents: [{ ...top, limits: { ...top.limits, maxTreeChildren: 1 } }, ...(scout ? [scout] : [])],
        scripts,
      };
    });
    expect(results[1]).toMatchObject({ name: 'bob', code: 'max_tree_children' });
    expect(addresses).not.toContain(BOB);
    expect(nodes.map(({ address }) => address)).toEqual(['/agents/top/one', ADA]);
  });
});
