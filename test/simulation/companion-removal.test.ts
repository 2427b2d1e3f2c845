/**
 * A companion, or the agent that keeps it, is deleted at any moment of what its parent does with it, also where that commit
 * is the last before a crash; or it alone is lost from memory. The name is never locked, nobody waits for ever, and what
 * begins anew under it stays.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { examine } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import type { Answer } from '../support/scripted-port';
import { figures, inTurn, moments, onceEach } from '../support/sizes';
import { agentOf, answer, noteTool } from '../support/trees';

/** Commits of each pair that a sweep of `npm test` tries; a night tries all. */
const MOST = 4;
const KEEPER = '/agents/top/one/sub/keeper/kim';
const ADA = `${KEEPER}/sub/scout/ada`;

const companion = (tool: string, input: JsonObject) => ({ name: `companion__${tool}`, input });
const spawn = (initialMessage: string, more: JsonObject = {}) =>
  companion('spawnAgent', { agent: 'scout', name: 'ada', initialMessage, ...more });
const told = (message: string, more: JsonObject = {}) => companion('sendMessage', { name: 'ada', message, ...more });

type Calls = NonNullable<Answer['calls']>;

/** What the keeper does while its companion works. */
const ACTIONS: Readonly<Record<string, Calls>> = {
  'a message': [told('two')],
  'a message that waits': [told('two', { wait: true })],
  'a wait': [companion('waitForResult', { name: 'ada' })],
  'a wait with a time': [companion('waitForResult', { name: 'ada', timeout: 5 })],
  'its end for good': [companion('terminateChild', { name: 'ada' })],
  'a pause and a message': [companion('stopChild', { name: 'ada', how: 'pause' }), told('two', { wait: true })],
  'looks at it': [companion('getChildStatus', { name: 'ada' }), companion('listChildren', {})],
};

/** Each action hits other kinds of commits. */
const offsetOf = (calls: Calls): number => Object.values(ACTIONS).indexOf(calls);

const texts = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** A root with a keeper, which has a companion at work, acts on it, and has it begin again under its name. */
function parts(calls: Calls) {
  return (tree: Tree): TreeParts => {
    const scout = agentOf('scout', { tools: [noteTool(tree)], outputSchema: answer });
    const keeper = agentOf('keeper', { persistentAgents: [{ agent: scout, mode: 'non-blocking' }] });
    const top = agentOf('top', { persistentAgents: [{ agent: keeper }] });
    return {
      agents: [top, keeper, scout],
      scripts: {
        top: ({ messages }) =>
          messages.at(-1)?.role === 'tool'
            ? { text: 'Done.' }
            : {
                calls: [
                  companion('spawnAgent', {
                    agent: 'keeper',
                    name: 'kim',
                    initialMessage: `${texts(messages).length}`,
                  }),
                ],
              },
        keeper: ({ step }) => {
          if (step === 1) return { calls: [spawn('one')] };
          if (step === 2) return { calls };
          if (step === 3) return { calls: [companion('waitForResult', { name: 'ada' })] };
          if (step === 4) return { calls: [spawn('again', { mode: 'blocking' })] };
          return { text: 'Kept.' };
        },
        scout: ({ messages, step }) =>
          step === 1
            ? { calls: [{ name: 'note', input: { text: 'l' } }] }
            : { finish: { answer: texts(messages).join(' ') } },
      },
    };
  };
}

type Happens = (tree: Tree) => void;
const NOTHING: Happens = () => undefined;

/** Runs it with what happens after one commit, and a crash where it is asked for; then a further turn. */
async function ran(
  calls: Calls,
  happens: Happens,
  at: number,
  crash = false,
  then?: (tree: Tree, what: string) => void,
) {
  const what = `after commit ${at}${crash ? ', which a crash follows' : ''}`;
  let asked = false;
  return withTree(
    parts(calls),
    {
      onCommit(tree, commit) {
        if (commit < at || asked || tree.time === undefined) return;
        asked = true;
        happens(tree);
      },
      ...(crash ? { crashAt: new Set([at]) } : {}),
    },
    async (tree) => {
      await tree.start();
      await tree.finish();
      await tree.rest();
      const kinds = [...tree.kinds];
      expect(tree.outcome.status, what).toBe('completed');
      await tree.start('And again.');
      await tree.finish();
      await tree.rest();
      expect(tree.outcome, what).toMatchObject({ status: 'completed', output: 'Done.' });
      const last = tree.transcript().findLast(({ role }) => role === 'tool');
      expect(last, what).toMatchObject({ result: { success: true, value: { name: 'kim', output: 'Kept.' } } });
      const began = tree.transcript(KEEPER).findLast(({ role }) => role === 'tool');
      expect(began, what).toMatchObject({ result: { success: true, value: { name: 'ada', status: 'completed' } } });
      const read = texts(tree.transcript(ADA));
      expect(read.at(-1), what).toBe('again');
      expect(JSON.stringify(tree.log), what).not.toContain('child_timeout');
      expect([...new Set(tree.nodes.map(({ address }) => address))].sort(), what).toEqual([
        '/agents/top/one',
        KEEPER,
        ADA,
      ]);
      expect(tree.addresses, what).toEqual(['/agents/top/one', KEEPER, ADA]);
      expect(
        tree.time.problems.filter((problem) => !problem.includes('was lost from memory')),
        what,
      ).toEqual([]);
      then?.(tree, what);
      // Those look by bodies of the engine, of which no test is told.
      if (!calls.some(({ name }) => name === 'companion__listChildren')) examine(tree, what);
      return kinds;
    },
  );
}

/** An action beside which nothing happens, and what the companion has read in the end: once for each action. */
const calmly = onceEach(async (calls: Calls) => {
  let read: string[] = [];
  const kinds = await ran(calls, NOTHING, Number.POSITIVE_INFINITY, false, (tree) => {
    read = readBy(tree);
  });
  return { kinds, read };
});

const readBy = (tree: Tree): string[] => texts(tree.transcript(ADA)).sort();

const totals = { deletions: 0, evictions: 0, messages: 0 };
figures(
  'companions',
  () => `${totals.deletions} deletions, ${totals.evictions} evictions, ${totals.messages} messages of a person`,
);

const WHOM = [
  ['a companion', ADA],
  ['the agent that keeps it', KEEPER],
] as const;

describe.each(WHOM)('%s is deleted', (_whom, whom) => {
  /** The client asks right after the commit; where a crash comes with it, once that is over. */
  const happens: Happens = (tree) => queueMicrotask(() => void tree.remove(whom));

  it.each(Object.entries(ACTIONS))('[CO23, CO3, CO7, A17, RC5] against %s', async (_action, calls) => {
    const { kinds } = await calmly(calls);
    for (const [turn, commit] of moments(kinds, MOST, offsetOf(calls)).entries()) {
      for (const crash of inTurn([false, true], offsetOf(calls) + turn)) {
        await ran(calls, happens, commit, crash);
        totals.deletions++;
      }
    }
  });
});

describe.each(WHOM)('%s alone is lost from memory', (_whom, whom) => {
  const happens: Happens = (tree) => tree.world.evict(whom);

  it.each(Object.entries(ACTIONS))('[RT7, CO4, CO7, RC5, B4, US13] against %s', async (_action, calls) => {
    const { kinds, read } = await calmly(calls);
    for (const commit of moments(kinds, MOST, offsetOf(calls) + 1)) {
      await ran(calls, happens, commit, false, (tree, what) => expect(readBy(tree), what).toEqual(read));
      totals.evictions++;
    }
  });
});

describe('a companion is told something by a person', () => {
  /** One that is ended for good takes what it was told with it. */
  const kept = Object.entries(ACTIONS).filter(([action]) => action !== 'its end for good');

  it.each(kept)('[CO4, CO5, RC5, DL5] beside %s', async (_action, calls) => {
    let accepted = false;
    const happens: Happens = (tree) =>
      queueMicrotask(() => {
        if (tree.addresses.includes(ADA)) accepted = tree.send('psst', ADA).ok;
      });
    const { kinds } = await calmly(calls);
    let times = 0;
    // Nobody is there to be spoken to before its first commit.
    const before = kinds.findIndex((kind) => kind.endsWith(` of ${ADA}`));
    for (const [turn, at] of moments(kinds.slice(before), MOST, offsetOf(calls)).entries()) {
      const commit = before + at;
      for (const crash of inTurn([false, true], offsetOf(calls) + turn + 1)) {
        accepted = false;
        await ran(calls, happens, commit, crash, (tree, what) => {
          const read = texts(tree.transcript(ADA)).filter((text) => text === 'psst');
          expect(read, what).toHaveLength(accepted ? 1 : 0);
        });
        times += accepted ? 1 : 0;
        totals.messages++;
      }
    }
    expect(times).toBeGreaterThan(0);
  });
});
