/** Trees that wait for a remote agent: no object is in memory 13 s after the wait has begun. */
import { describe, expect, it } from 'vitest';
import { createRemoteSubAgentTool } from '../../../src/capabilities/remote/define';
import { child, gate, gateTool } from '../../support/control';
import { Tree, type TreeParts } from '../../support/harness';
import { agentOf, question } from '../../support/trees';
import { finished, GONE_MS, type Kind, leavesMemory, MINUTE_MS, suspended } from '../../support/waits';
import { elsewhere } from './support/elsewhere';
import { farParts, hanging } from './support/far';

/** A root whose remote sub-agent asks a person. */
function farWaits(tree: Tree, beats = false) {
  const far = createRemoteSubAgentTool('far', {
    description: 'Works elsewhere.',
    inputSchema: question,
    remoteAgentType: 'Far',
    transport: (env: { transport: ReturnType<typeof elsewhere> }) => env.transport,
  });
  return {
    agents: [agentOf('top', { tools: [far] }), agentOf('far', { inputSchema: question, tools: [gateTool(tree)] })],
    scripts: {
      top: [{ calls: [child('far')] }, { text: 'Done.' }],
      far: [{ calls: [gate] }, { text: 'Answered.' }],
    },
    env: { transport: elsewhere(tree, { beats: (stream) => beats && stream > 1 }) },
  } satisfies TreeParts;
}

const away = { is: false };

const KINDS: readonly Kind[] = [
  { name: 'a person', parts: (tree) => farWaits(tree), until: suspended },
  { name: 'a person while its stream stays open', parts: (tree) => farWaits(tree, true), until: suspended },
  {
    name: 'a stop that the other side does not take',
    parts: (tree) => hanging(tree, { isAway: () => away.is }),
    until: async (tree) => {
      away.is = false;
      await tree.time.until(() => tree.port.working > 0);
      await tree.time.pass(2_000);
      away.is = true;
      await tree.soon(tree.stopAt(tree.address, 'terminate'));
      await finished(tree);
      await tree.time.pass(30 * MINUTE_MS);
    },
  },
  {
    name: 'nothing, after its end',
    parts: (tree) => farParts(tree),
    until: finished,
  },
];

describe('a tree with a remote agent', () => {
  it.each(KINDS)('[B10] leaves memory while it waits for $name', leavesMemory);
});

describe('a remote run that waits for a person', () => {
  it('[B11] is looked at once a minute by the alarm, from out of memory each time', async () => {
    let calls: readonly string[] = [];
    const tree = new Tree((it) => {
      const parts = farWaits(it);
      calls = parts.env.transport.calls;
      return parts;
    });
    try {
      await tree.start();
      await suspended(tree);
      await tree.time.pass(GONE_MS);
      const looks: number[] = [];
      for (let minute = 0; minute < 10; minute++) {
        tree.crash();
        const before = calls.length;
        await tree.time.pass(MINUTE_MS);
        looks.push(calls.slice(before).filter((verb) => verb === 'status').length);
      }
      expect(looks).toEqual(looks.map(() => 1));
    } finally {
      tree.close();
    }
  });
});
