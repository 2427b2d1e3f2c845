/** Calls of companion tools that do not fit: each is a result that the model reads, and nothing begins. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json';
import { type TreeParts, withTree } from '../support/harness';
import { agentOf, toolResults } from '../support/trees';

const spawned = { agent: 'scout', initialMessage: 'Look.', name: 'ada' };

/** The results of calls after a companion has begun, with the agents that there are at the end. */
async function refused(calls: readonly (readonly [tool: string, input: JsonObject])[]) {
  const made = calls.map(([tool, input]) => ({ name: `companion__${tool}`, input }));
  const make = (): TreeParts => ({
    agents: [agentOf('keeper', { persistentAgents: [{ agent: agentOf('scout') }] }), agentOf('scout')],
    scripts: {
      keeper: [{ calls: [{ name: 'companion__spawnAgent', input: spawned }] }, { calls: made }, { text: 'Done.' }],
      scout: () => ({ text: 'Seen.' }),
    },
  });
  return withTree(make, {}, async (tree) => {
    await tree.run();
    const [, ...results] = toolResults(tree);
    const told = tree.log.filter(({ chunk }) => chunk.type === 'subagent_message').length;
    return {
      codes: results.map((result) => (result.success ? 'taken' : result.error.code)),
      messages: results.map((result) => (result.success ? '' : result.error.message)),
      agents: tree.nodes.length,
      told,
      outcome: tree.outcome,
    };
  });
}

describe('a companion call that does not fit', () => {
  it.each([
    ['an empty first message', 'spawnAgent', { ...spawned, name: 'bob', initialMessage: '' }, 'initialMessage'],
    ['no first message', 'spawnAgent', { agent: 'scout', name: 'bob' }, 'initialMessage'],
    ['an empty name', 'spawnAgent', { ...spawned, name: '' }, 'name'],
    ['a name of 129 characters', 'spawnAgent', { ...spawned, name: 'x'.repeat(129) }, 'name'],
    ['a kind that there is not', 'spawnAgent', { ...spawned, name: 'bob', agent: 'nobody' }, 'agent'],
    ['an argument that nobody knows', 'spawnAgent', { ...spawned, name: 'bob', priority: 1 }, 'priority'],
    ['an empty message', 'sendMessage', { name: 'ada', message: '' }, 'message'],
    ['no message', 'sendMessage', { name: 'ada' }, 'message'],
    ['an empty name to tell', 'sendMessage', { name: '', message: 'x' }, 'name'],
    ['a time of 0 ms', 'waitForResult', { name: 'ada', timeout: 0 }, 'timeout'],
    ['a time below 0', 'waitForResult', { name: 'ada', timeout: -1 }, 'timeout'],
    ['a time that is no whole number', 'waitForResult', { name: 'ada', timeout: 1.5 }, 'timeout'],
  ] as const)('[CO1] F96: %s is a result that names it, and nothing begins', async (_, tool, input, named) => {
    const { codes, messages, agents, told, outcome } = await refused([[tool, input]]);
    expect(codes).toEqual(['invalid_arguments']);
    expect(messages[0]).toContain(named);
    expect([agents, told]).toEqual([2, 0]);
    expect(outcome).toMatchObject({ status: 'completed' });
  });

  it('[CO1] F96: what is just within its bounds is taken', async () => {
    const { codes, agents } = await refused([
      ['spawnAgent', { ...spawned, name: 'x'.repeat(128), initialMessage: '.' }],
      ['sendMessage', { name: 'ada', message: '.' }],
    ]);
    expect([codes, agents]).toEqual([['taken', 'taken'], 3]);
  });
});
