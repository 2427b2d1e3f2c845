/** Files with messages that code of a session queues, and what effects do to its thread. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEffect } from '../../src/capabilities/effects/define-effect';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { EffectContext, ToolContext } from '../../src/core/definition/tool-context';
import { failureOf } from '../../src/protocol/errors';
import type { Message } from '../../src/protocol/messages';
import { stored } from '../support/enclosed';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { dualOf, envelopesIn, lasting, promptOf, referencesIn } from '../support/prompts';
import type { Answers } from '../support/scripted-port';
import { moments } from '../support/sizes';
import { PATIENT, toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 13;

const said = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));
const replies = (messages: readonly Message[]): number => messages.filter(({ role }) => role === 'assistant').length;
const act = { name: 'act', input: {} };
const create = { name: 'subagent_create', input: { agent: 'worker', message: 'Wait.', name: 'Ann' } };
const done = { text: 'Done.' };

/** How a promise is refused: its code and why. */
const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'taken',
    (error: unknown) => `${failureOf(error).code}: ${failureOf(error).message}`,
  );

interface Doing {
  readonly tool?: (context: ToolContext) => unknown;
  readonly effect?: (context: EffectContext) => unknown;
  readonly below?: (context: ToolContext) => unknown;
  readonly lead: Answers;
}

const acting = (body: Doing['tool']) =>
  defineTool({
    name: 'act',
    description: 'Does what the test says.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: async (_input, context) => JSON.parse(JSON.stringify((await body?.(context)) ?? null)),
  });

/** A lead whose tool and effect are the test's, and a worker that says what it was told. */
const setting =
  ({ tool, effect, below, lead }: Doing) =>
  (): TreeParts => {
    const worker = dualOf('worker', { tools: [acting(below)] }, { workspace: true });
    const later = defineEffect({ name: 'later', description: 'Works.', execute: (_, context) => effect?.(context) });
    const entry = lasting('worker', { blocking: false });
    const prompt = promptOf('leading', { tools: [acting(tool), entry], agents: [worker] });
    const agent = defineAgent({ name: 'lead', prompt, workspace: true, effects: [later], limits: PATIENT });
    return {
      agents: [agent, worker],
      scripts: {
        lead,
        worker: ({ step, messages }) =>
          below && step === 1 ? { calls: [act] } : { text: `did ${said(messages).join(' + ')}` },
      },
    };
  };

async function ran(make: () => TreeParts, options: TreeOptions = {}) {
  return withTree(make, options, async (tree: Tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    const [child] = tree.nodes.map(({ address }) => address).filter((address) => address.includes('/sub/'));
    return {
      results: toolResults(tree).map((result) => (result.success ? result.value : result.error.message)),
      // What tells copies of one name apart is new with each attempt.
      envelopes: envelopesIn(tree.transcript()).map((one) => one.replaceAll(/-[0-9a-z]{10,11}(?=\.)/g, '')),
      said: said(tree.transcript()),
      own: stored(tree).files,
      below: child === undefined ? {} : stored(tree, child).files,
      kept: stored(tree).kept,
      kinds: tree.kinds,
      outcome: tree.outcome,
      problems: tree.time.problems,
    };
  });
}

describe('files with a message that code queues', () => {
  const telling = setting({
    async tool({ thread, files }) {
      await files.write('drafts/one.md', 'first');
      const [entry] = thread.children;
      const child = await thread.getChildThread(entry?.reference ?? '');
      await child?.queueMessage({ role: 'user', content: 'Judge.', attachments: ['drafts/one.md', '/drafts/one.md'] });
      await files.write('drafts/one.md', 'changed');
    },
    lead: ({ messages }) => {
      const number = replies(messages);
      if (number === 0) return { calls: [create] };
      return number === 1 ? { calls: [act] } : { text: `Told ${envelopesIn(messages).length} times.` };
    },
  });

  it('[SAT2, SA67, SA70] are with the child as they were then, under a path of its own, once wherever a crash comes', async () => {
    const calm = await ran(telling);
    expect(calm.own).toEqual({ 'drafts/one.md': 'changed' });
    expect(calm.below).toEqual({ 'attachments/one.md': 'first' });
    expect(calm.envelopes.at(-1)).toContain('attachments/one.md');
    expect(calm.envelopes.at(-1)).not.toContain('drafts');
    expect(calm.kept).toEqual([]);
    for (const at of moments(calm.kinds, MOST, 1)) {
      const found = await ran(telling, { crashAt: new Set([at]) });
      expect(found.below, `a crash after commit ${at}`).toEqual(calm.below);
      expect(found.envelopes.at(-1)?.split('\n\n').slice(1), `a crash after commit ${at}`).toEqual(
        calm.envelopes.at(-1)?.split('\n\n').slice(1),
      );
      expect([found.kept, found.problems], `a crash after commit ${at}`).toEqual([[], []]);
    }
  });

  it('[SAT2] are named to the session itself by their own paths, and copied nowhere', async () => {
    const { said: heard, own } = await ran(
      setting({
        async tool({ thread, files }) {
          await files.write('one.md', 'first');
          await thread.queueMessage({ role: 'user', content: 'Look.', attachments: ['one.md'] });
          await thread.queueMessage({ role: 'user', content: 'No file.', attachments: [] });
        },
        lead: [{ calls: [act] }, done],
      }),
    );
    expect(heard.slice(1)).toEqual([
      expect.stringMatching(/^Look\.\n\nFiles that came with this message:\n- one\.md \([^,]+, 5 bytes\)$/),
      'No file.',
    ]);
    expect(own).toEqual({ 'one.md': 'first' });
  });

  it('[SAT2] are all there, or nothing is queued and the code is told which are not', async () => {
    const most = Array.from({ length: 21 }, (_, at) => `f${at}.md`);
    const {
      results,
      envelopes,
      said: heard,
    } = await ran(
      setting({
        async tool({ thread, files }) {
          await files.write('one.md', 'first');
          const [entry] = thread.children;
          const child = await thread.getChildThread(entry?.reference ?? '');
          const queue = (attachments: readonly string[]) => ({ role: 'user', content: 'x', attachments }) as const;
          const wrong = [['one.md', 'two.md', 'three.md'], most, ['']];
          const tries = wrong.flatMap((paths) => [
            refusal(thread.queueMessage(queue(paths))),
            refusal(child?.queueMessage(queue(paths)) ?? Promise.resolve()),
          ]);
          return Promise.all(tries);
        },
        lead: ({ messages }) => {
          const number = replies(messages);
          if (number === 0) return { calls: [create] };
          return number === 1 ? { calls: [act] } : { text: `Told ${envelopesIn(messages).length} times.` };
        },
      }),
    );
    const missing =
      /^invalid_arguments: Nothing was sent\. There is no file "two\.md"\. There is no file "three\.md"\.$/;
    const many = /^invalid_input: `attachments` names 21 files: at most 20 can be sent\.$/;
    const none = /^invalid_input: `attachments` must be a path, or a list of paths/;
    expect(results.at(1)).toEqual([missing, missing, many, many, none, none].map((one) => expect.stringMatching(one)));
    expect(heard.filter((one) => one === 'x')).toEqual([]);
    expect(envelopes.length).toBe(1);
  });

  it('[SAT2] of a child to its parent are refused, which says how files go up', async () => {
    let why = '';
    await ran(
      setting({
        async below({ thread, files }) {
          await files.write('mine.md', 'x');
          const parent = await thread.getParentThread();
          const up = { role: 'user', content: 'Up.', attachments: ['mine.md'] } as const;
          if (parent) why = await refusal(parent.queueMessage(up));
        },
        lead: ({ messages }) => (replies(messages) === 0 ? { calls: [create] } : done),
      }),
    );
    expect(why).toMatch(/^invalid_input: .*attachmentsProperty/);
  });
});

describe('an effect', () => {
  /** The lead schedules an effect for when it is at rest. */
  const scheduled = (effect: NonNullable<Doing['effect']>, first: Answers = () => done) =>
    setting({
      tool: ({ scheduleEffect }) => scheduleEffect('later', null, 60_000).then(() => null),
      effect,
      lead: (request) => {
        const number = replies(request.messages);
        if (number === 0) return { calls: [create] };
        if (number === 1) return { calls: [act] };
        return typeof first === 'function' ? first(request) : done;
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

describe('times and places', () => {
  it('[SA77, SAW36] of a thread are in microseconds, those of messages in milliseconds; files of a message are at attachments/', async () => {
    let seen: unknown[] = [];
    const make = setting({
      async tool({ thread, files }) {
        await files.write('one.md', 'first');
        const [entry] = thread.children;
        const child = await thread.getChildThread(entry?.reference ?? '');
        await child?.queueMessage({ role: 'user', content: 'Judge.', attachments: ['one.md'] });
        await child?.terminate();
        seen = [entry?.createdAt, child?.terminated, thread.terminated];
      },
      lead: ({ messages }) => {
        const number = replies(messages);
        if (number === 0) return { calls: [create] };
        return number === 1 ? { calls: [act] } : done;
      },
    });
    await withTree(make, {}, async (tree) => {
      const from = tree.time.now;
      await tree.start();
      await tree.rest();
      const [created, ended, own] = seen;
      const until = tree.time.now;
      for (const time of [created, ended]) {
        expect(time).toBeGreaterThanOrEqual(from * 1_000);
        expect(time).toBeLessThanOrEqual(until * 1_000);
      }
      expect(own).toBeNull();
      for (const { at } of tree.store().messages({})) expect(at >= from && at <= until).toBe(true);
    });
  });
});
