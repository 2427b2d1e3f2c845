/**
 * What an agent does to a companion, against what happens to that at the same moment: every pair of them, at every commit
 * of the companion's life, also where that commit is the last before a crash. The moments are forced, not timed.
 */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json';
import { FATES, raced, told } from '../support/companion-races';
import { examine } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { companion, questions } from '../support/levels';
import { figures, inTurn, moments } from '../support/sizes';
import { agentOf, answer } from '../support/trees';

/** Commits of each pair that a sweep of `npm test` tries; a night tries all. */
const MOST = 6;

const again = (more: JsonObject = {}) =>
  companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'two', ...more });

/** What the parent does. */
const ACTIONS = {
  'a message': [told('two')],
  'two messages': [told('two'), told('three')],
  'a message that waits': [companion('sendMessage', { name: 'ada', message: 'two', wait: true })],
  'a wait': [companion('waitForResult', { name: 'ada' })],
  'a wait with a time': [companion('waitForResult', { name: 'ada', timeout: 5 })],
  'a wait and a message': [companion('waitForResult', { name: 'ada' }), told('two')],
  'its end for good': [companion('terminateChild', { name: 'ada' })],
  'a new task under the name': [again({ mode: 'blocking' })],
  'a new task with its memory': [again({ keepMemory: true })],
  'a pause and a message': [companion('stopChild', { name: 'ada', how: 'pause' }), told('two')],
  'a wish that it ends': [companion('stopChild', { name: 'ada' })],
} as const;

describe.each(FATES)('a companion that %s', (fate) => {
  let pairs = 0;
  figures(`companion that ${fate}`, () => `${pairs} races`);

  it.each(Object.entries(ACTIONS).map((action, at) => [...action, at] as const))(
    '[CO3, CO4, CO5, CO7, CO11, RC5] against %s',
    async (_action, calls, at) => {
      const kinds = await raced(fate, calls, Number.POSITIVE_INFINITY, false);
      for (const [turn, commit] of moments(kinds, MOST, at).entries()) {
        for (const crash of inTurn([false, true], at + turn)) {
          await raced(fate, calls, commit, crash);
          pairs++;
        }
      }
    },
  );
});

/** A consult of two rounds, below one that is consulted itself. */
function rounds(_tree: Tree): TreeParts {
  const scout = agentOf('scout', { outputSchema: answer });
  const middle = agentOf('middle', { persistentAgents: [{ agent: scout }], outputSchema: answer });
  const top = agentOf('top', { persistentAgents: [{ agent: middle }] });
  const ask = (name: string, message: string) => companion('sendMessage', { name, message, wait: true });
  const begin = (agent: string, name: string, initialMessage: string) =>
    companion('spawnAgent', { agent, name, initialMessage });
  return {
    agents: [top, middle, scout],
    scripts: {
      top: [{ calls: [begin('middle', 'm', 'one')] }, { calls: [ask('m', 'two')] }, { text: 'Done.' }],
      middle: ({ messages }) => {
        const heard = questions(messages);
        const asked = JSON.stringify(messages);
        if (!asked.includes('spawnAgent')) return { calls: [begin('scout', 'ada', 'a')] };
        if (heard.includes('two') && !asked.includes('sendMessage')) return { calls: [ask('ada', 'b')] };
        return { finish: { answer: heard.join(' ') } };
      },
      scout: ({ messages }) => ({ finish: { answer: questions(messages).join(' ') } }),
    },
  };
}

describe('a consult whose root is interrupted and resumed', () => {
  it('[CO3, CO4, SP9] loses no companion, and nothing that it was told, at any commit', async () => {
    const heard = async (at: number): Promise<string[]> =>
      withTree(
        rounds,
        {
          onCommit(tree, commit) {
            // Before anything else goes on that this commit lets go on.
            if (commit === at) queueMicrotask(() => void tree.stopSurely('interrupt'));
          },
        },
        async (tree) => {
          await tree.start();
          await tree.rest();
          if (tree.outcome.status === 'interrupted') await tree.resume();
          await tree.rest();
          const what = `interrupted at ${at}`;
          expect(tree.outcome.status, what).toBe('completed');
          expect(questions(tree.transcript('/agents/top/one/sub/middle/m')), what).toEqual(['one', 'two']);
          expect(questions(tree.transcript('/agents/top/one/sub/middle/m/sub/scout/ada')), what).toEqual(['a', 'b']);
          examine(tree, what);
          return tree.kinds;
        },
      );
    for (const at of moments(await heard(0), 2 * MOST)) await heard(at);
  });
});
