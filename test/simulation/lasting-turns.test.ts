/**
 * Children that outlive the turn of their root: what they began belongs to their task, not to the turn (TR11), and what
 * the record no longer keeps of them leaves their objects too (W7).
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool, relationshipOf } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import {
  type AgentDefinition,
  RELATIONSHIP,
  type Relationship,
  type ToolDefinition,
} from '../../src/core/definition/definition';
import { segmentOf } from '../../src/engine/tree-messages';
import { parseAddress } from '../../src/protocol/address';
import type { Json } from '../../src/protocol/json';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { moments } from '../support/sizes';
import { agentOf, answer } from '../support/trees';

const work = z.object({ q: z.string() });

/** The tool of a sub-agent with another relationship. */
function related(child: AgentDefinition, name: string, how: Partial<Relationship>): ToolDefinition {
  const tool = createSubAgentTool(child, work, { name });
  const relationship = relationshipOf(tool);
  if (relationship === undefined) throw new Error('It is no sub-agent.');
  return { ...tool, [RELATIONSHIP]: { ...relationship, ...how } };
}

/** A person asks something of an agent, by way of the root. */
async function ask(tree: Tree, address: string, verb: string, input: Json = {}) {
  const path = parseAddress(address).below.map(segmentOf);
  return tree.world.object(tree.address).call({ kind: 'verb', path, verb, input, caller: 'person' });
}

describe('a task in the background, through further turns of the root', () => {
  const MIDDLE = '/agents/top/one/sub/middle/1~1';
  const LEAF = `${MIDDLE}/sub/leaf/1~1`;

  const asked = defineTool({
    name: 'asked',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => ({ done: true }),
  });

  /** One in the background whose sub-agent waits for a person; the root ends each turn at once, and keeps the last alone. */
  function detached(): TreeParts {
    const leaf = agentOf('leaf', { tools: [asked], outputSchema: answer });
    const middle = agentOf('middle', { tools: [createSubAgentTool(leaf, work)], outputSchema: answer });
    const background = related(middle, 'background', { await: 'notice', deliver: 'notice' });
    const top = agentOf('top', { tools: [background], limits: { keepRuns: 1 } });
    return {
      agents: [top, middle, leaf],
      scripts: {
        top: ({ messages }) =>
          messages.length === 1 ? { calls: [{ name: 'subagent__background', input: { q: 'm' } }] } : { text: 'Done.' },
        middle: [{ calls: [{ name: 'subagent__leaf', input: { q: 'l' } }] }, { finish: { answer: 'm' } }],
        leaf: [{ calls: [{ name: 'asked', input: {} }] }, { finish: { answer: 'l' } }],
      },
    };
  }

  /** The leaf is interrupted while it waits, and the root has two more turns. */
  async function interruptedLongAgo(tree: Tree): Promise<void> {
    await tree.run();
    await tree.rest();
    await tree.stopAt(LEAF, 'interrupt');
    await tree.rest();
    for (const turn of ['two', 'three']) {
      await tree.run(turn);
      await tree.rest();
    }
    expect(tree.nodes.map(({ agentType, status }) => `${agentType} ${status}`)).toEqual([
      'top completed',
      'middle suspended_awaiting_children',
      'leaf interrupted',
    ]);
  }

  it.each([
    ['at its own address', LEAF],
    ['at the agent that waits for it', MIDDLE],
  ])(
    '[TR11, TR8, A33] what was interrupted below it is still there, and goes on when it is resumed %s',
    async (_, at) => {
      await withTree(detached, {}, async (tree) => {
        await interruptedLongAgo(tree);
        expect(await ask(tree, at, 'resume')).toMatchObject({ ok: true });
        await tree.rest();
        const [waiting] = tree.pending;
        if (waiting === undefined) throw new Error('Nobody asks.');
        expect(waiting.address).toBe(LEAF);
        await tree.answer(waiting, { kind: 'approval-response', approved: true });
        await tree.rest();
        expect(tree.nodes.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
        expect(tree.time.problems).toEqual([]);
      });
    },
  );

  it('[TR11, AN6] its question says that it is interrupted, and once its task has ended that the answer is late', async () => {
    await withTree(detached, {}, async (tree) => {
      await interruptedLongAgo(tree);
      const { step } = tree.state(LEAF);
      const toolCallId = step?.phase === 'calls' ? (step.calls[0]?.callId ?? '') : '';
      const input = { kind: 'approval-response', toolCallId, approved: true };
      expect(await ask(tree, tree.address, 'submit', input)).toMatchObject({
        ok: false,
        error: { code: 'interrupted' },
      });
      await tree.stopAt(MIDDLE, 'abort');
      await tree.rest();
      expect(await ask(tree, tree.address, 'submit', input)).toMatchObject({
        ok: false,
        error: { code: 'late_answer' },
      });
      await tree.run('four');
      await tree.rest();
      expect(tree.nodes.map(({ agentType }) => agentType)).toEqual(['top']);
      expect(tree.time.problems).toEqual([]);
    });
  });
});

describe('a lasting child through many turns, each with a task that takes a sub-agent for one call', () => {
  const ADA = '/agents/top/one/sub/middle/ada';
  const TURNS = 9;
  const KEPT = 2;

  function companion(): TreeParts {
    const leaf = agentOf('leaf', { outputSchema: answer });
    const middle = agentOf('middle', { tools: [createSubAgentTool(leaf, work)], outputSchema: answer });
    const named = related(middle, 'named', { lifetime: 'named', nameOf: () => 'ada' });
    const top = agentOf('top', { tools: [named], limits: { keepRuns: KEPT } });
    const last = ({ messages }: { messages: readonly { role: string }[] }) => messages.at(-1)?.role;
    return {
      agents: [top, middle, leaf],
      scripts: {
        top: (request) =>
          last(request) === 'user' ? { calls: [{ name: 'subagent__named', input: { q: 'm' } }] } : { text: 'Done.' },
        middle: (request) =>
          last(request) === 'user'
            ? { calls: [{ name: 'subagent__leaf', input: { q: 'l' } }] }
            : { finish: { answer: 'm' } },
        leaf: () => ({ finish: { answer: 'l' } }),
      },
    };
  }

  /** Runs all turns; the names of the sub-agents in the order of the tasks, and those that were there after each turn. */
  async function run(crashAt: readonly number[] = []) {
    return withTree(companion, { crashAt: new Set(crashAt) }, async (tree) => {
      const there: string[][] = [];
      for (let turn = 1; turn <= TURNS; turn++) {
        await tree.run(`Turn ${turn}`);
        await tree.rest();
        const below = tree.addresses.filter((address) => address.startsWith(`${ADA}/`));
        there.push(below.map((address) => address.slice(address.lastIndexOf('/') + 1)).sort());
      }
      const begun = tree.log.flatMap(({ chunk }) => (chunk.type === 'subagent_start' ? [chunk.subAddress] : []));
      return { tree, there, begun, kinds: tree.kinds, problems: tree.time.problems };
    });
  }

  it('[W7, DG9] uses the slots of those again that left the record, whose objects are gone', async () => {
    const { tree, there, problems } = await run();
    expect(problems).toEqual([]);
    // Who is of a turn that is not kept has left its slot by the time of the next task.
    expect(there.at(-1)).toEqual(['1~5', '2~4']);
    expect(Math.max(...there.map((names) => names.length))).toBe(KEPT);
    expect(tree.store(ADA).slots('Leaf')).toMatchObject({ next: KEPT + 1 });
    expect(tree.nodes.filter(({ agentType }) => agentType === 'leaf')).toHaveLength(KEPT);
    expect(tree.nodes.find(({ kind }) => kind === 'root')).toMatchObject({ top: { pendingRemovals: [] } });
  });

  it('[W7, A17, RC5] also where a crash comes at any commit', async () => {
    const calm = await run();
    for (const commit of moments(calm.kinds, 6, 4)) {
      const found = await run([commit]);
      expect(found.problems, `a crash at ${commit}`).toEqual([]);
      expect(found.there.at(-1), `a crash at ${commit}`).toHaveLength(KEPT);
      expect(found.tree.nodes.map(({ status }) => status)).toEqual(found.tree.nodes.map(() => 'completed'));
    }
  });
});
