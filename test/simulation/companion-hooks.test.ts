/** Hooks of an agent that keeps companions. */
import { describe, expect, it } from 'vitest';
import { type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { moments } from '../support/sizes';
import { agentOf } from '../support/trees';

async function hooked(options: TreeOptions = {}) {
  const told = new Map<string, unknown>();
  const scout = agentOf('scout');
  const top = agentOf('top', {
    persistentAgents: [{ agent: scout }],
    hooks: {
      afterTool: ({ tool, result }) => {
        told.set(tool.toolCallId, [tool.name, result]);
      },
    },
  });
  const parts = (): TreeParts => ({
    agents: [top, scout],
    scripts: {
      top: [
        { calls: [{ name: 'companion__spawnAgent', input: { agent: 'scout', name: 'ada', initialMessage: 'Look.' } }] },
        { calls: [{ name: 'companion__stopChild', input: { name: 'ada' } }] },
        { text: 'Done.' },
      ],
      scout: [{ text: 'Land.' }],
    },
  });
  return withTree(parts, options, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    return {
      told: [...told.values()],
      kinds: tree.kinds,
      outcome: tree.outcome,
      problems: tree.time.problems,
    };
  });
}

describe('afterTool', () => {
  it('[HK19, HK11] is told of companion calls with what the model reads, wherever a crash comes', async () => {
    const calm = await hooked();
    expect(calm.told).toMatchObject([
      ['companion__spawnAgent', { success: true, value: { name: 'ada', output: 'Land.' } }],
      ['companion__stopChild', { success: true, value: { stopped: false } }],
    ]);
    for (const commit of moments(calm.kinds, 8)) {
      const found = await hooked({ crashAt: new Set([commit]) });
      expect([found.told, found.outcome, found.problems], `a crash at ${commit}`).toEqual([
        calm.told,
        calm.outcome,
        [],
      ]);
    }
  });
});
