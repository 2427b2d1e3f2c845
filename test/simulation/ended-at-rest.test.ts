/**
 * A person ends a companion for good, or deletes it, while it rests: its parent knows, tells its model once, refuses what is
 * sent to it with the reason, and begins the name afresh; also where a crash comes at any commit.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { sample } from '../support/sizes';
import { agentOf, answer, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 12;
const TOP = '/agents/top/one';
const ADA = `${TOP}/sub/scout/ada`;

const companion = (tool: string, input: JsonObject) => ({ name: `companion__${tool}`, input });
const spawn = (initialMessage: string) => companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage });

const texts = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** A turn that begins it, one that looks and tells, and one that begins it again. */
function resting(onFailure: 'result' | 'wait' = 'result', fails = false): (tree: Tree) => TreeParts {
  return () => {
    const scout = agentOf('scout', { outputSchema: answer });
    const top = agentOf('top', { persistentAgents: [{ agent: scout, onIdle: 'wake', onFailure }] });
    return {
      agents: [top, scout],
      scripts: {
        top: ({ messages, step }) => {
          const said = texts(messages);
          if (said.includes('Again')) return step === 1 ? { calls: [spawn('three')] } : { text: 'Done.' };
          if (!said.includes('Look')) return step === 1 ? { calls: [spawn('one')] } : { text: 'Done.' };
          if (step > 1) return { text: 'Done.' };
          return {
            calls: [
              companion('listChildren', {}),
              companion('getChildStatus', { name: 'ada' }),
              companion('sendMessage', { name: 'ada', message: 'two', wait: true }),
            ],
          };
        },
        scout: ({ messages }) =>
          fails && !texts(messages).includes('three')
            ? { fail: { code: 'model_refused' } }
            : { finish: { answer: texts(messages).join(' ') } },
      },
    };
  };
}

type Leaves = (tree: Tree) => Promise<boolean>;

/** A client asks until it is answered. */
const ended: Leaves = async (tree) => {
  const reply = await tree.stopAt(ADA, 'terminate').catch(() => undefined);
  return reply?.ok === true;
};
const deleted: Leaves = async (tree) => {
  const lost = tree.crashes;
  await tree.remove(ADA).catch(() => undefined);
  return tree.crashes === lost;
};

async function leavesAtRest(leaves: Leaves, code: 'terminated' | 'not_found', crashes: readonly number[] = []) {
  const crashAt = new Set<number>();
  return withTree(resting(), { crashAt }, async (tree) => {
    const what = `a crash ${crashes.join()} commits after the request`;
    await tree.start();
    await tree.finish();
    await tree.rest();
    const before = tree.commits.length;
    for (const commit of crashes) crashAt.add(before + commit);
    for (let tries = 0; tries < 3; tries++) {
      // A request whose object was lost is never answered.
      const done = await tree.soon(leaves(tree)).catch(() => false);
      await tree.rest();
      if (done) break;
    }
    // Nobody is woken by it.
    expect(tree.state().run?.turn, what).toBe(1);
    const commits = tree.commits.length - before;
    await tree.start('Look');
    await tree.finish();
    await tree.rest();
    const [, list, status, sent] = toolResults(tree);
    if (code === 'terminated') {
      expect(list, what).toMatchObject({ value: { children: [{ name: 'ada', status: 'terminated' }], total: 1 } });
      expect(status, what).toMatchObject({ value: { name: 'ada', status: 'terminated', code: 'terminated' } });
    } else {
      expect(list, what).toMatchObject({ value: { children: [], total: 0 } });
      expect(status, what).toMatchObject({ success: false, error: { code } });
    }
    expect(sent, what).toMatchObject({ success: false, error: { code } });
    await tree.start('Again');
    await tree.finish();
    await tree.rest();
    expect(toolResults(tree).at(-1), what).toMatchObject({
      value: { status: 'completed', output: { answer: 'three' } },
    });
    const told = texts(tree.transcript()).filter((text) => text.includes('ada'));
    expect(told, what).toEqual([
      code === 'terminated'
        ? 'The sub-agent ada was terminated while it was idle: Enough.'
        : 'The sub-agent ada was deleted while it was idle: A person deleted it.',
    ]);
    const problems = tree.time.problems.filter((problem) => !problem.includes('was lost from memory'));
    expect(problems, what).toEqual([]);
    return commits;
  });
}

describe('a companion that rests', () => {
  it('[CO30] is ended for good by a person: its parent knows, once', async () => {
    await leavesAtRest(ended, 'terminated');
  });

  it('[CO30] is deleted by a person: its parent knows, once', async () => {
    await leavesAtRest(deleted, 'not_found');
  });

  it.each([
    ['ended', ended, 'terminated'],
    ['deleted', deleted, 'not_found'],
  ] as const)('[CO30, RC5] %s: the same after a crash at any commit of it', async (_how, leaves, code) => {
    const commits = await leavesAtRest(leaves, code);
    expect(commits).toBeGreaterThan(0);
    for (const commit of sample(commits, MOST)) await leavesAtRest(leaves, code, [commit]);
  });

  it('[CO30] that failed and waited for a person is ended for good as well', async () => {
    await withTree(resting('wait', true), {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.nodes.some(({ address, status }) => address === ADA && status === 'failed'));
      await tree.rest();
      expect(await tree.soon(ended(tree))).toBe(true);
      await tree.finish();
      await tree.rest();
      await tree.start('Look');
      await tree.finish();
      await tree.rest();
      expect(toolResults(tree).at(-1)).toMatchObject({ success: false, error: { code: 'terminated' } });
    });
  });
});
