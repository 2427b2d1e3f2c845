/** Failures as reading verbs show them, in a tree in which every kind of thing has failed. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import { ERROR_CODES, isErrorCode } from '../../src/protocol/errors';
import { command } from '../../src/verbs/command';
import { VERBS } from '../../src/verbs/table';
import { type TreeParts, withTree } from '../support/harness';
import { agentOf, question } from '../support/trees';

const broken = defineTool({
  name: 'broken',
  description: 'Fails.',
  inputSchema: z.object({}),
  execute: () => {
    throw new Error('No.');
  },
});

/** A root whose tool fails, and whose child and hook do. */
const failing = (): TreeParts => {
  const leaf = agentOf('unlucky-leaf');
  const tools = [broken, createSubAgentTool(leaf, question)];
  const top = agentOf('unlucky', {
    tools,
    hooks: {
      onAgentStart: () => {
        throw new Error('No hook.');
      },
    },
  });
  return {
    agents: [top, leaf],
    scripts: {
      unlucky: [
        { calls: [{ name: 'broken' }, { name: 'subagent__unlucky-leaf', input: { q: 'x' } }] },
        { fail: { code: 'model_refused' } },
      ],
      'unlucky-leaf': [{ fail: { code: 'model_refused' } }],
    },
  };
};

/** Every error in an answer: where it is, with its code and its title. */
function errorsIn(value: unknown, at = ''): { at: string; code: string; title: unknown }[] {
  if (typeof value !== 'object' || value === null) return [];
  const { code, message, title } = value as { code?: unknown; message?: unknown; title?: unknown };
  const own = typeof code === 'string' && typeof message === 'string' ? [{ at, code, title }] : [];
  return [...own, ...Object.entries(value).flatMap(([name, each]) => errorsIn(each, `${at}.${name}`))];
}

it('[A54, A83] every error that a verb shows has the title of its code', () =>
  withTree(failing, {}, async (tree) => {
    await tree.start();
    await tree.rest();
    const seen = new Set<string>();
    const wrong: unknown[] = [];
    for (const { address } of tree.nodes) {
      // The transcript has results as the model reads them.
      const reading = VERBS.filter(({ method, name }) => method === 'GET' && name !== 'messages');
      for (const { name } of reading.filter((verb) => verb.input.safeParse({}).success)) {
        const answer = await tree
          .soon(command(tree.world.object(tree.address), address, name as 'status', {}))
          .catch(() => undefined);
        for (const { at, code, title } of errorsIn(answer)) {
          seen.add(name);
          if (title !== (isErrorCode(code) ? ERROR_CODES[code].title : undefined)) wrong.push([name, at, code, title]);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining(['status', 'tree', 'runs', 'calls', 'logs']));
  }));
