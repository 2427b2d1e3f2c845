/** Messages of people to companions that are not at work, through the root, with crashes at every commit. */
import { describe, expect, it } from 'vitest';
import type { VerbAnswer } from '../../src/engine/object/object-calls';
import type { JsonObject } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { command } from '../../src/verbs/command';
import { askSurely } from '../support/asks';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import type { Answers } from '../support/scripted-port';
import { sample } from '../support/sizes';
import { agentOf, answer } from '../support/trees';

const questions = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));

/** An agent that keeps a companion, which it begins in its first turn. */
const keeps =
  (keptAgent: string, name: string): Answers =>
  ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : { calls: [{ name: 'companion__spawnAgent', input: { agent: keptAgent, name, initialMessage: 'one' } }] };

/** A root that keeps a scout, which says all that it was told, or fails; or (deep) one that keeps a scribe, which does. */
const keeping = (deep: boolean) => (): TreeParts => {
  const scout = agentOf('scout', { outputSchema: answer });
  const scribe = agentOf('scribe', { persistentAgents: [{ agent: scout }] });
  const top = agentOf('top', { persistentAgents: [{ agent: deep ? scribe : scout }] });
  return {
    agents: [top, scribe, scout],
    scripts: {
      top: deep ? keeps('scribe', 'sue') : keeps('scout', 'ada'),
      scribe: keeps('scout', 'ada'),
      scout: ({ messages }) => {
        const told = questions(messages);
        return told.includes('fail') ? { error: { code: 'model_error' } } : { finish: { answer: told.join(' ') } };
      },
    },
  };
};

const adaOf = (tree: Tree): string => tree.addresses.find((address) => address.endsWith('/ada')) ?? '';
const tell = (tree: Tree, content: string, key = content): Promise<VerbAnswer> =>
  askSurely(tree, { verb: 'send', address: adaOf(tree), input: { content }, key });

async function told(deep: boolean, options: TreeOptions = {}) {
  return withTree(keeping(deep), options, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    const before = tree.commits.length;
    const first = await tell(tree, 'two');
    const again = await tell(tree, 'two');
    await tree.rest();
    const turns = tree.state().run?.turn;
    await tree.run('What is new?');
    await tree.rest();
    return {
      before,
      commits: tree.commits.length,
      replies: [first, again],
      turns,
      said: questions(tree.transcript()),
      ada: questions(tree.transcript(adaOf(tree))),
      runs: tree
        .store(adaOf(tree))
        .runs({})
        .map(({ caller }) => caller?.actor),
      nodes: tree.nodes.map(({ address, status }) => [address, status]),
      problems: tree.time.problems,
    };
  });
}

describe('a message of a person to a companion at rest', () => {
  it('[CO24] is its next task, by its parent, which is not woken and hears of the end in its next turn', async () => {
    const found = await told(false);
    const body = { messageId: expect.stringMatching(/^m_/), delivery: 'started' };
    expect(found.replies).toEqual([
      { ok: true, status: 202, body },
      { ok: true, status: 202, body },
    ]);
    expect(found.replies[0]).toEqual(found.replies[1]);
    expect(found.ada).toEqual(['one', 'two']);
    expect(found.turns).toBe(1);
    expect(found.said.filter((text) => text.includes('ada (task 2)'))).toEqual([expect.stringContaining('one two')]);
    expect(found.problems).toEqual([]);
  });

  it.each([false, true])('[CO24, RC5] is told once for its key, wherever a crash comes (deep: %s)', async (deep) => {
    const calm = await told(deep);
    expect(calm.ada).toEqual(['one', 'two']);
    for (const commit of sample(calm.commits - calm.before, 40, 1).map((index) => calm.before + index)) {
      const found = await told(deep, { crashAt: new Set([commit]) });
      const what = `a crash at ${commit}`;
      expect(found.replies, what).toMatchObject([{ ok: true }, { ok: true }]);
      expect(found.replies[0], what).toEqual(found.replies[1]);
      expect([found.ada, found.nodes, found.turns], what).toEqual([calm.ada, calm.nodes, calm.turns]);
      expect(
        found.said.filter((text) => text.includes('ada (task 2)')),
        what,
      ).toEqual(calm.said.filter((text) => text.includes('ada (task 2)')));
      expect(found.problems, what).toEqual([]);
    }
  });

  it('[CO24] is refused once it failed or was ended for good, with what to do instead', () =>
    withTree(keeping(false), {}, async (tree) => {
      await tree.start();
      await tree.finish();
      await tree.rest();
      expect(await tell(tree, 'fail')).toMatchObject({ ok: true });
      await tree.rest();
      const advice = expect.stringMatching(/Send the message to its parent/);
      expect(await tell(tree, 'more')).toMatchObject({ error: { code: 'owned_by_parent', message: advice } });
      expect(await tree.stopAt(adaOf(tree), 'terminate')).toMatchObject({ ok: true });
      await tree.rest();
      expect(await tell(tree, 'again')).toMatchObject({ ok: false, error: { message: advice } });
      expect(tree.state().run?.turn).toBe(1);
    }));

  it('[CO24, RN7] begins a run in the name and the trace of who sent it, whoever asked for the run of its parent', () =>
    withTree(keeping(false), {}, async (tree) => {
      const by = (caller: string, digit: string) => ({
        caller,
        traceparent: `00-${digit.repeat(32)}-${digit.repeat(16)}-01`,
      });
      const [ann, bob] = [by('ann', 'a'), by('bob', 'b')];
      const ask = (address: string, verb: 'start' | 'send', input: JsonObject, who: ReturnType<typeof by>) =>
        tree.soon(command(tree.world.object(tree.address), address, verb, input, who));
      await ask(tree.address, 'start', { message: 'Go' }, ann);
      await tree.finish();
      await tree.rest();
      await ask(adaOf(tree), 'send', { content: 'two' }, bob);
      await tree.rest();
      const runs = tree.store(adaOf(tree)).runs({});
      expect(runs.map(({ caller }) => caller)).toEqual(
        [ann, bob].map(({ caller: actor, traceparent }) => ({ actor, traceparent })),
      );
    }));
});
