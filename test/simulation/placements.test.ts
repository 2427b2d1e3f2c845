/** One contract for every placement: a child in its parent's object, in one of its own, and elsewhere. */
import { describe, expect, it } from 'vitest';
import { createSubAgentTool } from '../../src/core/definition/relationship';
import type { RemoteAgentTransport } from '../../src/core/definition/remote-transport';
import { createRemoteSubAgentTool, defineRemoteAgent } from '../../src/remote-agents';
import { type Place, partsOf, SCENARIOS, type Scenario, seen, stageOf } from '../contract/delegation';
import { elsewhere } from '../support/elsewhere';
import { Tree } from '../support/harness';
import { type agentOf, answer, question } from '../support/trees';

interface Env {
  readonly transport: RemoteAgentTransport;
}

/** Of a child's whole task. */
const timeoutMs = 10_000;

const here = (far: ReturnType<typeof agentOf>, placement: 'facet' | 'object'): ReturnType<Place> => ({
  tools: [
    createSubAgentTool(far, { timeoutMs, placement }),
    createSubAgentTool(far, { name: 'later', timeoutMs, placement, background: true }),
  ],
  companion: { agent: far, timeoutMs, placement },
});

const PLACES: { readonly [via: string]: Place } = {
  facet: (_tree, far) => here(far, 'facet'),
  object: (_tree, far) => here(far, 'object'),
  remote: (tree) => {
    const there = {
      description: 'Works elsewhere.',
      outputSchema: answer,
      remoteAgentType: 'Far',
      transport: (env: Env) => env.transport,
    };
    return {
      tools: [
        createRemoteSubAgentTool('far', { ...there, inputSchema: question, timeoutMs }),
        createRemoteSubAgentTool('later', { ...there, inputSchema: question, timeoutMs, background: true }),
      ],
      companion: { agent: defineRemoteAgent(there), timeoutMs },
      env: { transport: elsewhere(tree) },
    };
  },
};

async function played(via: string, scenario: Scenario) {
  const place = PLACES[via];
  if (place === undefined) throw new Error(`There is no placement ${via}.`);
  const tree = new Tree((it) => partsOf(it, place, scenario));
  await tree.start();
  await scenario.meanwhile?.(stageOf(tree));
  await tree.finish();
  await tree.rest();
  const found = { saw: seen(tree), problems: tree.time.problems };
  tree.close();
  return found;
}

const scenarios = Object.entries(SCENARIOS);

describe('a child, wherever it lives', () => {
  it.each(scenarios)('[RM1, RM16] F82, F86, F116: is seen alike: %s', async (_name, scenario) => {
    const facet = await played('facet', scenario);
    expect(facet.problems).toEqual([]);
    for (const via of Object.keys(PLACES)) {
      const { saw, problems } = await played(via, scenario);
      expect(saw, via).toEqual(facet.saw);
      expect(problems, via).toEqual([]);
    }
  });
});
