/** What works below a sub-agent that lived for one call: once that call has its result, nobody would hear of it. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import { command } from '../../src/verbs/command';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { dualOf, lasting, leadOf } from '../support/prompts';
import type { Answer } from '../support/scripted-port';
import { agentOf, question } from '../support/trees';

const done = { text: 'Done.' };
const asks = defineTool({ name: 'ask', description: 'Asks.', inputSchema: z.object({}), execute: 'client' });

/** A lead whose helper for one call begins a worker in the background, and ends. */
const byPrompts =
  (worker: Answer) =>
  (tree: Tree): TreeParts => {
    const low = dualOf('low', { tools: [asks] });
    const helper = dualOf('helper', { tools: [lasting('low', { blocking: false })], agents: [low] });
    const create = { name: 'subagent_create', input: { agent: 'low', message: 'Work.', name: 'Low' } };
    return {
      agents: [leadOf(['helper', pause(tree)], [helper]), helper, low],
      scripts: {
        lead: ({ step }) =>
          [{ calls: [{ name: 'helper', input: {} }] }, { calls: [{ name: 'pause' }] }][step - 1] ?? done,
        helper: ({ step }) => (step === 1 ? { calls: [create] } : done),
        low: () => worker,
      },
    };
  };

/** The same with a companion of a helper that is a tool. */
const byCompanions =
  (worker: Answer) =>
  (tree: Tree): TreeParts => {
    const low = agentOf('low', { tools: [asks] });
    const helper = agentOf('helper', { persistentAgents: [{ agent: low, mode: 'non-blocking' }] });
    const lead = agentOf('lead', { tools: [createSubAgentTool(helper, question), pause(tree)] });
    const spawn = { name: 'companion__spawnAgent', input: { agent: 'low', initialMessage: 'Work.', name: 'low' } };
    return {
      agents: [lead, helper, low],
      scripts: {
        lead: ({ step }) =>
          [{ calls: [{ name: 'subagent__helper', input: { q: 'x' } }] }, { calls: [{ name: 'pause' }] }][step - 1] ??
          done,
        helper: ({ step }) => (step === 1 ? { calls: [spawn] } : done),
        low: () => worker,
      },
    };
  };

/** Takes 30 s. */
function pause(tree: Tree) {
  return defineTool({
    name: 'pause',
    description: 'Takes its time.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: () => new Promise((resolve) => void tree.time.environment.timer(30_000, () => resolve('Rested.'))),
  });
}

async function ran(make: (tree: Tree) => TreeParts, options: TreeOptions = {}) {
  return withTree(make, options, async (tree) => {
    await tree.start();
    // Longer than calls take, and shorter than the pause of the lead.
    await tree.time.pass(15_000);
    const working = tree.port.working;
    await tree.finish();
    await tree.rest();
    const low = tree.nodes.find(({ agentType }) => agentType === 'low');
    const told =
      low &&
      (await tree
        .soon(command(tree.world.object(tree.address), low.address, 'send', { content: 'More.' }, { caller: 'ada' }))
        .then(
          () => 'taken',
          (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
        ));
    return {
      low: low?.status,
      told,
      working,
      outcome: tree.outcome,
      commits: tree.commits.length,
      problems: tree.time.problems,
    };
  });
}

describe('below a sub-agent whose one call has its result', () => {
  it.each([
    ['works', 'of a prompt', byPrompts({ hang: true })],
    ['works', 'by a companion', byCompanions({ hang: true })],
    ['waits for a person', 'of a prompt', byPrompts({ calls: [{ name: 'ask' }] })],
    ['waits for a person', 'by a companion', byCompanions({ calls: [{ name: 'ask' }] })],
  ])('[CO32, SAW24] whoever %s is stopped, and takes no work: %s', async (_what, _how, make) => {
    const found = await ran(make);
    expect(found).toMatchObject({ low: 'terminated', told: 'terminated', working: 0 });
    expect(found.outcome).toMatchObject({ status: 'completed' });
    expect(found.problems).toEqual([]);
  });

  it('[CO32] is so wherever a crash comes', async () => {
    const calm = await ran(byCompanions({ hang: true }));
    for (let at = 1; at <= calm.commits; at++)
      expect(
        await ran(byCompanions({ hang: true }), { crashAt: new Set([at]) }),
        `a crash after commit ${at}`,
      ).toMatchObject({
        low: 'terminated',
        working: 0,
        problems: [],
      });
  });

  it('[CO32] one whose work has ended stays as it is', async () => {
    const found = await ran(byCompanions(done));
    expect(found).toMatchObject({ low: 'completed', told: 'terminated', working: 0 });
  });
});
