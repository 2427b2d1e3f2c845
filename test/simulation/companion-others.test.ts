/** A wait for one of several that stops the others, with crashes at every commit. */
import { describe, expect, it } from 'vitest';
import { gate, gateTool } from '../support/control';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { moments } from '../support/sizes';
import { agentOf } from '../support/trees';

const names = ['north', 'south', 'west'];

/** Three scouts, of which one says something at once, and the others ask a person. */
const scouting = (tree: Tree): TreeParts => {
  const scout = agentOf('scout', { tools: [gateTool(tree)] });
  const top = agentOf('top', { persistentAgents: [{ agent: scout, mode: 'non-blocking' }] });
  const companion = (tool: string, input: { readonly [key: string]: string | string[] }) => ({
    name: `companion__${tool}`,
    input,
  });
  return {
    agents: [top, scout],
    scripts: {
      top: ({ messages }) => {
        const done = messages.filter(({ role }) => role === 'tool').length;
        if (done === 0)
          return {
            calls: names.map((name) => companion('spawnAgent', { agent: 'scout', name, initialMessage: name })),
          };
        if (done === names.length)
          return { calls: [companion('waitForResult', { names, need: 'any', others: 'stop' })] };
        return { text: 'Done.' };
      },
      scout: ({ messages }) =>
        messages.some((one) => one.role === 'user' && one.content === 'west') ? { text: 'Land.' } : { calls: [gate] },
    },
  };
};

async function scouted(options: TreeOptions = {}) {
  return withTree(scouting, options, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    const told = tree.transcript().flatMap((one) => (one.role === 'tool' ? [one.result] : []));
    const nodes = tree.nodes.map(({ address, status }) => [address.split('/').at(-1), status]);
    return {
      told: told.at(-1),
      nodes,
      pending: tree.pending.length,
      kinds: tree.kinds,
      problems: tree.time.problems,
    };
  });
}

describe('a wait for any that stops the others', () => {
  it('[CO26, RC5] goes on with the first, and the others rest, wherever a crash comes', async () => {
    const calm = await scouted();
    expect(calm.told).toMatchObject({
      value: {
        children: [
          { name: 'west', result: 'Land.' },
          { name: 'north', stopped: true },
          { name: 'south', stopped: true },
        ],
      },
    });
    expect(calm.nodes).toEqual([
      ['one', 'completed'],
      ['north', 'interrupted'],
      ['south', 'interrupted'],
      ['west', 'completed'],
    ]);
    expect([calm.pending, calm.problems]).toEqual([0, []]);
    for (const commit of moments(calm.kinds, 13)) {
      const found = await scouted({ crashAt: new Set([commit]) });
      const what = `a crash at ${commit}`;
      expect([found.told, found.nodes, found.pending, found.problems], what).toEqual([calm.told, calm.nodes, 0, []]);
    }
  });
});
