/** Stops at awkward moments: long graces, hooks that hang, crashes in between, and what is spent meanwhile. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import { HOOK_NAMES } from '../../src/core/definition/hooks/hook-types';
import { spentBelow } from '../../src/core/tree/budget';
import { isAbandoned } from '../../src/core/tree/node';
import { child, deepWait, gate, gateTool, kidOf, leafWaits, note } from '../support/control';
import { examine } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { People, yes } from '../support/people';
import { agentOf, answer, COMPLETED, hangTool, noteTool, question } from '../support/trees';

const ENDS = /^run_(completed|failed|interrupted|terminated)$/;

/** A kid with one tool, which it calls once. */
function kidWith(tool: ReturnType<typeof hangTool>, options: Parameters<typeof agentOf>[1] = {}): TreeParts {
  const kid = agentOf('kid', { tools: [tool], outputSchema: answer, ...options });
  const top = agentOf('top', { tools: [createSubAgentTool(kid, question)] });
  return {
    agents: [top, kid],
    scripts: {
      top: [{ calls: [child('kid')] }, { text: 'Done.' }],
      kid: [{ calls: [{ name: tool.name }] }, { finish: { answer: 'k' } }],
    },
  };
}

describe('a stop', () => {
  it('[SP6, SP9, BU4] waits for a child as long as its own `stopGraceMs` allows', () =>
    withTree(
      (tree) => {
        const slowEnd = defineTool({
          name: 'slow-end',
          description: 'Needs 15 s to end well.',
          inputSchema: z.object({}),
          replay: 'safe',
          timeoutMs: 1_000_000,
          execute: (_, { abortSignal }) =>
            new Promise((resolve) =>
              abortSignal.addEventListener('abort', () =>
                tree.time.environment.timer(15_000, () => resolve({ ended: true })),
              ),
            ),
        });
        return kidWith(slowEnd, { limits: { stopGraceMs: 30_000 } });
      },
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(5_000);
        const before = tree.time.now;
        expect(tree.stop('interrupt')).toBe(true);
        await tree.time.until(() => tree.ended);
        expect(tree.outcome.status).toBe('interrupted');
        expect(tree.time.now - before).toBeGreaterThanOrEqual(15_000);
        expect(kidOf(tree)).toMatchObject({ status: 'interrupted' });
        expect(isAbandoned(kidOf(tree))).toBe(false);
        const [step] = tree.store(kidOf(tree).address).steps({});
        expect(step).toMatchObject({ calls: [{ settled: { result: { success: true } } }] });
      },
    ));

  it('[SP9, HK8, RN4, TR1] has the end of an aborted child in the log whose last hook takes 9 s', () =>
    withTree(
      (tree) => {
        const onAgentFail = () =>
          new Promise<void>((resolve) => void tree.time.environment.timer(9_000, () => resolve()));
        return kidWith(hangTool(tree), { hooks: { onAgentFail } });
      },
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(1_000);
        expect(tree.stop('abort')).toBe(true);
        await tree.finish();
        const ends = tree.log.filter(({ chunk }) => chunk.agentType === 'kid' && ENDS.test(chunk.type));
        expect(ends.map(({ chunk }) => chunk.type)).toEqual(['run_failed']);
        expect(isAbandoned(kidOf(tree))).toBe(false);
      },
    ));

  it('[SP10, DL5] for good lets its session take no message any more, also before it has ended', () =>
    withTree(
      (tree) => ({
        agents: [agentOf('top', { tools: [hangTool(tree)] })],
        scripts: { top: [{ calls: [{ name: 'hang' }] }, { text: 'Done.' }] },
      }),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.until(() => tree.bodies.size > 0);
        expect(tree.stop('terminate')).toBe(true);
        expect(tree.ended).toBe(false);
        expect(tree.send('Hello?')).toMatchObject({ ok: false, refused: { code: 'terminated' } });
        await tree.finish();
        expect(tree.outcome.status).toBe('terminated');
      },
    ));

  it('[SP10, RC5, RN4] for good closes three levels at rest, wherever a crash comes', async () => {
    const make = (tree: Tree): TreeParts => leafWaits(tree);
    let crashes = 0;
    for (let crash = 1; crash <= 70; crash++)
      await withTree(make, { crashAt: new Set([crash]) }, async (tree) => {
        // A client tries again when its request was lost with the process.
        await tree.start().catch(() => tree.start().catch(() => undefined));
        await tree.rest();
        tree.stopSurely('interrupt');
        await tree.rest();
        await Promise.race([tree.stopAt(kidOf(tree).address, 'terminate').catch(() => undefined), tree.rest()]);
        await tree.rest();
        const ends = () => tree.apply((facts) => ({ type: 'stop', ...facts, verb: 'terminate', reason: 'End.' }));
        try {
          ends();
        } catch {
          ends();
        }
        await tree.rest();
        expect(tree.state().session.terminated, `crash at ${crash}`).toBeDefined();
        expect(
          tree.nodes.filter(({ schedule }) => schedule.phase !== 'ended'),
          `crash at ${crash}`,
        ).toEqual([]);
        crashes += tree.crashes;
      });
    expect(crashes).toBeGreaterThan(30);
  });

  it('[SP9, SP10, TR2] for good right after an interrupt: the last run of a child comes before the end of its task', async () => {
    const acts = [
      { after: 22, act: 'interrupt' },
      { after: 30, act: 'terminate' },
    ] as const;
    for (let crash = 31; crash <= 50; crash++) {
      const wishes = acts.map(({ after, act }) => ({
        when: (tree: Tree) => tree.commits.length >= after,
        ask: (tree: Tree) => void tree.stopAt(tree.address, act).catch(() => undefined),
      }));
      const people = new People({ wishes });
      const onCommit = (tree: Tree): void => people.committed(tree, tree.commits.at(-1) ?? '');
      await withTree(
        (tree) => deepWait(tree),
        { crashAt: new Set([crash]), onCommit },
        async (tree) => {
          await tree.start();
          await people.attend(tree);
          examine(tree, `crash at ${crash}`);
        },
      );
    }
  });
});

describe('hooks', () => {
  /** Agents all of whose hooks hang, for a second each. */
  function hooksHang(tree: Tree): TreeParts {
    const hang = () => new Promise<void>(() => undefined);
    const hooks = Object.fromEntries(HOOK_NAMES.map((name) => [name, hang]));
    const options = { hooks, limits: { hookTimeoutMs: 1_000 } };
    const kid = agentOf('kid', { tools: [noteTool(tree), gateTool(tree)], outputSchema: answer, ...options });
    const top = agentOf('top', { tools: [createSubAgentTool(kid, question), noteTool(tree)], ...options });
    return {
      agents: [top, kid],
      scripts: {
        top: [{ calls: [child('kid'), note] }, { text: 'Done.' }],
        kid: [{ calls: [gate, note] }, { finish: { answer: 'k' } }],
      },
    };
  }

  it('[HK15, HK13, SP11, HK10] that hang are cut off by an interrupt at every moment, and the resume completes', async () => {
    let stops = 0;
    for (let at = 1; at <= 40; at++)
      await withTree(hooksHang, {}, async (tree) => {
        await tree.start();
        await tree.time.pass(at * 500);
        if (tree.stop('interrupt')) {
          stops++;
          await tree.time.pass(3_000);
          expect(tree.ended, `interrupt after ${at * 500} ms`).toBe(true);
          await tree.resume();
        }
        for (let round = 0; round < 4 && !tree.ended; round++) {
          await tree.time.pass(30_000);
          const [waiting] = tree.pending;
          if (waiting) void tree.answer(waiting, yes(waiting));
        }
        await tree.finish();
        expect(tree.outcome, `interrupt after ${at * 500} ms`).toMatchObject(COMPLETED);
      });
    expect(stops).toBeGreaterThan(10);
  });

  it('[HK14, HK4, RS3] of a step that a retry asks again: it begins once in the new run', () => {
    const seen: string[] = [];
    let asked = 0;
    return withTree(
      () => {
        const hooks = {
          onAgentStart: (_: unknown, { agent }: { agent: { runId: string } }) => void seen.push(`${agent.runId} start`),
          onStepStart: (_: unknown, { agent }: { agent: { runId: string } }) => void seen.push(`${agent.runId} step`),
        };
        return {
          agents: [agentOf('top', { hooks })],
          scripts: { top: () => (asked++ === 0 ? { fail: { code: 'model_refused' } } : { text: 'Done.' }) },
        };
      },
      {},
      async (tree) => {
        await tree.run();
        expect(tree.outcome.status).toBe('failed');
        expect(tree.apply((facts) => ({ type: 'retry', ...facts, runId: 'r_again' })).ok).toBe(true);
        await tree.finish();
        expect(tree.outcome).toMatchObject(COMPLETED);
        expect(seen.filter((one) => one.startsWith('r_again'))).toEqual(['r_again start', 'r_again step']);
      },
    );
  });
});

describe('what is spent', () => {
  it('[US4, US6] by a body that an interrupt cut off adds up with that of the body after it', () =>
    withTree(
      (tree) => {
        let bodies = 0;
        const spender = defineTool({
          name: 'spender',
          description: 'Hears no abort, and spends late; a second body ends at once.',
          inputSchema: z.object({}),
          replay: 'safe',
          timeoutMs: 1_000_000,
          execute: (_, context) => {
            context.recordUsage({ inputTokens: 100 });
            if (++bodies > 1) return 'ok';
            return new Promise((resolve) =>
              tree.time.environment.timer(60_000, () => {
                context.recordUsage({ inputTokens: 7 });
                resolve('late');
              }),
            );
          },
        });
        return kidWith(spender);
      },
      {},
      async (tree) => {
        await tree.start();
        await tree.time.pass(1_000);
        expect(tree.stop('interrupt')).toBe(true);
        await tree.time.until(() => tree.ended);
        await tree.resume();
        await tree.finish();
        await tree.time.pass(120_000);
        const { usage, address } = kidOf(tree);
        // Two model calls of 10 each, two bodies, and what the first one spent after it was cut off.
        expect(usage.inputTokens).toBe(20 + 100 + 100 + 7);
        expect(tree.state(address).spent).toEqual(usage);
      },
    ));

  it('[US1] is counted for an agent whose name every object has a property of', () =>
    withTree(
      (tree) => ({
        agents: [agentOf('constructor', { tools: [noteTool(tree)] })],
        scripts: Object.fromEntries([['constructor', [{ text: 'Done.' }]]]),
      }),
      {},
      async (tree) => {
        await tree.run();
        const { tree: root } = tree.world.object(tree.address);
        const self = root?.self();
        if (!root || !self) throw new Error('There is no root.');
        expect(spentBelow(root.tree, self).total.modelCalls).toBe(1);
      },
    ));
});
