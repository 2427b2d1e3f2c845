/**
 * Children that outlive the call that asked for them, in whole trees: one with a name that has several tasks, and one in
 * the background whose end is a notice. No tool offers them: their relationships are written by hand.
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BUILT_IN_TOOLS } from '../../src/core/agent/built-in/table';
import { Seat } from '../../src/core/agent/seat';
import type { AgentState } from '../../src/core/agent/state';
import { createSubAgentTool, relationshipOf } from '../../src/core/definition/children/relationship';
import {
  type AgentDefinition,
  RELATIONSHIP,
  type Relationship,
  type ToolDefinition,
} from '../../src/core/definition/definition';
import { isObject, type Json } from '../../src/protocol/json';
import { transcripts } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { moments } from '../support/sizes';
import { agentOf, answer, noteTool, toolResults } from '../support/trees';
import { waitTool } from '../support/wait-tool';

const MOST = 6;
const work = z.object({ q: z.string(), name: z.string().optional() });

/** The tool of a sub-agent with another relationship. */
function related(child: AgentDefinition, name: string, how: Partial<Relationship>): ToolDefinition {
  const tool = createSubAgentTool(child, work, { name });
  const relationship = relationshipOf(tool);
  if (relationship === undefined) throw new Error('It is no sub-agent.');
  return { ...tool, [RELATIONSHIP]: { ...relationship, ...how } };
}

const toldSchema = z.array(z.looseObject({ name: z.string(), told: z.unknown() }));

const nameOf = (input: Json): string | undefined =>
  isObject(input) && typeof input.name === 'string' ? input.name : undefined;
const named = (child: AgentDefinition): ToolDefinition => related(child, 'named', { lifetime: 'named', nameOf });
const background = (child: AgentDefinition): ToolDefinition =>
  related(child, 'background', { await: 'notice', deliver: 'notice' });

const ask = (tool: string, q: string, name?: string) => ({
  name: `subagent__${tool}`,
  input: { q, ...(name === undefined ? {} : { name }) },
});

/** A companion that says how many questions it has heard. */
function companion(tree: Tree): TreeParts {
  const leaf = agentOf('leaf', { tools: [noteTool(tree)], outputSchema: answer });
  const top = agentOf('top', { tools: [noteTool(tree), named(leaf)] });
  return {
    agents: [top, leaf],
    scripts: {
      top: [
        { calls: [ask('named', 'one', 'ada'), { name: 'note', input: { text: 'x' } }] },
        { calls: [ask('named', 'two', 'ada'), ask('named', 'other', 'eve')] },
        { calls: [ask('named', 'three', 'ada')] },
        { text: 'Done.' },
      ],
      leaf: ({ step, messages }) =>
        step === 1
          ? { calls: [{ name: 'note', input: { text: 'l' } }] }
          : { finish: { answer: `${messages.filter(({ role }) => role === 'user').length}` } },
    },
  };
}

/** One that works on while its parent ends, and tells its end in the next turn. */
function detached(tree: Tree): TreeParts {
  const leaf = agentOf('leaf', { tools: [noteTool(tree)], outputSchema: answer });
  const middle = agentOf('middle', {
    tools: [noteTool(tree), createSubAgentTool(leaf, work)],
    outputSchema: answer,
  });
  const top = agentOf('top', { tools: [background(middle)], limits: { maxConcurrentChildren: 1 } });
  return {
    agents: [top, middle, leaf],
    scripts: {
      top: ({ messages }) =>
        messages.length === 1 ? { calls: [ask('background', 'one'), ask('background', 'two')] } : { text: 'Done.' },
      middle: [{ calls: [ask('leaf', 'm')] }, { finish: { answer: 'm' } }],
      leaf: [{ calls: [{ name: 'note', input: { text: 'l' } }] }, { finish: { answer: 'l' } }],
    },
  };
}

/** Runs a tree until everybody is at rest, and what it came to. */
async function ran(
  make: (tree: Tree) => TreeParts,
  crashAt: readonly number[] = [],
  then?: (tree: Tree) => Promise<void>,
  { meanwhile, ...options }: Pick<TreeOptions, 'seat'> & { meanwhile?: (tree: Tree) => Promise<void> } = {},
) {
  return withTree(make, { ...options, crashAt: new Set(crashAt) }, async (tree) => {
    if (meanwhile) {
      await tree.start();
      await meanwhile(tree);
      await tree.finish();
    } else await tree.run();
    await tree.rest();
    await then?.(tree);
    return {
      tree: { nodes: tree.nodes, results: toolResults(tree), log: tree.log, outcome: tree.outcome },
      said: transcripts(tree),
      bodies: [...tree.bodies.values()],
      kinds: tree.kinds,
      problems: tree.time.problems,
    };
  });
}

describe('a named child in a tree', () => {
  const ADA = '/agents/top/one/sub/leaf/ada';

  it('[DG26, TR9] has its tasks one after the other in one session, whose messages it keeps', async () => {
    const { tree, said, bodies, problems } = await ran(companion);
    expect(problems).toEqual([]);
    expect(tree.results.map((result) => (result.success ? result.value : result.error))).toEqual([
      { answer: '1' },
      { noted: 'x' },
      { answer: '2' },
      { answer: '1' },
      { answer: '3' },
    ]);
    expect(tree.nodes.filter(({ address }) => address === ADA)).toMatchObject([
      { status: 'completed', task: { number: 3 }, runNumber: 3, lifetime: 'named' },
    ]);
    expect(Object.keys(said).sort()).toEqual(['/agents/top/one', ADA, '/agents/top/one/sub/leaf/eve']);
    expect(bodies).toHaveLength(5);
    const ends = tree.log.flatMap(({ chunk }) => (chunk.type === 'subagent_end' ? [chunk] : []));
    expect(ends.map(({ childId, task, usage }) => [childId, task, usage.modelCalls])).toEqual([
      [1, 1, 2],
      [1, 2, 2],
      [2, 1, 2],
      [1, 3, 2],
    ]);
  });

  it('[DG26, RC5, DL3, CL2] the same after a crash at any commit', async () => {
    const calm = await ran(companion);
    for (const commit of moments(calm.kinds, MOST, 3)) {
      const found = await ran(companion, [commit]);
      expect(found.said, `a crash at ${commit}`).toEqual(calm.said);
      expect(found.problems, `a crash at ${commit}`).toEqual([]);
    }
  });
});

describe('a task in the background in a tree', () => {
  const next = async (tree: Tree): Promise<void> => void (await tree.run('And now?'));
  const notices = (said: unknown) => JSON.stringify(said).match(/has ended its task/g) ?? [];

  it('[DG27, TR7] works on when its parent has ended, in its turn, and its end is seen by the next turn', async () => {
    const { tree, said, problems } = await ran(detached, [], next);
    expect(problems).toEqual([]);
    expect(tree.results).toMatchObject([
      { success: true, value: { status: 'started', agent: 'middle' } },
      { success: true, value: { status: 'started', agent: 'middle' } },
    ]);
    expect(tree.nodes.map(({ status }) => status)).toEqual(tree.nodes.map(() => 'completed'));
    expect(tree.nodes).toHaveLength(5);
    expect(notices(said['/agents/top/one'])).toHaveLength(2);
  });

  it('[DG27, RC5, DL3, DL1] L22: once each, wherever a crash comes', async () => {
    const calm = await ran(detached, [], next);
    for (const commit of moments(calm.kinds, MOST, 5)) {
      const { tree, said, problems } = await ran(detached, [commit], next);
      const what = `a crash at ${commit}`;
      expect(notices(said['/agents/top/one']), what).toHaveLength(2);
      expect(
        tree.nodes.map(({ status }) => status),
        what,
      ).toEqual(tree.nodes.map(() => 'completed'));
      expect(problems, what).toEqual([]);
    }
  });

  it('[DG27, SP9] is stopped with the session that asked for it, which has ended before', async () => {
    const hanging = (tree: Tree): TreeParts => {
      const parts = detached(tree);
      return { ...parts, scripts: { ...parts.scripts, leaf: [{ hang: true }] } };
    };
    await withTree(hanging, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.ended && tree.nodes.some(({ agentType }) => agentType === 'leaf'));
      expect(tree.outcome).toMatchObject({ status: 'completed' });
      await tree.stopAt(tree.address, 'terminate');
      await tree.rest();
      const ended = tree.nodes.map(({ agentType, status }) => `${agentType} ${status}`).sort();
      // One of them had not begun.
      expect(ended).toEqual(['leaf terminated', 'middle failed', 'middle terminated', 'top terminated']);
      expect(tree.time.problems).toEqual([]);
    });
  });
});

describe('a wait in a later step, in a tree with one concurrency slot', () => {
  const NAMES = ['ada', 'eve', 'kim'];
  const MIDDLE = '/agents/top/one/sub/middle/1~1';
  const at = (name: string): string => `${MIDDLE}/sub/leaf/${name}`;

  /** The agent in the middle has the only slot, begins three children in the background, and awaits them a step later. */
  function awaiting(need?: 'any' | number) {
    let seats: { readonly middle: Seat } | undefined;
    const make = (tree: Tree): TreeParts => {
      const leaf = agentOf('leaf', { tools: [noteTool(tree)], outputSchema: answer });
      const how = { lifetime: 'named', await: 'notice', deliver: 'notice', nameOf } as const;
      const middle = agentOf('middle', { tools: [related(leaf, 'leaf', how)], outputSchema: answer });
      const limits = { maxConcurrentChildren: 1 };
      const top = agentOf('top', { tools: [createSubAgentTool(middle, work)], limits });
      seats = { middle: new Seat(middle, [...BUILT_IN_TOOLS, waitTool]) };
      const wait = { name: '__wait__', input: { names: NAMES, ...(need === undefined ? {} : { need }) } };
      return {
        agents: [top, middle, leaf],
        scripts: {
          top: [{ calls: [ask('middle', 'm')] }, { text: 'Done.' }],
          middle: [
            { calls: NAMES.map((name) => ask('leaf', name, name)) },
            { calls: [wait] },
            { finish: { answer: 'm' } },
          ],
          leaf: [{ calls: [{ name: 'note', input: { text: 'l' } }] }, { finish: { answer: 'l' } }],
        },
      };
    };
    const seat = ({ session }: AgentState) => (session.agentType === 'middle' ? seats?.middle : undefined);
    return { make, seat };
  }

  /** The call that waits, as its agent has it. */
  function waitOf(tree: Tree) {
    const steps = tree.store(MIDDLE).steps({});
    return steps.flatMap((step) => (step.phase === 'calls' ? step.calls : [])).find(({ name }) => name === '__wait__');
  }

  const waits = (tree: Tree): boolean =>
    tree.addresses.includes(MIDDLE) && waitOf(tree) !== undefined && tree.addresses.includes(at('ada'));

  /** Whose ends the call told; and all whose end was told in any way, also by a message that no step has seen yet. */
  function heard(tree: Tree) {
    const settled = waitOf(tree)?.settled?.result;
    const told = settled?.success ? toldSchema.parse(settled.value) : [];
    const notices = tree
      .store(MIDDLE)
      .messages({})
      .flatMap(({ content }) => /^The sub-agent (\w+) \(task 1\) has/.exec(`${content}`)?.[1] ?? []);
    return { told, all: [...told.map(({ name }) => name), ...notices].sort() };
  }

  it.each([
    ['all', undefined, 3],
    ['two', 2, 2],
    ['any', 'any', 1],
  ] as const)(
    '[DG30, TR10, TR3, RC5] F111: of %s goes on when they have ended, also after a crash at any commit',
    async (_, need, count) => {
      const { make, seat } = awaiting(need);
      let most = 0;
      const check = async (crashAt: readonly number[]): Promise<string[]> => {
        const what = `a crash at ${crashAt}`;
        const ends: ReturnType<typeof heard>[] = [];
        const found = await ran(make, crashAt, async (tree) => void ends.push(heard(tree)), { seat });
        expect(found.tree.outcome, what).toMatchObject({ status: 'completed' });
        // Those that it did not wait for are stopped once it, which lived for one call, has handed over its result (CO32).
        const over = found.tree.nodes.filter(({ status }) => status !== 'completed');
        expect(over.length, what).toBeLessThanOrEqual(NAMES.length - count);
        const told = ends[0]?.told.map(({ name }) => at(name)) ?? [];
        expect(
          over.filter(({ address }) => told.includes(address)),
          what,
        ).toEqual([]);
        // None of them can end before the wait begins, which lends them the one slot.
        expect(ends[0]?.told.length, what).toBe(count);
        expect(ends[0]?.all.length, what).toBeGreaterThanOrEqual(count);
        expect(found.problems, what).toEqual([]);
        most = Math.max(most, found.kinds.length);
        return found.kinds;
      };
      const kinds = await check([]);
      for (const commit of moments(kinds, 4 * MOST, 1)) await check([commit]);
      expect(most).toBeGreaterThan(0);
    },
  );

  it('[TR10, TR3] never lets more work than the one, whoever awaits whom', async () => {
    for (const need of [undefined, 2, 'any'] as const) {
      const { make, seat } = awaiting(need);
      await withTree(make, { seat }, async (tree) => {
        let most = 0;
        const root = () => tree.world.object(tree.address).tree;
        await tree.start();
        root()?.watch(() => {
          most = Math.max(most, root()?.tree.slotsTaken() ?? 0);
        });
        await tree.finish();
        await tree.rest();
        expect(most).toBe(1);
      });
    }
  });

  it.each(['interrupt', 'abort', 'terminate'] as const)(
    '[DG30, SP9, RS1] survives %s, and what follows it',
    async (verb) => {
      const { make, seat } = awaiting();
      const calm = await ran(make, [], undefined, { seat });
      for (const commit of [0, ...moments(calm.kinds, 2 * MOST, 2)]) {
        await withTree(make, { seat, crashAt: new Set([commit]) }, async (tree) => {
          await tree.start();
          await tree.time.until(() => waits(tree) || tree.ended);
          await tree.stopAt(tree.address, verb);
          await tree.finish();
          await tree.rest();
          const what = `a crash at ${commit}`;
          if (verb === 'interrupt' && tree.outcome.status === 'interrupted') {
            await tree.resume();
            await tree.finish();
            await tree.rest();
            expect(tree.outcome.status, what).toBe('completed');
            expect(heard(tree), what).toMatchObject({ told: NAMES.map(() => ({ told: { answer: 'l' } })), all: NAMES });
          }
          expect(
            tree.nodes.filter(({ schedule }) => schedule.phase !== 'ended'),
            what,
          ).toEqual([]);
          expect(tree.time.problems, what).toEqual([]);
        });
      }
    },
  );

  it('[DG30, DG7, A17] is told of a child that was deleted while it was awaited', async () => {
    const { make, seat } = awaiting();
    const meanwhile = async (tree: Tree): Promise<void> => {
      await tree.time.until(() => waits(tree));
      await tree.remove(at('kim'));
    };
    const then = async (tree: Tree): Promise<void> => {
      expect(heard(tree).told).toContainEqual({ name: 'kim', task: 1, told: 'deleted' });
      expect(heard(tree).all).toEqual(NAMES);
    };
    const { tree, problems } = await ran(make, [], then, { seat, meanwhile });
    expect([tree.outcome.status, problems]).toEqual(['completed', []]);
  });
});
