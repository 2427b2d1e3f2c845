/** A copy of a root whose session was handed over. */
import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../../../src/core/definition/definition';
import { isObject } from '../../../../src/protocol/json';
import { ask } from '../../../support/asks';
import { type TreeParts, withTree } from '../../../support/harness';
import { speakerOf } from '../../../support/prompts';

const to = (name: string, input = {}) => ({ name, input });

describe('a copy of a session that was handed over', () => {
  const parts = (): TreeParts => {
    const third = speakerOf('third');
    const second: AgentDefinition = speakerOf('second', { tools: ['third'], agents: () => [third] });
    return {
      agents: [speakerOf('first', { tools: ['second'], agents: () => [second] })],
      scripts: {
        first: ({ messages }) => (messages.length > 1 ? { calls: [to('second')] } : { text: 'First.' }),
        second: ({ messages }) => (messages.at(-1)?.role === 'tool' ? { text: 'Second.' } : { calls: [to('third')] }),
        third: () => ({ text: 'Third.' }),
      },
    };
  };

  it.each([
    [1, undefined],
    [3, 'second'],
    [5, 'third'],
  ])('[CP66] at step %i is that of who worked then, as its status says', async (step, active) => {
    await withTree(parts, {}, async (tree) => {
      for (const turn of ['a', 'b', 'c']) {
        await tree.start(turn);
        await tree.rest();
      }
      const checkpoint = `${tree.state().session.sessionId}.${step}`;
      expect(await ask(tree, 'fork', { name: 'two', checkpoint })).toMatchObject({ ok: true });
      const two = '/agents/first/two';
      const said = await ask(tree, 'status', {}, undefined, two);
      const shown: unknown = said.ok ? said.body : said.error;
      expect(shown).toMatchObject({ agentType: 'first' });
      expect(isObject(shown) ? shown.activeAgent : shown).toBe(active);
    });
  });
});
