/** What a parent sees of its companions: its own rows, with what the root knows of each (CO14, CO20). */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import { companionBody } from '../../src/engine/children/perform-companion-tools';
import type { Json, JsonObject } from '../../src/protocol/json';
import { clientTool, gate, gateTool } from '../support/control';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { figures, moments, sized } from '../support/sizes';
import { agentOf, answer, toolResults } from '../support/trees';

const companion = (tool: string, input: JsonObject) => ({ name: `companion__${tool}`, input });
const values = (tree: Tree): Json[] =>
  toolResults(tree).map((result) => (result.success ? result.value : result.error.code));

/** Says what it does. */
const say = defineTool({
  name: 'say',
  description: 'Says what it does.',
  inputSchema: z.object({ text: z.string() }),
  replay: 'safe',
  execute: ({ text }, context) => {
    context.emit(text);
    return text;
  },
});

const LONG = `page 3 ${'x'.repeat(300)}`;

/** One that waits for a yes and one for a client below it, one that is done; the root looks at all of them. */
function lookedAt(tree: Tree): TreeParts {
  const helper = agentOf('helper', { tools: [clientTool()], outputSchema: answer });
  const scout = agentOf('scout', { tools: [say, gateTool(tree)], persistentAgents: [{ agent: helper }] });
  const top = agentOf('top', { persistentAgents: [{ agent: scout, mode: 'non-blocking' }] });
  const spawn = (name: string) => companion('spawnAgent', { agent: 'scout', name, initialMessage: name });
  const names = ['ada', 'eve', 'kim'];
  return {
    agents: [top, scout, helper],
    scripts: {
      top: [
        { calls: names.map(spawn) },
        { calls: [companion('waitForResult', { names, timeout: 60_000 })] },
        { calls: [companion('listChildren', {}), companion('listChildren', { limit: 1, after: 1 })] },
        { calls: [...names, 'bob'].map((name) => companion('getChildStatus', { name })) },
        { text: 'Seen.' },
      ],
      scout: ({ step, messages }) => {
        const [first] = messages.flatMap((one) => (one.role === 'user' ? [one.content] : []));
        if (step === 1) return { calls: [{ name: 'say', input: { text: LONG } }] };
        if (first === 'ada') return { calls: [gate] };
        if (first === 'eve')
          return { calls: [companion('spawnAgent', { agent: 'helper', name: 'h', initialMessage: 'look' })] };
        return { text: 'done' };
      },
      helper: [{ calls: [{ name: 'look', input: {} }] }],
    },
  };
}

const time = expect.stringMatching(/^20\d\d-/);
const child = { agent: 'scout', task: 1, steps: 2, lastActivity: time };
const waits = { ...child, status: 'paused_awaiting_client' };
const usage = { modelCalls: 2, toolCalls: 1 };

async function looked(options: TreeOptions = {}): Promise<{ values: Json[]; kinds: string[]; problems: string[] }> {
  return withTree(lookedAt, options, async (tree) => {
    await tree.run();
    return { values: values(tree).slice(4), kinds: tree.kinds, problems: tree.time.problems };
  });
}

describe('looking at companions', () => {
  it('[CO14, CO20] a list tells of each how it stands, how much it has done, and what it waits for', async () => {
    const [list, second] = (await looked()).values;
    const progress = LONG.slice(0, 200);
    expect(list).toEqual({
      total: 3,
      children: [
        { name: 'ada', ...waits, progress, pendingCalls: 1 },
        { name: 'eve', ...waits, progress, pendingCalls: 1 },
        { name: 'kim', ...child, status: 'completed' },
      ],
    });
    expect(second).toMatchObject({ total: 3, next: 2, children: [{ name: 'eve' }] });
  });

  it('[CO20] the status of one tells its usage, its progress, the calls that wait at or below it, and its last output', async () => {
    const [, , ada, eve, kim, bob] = (await looked()).values;
    const at = '/agents/top/one/sub/scout';
    const asked = { toolCallId: expect.any(String), requestedAt: time };
    expect(ada).toMatchObject({
      ...{ name: 'ada', ...waits, address: `${at}/ada`, progress: LONG, usage },
      pendingCalls: [{ ...asked, toolName: 'gate', kind: 'approval', address: `${at}/ada` }],
    });
    expect(eve).toMatchObject({
      ...{ name: 'eve', ...waits },
      pendingCalls: [{ ...asked, toolName: 'look', kind: 'client-tool', address: `${at}/eve/sub/helper/h` }],
    });
    expect(kim).toMatchObject({ name: 'kim', ...child, status: 'completed', lastOutput: 'done', usage });
    expect(kim).not.toHaveProperty('pendingCalls');
    expect(bob).toBe('not_found');
  });

  it('[CO20, RC5] the same after a crash at any commit', async () => {
    const calm = await looked();
    const plain = (all: Json[]) => JSON.stringify(all).replaceAll(/"(20\d\d-|c_)[^"]*"/g, '""');
    for (const commit of moments(calm.kinds, 13, 1)) {
      const found = await looked({ crashAt: new Set([commit]) });
      expect(plain(found.values), `a crash at ${commit}`).toEqual(plain(calm.values));
      expect(found.problems).toEqual([]);
    }
  });

  it('[CO20, RT5] an agent below the root that cannot reach it asks by way of its parent', async () => {
    const make = (): TreeParts => {
      const leaf = agentOf('leaf');
      const middle = agentOf('middle', { persistentAgents: [{ agent: leaf }] });
      const top = agentOf('top', { persistentAgents: [{ agent: middle }] });
      return {
        agents: [top, middle, leaf],
        scripts: {
          top: [
            { calls: [companion('spawnAgent', { agent: 'middle', name: 'm', initialMessage: 'go' })] },
            { text: 'Seen.' },
          ],
          middle: [
            { calls: [companion('spawnAgent', { agent: 'leaf', name: 'l', initialMessage: 'go' })] },
            { calls: [companion('getChildStatus', { name: 'l' })] },
            { text: 'Seen.' },
          ],
          leaf: [{ text: 'l' }],
        },
      };
    };
    for (const isRelayed of [() => false, (address: string) => address.endsWith('/m')]) {
      await withTree(make, { isRelayed }, async (tree) => {
        await tree.run();
        const [, status] = tree.transcript('/agents/top/one/sub/middle/m').filter(({ role }) => role === 'tool');
        expect(status).toMatchObject({ result: { success: true, value: { name: 'l', steps: 1, lastOutput: 'l' } } });
        expect(tree.time.problems).toEqual([]);
      });
    }
  });
});

describe('many companions', () => {
  /** A root with so many companions, all of them done. */
  const many = (count: number) => (): TreeParts => {
    const scout = agentOf('scout');
    const limits = { maxChildren: 1_024, maxCompanions: 1_024, maxTreeChildren: 1_024 };
    const top = agentOf('top', { persistentAgents: [{ agent: scout }], limits });
    const spawn = companion('spawnAgent', { agent: 'scout', initialMessage: 'x' });
    return {
      agents: [top, scout],
      scripts: {
        top: [{ calls: Array.from({ length: count }, () => spawn) }, { text: 'Done.' }],
        scout: () => ({ text: 'x' }),
      },
    };
  };

  const LOOKS = [
    ['listChildren', { limit: 10 }],
    ['getChildStatus', { name: 'scout-7' }],
  ] as const;

  /** The least time of a look, in ms, and how many agents the root looked up for it. */
  const measured = (count: number) =>
    withTree(many(count), {}, async (tree) => {
      await tree.run();
      const { agent, tree: root } = tree.world.object(tree.address);
      if (agent === undefined || root === undefined) throw new Error('The root is not there.');
      let lookUps = 0;
      const bySession = root.tree.childBySession.bind(root.tree);
      root.tree.childBySession = (sessionId) => {
        lookUps++;
        return bySession(sessionId);
      };
      const found: { ms: number; lookUps: number; answer: JsonObject }[] = [];
      for (const [tool, input] of LOOKS) {
        const body = companionBody(`companion__${tool}`);
        let ms = Number.POSITIVE_INFINITY;
        let answer: JsonObject = {};
        for (let time = 0; time < 40; time++) {
          lookUps = 0;
          const before = performance.now();
          answer = (await body?.(input, agent)) ?? {};
          ms = Math.min(ms, performance.now() - before);
        }
        found.push({ ms, lookUps, answer });
      }
      return found;
    });

  const MANY = sized(250, 1_000);
  const told: string[] = [];
  figures(`a look at 10 companions of ${MANY}, against all of 10`, () => told.join('; '));

  it('[CO14] a page and a status take the same work with many as with 10', async () => {
    const few = await measured(10);
    const all = await measured(MANY);
    for (const [index, [tool]] of LOOKS.entries()) {
      const [one, other] = [few[index], all[index]];
      if (one === undefined || other === undefined) throw new Error('Nothing was measured.');
      told.push(`${tool} ${one.ms.toFixed(3)} and ${other.ms.toFixed(3)} ms, ratio ${(other.ms / one.ms).toFixed(2)}`);
      expect(other.lookUps).toBe(one.lookUps);
    }
    expect(all[0]?.answer).toMatchObject({ total: MANY, next: 10 });
    expect(all[0]?.answer.children).toHaveLength(10);
    expect(all[1]?.answer).toMatchObject({ name: 'scout-7', steps: 1, lastOutput: 'x' });
  });
});
