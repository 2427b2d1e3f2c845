/** Scheduled effects that act on the thread of their session, and on those below it. */
import { describe, expect, it } from 'vitest';
import { defineEffect } from '../../../src/capabilities/effects/define-effect';
import type { EffectContext, ToolContext } from '../../../src/core/definition/tool-context';
import { type TreeParts, withTree } from '../../support/harness';
import { dualOf, referencesIn } from '../../support/prompts';
import { moments } from '../../support/sizes';
import { act, acting, create, done, ran, replies, said, setting } from '../../support/thread-setting';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 13;

describe('an effect', () => {
  /** The lead schedules an effect for when it is at rest. */
  const scheduled = (effect: (context: EffectContext) => unknown) =>
    setting({
      tool: ({ scheduleEffect }) => scheduleEffect('later', null, 60_000).then(() => null),
      effects: [defineEffect({ name: 'later', description: 'Works.', execute: (_, context) => effect(context) })],
      lead: ({ messages }) => {
        const number = replies(messages);
        if (number === 0) return { calls: [create] };
        return number === 1 ? { calls: [act] } : done;
      },
    });

  it('[SAT3, SA59, SA55] queues for its session at rest, which takes a turn; once, wherever a crash comes', async () => {
    const make = scheduled(async ({ thread }) => {
      await thread.queueMessage({ role: 'user', content: 'It is time.' });
    });
    const calm = await ran(make);
    expect(calm.said.at(-1)).toBe('It is time.');
    for (const at of moments(calm.kinds, MOST, 1)) {
      const found = await ran(make, { crashAt: new Set([at]) });
      const heard = found.said.filter((one) => one === 'It is time.');
      expect([heard.length, found.problems], `a crash after commit ${at}`).toEqual([1, []]);
    }
  });

  it('[SAT3, SA55] that fails says again, with each further try, only what no try before has said', async () => {
    const tries: number[] = [];
    const make = scheduled(async ({ thread, attempt }) => {
      tries.push(attempt);
      const child = await thread.getChildThread(thread.children[0]?.reference ?? '');
      const tells = [
        () => thread.queueMessage({ role: 'user', content: 'One.' }),
        () => child?.queueMessage({ role: 'user', content: 'Go on.' }),
        () => thread.queueMessage({ role: 'user', content: 'Two.' }),
      ];
      for (const tell of tells.slice(0, attempt)) await tell();
      if (attempt <= tells.length) throw new Error('Not yet.');
    });
    const { said: heard, envelopes } = await ran(make);
    expect(tries).toEqual([1, 2, 3, 4]);
    expect(heard.filter((one) => one === 'One.' || one === 'Two.')).toEqual(['One.', 'Two.']);
    expect(envelopes.map((one) => one.split('\n\n')[1])).toEqual(['did Wait.', 'did Wait. + Go on.']);
  });

  it('[SAT3, SA55] says the same as another one of its kind: both are heard', async () => {
    const later = ({ scheduleEffect }: ToolContext) => scheduleEffect('later', null, 60_000);
    const execute = (_: unknown, { thread }: EffectContext) => thread.queueMessage({ role: 'user', content: 'Time.' });
    const make = setting({
      tool: async (context) => void [await later(context), await later(context)],
      effects: [defineEffect({ name: 'later', description: 'Works.', execute })],
      lead: ({ messages }) => (replies(messages) === 0 ? { calls: [act] } : done),
    });
    const { said: heard } = await ran(make);
    expect(heard.filter((one) => one === 'Time.')).toHaveLength(2);
  });

  it('[SAT3, SA53] tells a child of a session at rest something, and ends it; its end is one envelope', async () => {
    const seen: unknown[] = [];
    const make = scheduled(async ({ thread, attempt }) => {
      const [entry] = thread.children;
      const child = await thread.getChildThread(entry?.reference ?? '');
      if (entry?.status === 'idle') await child?.queueMessage({ role: 'user', content: 'Go on.' });
      seen.push([attempt, entry?.status, child?.threadId, thread.threadId]);
    });
    const calm = await ran(make);
    expect(calm.envelopes.map((one) => one.split('\n\n')[1])).toEqual(['did Wait.', 'did Wait. + Go on.']);
    expect(seen).toEqual([[1, 'idle', expect.stringMatching(/^lead\/one\/sub\/worker\/[0-9a-f-]{36}$/), 'lead/one']]);
    for (const at of moments(calm.kinds, MOST, 2)) {
      const found = await ran(make, { crashAt: new Set([at]) });
      const last = found.envelopes.at(-1)?.split('\n\n')[1];
      expect([last, found.problems], `a crash after commit ${at}`).toEqual(['did Wait. + Go on.', []]);
    }
  });

  it.each([
    ['the user', { role: 'user' }, 'side_a'],
    ['the assistant', { role: 'assistant' }, 'side_b'],
    ['the user, for the second side', { role: 'user', side: 'side_b' }, 'side_b'],
  ] as const)('[SA59, SAT3] queues as %s for a session of two sides: that one acts first', async (_, facts, first) => {
    const later = defineEffect({
      name: 'later',
      description: 'Works.',
      execute: (_args, { thread }) => thread.queueMessage({ ...facts, content: 'It is time.' }),
    });
    const plan = acting(({ scheduleEffect }) => scheduleEffect('later', null, 60_000).then(() => null));
    const pair = dualOf('pair', { tools: [plan] }, { effects: [later] });
    const make = (): TreeParts => ({
      agents: [pair],
      scripts: {
        pair: ({ messages }) => (replies(messages) === 0 && said(messages).length < 2 ? { calls: [act] } : done),
      },
    });
    await withTree(make, {}, async (tree) => {
      await tree.start();
      await tree.rest();
      expect(tree.store().runs({ limit: 10 }).length).toBe(2);
      expect(
        tree
          .store()
          .steps({})
          .map(({ side }) => side)
          .slice(0, 3),
      ).toEqual(['side_a', 'side_a', first]);
    });
  });

  it('[SAT3, SA56] may end its session for good', async () => {
    await withTree(
      scheduled(({ thread }) => thread.terminate()),
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        expect(tree.state().session.terminated).toBeDefined();
        expect(tree.state().slices).toEqual(new Map());
        expect(tree.nodes[0]?.status).toBe('terminated');
        expect(referencesIn(tree.port.asked.at(-1)?.messages ?? []).length).toBe(1);
      },
    );
  });
});
