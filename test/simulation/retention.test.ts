/**
 * Companions that are kept with a run of their parent, beside others that stay: who goes when the run ends, what becomes of
 * one that is at work then, and that the name begins afresh; each also after a crash at any commit.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pageOfCompanions } from '../../src/engine/children/perform-companion-tools';
import type { JsonObject } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { askSurely } from '../support/asks';
import { examine } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { sample } from '../support/sizes';
import { agentOf, answer, hangTool, noteTool, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 8;
const TOP = '/agents/top/one';
const KIM = `${TOP}/sub/keeper/kim`;

const companion = (tool: string, input: JsonObject) => ({ name: `companion__${tool}`, input });
const spawn = (agent: string, name: string, initialMessage: string, more: JsonObject = {}) =>
  companion('spawnAgent', { agent, name, initialMessage, ...more });

const texts = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

const withoutProblemsOfCrashes = (tree: Tree): string[] =>
  tree.time.problems.filter((problem) => !problem.includes('was lost from memory'));

/** Recites what it was told in all its tasks. */
const recite = ({ messages }: { messages: readonly Message[] }) => ({ finish: { answer: texts(messages).join(' ') } });

/** A keeper below the root, with one companion for its run and one that stays; the root asks it in each of its turns. */
function keeping(): TreeParts {
  const scout = agentOf('scout', { outputSchema: answer });
  const clerk = agentOf('clerk', { outputSchema: answer });
  const persistentAgents = [{ agent: scout, retention: 'run' as const }, { agent: clerk }];
  const keeper = agentOf('keeper', { persistentAgents });
  const top = agentOf('top', { persistentAgents: [{ agent: keeper }, ...persistentAgents], limits: { keepRuns: 1 } });
  return {
    agents: [top, keeper, scout, clerk],
    scripts: {
      top: ({ messages, step }) => {
        const turn = String(texts(messages).length);
        if (step > 1) return { text: 'Done.' };
        return { calls: [spawn('keeper', 'kim', turn), spawn('scout', 'ada', turn), spawn('clerk', 'cleo', turn)] };
      },
      keeper: ({ messages, step }) => {
        const turn = String(texts(messages).length);
        if (step === 1) return { calls: [spawn('scout', 'ada', turn), spawn('clerk', 'cleo', turn)] };
        if (step === 2) return { calls: [spawn('scout', 'ada', 'more'), companion('listChildren', {})] };
        return { text: 'Kept.' };
      },
      scout: recite,
      clerk: recite,
    },
  };
}

const listing = z.object({ items: z.array(z.object({ name: z.string() })), total: z.number() });

/** What the calls of an agent came to. */
const results = (tree: Tree, address: string) =>
  tree.transcript(address).flatMap((one) => (one.role === 'tool' ? [one.result] : []));

async function threeTurns(crashAt: readonly number[] = []) {
  return withTree(keeping, { crashAt: new Set(crashAt) }, async (tree) => {
    const what = `crash at ${crashAt.join()}`;
    for (const turn of ['1', '2', '3']) {
      await tree.start(turn);
      await tree.finish();
      await tree.rest();
      expect(tree.outcome, what).toMatchObject({ status: 'completed' });
      const here = [TOP, KIM, `${KIM}/sub/clerk/cleo`, `${TOP}/sub/clerk/cleo`].sort();
      expect(tree.nodes.map(({ address }) => address).sort(), what).toEqual(here);
      expect([...tree.addresses].sort(), what).toEqual(here);
    }
    const outputs = (address: string) =>
      results(tree, address).map((result) => (result.success ? result.value : result.error.code));
    expect(outputs(TOP).slice(-2), what).toMatchObject([
      { name: 'ada', task: 1, output: { answer: '3' } },
      { name: 'cleo', task: 3, output: { answer: '1 2 3' } },
    ]);
    expect(outputs(KIM).slice(-4), what).toMatchObject([
      { name: 'ada', task: 1, output: { answer: '3' } },
      { name: 'cleo', task: 3, output: { answer: '1 2 3' } },
      { name: 'ada', task: 2, output: { answer: '3 more' } },
      { total: 2, children: [{ name: 'cleo' }, { name: 'ada', retention: 'run' }] },
    ]);
    expect(withoutProblemsOfCrashes(tree), what).toEqual([]);
    return tree.commits.length;
  });
}

describe('companions of a run', () => {
  it.each([TOP, KIM])('[CR6] has left the list over HTTP when the end of the run is told (%s)', async (parent) => {
    const kept = (tree: Tree) =>
      tree.nodes.flatMap(({ address }) => (address.startsWith(`${parent}/sub/scout/`) ? [address] : []));
    const ended = (tree: Tree) =>
      tree.log.some(({ chunk }) => chunk.type === 'run_completed' && chunk.address === parent);
    let before: string[] = [];
    let atTheEnd: string[] | undefined;
    const onCommit = (tree: Tree) => {
      if (!ended(tree)) before = kept(tree);
      else atTheEnd ??= kept(tree);
    };
    await withTree(keeping, { onCommit }, async (tree) => {
      await tree.start();
      await tree.finish();
      await tree.rest();
      const reply = await tree.soon(askSurely(tree, { verb: 'children', address: parent, input: {} }));
      const { items, total } = listing.parse(reply.ok ? reply.body : reply);
      expect([before, atTheEnd]).toEqual([[`${parent}/sub/scout/ada`], []]);
      expect(items).toHaveLength(total);
      expect(items.map(({ name }) => name)).not.toContain('ada');
    });
  });

  it('[CR1, CR2, CR5] go with it, at any level, while others remember, though the log keeps one run', async () => {
    await threeTurns();
  });

  it('[CR1, CR2, RC5] the same after a crash at any commit', async () => {
    const commits = await threeTurns();
    for (const commit of sample(commits, MOST, 1)) await threeTurns([commit]);
  });
});

/** One that hangs in the background when the run ends that it is kept with, and a turn after that. */
function atWork(tree: Tree): TreeParts {
  const scout = agentOf('scout', { tools: [hangTool(tree), noteTool(tree)], outputSchema: answer });
  const top = agentOf('top', {
    tools: [noteTool(tree)],
    persistentAgents: [{ agent: scout, mode: 'non-blocking', onIdle: 'wake', retention: 'run' }],
  });
  return {
    agents: [top, scout],
    scripts: {
      top: ({ messages, step }) => {
        if (texts(messages).includes('Again'))
          return step === 1
            ? { calls: [spawn('scout', 'ada', 'short', { mode: 'blocking' })] }
            : { text: 'Again done.' };
        return step === 1 ? { calls: [spawn('scout', 'ada', 'long')] } : { text: 'Done.' };
      },
      scout: ({ messages, step }) =>
        texts(messages).includes('long') && step === 1
          ? { calls: [{ name: 'hang', input: {} }] }
          : { finish: { answer: texts(messages).join(' ') } },
    },
  };
}

async function endsAtWork(crashAt: readonly number[] = []) {
  return withTree(atWork, { crashAt: new Set(crashAt) }, async (tree) => {
    const what = `crash at ${crashAt.join()}`;
    await tree.start();
    await tree.finish();
    await tree.rest();
    // Its end wakes nobody.
    expect(tree.outcome, what).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(tree.addresses, what).toEqual([TOP]);
    expect(
      tree.nodes.map(({ address }) => address),
      what,
    ).toEqual([TOP]);
    examine(tree, what);
    const first = tree.commits.length;
    await tree.start('Again');
    await tree.finish();
    await tree.rest();
    const told = texts(tree.transcript()).filter((text) => text.includes('ada'));
    expect(told, what).toEqual([
      'The sub-agent ada (task 1) was terminated: It was kept for one run of its parent, which has ended.',
    ]);
    expect(toolResults(tree).at(-1), what).toMatchObject({
      value: { name: 'ada', task: 1, output: { answer: 'short' } },
    });
    expect(tree.addresses, what).toEqual([TOP]);
    expect(withoutProblemsOfCrashes(tree), what).toEqual([]);
    return first;
  });
}

describe('a companion that is at work when its run ends', () => {
  it('[CR3, CO9] is ended for good, which is told once and wakes nobody', async () => {
    await endsAtWork();
  });

  it('[CR3, RC5] the same after a crash at any commit', async () => {
    const commits = await endsAtWork();
    for (const commit of sample(commits, MOST, 1)) await endsAtWork([commit]);
  });
});

describe('a run that does not end', () => {
  /** Interrupted with one at rest, resumed, and with one more task. */
  function paused(tree: Tree): TreeParts {
    const scout = agentOf('scout', { outputSchema: answer });
    const top = agentOf('top', { tools: [noteTool(tree), hangTool(tree)], persistentAgents: [{ agent: scout }] });
    return {
      agents: [top, scout],
      scripts: {
        top: ({ messages }) => {
          const asked = messages.filter(({ role }) => role === 'assistant').length;
          if (asked === 0) return { calls: [spawn('scout', 'ada', 'one', { retention: 'run' })] };
          if (asked === 1) return { calls: [{ name: 'hang', input: {} }] };
          if (asked === 2) return { calls: [companion('sendMessage', { name: 'ada', message: 'two', wait: true })] };
          return { text: 'Done.' };
        },
        scout: recite,
      },
    };
  }

  it('[CR2] one that is interrupted keeps its companions, and ends with them when it is resumed', async () => {
    await withTree(paused, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.bodies.size > 0);
      tree.stop('interrupt');
      await tree.finish();
      await tree.rest();
      expect(tree.outcome.status).toBe('interrupted');
      expect(tree.addresses).toEqual([TOP, `${TOP}/sub/scout/ada`]);
      await tree.resume();
      await tree.time.until(() => [...tree.bodies.values()].some((count) => count > 1));
      expect(tree.addresses).toEqual([TOP, `${TOP}/sub/scout/ada`]);
      tree.stop('abort');
      await tree.finish();
      await tree.rest();
      expect(tree.outcome.status).toBe('failed');
      expect(tree.addresses).toEqual([TOP]);
    });
  });

  it('[CR2] one that another run takes the place of has ended', async () => {
    await withTree(paused, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.bodies.size > 0);
      tree.stop('interrupt');
      await tree.finish();
      await tree.rest();
      await tree.start('Instead');
      await tree.finish();
      await tree.rest();
      expect(toolResults(tree).at(-1)).toMatchObject({ success: false, error: { code: 'not_found' } });
      expect(tree.addresses).toEqual([TOP]);
    });
  });
});

describe('the turn after a run, with those that were kept for it not removed yet', () => {
  /** Two kept for the first turn, and one with the tree; the next turn begins as many as there is place for, and the one after it lists. */
  function full(): TreeParts {
    const scout = agentOf('scout', { outputSchema: answer });
    const top = agentOf('top', {
      onConcurrentStart: 'queue',
      persistentAgents: [{ agent: scout }],
      limits: { maxCompanions: 3 },
    });
    const list = (more: JsonObject) => companion('listChildren', more);
    return {
      agents: [top, scout],
      scripts: {
        top: ({ messages, step }) => {
          const turn = texts(messages).length;
          if (turn === 3 && step === 1) return { calls: [list({}), list({ limit: 1 })] };
          if (step > 1) return { text: 'Done.' };
          const names = turn === 1 ? ['ada', 'ben', 'cy'] : ['ada', 'dan', 'eve'];
          return {
            calls: names.map((name) => spawn('scout', name, 'x', { retention: name === 'cy' ? 'tree' : 'run' })),
          };
        },
        scout: recite,
      },
    };
  }

  /** What the list tells, page by page, and which of the rows have left. */
  function told(tree: Tree) {
    const [store, state] = [tree.store(), tree.state()];
    const names: unknown[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { page, total, next } = pageOfCompanions(store, state, { after, limit: 1 });
      names.push(...page.map(({ name }) => name));
      expect(total).toBeLessThanOrEqual(3);
      after = next;
    }
    const { total } = pageOfCompanions(store, state, { limit: 1 });
    return { names, total, left: store.countLasting().count - total };
  }

  it('[CO14, CR1, CR2] is told of as many as there are, at each commit', async () => {
    let left = 0;
    const onCommit = (tree: Tree): void => {
      if (!tree.addresses.includes(TOP)) return;
      const found = told(tree);
      expect(found.names).toHaveLength(found.total);
      left = Math.max(left, found.left);
    };
    await withTree(full, { onCommit }, async (tree) => {
      for (const turn of ['1', '2', '3']) await tree.start(turn);
      await tree.finish();
      await tree.rest();
      expect([told(tree), left]).toEqual([{ names: ['cy'], total: 1, left: 0 }, 2]);
    });
  });

  async function listed(crashAt: readonly number[] = []) {
    return withTree(full, { crashAt: new Set(crashAt) }, async (tree) => {
      const what = `crash at ${crashAt.join()}`;
      for (const turn of ['1', '2', '3']) await tree.start(turn);
      await tree.finish();
      await tree.rest();
      const found = results(tree, TOP).map((result) => (result.success ? result.value : result.error.code));
      expect(found.slice(3), what).toMatchObject([
        { name: 'ada', output: { answer: 'x' } },
        { name: 'dan', output: { answer: 'x' } },
        'max_children',
        { children: [{ name: 'cy' }], total: 1 },
        { children: [{ name: 'cy' }], total: 1 },
      ]);
      expect(found.slice(-2), what).toEqual([found.at(-2), found.at(-2)]);
      expect(withoutProblemsOfCrashes(tree), what).toEqual([]);
      return tree.commits.length;
    });
  }

  it('[CO14, CR1, CR2] tells of as many as there are, and has their places', async () => {
    await listed();
  });

  it('[CO14, CR1, RC5] the same after a crash at any commit', async () => {
    const commits = await listed();
    for (const commit of sample(commits, 2 * MOST, 1)) await listed([commit]);
  });
});

describe('a call that chooses', () => {
  it('[CR4] keeps one of a kind for the run, another with the tree, and changes its mind', async () => {
    const make = (): TreeParts => {
      const scout = agentOf('scout', { outputSchema: answer });
      const top = agentOf('top', { persistentAgents: [{ agent: scout, retention: 'run' }] });
      return {
        agents: [top, scout],
        scripts: {
          top: ({ step }) => {
            if (step === 1)
              return {
                calls: ['ada', 'ben', 'cy'].map((name) =>
                  spawn('scout', name, 'one', { retention: name === 'ada' ? 'run' : 'tree' }),
                ),
              };
            if (step === 2)
              return {
                calls: [
                  spawn('scout', 'ben', 'two', { retention: 'run' }),
                  companion('sendMessage', { name: 'cy', message: 'two', wait: true }),
                ],
              };
            return { text: 'Done.' };
          },
          scout: recite,
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.finish();
      await tree.rest();
      expect(toolResults(tree).map((result) => result.success)).toEqual(Array.from({ length: 5 }, () => true));
      expect(tree.addresses).toEqual([TOP, `${TOP}/sub/scout/cy`]);
      expect(tree.time.problems).toEqual([]);
    });
  });
});

it('[CR4] a retention that is none is refused where the agent is defined', () => {
  const scout = agentOf('scout');
  const define = () => agentOf('top', { persistentAgents: [{ agent: scout, ...Object({ retention: 'week' }) }] });
  expect(define).toThrow('A companion of agent "top": `retention` must be one of tree, run.');
});
