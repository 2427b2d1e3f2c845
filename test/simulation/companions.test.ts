/** Companions in whole trees: consults, messages that race an end, waits with a time, and crashes at every commit of it. */
import { describe, expect, it } from 'vitest';
import { outline } from '../../src/cli/drawing/outline';
import type { TreeNode } from '../../src/core/tree/node';
import type { JsonObject } from '../../src/protocol/json';
import type { CallResult, Message } from '../../src/protocol/messages';
import { reduceAll } from '../../src/protocol/view/reduce';
import { companionsOf, topAgents } from '../../src/protocol/view/view';
import { transcripts } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { moments } from '../support/sizes';
import { agentOf, answer, noteTool, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 13;

const companion = (tool: string, input: JsonObject) => ({ name: `companion__${tool}`, input });
const JUDGE = '/agents/writer/one/sub/critic/judge';

async function ran(
  make: (tree: Tree) => TreeParts,
  crashAt: readonly number[] = [],
  {
    afterwards,
    meanwhile,
    ...options
  }: Partial<TreeOptions> & {
    afterwards?: (tree: Tree) => Promise<void>;
    meanwhile?: (tree: Tree) => Promise<void>;
  } = {},
) {
  return withTree(make, { ...options, crashAt: new Set(crashAt) }, async (tree) => {
    await tree.start();
    await meanwhile?.(tree);
    await tree.finish();
    await tree.rest();
    await afterwards?.(tree);
    return {
      results: toolResults(tree).map(resultOf),
      said: transcripts(tree),
      outcome: tree.outcome,
      nodes: tree.nodes,
      log: tree.log,
      bodies: [...tree.bodies.values()],
      kinds: tree.kinds,
      problems: tree.time.problems,
    };
  });
}

const resultOf = (result: CallResult): unknown => (result.success ? result.value : result.error.code);

const questions = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** A writer and its critic: a draft, a verdict, a better draft, until it passes. */
function criticLoop(tree: Tree): TreeParts {
  const critic = agentOf('critic', { tools: [noteTool(tree)], outputSchema: answer });
  const writer = agentOf('writer', { persistentAgents: [{ agent: critic }] });
  return {
    agents: [writer, critic],
    scripts: {
      writer: [
        { calls: [companion('spawnAgent', { agent: 'critic', name: 'judge', initialMessage: 'Draft 1' })] },
        { calls: [companion('sendMessage', { name: 'judge', message: 'Draft 2', wait: true })] },
        { text: 'Published.' },
      ],
      critic: ({ step, messages }) => {
        if (step === 1) return { calls: [{ name: 'note', input: { text: 'read' } }] };
        const seen = questions(messages);
        return { finish: { answer: seen.length === 2 ? `pass after ${seen.join(' and ')}` : 'fix' } };
      },
    },
  };
}

describe('a critic over two rounds', () => {
  it('[CO3, CO4, CO10] F114, L48: the second sees the first, in one session', async () => {
    const { results, nodes, outcome, problems } = await ran(criticLoop);
    expect(results).toEqual([
      { name: 'judge', task: 1, status: 'completed', output: { answer: 'fix' } },
      {
        delivered: true,
        name: 'judge',
        task: 2,
        status: 'completed',
        result: { answer: 'pass after Draft 1 and Draft 2' },
      },
    ]);
    expect(outcome).toMatchObject({ status: 'completed', output: 'Published.' });
    expect(nodes.filter(({ address }) => address === JUDGE)).toMatchObject([{ task: { number: 2 }, runNumber: 2 }]);
    expect(problems).toEqual([]);
  });

  it('[CO21] a view has the two tasks as rounds, and a terminal shows the newest', async () => {
    const view = reduceAll((await ran(criticLoop)).log);
    const [writer] = topAgents(view);
    expect(writer && companionsOf(writer)).toMatchObject([
      {
        name: 'judge',
        agentType: 'critic',
        address: JUDGE,
        rounds: [
          { task: 1, outcome: { status: 'completed', result: { answer: 'fix' } } },
          { task: 2, outcome: { status: 'completed', result: { answer: 'pass after Draft 1 and Draft 2' } } },
        ],
      },
    ]);
    const [top] = outline(view);
    expect(top?.children).toMatchObject([
      { before: ['round 1: Draft 1'], task: 'round 2: Draft 2', agent: { address: JUDGE } },
    ]);
  });

  it('[CO15] the writer reads in its own transcript what it wrote to the critic', async () => {
    const { said } = await ran(criticLoop);
    const written = JSON.stringify(said);
    expect(written).toContain('"initialMessage":"Draft 1"');
    expect(written).toContain('"message":"Draft 2"');
  });

  it('[CO4, CO7, RC5] the same after a crash at any commit', async () => {
    const calm = await ran(criticLoop);
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran(criticLoop, [commit]);
      const what = `a crash at ${commit}`;
      expect(found.said, what).toEqual(calm.said);
      expect(found.results, what).toEqual(calm.results);
      expect(found.problems, what).toEqual([]);
    }
  });
});

/** One in the background that works for some steps, and is told more meanwhile. */
function spokenTo(tree: Tree): TreeParts {
  const scout = agentOf('scout', { tools: [noteTool(tree)], outputSchema: answer });
  const top = agentOf('top', {
    tools: [noteTool(tree)],
    persistentAgents: [{ agent: scout, mode: 'non-blocking' }],
  });
  const send = (message: string) => companion('sendMessage', { name: 'ada', message });
  return {
    agents: [top, scout],
    scripts: {
      top: [
        { calls: [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' })] },
        { calls: [send('two'), { name: 'note', input: { text: 'x' } }] },
        { calls: [send('three')] },
        { calls: [send('four'), companion('waitForResult', { name: 'ada' })] },
        { text: 'Done.' },
      ],
      scout: ({ step, messages }) =>
        step === 1
          ? { calls: [{ name: 'note', input: { text: 'l' } }] }
          : { finish: { answer: questions(messages).join(' ') } },
    },
  };
}

/** What a companion has read, whichever of its tasks read it. */
const read = (tree: Tree): string[] => questions(tree.transcript('/agents/top/one/sub/scout/ada'));

describe('messages to one at work', () => {
  it('[CO4, CO5] are each read once, in order, whenever they come and wherever a crash comes', async () => {
    const seen: string[][] = [];
    const afterwards = async (tree: Tree): Promise<void> => void seen.push(read(tree));
    const calm = await ran(spokenTo, [], { afterwards });
    expect(seen[0]).toEqual(['one', 'two', 'three', 'four']);
    const rounds = topAgents(reduceAll(calm.log))
      .flatMap(companionsOf)
      .flatMap(({ rounds }) => rounds);
    const sent = calm.log.filter(({ chunk }) => chunk.type === 'subagent_message');
    expect(rounds.flatMap((round) => round.told ?? [])).toHaveLength(sent.length);
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran(spokenTo, [commit], { afterwards });
      const what = `a crash at ${commit}`;
      expect(seen.at(-1), what).toEqual(seen[0]);
      expect(found.outcome.status, what).toBe('completed');
      expect(found.problems, what).toEqual([]);
    }
  });

  it('[CO5] are each read once, sent at any commit of its life', async () => {
    const make = (tree: Tree): TreeParts => {
      const parts = spokenTo(tree);
      return {
        ...parts,
        scripts: {
          ...parts.scripts,
          top: ({ messages }) => {
            const asked = questions(messages);
            if (asked.length === 1 && !messages.some(({ role }) => role === 'tool'))
              return { calls: [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' })] };
            const sent = JSON.stringify(messages).includes('sendMessage');
            if (asked.includes('Now.') && !sent)
              return { calls: [companion('sendMessage', { name: 'ada', message: 'two' })] };
            return { text: 'Done.' };
          },
        },
      };
    };
    const calm = await ran(make);
    for (const commit of moments(calm.kinds, 2 * MOST)) {
      const seen: string[][] = [];
      let sent = false;
      const what = `sent at ${commit}`;
      const found = await ran(make, [], {
        onCommit(tree, at) {
          if (at < commit || sent) return;
          sent = true;
          tree.time.environment.timer(0, () => tree.sendSurely('Now.'));
        },
        afterwards: async (tree) => {
          await tree.finish();
          await tree.rest();
          seen.push(read(tree));
        },
      });
      expect(seen, what).toEqual([['one', 'two']]);
      expect(found.problems, what).toEqual([]);
    }
  });
});

describe('a wait with a time', () => {
  const hanging = (tree: Tree): TreeParts => {
    const scout = agentOf('scout', { outputSchema: answer });
    const middle = agentOf('middle', {
      persistentAgents: [{ agent: scout, mode: 'non-blocking' }],
      outputSchema: answer,
    });
    const top = agentOf('top', { tools: [noteTool(tree)], persistentAgents: [{ agent: middle }] });
    return {
      agents: [top, middle, scout],
      scripts: {
        top: [
          { calls: [companion('spawnAgent', { agent: 'middle', name: 'm', initialMessage: 'go' })] },
          { text: 'Done.' },
        ],
        middle: ({ step, messages }) => {
          if (step === 1)
            return { calls: [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' })] };
          if (step === 2) return { calls: [companion('waitForResult', { name: 'ada', timeout: 60_000 })] };
          if (step === 3) return { calls: [companion('terminateChild', { name: 'ada' })] };
          return { finish: { answer: JSON.stringify(messages.filter(({ role }) => role === 'tool')) } };
        },
        scout: [{ hang: true }],
      },
    };
  };

  it('[CO8, CO6, CO11] goes on when it is up, also after a crash at any commit', async () => {
    const calm = await ran(hanging);
    expect(JSON.stringify(calm.results)).toContain('timedOut');
    expect(JSON.stringify(calm.results)).toContain('terminated');
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran(hanging, [commit]);
      const what = `a crash at ${commit}`;
      expect(found.outcome, what).toMatchObject({ status: 'completed' });
      expect(JSON.stringify(found.results), what).toContain('timedOut');
      expect(found.problems, what).toEqual([]);
    }
  });
});

describe('a companion that waits for a person', () => {
  const asking = (tree: Tree): TreeParts => {
    const scout = agentOf('scout', {
      tools: [noteTool(tree, { requireApproval: true })],
      outputSchema: answer,
    });
    const top = agentOf('top', { persistentAgents: [{ agent: scout }] });
    return {
      agents: [top, scout],
      scripts: {
        top: [
          { calls: [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' })] },
          { text: 'Done.' },
        ],
        scout: [{ calls: [{ name: 'note', input: { text: 'l' } }] }, { finish: { answer: 'l' } }],
      },
    };
  };

  it('[CO6, SU1] suspends whoever waits for it, and its answer lets both go on', async () => {
    const meanwhile = async (tree: Tree): Promise<void> => {
      await tree.time.until(() => tree.pending.length > 0 && tree.nodes[0]?.status === 'suspended_awaiting_children');
      await tree.rest();
      expect(tree.nodes.map(({ schedule }) => schedule.phase)).toEqual(['waiting', 'waiting']);
      const [call] = tree.pending;
      if (call) await tree.answer(call, { kind: 'approval-response', approved: true });
    };
    const found = await ran(asking, [], { meanwhile });
    expect(found.results).toEqual([{ name: 'ada', task: 1, status: 'completed', output: { answer: 'l' } }]);
    expect(found.problems).toEqual([]);
  });
});

describe('a name that is begun anew', () => {
  const failing =
    (keepMemory: boolean) =>
    (tree: Tree): TreeParts => {
      const scout = agentOf('scout', { tools: [noteTool(tree)], outputSchema: answer, maxSteps: 1 });
      const top = agentOf('top', { persistentAgents: [{ agent: scout }] });
      const spawn = (initialMessage: string, more = {}) =>
        companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage, ...more });
      return {
        agents: [top, scout],
        scripts: {
          top: [
            { calls: [spawn('one')] },
            { calls: [spawn('two', keepMemory ? { keepMemory } : {})] },
            { text: 'Done.' },
          ],
          scout: ({ messages }) =>
            questions(messages).includes('two')
              ? { finish: { answer: questions(messages).join(' ') } }
              : { calls: [{ name: 'note', input: { text: 'l' } }] },
        },
      };
    };

  it.each([
    ['without its memory', false, 'two'],
    ['with its memory', true, 'one two'],
  ] as const)(
    '[CO3, CS6, TR13] F115, L16, L24: %s, in its one place in the record, also after a crash at any commit',
    async (_how, keepMemory, heard) => {
      const make = failing(keepMemory);
      const calm = await ran(make);
      const spent = (nodes: readonly TreeNode[]) => {
        const [root, ...others] = nodes;
        expect(others.map(({ address }) => address)).toEqual(['/agents/top/one/sub/scout/ada']);
        const retired = root?.kind === 'root' ? (root.top.retired.scout?.modelCalls ?? 0) : 0;
        return retired + others.reduce((sum, { usage }) => sum + usage.modelCalls, 0);
      };
      // The session that failed asked its model once, and the one that came after it as well.
      expect(spent(calm.nodes)).toBe(2);
      expect(calm.results).toMatchObject([
        { name: 'ada', task: 1, status: 'failed', code: 'max_steps' },
        { name: 'ada', task: 2, status: 'completed', output: { answer: heard } },
      ]);
      for (const commit of moments(calm.kinds, MOST, 1)) {
        const found = await ran(make, [commit]);
        expect(found.results, `a crash at ${commit}`).toEqual(calm.results);
        expect(found.problems, `a crash at ${commit}`).toEqual([]);
        expect(spent(found.nodes), `a crash at ${commit}`).toBeGreaterThanOrEqual(2);
      }
    },
  );
});
