/** Sub-agents that begin with a prompt, and those that a variable turns on. */
import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../src/core/definition/definition';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { isOn } from '../../src/engine/children/prompt-subagents';
import type { CallResult } from '../../src/protocol/messages';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, leadOf, promptOf, referencesIn } from '../support/prompts';
import { moments } from '../support/sizes';
import { toolResults } from '../support/trees';

const MOST = 10;
const resultOf = (result: CallResult): unknown => (result.success ? result.value : result.error);
const reply = ({ messages }: Pick<ModelRequest, 'messages'>): number =>
  messages.filter(({ role }) => role === 'assistant').length + 1;

async function ran(make: (tree: Tree) => TreeParts, crashAt: readonly number[] = []) {
  return withTree(make, { crashAt: new Set(crashAt) }, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    return {
      results: toolResults(tree).map(resultOf),
      asked: tree.port.asked,
      envelopes: envelopesIn(tree.transcript()),
      outcome: tree.outcome,
      nodes: tree.nodes.map(({ address }) => address),
      log: tree.log,
      kinds: tree.kinds,
      problems: tree.time.problems,
    };
  });
}

/** A chain of agents, each of which begins the next with its prompt. */
function chain(...names: readonly string[]): AgentDefinition[] {
  const agents: AgentDefinition[] = [];
  for (const name of names.toReversed()) {
    const [below] = agents;
    const begins = below ? { tools: [lasting(below.name, { immediate: true })], agents: [below] } : {};
    agents.unshift(
      dualOf(name, {}, { sideA: { prompt: promptOf(`${name}_a`, begins) }, sideB: { prompt: promptOf(`${name}_b`) } }),
    );
  }
  return agents;
}

describe('a sub-agent that begins with a prompt', () => {
  const three = (): TreeParts => {
    const below = chain('first', 'second');
    const [first] = below;
    if (first === undefined) throw new TypeError('There is no chain.');
    return {
      agents: [leadOf([lasting('first', { immediate: true })], [first]), ...below],
      scripts: {
        lead: ({ messages }) => ({ text: `Knows ${referencesIn(messages).length}.` }),
        first: [{ text: 'I am first.' }, { text: 'Still.' }],
        second: [{ text: 'I am second.' }],
      },
    };
  };

  it('[SA24, SA25, SAW22] is there before the first step, and so are those of its own prompts, once', async () => {
    const { asked, nodes, outcome, log, problems } = await ran(three);
    const [opening] = asked.filter(({ agentType }) => agentType === 'lead');
    expect(opening && referencesIn(opening.messages).length).toBe(1);
    expect(nodes.filter((address) => address.includes('/sub/')).length).toBe(2);
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(log.filter(({ chunk }) => chunk.type === 'subagent_start').length).toBe(2);
    expect(problems).toEqual([]);
  });

  it('[SA26, SAW23] is begun once, wherever a crash comes', async () => {
    const calm = await ran(three);
    for (const commit of moments(calm.kinds, MOST, 1)) {
      const found = await ran(three, [commit]);
      expect(found.log.filter(({ chunk }) => chunk.type === 'subagent_start').length, `at ${commit}`).toBe(2);
      expect(found.outcome, `at ${commit}`).toMatchObject({ status: 'completed' });
      expect(found.problems, `at ${commit}`).toEqual([]);
    }
  });

  it('[SA25, SAW23] which would begin itself again is none: the run fails and says so, and nothing was begun', async () => {
    const { outcome, nodes } = await ran(() => {
      const again: AgentDefinition = dualOf('again', {
        tools: [lasting('again', { immediate: true })],
        agents: () => [again],
      });
      return { agents: [leadOf([lasting('again', { immediate: true })], [again]), again], scripts: {} };
    });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_definition', message: expect.stringContaining('lead, again, again') },
    });
    expect(nodes.length).toBe(1);
  });
});

describe('agents whose prompts name each other', () => {
  const pair = (back: boolean) => (): TreeParts => {
    const one: AgentDefinition = dualOf('one', {
      tools: [lasting('two', { immediate: true })],
      agents: () => [two],
    });
    const two: AgentDefinition = dualOf('two', {
      tools: [lasting('one', { immediate: back })],
      agents: () => [one],
    });
    const text = { text: 'Here.' };
    const scripts = { lead: () => text, one: () => text, two: () => text };
    return { agents: [leadOf([lasting('one', { immediate: true })], [one]), one, two], scripts };
  };

  it('[SA25, SAW23] and begin each other would do so without end: none is begun, and the names on the way are told', async () => {
    const { outcome, nodes } = await ran(pair(true));
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_definition', message: expect.stringContaining('lead, one, two, one') },
    });
    expect(nodes.length).toBe(1);
  });

  it('[SA25] end where one of them waits to be called', async () => {
    const { outcome, nodes, problems } = await ran(pair(false));
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(nodes.filter((address) => address.includes('/sub/')).length).toBe(2);
    expect(problems).toEqual([]);
  });
});

describe('a side whose prompt begins one', () => {
  it('[SA24, SA26] waits for it when its first turn comes, and the turns go on as they would', async () => {
    const make = (): TreeParts => {
      const worker = dualOf('worker');
      const pair = dualOf(
        'lead',
        {},
        {
          maxSessionTurns: 4,
          sideB: { prompt: promptOf('lead_b', { tools: [lasting('worker', { immediate: true })], agents: [worker] }) },
        },
      );
      return {
        agents: [pair, worker],
        scripts: {
          lead: ({ messages }) => ({ text: `Turn, with ${referencesIn(messages).length}.` }),
          worker: () => ({ text: 'Here.' }),
        },
      };
    };
    const calm = await ran(make);
    const asked = calm.asked.filter(({ agentType }) => agentType === 'lead');
    expect(asked.slice(0, 4).map(({ messages }) => referencesIn(messages).length)).toEqual([0, 1, 0, 1]);
    expect(calm.log.filter(({ chunk }) => chunk.type === 'subagent_start').length).toBe(1);
    expect(calm.problems).toEqual([]);
  });
});

describe('a variable that turns a sub-agent on', () => {
  it.each(['true', 'TRUE', ' True ', '1', 'yes', 'YES\n'])('[SA22] does so with %j', (value) => {
    expect(isOn(value)).toBe(true);
  });

  it.each([undefined, '', 'on', 'y', 'enabled', '2', 'false', '0', 'truee', 'y e s', 1, true, null])(
    '[SA22] does not with %j',
    (value) => {
      expect(isOn(value)).toBe(false);
    },
  );

  const switched = (env: Record<string, string>) => (): TreeParts => {
    const worker = dualOf('worker');
    const entry = lasting('worker', { optional: 'WORKER_ON', immediate: true });
    return {
      agents: [leadOf([entry], [worker], { env }), worker],
      scripts: {
        lead: ({ messages, tools }) => {
          if (reply({ messages }) > 1) return { text: 'Done.' };
          const name = 'subagent_create';
          const offered = tools.some((tool) => tool.name === name);
          if (offered) return { text: 'It is there.' };
          return { calls: [{ name, input: { agent: 'worker', message: 'Do.', name: 'a' } }] };
        },
        worker: [{ text: 'Done.' }],
      },
    };
  };

  it('[SA23] and is off: it is not offered, a call of it all the same is refused, and it does not begin by itself', async () => {
    const { results, nodes, outcome } = await ran(switched({ WORKER_ON: 'no' }));
    expect(results).toMatchObject([{ code: 'forbidden', message: expect.stringContaining('"worker"') }]);
    expect(nodes.length).toBe(1);
    expect(outcome).toMatchObject({ output: 'Done.' });
  });

  it('[SA23, SA24] and is on: it is there as if it were not optional', async () => {
    const { nodes, outcome } = await ran(switched({ WORKER_ON: 'yes' }));
    expect(nodes.length).toBe(2);
    expect(outcome).toMatchObject({ output: 'Done.' });
  });
});
