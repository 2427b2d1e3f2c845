/**
 * What an agent does to a companion, against what happens to that at the same moment: every pair of them, at every commit
 * of the companion's life, also where that commit is the last before a crash. The moments are forced, not timed.
 */

import { describe, expect, it } from 'vitest';
import { hasBegun } from '../../src/core/tree/node';
import { isObject, type JsonObject } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { examine } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import type { Answer } from '../support/scripted-port';
import { figures, sample } from '../support/sizes';
import { agentOf, answer, noteTool } from '../support/trees';

/** Commits of each pair that a sweep of `npm test` tries; a night tries all. */
const MOST = 14;
/** No pair asks a person more often. */
const MOST_ASKED = 10;
const ADA = '/agents/top/one/sub/scout/ada';

const companion = (tool: string, input: JsonObject) => ({ name: `companion__${tool}`, input });
const told = (message: string) => companion('sendMessage', { name: 'ada', message });
const again = (more: JsonObject = {}) =>
  companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'two', ...more });

const copy = companion('forkChild', { name: 'ada', newName: 'bob', message: 'a copy', mode: 'non-blocking' });

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
  'a copy of it': [copy],
  'a copy of it and a message': [copy, told('two')],
  'a message and a copy of it': [told('two'), copy],
  'its end for good and a copy of it': [companion('terminateChild', { name: 'ada' }), copy],
} as const;

/** What happens to the companion. */
const FATES = ['completes', 'fails', 'asks a person'] as const;
type Fate = (typeof FATES)[number];

const texts = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** One companion at work, and a parent that acts on it when it is told to. */
function parts(fate: Fate, calls: NonNullable<Answer['calls']>) {
  return (tree: Tree): TreeParts => {
    const scout = agentOf('scout', {
      tools: [noteTool(tree), noteTool(tree, { name: 'publish', requireApproval: true })],
      outputSchema: answer,
    });
    const top = agentOf('top', { persistentAgents: [{ agent: scout, mode: 'non-blocking' }] });
    return {
      agents: [top, scout],
      scripts: {
        top: ({ messages }) => {
          const acted = JSON.stringify(messages).includes('"Now."') || texts(messages).includes('Now.');
          const after = messages.slice(messages.findIndex((one) => one.role === 'user' && one.content === 'Now.'));
          if (!messages.some(({ role }) => role === 'tool'))
            return {
              calls: [companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage: 'one' })],
            };
          if (acted && !after.some(({ role }) => role === 'tool')) return { calls };
          return { text: 'Done.' };
        },
        scout: ({ messages, step }) => {
          if (step === 1) return { calls: [{ name: 'note', input: { text: 'l' } }] };
          const first = texts(messages).length === 1;
          if (fate === 'fails' && first) return { fail: { code: 'model_refused' } };
          if (fate === 'asks a person' && step === 2) return { calls: [{ name: 'publish', input: { text: 'p' } }] };
          return { finish: { answer: texts(messages).join(' ') } };
        },
      },
    };
  };
}

/** Runs a pair with the action after one commit, and a crash where it is asked for. */
async function raced(fate: Fate, calls: NonNullable<Answer['calls']>, at: number, crash: boolean): Promise<number> {
  let acted = false;
  const what = `after commit ${at}${crash ? ', which a crash follows' : ''}`;
  return withTree(
    parts(fate, calls),
    {
      onCommit(tree, commit) {
        if (commit < at || acted || tree.time === undefined) return;
        acted = true;
        // Before anything else goes on that this commit lets go on.
        queueMicrotask(() => tree.sendSurely('Now.'));
      },
      ...(crash ? { crashAt: new Set([at]) } : {}),
    },
    async (tree) => {
      await tree.start();
      // People answer what they are asked, one after the other.
      for (let asked = 0; asked < MOST_ASKED; asked++) {
        await tree.rest();
        const [call] = tree.pending;
        if (call === undefined) break;
        // Nobody is answered whose process is lost meanwhile.
        void tree.answer(call, { kind: 'approval-response', approved: true });
      }
      await tree.rest();
      if (acted) check(tree, calls, what);
      examine(tree, what);
      return tree.commits.length;
    },
  );
}

/** What was accepted is read once or told as unread, and each end of a task is heard. */
function check(tree: Tree, calls: NonNullable<Answer['calls']>, what: string): void {
  const top = tree.transcript();
  const results = top.flatMap((one) => (one.role === 'tool' ? [one] : []));
  expect(results, what).toHaveLength(1 + calls.length);
  expect(tree.outcome.status, what).toBe('completed');
  const heard = JSON.stringify(top);
  const isUnread = /did not read|unreadMessages/.test(heard);
  const sent = results.slice(1).flatMap(({ result }, index) => {
    const input = calls[index]?.input;
    const said = isObject(input) ? input : {};
    const text = said.newName === undefined ? (said.message ?? said.initialMessage) : undefined;
    return result.success && typeof text === 'string' ? [text] : [];
  });
  const read = texts(tree.transcript(ADA));
  for (const text of sent) {
    const times = read.filter((one) => one === text).length;
    expect(times, `${what}: "${text}" was read`).toBeLessThanOrEqual(1);
    if (!isUnread) expect(times, `${what}: "${text}" was read`).toBe(1);
  }
  const ended = tree.log.filter(({ chunk }) => chunk.type === 'subagent_end').length;
  const notices = texts(top).filter((one) => one.startsWith('The sub-agent ')).length;
  const inCalls = results.filter(({ result }) => JSON.stringify(result).match(/"(result|output|error)":/)).length;
  expect(notices + inCalls, `${what}: ends that were heard`).toBeGreaterThanOrEqual(ended);
  expect(new Set(texts(top)).size, `${what}: a notice twice`).toBe(texts(top).length);
}

describe.each(FATES)('a companion that %s', (fate) => {
  let pairs = 0;
  figures(`companion that ${fate}`, () => `${pairs} races`);

  it.each(Object.entries(ACTIONS))('[CO3, CO4, CO5, CO7, CO11, RC5] against %s', async (_action, calls) => {
    const commits = await raced(fate, calls, Number.POSITIVE_INFINITY, false);
    for (const commit of sample(commits, MOST, 1)) {
      for (const crash of [false, true]) {
        await raced(fate, calls, commit, crash);
        pairs++;
      }
    }
  });
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
        const heard = texts(messages);
        const asked = JSON.stringify(messages);
        if (!asked.includes('spawnAgent')) return { calls: [begin('scout', 'ada', 'a')] };
        if (heard.includes('two') && !asked.includes('sendMessage')) return { calls: [ask('ada', 'b')] };
        return { finish: { answer: heard.join(' ') } };
      },
      scout: ({ messages }) => ({ finish: { answer: texts(messages).join(' ') } }),
    },
  };
}

describe('a consult whose root is interrupted and resumed', () => {
  it('[CO3, CO4, SP9] loses no companion, and nothing that it was told, at any commit', async () => {
    const heard = async (at: number): Promise<number> =>
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
          expect(texts(tree.transcript('/agents/top/one/sub/middle/m')), what).toEqual(['one', 'two']);
          expect(texts(tree.transcript('/agents/top/one/sub/middle/m/sub/scout/ada')), what).toEqual(['a', 'b']);
          examine(tree, what);
          return tree.commits.length;
        },
      );
    const commits = await heard(0);
    for (let at = 1; at <= commits; at++) await heard(at);
  });
});

/** A companion that is copied while a person deletes it, at that commit. */
async function deleted(at: number): Promise<{ commits: number; results: unknown[] }> {
  let acted = false;
  const calls = [copy];
  return withTree(
    parts('completes', calls),
    {
      onCommit(tree, commit) {
        if (commit < at || acted || tree.time === undefined) return;
        acted = true;
        queueMicrotask(() => {
          tree.sendSurely('Now.');
          void tree.remove(ADA);
        });
      },
    },
    async (tree) => {
      await tree.start();
      await tree.rest();
      examine(tree, `a deletion after commit ${at}`);
      expect(tree.time.problems).toEqual([]);
      const results = tree.transcript().flatMap((one) => (one.role === 'tool' ? [one.result] : []));
      const bob = tree.nodes.find(({ address }) => address.endsWith('/bob'));
      // Where it was copied the copy has worked; where there was nothing any more nobody is there.
      if (bob && hasBegun(bob)) expect(bob.status).toBe('completed');
      else expect(tree.addresses.some((address) => address.endsWith('/bob'))).toBe(false);
      return { commits: tree.commits.length, results };
    },
  );
}

it('[CP5, CP6] a companion that is deleted while it is copied leaves a whole copy, or none', async () => {
  const { commits } = await deleted(Number.POSITIVE_INFINITY);
  for (const commit of sample(commits, MOST, 1)) {
    const { results } = await deleted(commit);
    expect(results.length).toBe(2);
  }
});
