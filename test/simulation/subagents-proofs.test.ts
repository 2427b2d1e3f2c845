/** Sub-agents of prompts where it is hard: stable requests, floods, and ends that are stopped or lost. */

import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { namedChildren } from '../../src/engine/children/prompt-subagents';
import type { CallResult } from '../../src/protocol/messages';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, leadOf, referencesIn, registryIn } from '../support/prompts';
import { moments } from '../support/sizes';
import { noteTool, toolResults } from '../support/trees';

const resultOf = (result: CallResult): unknown => (result.success ? result.value : result.error);
const create = (message: string) => ({ name: 'subagent_create', input: { agent: 'worker', message, name: message } });
const note = { name: 'note', input: { text: 'x' } };
const reply = ({ messages }: Pick<ModelRequest, 'messages'>): number =>
  messages.filter(({ role }) => role === 'assistant').length + 1;

async function ran(make: (tree: Tree) => TreeParts, options: TreeOptions = {}) {
  return withTree(make, options, async (tree) => {
    await tree.start();
    await tree.rest();
    return {
      results: toolResults(tree).map(resultOf),
      asked: tree.port.asked.filter(({ agentType }) => agentType === 'lead'),
      all: tree.port.asked,
      envelopes: envelopesIn(tree.transcript()),
      transcript: tree.transcript(),
      outcome: tree.outcome,
      nodes: tree.nodes,
      kinds: tree.kinds,
      problems: tree.time.problems,
    };
  });
}

/** A lead that does not wait for its worker, and takes as many steps as its worker. */
const background =
  (worker: (request: ModelRequest) => ReturnType<typeof answerOf>, steps = 4) =>
  (tree: Tree): TreeParts => {
    const agent = dualOf('worker', { tools: [noteTool(tree)] });
    return {
      agents: [leadOf([noteTool(tree), lasting('worker', { blocking: false })], [agent]), agent],
      scripts: {
        lead: ({ messages }) => {
          const number = reply({ messages });
          if (number === 1) return { calls: [create('one')] };
          return number < steps ? { calls: [note] } : { text: `Heard ${envelopesIn(messages).length}.` };
        },
        worker,
      },
    };
  };
const answerOf = (answer: { text?: string; calls?: (typeof note)[]; fail?: { code: 'model_error' } }) => answer;

describe('a request', () => {
  it('[SA50, SAQ9] begins with the same bytes as the one before as long as the registry is the same', async () => {
    const { asked } = await ran(background(({ step }) => (step < 12 ? { calls: [note] } : { text: 'Ran.' }), 8));
    const texts = asked.map(({ messages }) => messages.map((one) => JSON.stringify(one)).join('\n'));
    const same = asked.flatMap(({ messages }, at) => {
      const before = asked[at - 1]?.messages;
      return before && registryIn(before) === registryIn(messages) ? [at] : [];
    });
    expect(same.length).toBeGreaterThan(3);
    for (const at of same) expect(texts[at]?.startsWith(texts[at - 1] ?? '-'), `request ${at}`).toBe(true);
  });
});

describe('a provider that always fails', () => {
  it('[SAW5, SAW3] is a failure that the parent is told once', async () => {
    const { envelopes, outcome } = await ran(background(() => ({ fail: { code: 'model_error' } })));
    expect(envelopes).toEqual([expect.stringMatching(/has reported a failure:\n\n./)]);
    expect(outcome).toMatchObject({ status: 'completed', output: 'Heard 1.' });
  });
});

describe('calls together', () => {
  const flood = (cap: number, calls: number) => (): TreeParts => {
    const agent = dualOf('worker');
    const entry = lasting('worker', {
      blocking: false,
      resumable: { receives_messages: 'side_a', maxInstances: cap },
    });
    return {
      agents: [leadOf([entry], [agent]), agent],
      scripts: {
        lead: ({ messages }) =>
          reply({ messages }) === 1
            ? { calls: Array.from({ length: calls }, (_, at) => create(`w${at}`)) }
            : { text: 'Done.' },
        worker: () => ({ text: 'Ran.' }),
      },
    };
  };

  it('[SAW15, SA30] of 50 that create at a cap of 3 exactly three do, wherever a crash comes', async () => {
    const calm = await ran(flood(3, 50));
    expect(calm.nodes.length).toBe(4);
    expect(calm.results.filter((one) => JSON.stringify(one).includes('max_children')).length).toBe(47);
    for (const commit of moments(calm.kinds, 4, 1)) {
      const found = await ran(flood(3, 50), { crashAt: new Set([commit]) });
      expect(found.nodes.length, `at ${commit}`).toBe(4);
      expect(found.envelopes.length, `at ${commit}`).toBe(3);
    }
  });

  it('[SA47] are in the registry also where more of them are there than one may begin now', async () => {
    await withTree(flood(3, 3), {}, async (tree) => {
      await tree.start();
      await tree.rest();
      // A companion that left with its run is beside them until it is removed.
      const store = tree.store();
      const [one] = store.lastingChildren({ after: 0, limit: 1 });
      if (one === undefined) throw new Error('Nobody is there.');
      const { registered: _registered, ...facts } = one;
      store.write([{ put: 'child', child: { ...facts, childId: 99, name: 'ada', ofRun: 0 }, reuses: false }]);
      expect(namedChildren(store)).toHaveLength(4);
    });
  });

  it('[SA49] of one step have one spawn group', async () => {
    const groups = await withTree(flood(3, 3), {}, async (tree) => {
      await tree.start();
      await tree.rest();
      const children = tree.store().lastingChildren({ after: 0, limit: 10 });
      return children.map(({ registered }) => registered?.spawnGroupId);
    });
    expect(groups).toEqual(Array(3).fill(expect.stringMatching(/^s_.*\.1$/)));
    expect(new Set(groups).size).toBe(1);
  });
});

describe('the end of a session', () => {
  const once = background(({ step }) => (step < 4 ? { calls: [note] } : { text: 'Ran.' }));

  it('[SA46, SAW1, SAW4] is one envelope, wherever its parent dies in its life', async () => {
    const calm = await ran(once);
    for (const commit of moments(calm.kinds, 16)) {
      const found = await ran(once, { crashAt: new Set([commit]) });
      expect(found.envelopes, `at ${commit}`).toEqual([expect.stringMatching(/following result:\n\nRan\.$/)]);
      expect(found.problems, `at ${commit}`).toEqual([]);
    }
  });

  it.each([1, 2, 3])(
    '[SAW4, SAW1] is one envelope, also where the way fails %i times and then doubles',
    async (times) => {
      const tried = new Map<string, number>();
      const network: TreeOptions['network'] = async (address, call, perform) => {
        const key = `${address} ${call.kind}`;
        const count = (tried.get(key) ?? 0) + 1;
        tried.set(key, count);
        if (count <= times) throw new Error('unreachable');
        await perform();
        return perform();
      };
      const { envelopes, outcome } = await ran(once, { network });
      expect(envelopes).toEqual([expect.stringMatching(/following result:\n\nRan\.$/)]);
      expect(outcome).toMatchObject({ status: 'completed' });
    },
  );

  it('[SA65, SAW6] is terminated in the end, however far it was when its parent ended it', async () => {
    const make = (tree: Tree): TreeParts => {
      const parts = once(tree);
      const lead = (request: ModelRequest) => {
        const number = reply(request);
        const [referenceId = ''] = referencesIn(request.messages);
        if (number === 1) return { calls: [create('one')] };
        if (number < wait) return { calls: [note] };
        const asked = JSON.stringify(request.messages).includes('subagent_terminate');
        return asked || referenceId === ''
          ? { text: 'Done.' }
          : { calls: [{ name: 'subagent_terminate', input: { referenceId } }] };
      };
      return { ...parts, scripts: { ...parts.scripts, lead } };
    };
    let wait = 2;
    for (wait = 2; wait < 9; wait++) {
      const { nodes, results } = await ran(make);
      expect(results.at(-1), `after ${wait} steps`).toMatchObject({ status: 'terminated' });
      expect(nodes.at(-1)?.status, `after ${wait} steps`).toBe('terminated');
    }
  });
});
