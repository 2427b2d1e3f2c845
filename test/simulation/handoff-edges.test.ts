/** Handoffs with people, time and sub-agents that begin with a prompt: on both sides of the call, wherever a crash comes. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/core/definition/define-tool';
import type { AgentDefinition } from '../../src/core/definition/definition';
import { DEFAULT_LIMITS, type Limits } from '../../src/core/definition/limits';
import { parseAddress } from '../../src/protocol/address';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { dualOf, lasting, speakerOf } from '../support/prompts';
import { moments } from '../support/sizes';
import { toolResults } from '../support/trees';

/** Commits that a sweep of `npm test` tries; a night tries all. */
const MOST = 6;

const asking = (name: string, answerWithinMs?: number) =>
  defineTool({
    name,
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    replay: 'safe',
    ...(answerWithinMs === undefined ? {} : { answerWithinMs }),
    execute: async () => `${name} done`,
  });

describe('a person who is asked on both sides of a handoff', () => {
  const parts = (answerWithinMs?: number) => (): TreeParts => {
    const next = speakerOf('next', { tools: [asking('after')] });
    return {
      agents: [speakerOf('front', { tools: [asking('before', answerWithinMs), 'next'], agents: [next] })],
      scripts: {
        front: [{ calls: [{ name: 'before' }, { name: 'next' }] }],
        next: ({ messages }) =>
          messages.some((one) => one.role === 'tool' && one.toolName === 'after')
            ? { text: 'Done.' }
            : { calls: [{ name: 'after' }] },
      },
    };
  };

  /** Each question is answered when nothing else happens, `first` by itself where it is left to its time. */
  const ran = (crash?: number, answerWithinMs?: number) =>
    withTree(parts(answerWithinMs), { crashAt: new Set(crash === undefined ? [] : [crash]) }, async (tree) => {
      const asked: string[] = [];
      await tree.start();
      for (let tries = 0; tries < 8; tries++) {
        if (answerWithinMs === undefined) await tree.rest();
        else await tree.time.pass(answerWithinMs * 2);
        const [pending, ...others] = tree.pending;
        if (pending === undefined) break;
        expect(others).toEqual([]);
        asked.push(pending.item.toolName);
        // Who is not answered, because the process is lost, asks again.
        await tree.soon(tree.answer(pending, { kind: 'approval-response', approved: true })).catch(() => undefined);
      }
      await tree.rest();
      return {
        asked: [...new Set(asked)],
        results: toolResults(tree).map((result) => (result.success ? result.value : result.error.code)),
        spoke: [...new Set(tree.port.asked.map(({ agentType }) => agentType))],
        outcome: tree.outcome,
        kinds: tree.kinds,
        problems: tree.time.problems,
      };
    });

  it('[SAH1, AN1] is asked each thing once, by whoever made the call, wherever a crash comes', async () => {
    const calm = await ran();
    for (const crash of [undefined, ...moments(calm.kinds, MOST, 1)]) {
      const found = crash === undefined ? calm : await ran(crash);
      const when = `a crash after commit ${crash}`;
      expect(found.asked, when).toEqual(['before', 'after']);
      expect(found.results, when).toEqual(['before done', expect.stringContaining('"next"'), 'after done']);
      expect(found.spoke, when).toEqual(['front', 'next']);
      expect(found.outcome, when).toMatchObject({ status: 'completed', output: 'Done.' });
      expect(found.problems, when).toEqual([]);
    }
  });

  it('[SAH1, AN1] and lets the time of a question pass: the session is handed over all the same', async () => {
    const { asked, results, outcome } = await ran(undefined, 60_000);
    expect(asked).toEqual(['after']);
    expect(results).toEqual(['approval_expired', expect.stringContaining('"next"'), 'after done']);
    expect(outcome).toMatchObject({ status: 'completed' });
  });
});

describe('the time of a run that is handed over', () => {
  const slow = (tree: Tree) =>
    defineTool({
      name: 'slow',
      description: 'Takes 40 s.',
      inputSchema: z.object({}),
      replay: 'safe',
      execute: () => new Promise<string>((resolve) => void tree.time.environment.timer(40_000, () => resolve('slow'))),
    });
  const timed =
    (front: Partial<Limits>, next: Partial<Limits>, asks: boolean) =>
    (tree: Tree): TreeParts => {
      const other = speakerOf('next', { tools: [slow(tree)] }, next);
      return {
        agents: [speakerOf('front', { tools: [slow(tree), asking('before'), 'next'], agents: [other] }, front)],
        scripts: {
          front: ({ step }) =>
            step === 1
              ? { calls: [{ name: 'slow' }] }
              : { calls: [...(asks ? [{ name: 'before' }] : []), { name: 'next' }] },
          next: ({ messages }) =>
            messages.filter((one) => one.role === 'tool' && one.toolName === 'slow').length === 1
              ? { calls: [{ name: 'slow' }] }
              : { text: 'Done.' },
        },
      };
    };

  const minute = { maxWallMs: 60_000 };
  const hour = { maxWallMs: 3_600_000 };

  it.each([
    ['both have a minute', minute, minute, 'failed'],
    ['the next one has a minute', hour, minute, 'completed'],
    ['the one that the tree is of has a minute', minute, hour, 'failed'],
  ] as const)(
    '[SAH5, TM3] goes on, under the limit of the tree, and a person takes nothing of it: %s',
    async (_, front, next, status) => {
      for (const asks of [false, true])
        for (const crashAt of [undefined, 3, 6, 9]) {
          const crashes = new Set(crashAt === undefined ? [] : [crashAt]);
          await withTree(timed(front, next, asks), { crashAt: crashes }, async (tree) => {
            await tree.start();
            await tree.time.pass(50_000);
            if (asks) {
              await tree.time.pass(600_000);
              const [pending] = tree.pending;
              if (pending) await tree.soon(tree.answer(pending, { kind: 'approval-response', approved: true }));
            }
            await tree.rest();
            expect(tree.outcome, `asks: ${asks}, crash ${crashAt}`).toMatchObject({ status });
            if (status === 'failed') expect(tree.outcome).toMatchObject({ error: { code: 'run_timeout' } });
          });
        }
    },
  );
});

describe('sub-agents that begin with a prompt to which they hand their session', () => {
  /** Each begins a prompt with which the next one begins, without end. */
  const endless = (): TreeParts => {
    const begun: AgentDefinition = dualOf('begun', { tools: ['back'], agents: () => [back] });
    const back: AgentDefinition = speakerOf('back', {
      tools: [lasting('begun', { immediate: true, blocking: false })],
      agents: () => [begun],
    });
    return {
      agents: [speakerOf('front', { tools: ['back'], agents: () => [back] }), begun],
      scripts: {
        front: () => ({ calls: [{ name: 'back' }] }),
        begun: () => ({ calls: [{ name: 'back' }] }),
        back: () => ({ text: 'Here.' }),
      },
    };
  };

  it('[SAH3, SA26] end with the depth of a tree, and all at rest', async () => {
    await withTree(endless, {}, async (tree) => {
      await tree.start();
      await tree.rest();
      expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Here.' });
      const depth = tree.nodes.map(({ address }) => parseAddress(address).below.length);
      expect(depth).toEqual(Array.from({ length: DEFAULT_LIMITS.maxDepth }, (_, at) => at));
      const failed = tree.nodes.filter(({ status }) => status === 'failed');
      expect(failed.map(({ address }) => tree.state(address).run)).toMatchObject([
        { outcome: { error: { code: 'max_depth' } } },
      ]);
      expect(failed[0]?.address).toBe(tree.nodes.at(-1)?.address);
      expect(tree.time.problems).toEqual([]);
      expect(tree.nodes.every(({ schedule }) => schedule.phase === 'ended')).toBe(true);
    });
  });
});
