/** The tree of copies whose stores are kept for each format. What a kept store needs of it stays. */
import { expect } from 'vitest';
import * as z from 'zod';
import { defineEffect } from '../../../../src/capabilities/effects/define-effect';
import { defineTool } from '../../../../src/core/definition/define-tool';
import type { ToolContext } from '../../../../src/core/definition/tool-context';
import type { JsonObject } from '../../../../src/protocol/json';
import { ask, code, turn } from '../../../support/asks';
import type { Tree } from '../../../support/harness';
import type { KeptTree } from '../../../support/kept-formats';
import { companion, heard, questions } from '../../../support/levels';
import { agentOf, answer, noteTool, toolResults } from '../../../support/trees';

const [TOP, TWO] = ['/agents/top/one', '/agents/top/two'];
const HOUR = 3_600_000;

const call = (name: string, input: JsonObject) => ({ name, input });

/** What was done in this life: effects, and hooks that were told of an end. */
const done = new WeakMap<Tree, string[]>();
const doneIn = (tree: Tree): string[] => {
  const known = done.get(tree) ?? [];
  done.set(tree, known);
  return known;
};

/**
 * A keeper with two companions, of which one is a copy of the other: it was given a variable, has scheduled an effect,
 * counts in its custom state, has a hook, and was copied itself.
 */
export const companions: KeptTree = {
  name: 'companions',
  parts(tree) {
    const remind = defineEffect({
      name: 'remind',
      description: 'Notes a text.',
      schema: z.object({ text: z.string() }),
      execute: ({ text }, { agent }) => void doneIn(tree).push(`${text} of ${agent.address}`),
    });
    const plan = defineTool({
      name: 'plan',
      description: 'Plans.',
      inputSchema: z.object({}),
      variables: [{ name: 'KEY', type: 'secret', required: true, scoped: true, description: 'A key.' }],
      execute: async (_, context: ToolContext<{ turns: number }>) => {
        context.updateState(({ turns }) => ({ turns: turns + 1 }));
        await context.scheduleEffect('remind', { text: 'Look again' }, HOUR);
        return { key: (await context.variable('KEY')) === 'value' };
      },
    });
    const scout = agentOf('scout', { tools: [noteTool(tree)], outputSchema: answer });
    const top = agentOf('top', {
      tools: [plan],
      effects: [remind],
      persistentAgents: [{ agent: scout }],
      stateSchema: z.object({ turns: z.number().default(0) }),
      hooks: { onRunSettled: ({ status }, { agent }) => void doneIn(tree).push(`${status} of ${agent.address}`) },
    });
    return {
      agents: [top, scout],
      scripts: {
        top: ({ messages }) => {
          const said = questions(messages);
          const last = said.at(-1) ?? '';
          if (messages.at(-1)?.role !== 'user') return { text: heard(messages) };
          if (last === 'begin')
            return { calls: [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'first' })] };
          if (last === 'fork')
            return { calls: [companion('forkChild', { name: 'ada', newName: 'bob', message: 'forked' })] };
          if (last === 'plan') return { calls: [call('plan', {})] };
          const [name = '', ...words] = last.split(' ');
          return { calls: [companion('sendMessage', { name, message: words.join(' '), wait: true })] };
        },
        scout: ({ messages }) => ({ finish: { answer: questions(messages).join(' ') } }),
      },
    };
  },
  async fill(tree) {
    expect(code(await ask(tree, 'start', { message: 'begin', env: { KEY: 'value' } }, 'begin'))).toBe('ok');
    await tree.rest();
    await turn(tree, TOP, 'fork');
    expect(code(await ask(tree, 'fork', { name: 'two' }, 'copy'))).toBe('ok');
    await tree.rest();
    // What it has scheduled is still to come when it is kept.
    expect(code(await ask(tree, 'send', { content: 'plan' }, 'plan'))).toBe('ok');
    await tree.time.pass(20_000);
  },
  async finish(tree) {
    expect(doneIn(tree)).toEqual([]);
    expect(await turn(tree, TOP, 'ada second')).toBe('first second');
    expect(await turn(tree, TOP, 'bob third')).toBe('first forked third');
    expect(await turn(tree, TWO, 'ada fourth')).toBe('first fourth');
    // Variables stay with the original, and so does what it has scheduled.
    await turn(tree, TOP, 'plan');
    expect(toolResults(tree).at(-1)).toEqual({ success: true, value: { key: true } });
    expect(tree.state(TOP).custom).toEqual({ turns: 2 });
    await tree.time.pass(2 * HOUR);
    const effects = doneIn(tree).filter((line) => line.startsWith('Look'));
    expect(effects).toEqual([`Look again of ${TOP}`, `Look again of ${TOP}`]);
    const settled = doneIn(tree).filter((line) => line.startsWith('completed'));
    expect(settled.sort()).toEqual([TOP, TOP, TOP, TWO].map((address) => `completed of ${address}`));
    expect(tree.state(TOP).slices).toEqual(new Map());
  },
};
