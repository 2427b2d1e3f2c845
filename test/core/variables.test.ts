import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { declaredVariables, scopedNeeds } from '../../src/core/definition/children/child-graph';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition, AnyTool } from '../../src/core/definition/definition';
import type { VariableDefinition } from '../../src/core/definition/variables';
import type { JsonLike } from '../../src/protocol/json';
import { digestOf } from '../../src/verbs/content-hash';
import { noModel } from '../support/no-model';

const inputSchema = z.object({});
const tool = (name: string, more: { variables?: readonly VariableDefinition[]; uses?: readonly AnyTool[] } = {}) =>
  defineTool({ name, description: 'Works.', inputSchema, execute: () => null, ...more });
const agent = (name: string, tools: AnyTool[] = [], variables: VariableDefinition[] = []): AgentDefinition =>
  defineAgent({ name, systemPrompt: 'Work.', model: noModel, inputSchema, tools, variables });
const needs = (name: string, more: Partial<VariableDefinition> = {}): VariableDefinition => ({
  name,
  type: 'secret',
  required: true,
  scoped: true,
  ...more,
});

describe('variables of a definition', () => {
  it.for([
    ['1A', 'must begin with a letter'],
    ['A-B', 'must begin with a letter'],
    ['', 'must begin with a letter'],
    [`A${'B'.repeat(128)}`, 'at most 128'],
  ])('[VR1] refuses the name %j, of a tool and of an agent', ([name = '', text = '']) => {
    expect(() => tool('t', { variables: [needs(name)] })).toThrow(text);
    expect(() => agent('a', [], [needs(name)])).toThrow(text);
  });

  it('[VR1] refuses what is none: a type, two of a name, an unknown option, a value that is no text or too long', () => {
    const bad = (other: object) => tool('t', { variables: [Object.assign(needs('A'), other)] });
    expect(() => bad({ type: 'number' })).toThrow("'text' or 'secret'");
    expect(() => bad({ scope: true })).toThrow('unknown options: scope');
    expect(() => bad({ required: 'yes' })).toThrow('must be true or false');
    expect(() => tool('t', { variables: [needs('A'), needs('A')] })).toThrow('two variables named "A"');
    expect(() => tool('t', { uses: Object.assign([tool('u')], ['other']) })).toThrow('must be a list of tools');
    const env = (value: unknown) => () =>
      defineAgent({ name: 'a', systemPrompt: 'Work.', model: noModel, env: Object.assign({ A: '' }, { A: value }) });
    expect(env(1)).toThrow('`env.A` must be a string');
    expect(env('x'.repeat(8_193))).toThrow('at most 8192');
    expect(env('x'.repeat(8_192))).not.toThrow();
    expect(tool('t', { variables: [needs(`A${'B'.repeat(127)}`)] }).variables).toHaveLength(1);
  });

  it('[VR1] one name that is asked for twice is one variable, as strict as the strictest', () => {
    const loose = tool('loose', { variables: [{ name: 'A', type: 'text' }] });
    const strict = tool('strict', { variables: [needs('A', { description: 'The key.' })] });
    expect(declaredVariables(agent('a', [loose, strict])).get('A')).toEqual({
      name: 'A',
      type: 'secret',
      required: true,
      scoped: true,
      description: 'The key.',
    });
  });
});

describe('the child graph', () => {
  it('[SA32] reports a variable three levels down: agent, sub-agent, tool, the tool that this uses', () => {
    const used = tool('used', { variables: [needs('DEEP')] });
    const leaf = agent('leaf', [tool('reads', { uses: [used] })]);
    const middle = agent('middle', [createSubAgentTool(leaf)], [needs('B'), needs('A')]);
    const top = agent('top', [createSubAgentTool(middle)]);
    expect(scopedNeeds(top)).toEqual([
      { definition: middle, names: ['A', 'B'] },
      { definition: leaf, names: ['DEEP'] },
    ]);
  });

  it('[SA32] counts only what is both required and scoped', () => {
    const some = [needs('A', { required: false }), needs('B', { scoped: false }), needs('C')];
    expect(scopedNeeds(agent('a', [tool('t', { variables: some })]))).toMatchObject([{ names: ['C'] }]);
    expect(scopedNeeds(agent('a'))).toEqual([]);
  });

  it('[SA32] ends where agents name each other, and tools themselves', () => {
    const tools: AnyTool[] = [];
    const one: AgentDefinition = agent('one', [createSubAgentTool(() => other, { name: 'other' })], [needs('A')]);
    const other: AgentDefinition = agent('other', [createSubAgentTool(() => one, { name: 'one' })], [needs('B')]);
    expect(scopedNeeds(one).map((need) => [need.definition.name, need.names])).toEqual([
      ['one', ['A']],
      ['other', ['B']],
    ]);
    const self = { ...tool('self', { variables: [needs('SELF')] }), uses: tools };
    tools.push(self);
    expect([...declaredVariables(agent('a', [self])).keys()]).toEqual(['SELF']);
  });
});

it('[VR3] of requests under one key the names of their variables are compared, and which are forgotten, never the values', () => {
  const start = (env: JsonLike, input = 'a') => digestOf({ input, env });
  const given = start({ TOKEN: 'x', OLD: null });
  expect(start({ OLD: null, TOKEN: 'y' })).toBe(given);
  for (const other of [
    { TOKEN: 'x' },
    { TOKEN: null, OLD: null },
    { TOKEN: 'x', OLD: 'x' },
    { KEY: 'x', OLD: null },
    7,
  ])
    expect(start(other)).not.toBe(given);
  expect(start({ TOKEN: 'x', OLD: null }, 'b')).not.toBe(given);
  expect(start(null)).not.toBe(start('x'));
});
