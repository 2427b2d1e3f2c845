/** The hooks of a result that no body of a tool gave: a client's, and that of a sub-agent that a call waited for. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { STOP_VERBS } from '../../src/core/agent/stop-verb';
import { defineTool } from '../../src/core/definition/define-tool';
import type { HookContext } from '../../src/core/definition/hook-types';
import { createSubAgentTool } from '../../src/core/definition/relationship';
import { defineHook, type StandardHookPayloads } from '../../src/core/definition/standard-hooks';
import { failure } from '../../src/protocol/errors';
import type { CallResult } from '../../src/protocol/messages';
import { examine } from '../support/examine';
import { type Tree, type TreeParts, withTree } from '../support/harness';
import { present } from '../support/present';
import { agentOf, noteTool, question, toolResults } from '../support/trees';

type Payload = StandardHookPayloads['before_store_tool_result'];
type Body = (payload: Payload, context: HookContext) => CallResult | undefined | Promise<CallResult | undefined>;

const NAMES = ['after_tool_call_success', 'after_tool_call_failure', 'before_store_tool_result'] as const;

/** The hooks of a result, each with the same body. */
const hooksOf = (body: (name: (typeof NAMES)[number], ...given: Parameters<Body>) => ReturnType<Body>) =>
  NAMES.map((hook) =>
    defineHook({ hook, id: `own_${hook}`, execute: (payload, context) => body(hook, payload, context) }),
  );

const locate = defineTool({ name: 'locate', description: 'x', inputSchema: z.object({}), execute: 'client' });

/** A top that asks its client, and then says so. */
const asking = (hooks: ReturnType<typeof hooksOf>, limits = {}): TreeParts => ({
  agents: [agentOf('top', { tools: [locate], hooks, limits })],
  scripts: { top: [{ calls: [{ name: 'locate' }] }, { text: 'Done.' }] },
});

const gave = (value: string) => ({ kind: 'client-tool-result', result: { success: true, value } }) as const;

const waiting = (tree: Tree) => present(tree.pending[0]);

describe('the result of a client', () => {
  it('[SA75, HK20] passes the hooks of a result, one that succeeded and one that failed, before it is kept', async () => {
    const failed = {
      kind: 'client-tool-result',
      result: { success: false, error: failure('client_tool_failed') },
    } as const;
    for (const [answer, told] of [
      [gave('Rome'), ['after_tool_call_success', 'before_store_tool_result']],
      [failed, ['after_tool_call_failure', 'before_store_tool_result']],
    ] as const) {
      const called: unknown[] = [];
      const parts = asking(
        hooksOf((name, { tool, result }) => {
          called.push(name);
          return {
            success: true,
            value: `${result.success ? JSON.stringify(result.value) : result.error.code} ${tool.name}`,
          };
        }),
      );
      await withTree(
        () => parts,
        {},
        async (tree) => {
          await tree.start();
          await tree.rest();
          expect(called).toEqual([]);
          expect(await tree.answer(waiting(tree), answer)).toMatchObject({ ok: true });
          await tree.finish();
          expect(called).toEqual(told);
          const first = answer.result.success ? '"Rome" locate' : 'client_tool_failed locate';
          expect(toolResults(tree)).toEqual([{ success: true, value: `${JSON.stringify(first)} locate` }]);
          expect(tree.time.problems).toEqual([]);
          examine(tree);
        },
      );
    }
  });

  it('[SA75, HK20] has hooks that change the state, also of an agent that has just come back', async () => {
    const parts = asking(
      hooksOf((name, _, { updateState }) => {
        updateState(() => ({ last: name }));
        return undefined;
      }),
    );
    await withTree(
      () => parts,
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        const asked = waiting(tree);
        tree.crash();
        expect(await tree.answer(asked, gave('Rome'))).toMatchObject({ ok: true });
        await tree.finish();
        expect(tree.state().custom).toEqual({ last: 'before_store_tool_result' });
        expect(tree.log.filter(({ chunk }) => chunk.type === 'hook_failed')).toEqual([]);
        expect(toolResults(tree)).toEqual([{ success: true, value: 'Rome' }]);
      },
    );
  });

  it('[SA75] passes none where it is refused, and a denial passes none: nobody has given a result', async () => {
    const called: string[] = [];
    const hooks = hooksOf((name) => {
      called.push(name);
      return undefined;
    });
    const parts = (tree: Tree): TreeParts => ({
      agents: [agentOf('top', { tools: [noteTool(tree, { name: 'pay', requireApproval: true })], hooks })],
      scripts: { top: [{ calls: [{ name: 'pay', input: { text: 'p' } }] }, { text: 'Done.' }] },
    });
    await withTree(parts, {}, async (tree) => {
      await tree.start();
      await tree.rest();
      expect(await tree.answer(waiting(tree), gave('Rome'))).toMatchObject({ ok: false });
      expect(await tree.answer(waiting(tree), { kind: 'approval-response', approved: false })).toMatchObject({
        ok: true,
      });
      await tree.finish();
      expect(called).toEqual([]);
      expect(toolResults(tree)).toMatchObject([{ success: false }]);
    });
  });

  it.each(STOP_VERBS)('[HK15] %s during its hook aborts that, and the answer is not taken', async (verb) => {
    const signals: AbortSignal[] = [];
    const parts = asking(
      hooksOf((_name, _payload, { abortSignal }) => {
        signals.push(abortSignal);
        return new Promise(() => undefined);
      }),
      { hookTimeoutMs: 100_000, stopGraceMs: 700 },
    );
    await withTree(
      () => parts,
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        const answered = tree.answer(waiting(tree), gave('Rome'));
        await tree.time.until(() => signals.length === 1);
        expect(signals[0]?.aborted).toBe(false);
        const at = tree.time.now;
        tree.stop(verb);
        await tree.time.settle();
        expect(signals[0]?.aborted).toBe(true);
        expect(await tree.time.until(() => tree.time.pending === 0).then(() => answered)).toMatchObject({ ok: false });
        expect(tree.time.now - at).toBeLessThan(10_000);
        expect(tree.outcome?.status).toBe({ interrupt: 'interrupted', abort: 'failed', terminate: 'terminated' }[verb]);
        expect(tree.log.filter(({ chunk }) => chunk.type === 'hook_failed')).toEqual([]);
      },
    );
  });
});

describe('the result of a sub-agent', () => {
  it.each(STOP_VERBS)('[HK15] %s during its hook aborts that and gives it its grace, and no more', async (verb) => {
    const signals: AbortSignal[] = [];
    const hooks = hooksOf((_name, _payload, { abortSignal }) => {
      signals.push(abortSignal);
      return new Promise(() => undefined);
    });
    const parts = (): TreeParts => {
      const leaf = agentOf('leaf');
      const limits = { hookTimeoutMs: 100_000, stopGraceMs: 700 };
      return {
        agents: [agentOf('top', { tools: [createSubAgentTool(leaf, question)], hooks, limits }), leaf],
        scripts: {
          top: [{ calls: [{ name: 'subagent__leaf', input: { q: 'a' } }] }, { text: 'Done.' }],
          leaf: [{ text: 'l' }],
        },
      };
    };
    await withTree(parts, {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => signals.length === 1);
      const at = tree.time.now;
      tree.stop(verb);
      await tree.time.settle();
      expect(signals[0]?.aborted).toBe(true);
      await tree.time.until(() => tree.ended);
      // Two hooks of a success, each with the grace of a body.
      expect(tree.time.now - at).toBeLessThanOrEqual(2 * 700 + 100);
      await tree.time.drain();
      expect(tree.log.filter(({ chunk }) => chunk.type === 'hook_failed')).toEqual([]);
      expect(tree.time.problems).toEqual([]);
      if (verb === 'interrupt') {
        await tree.resume();
        await tree.finish();
        expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
      }
      expect(signals).toHaveLength(2);
      examine(tree);
    });
  });
});

describe('a hook of a result that takes the process down', () => {
  it('[RC4] ends the run of the parent whose sub-agent gave that', async () => {
    let bodies = 0;
    const make = (tree: Tree): TreeParts => {
      const hooks = hooksOf(() => {
        bodies++;
        // One that is never given up is seen by its number, not by a test that does not end.
        if (bodies < 60) tree.crash();
        return new Promise(() => undefined);
      });
      const leaf = agentOf('leaf');
      const limits = { maxRecoveries: 3, hookTimeoutMs: 1_000 };
      return {
        agents: [agentOf('top', { tools: [createSubAgentTool(leaf, question)], hooks, limits }), leaf],
        scripts: {
          top: [{ calls: [{ name: 'subagent__leaf', input: { q: 'a' } }] }, { text: 'Done.' }],
          leaf: [{ text: 'l' }],
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect([bodies, tree.outcome]).toMatchObject([4, { status: 'failed', error: { code: 'max_recoveries' } }]);
      examine(tree);
    });
  });
});
