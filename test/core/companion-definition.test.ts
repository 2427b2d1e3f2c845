/** The options of a companion, where an agent is defined. */
import { describe, expect, it } from 'vitest';
import type { PersistentAgent } from '../../src/core/definition/children/companion';
import { agentOf } from '../support/trees';

const critic = agentOf('critic');
const invalid = { code: 'invalid_definition' };
const given = () => critic;
const keeper = (...persistentAgents: readonly PersistentAgent[]) => agentOf('keeper', { persistentAgents });

describe('persistentAgents', () => {
  it.each([
    ['as they are', [{ agent: critic }, { agent: critic, mode: 'non-blocking' }], '"critic"'],
    ['as one function', [{ agent: given }, { agent: given }], 'the same function'],
    ['with others between', [{ agent: critic }, { agent: agentOf('scout') }, { agent: critic }], '"critic"'],
  ] as const)('[CO33] F94: have each kind once: %s', (_, twice, named) => {
    expect(() => keeper(...twice)).toThrow(expect.objectContaining(invalid));
    expect(() => keeper(...twice)).toThrow(`Agent "keeper" has ${named} twice in \`persistentAgents\``);
  });

  it('[CO33] F94: have two kinds side by side, and no name of their own', () => {
    expect(keeper({ agent: critic }, { agent: agentOf('scout') }).companions).toHaveLength(2);
    expect(() => keeper({ agent: critic, ...Object({ name: 'ada' }) })).toThrow(expect.objectContaining(invalid));
  });
});
