/**
 * What an agent does to a companion at one commit of that one's life, against what happens to it then: the moment is forced,
 * not timed.
 */
import { expect } from 'vitest';
import { isObject } from '../../src/protocol/json';
import { examine } from './examine';
import { type Tree, type TreeParts, withTree } from './harness';
import { companion, questions } from './levels';
import type { Answer } from './scripted-port';
import { agentOf, answer, noteTool } from './trees';

/** No pair asks a person more often. */
const MOST_ASKED = 10;
export const ADA = '/agents/top/one/sub/scout/ada';

/** A message to the companion. */
export const told = (message: string) => companion('sendMessage', { name: 'ada', message });

/** What happens to the companion. */
export const FATES = ['completes', 'fails', 'asks a person'] as const;
type Fate = (typeof FATES)[number];

/** One companion at work, and a parent that acts on it when it is told to. */
export function keeping(fate: Fate, calls: NonNullable<Answer['calls']>) {
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
          const acted = JSON.stringify(messages).includes('"Now."') || questions(messages).includes('Now.');
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
          const first = questions(messages).length === 1;
          if (fate === 'fails' && first) return { fail: { code: 'model_refused' } };
          if (fate === 'asks a person' && step === 2) return { calls: [{ name: 'publish', input: { text: 'p' } }] };
          return { finish: { answer: questions(messages).join(' ') } };
        },
      },
    };
  };
}

/** Runs a pair with the action after one commit, and a crash where it is asked for. */
export async function raced(
  fate: Fate,
  calls: NonNullable<Answer['calls']>,
  at: number,
  crash: boolean,
): Promise<string[]> {
  let acted = false;
  const what = `after commit ${at}${crash ? ', which a crash follows' : ''}`;
  return withTree(
    keeping(fate, calls),
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
      return tree.kinds;
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
  const read = questions(tree.transcript(ADA));
  for (const text of sent) {
    const times = read.filter((one) => one === text).length;
    expect(times, `${what}: "${text}" was read`).toBeLessThanOrEqual(1);
    if (!isUnread) expect(times, `${what}: "${text}" was read`).toBe(1);
  }
  const ended = tree.log.filter(({ chunk }) => chunk.type === 'subagent_end').length;
  const notices = questions(top).filter((one) => one.startsWith('The sub-agent ')).length;
  const inCalls = results.filter(({ result }) => JSON.stringify(result).match(/"(result|output|error)":/)).length;
  expect(notices + inCalls, `${what}: ends that were heard`).toBeGreaterThanOrEqual(ended);
  expect(new Set(questions(top)).size, `${what}: a notice twice`).toBe(questions(top).length);
}
