/** The hooks of a result that no body of a tool gave: a client's, and that of a sub-agent that a call waited for. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { STOP_VERBS } from '../../src/core/agent/runs/stop-verb';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import { defineTool } from '../../src/core/definition/define-tool';
import type { HookContext } from '../../src/core/definition/hooks/hook-types';
import { defineHook, type StandardHookPayloads } from '../../src/core/definition/hooks/standard-hooks';
import { failure } from '../../src/protocol/errors';
import type { CallResult } from '../../src/protocol/messages';
import { NO_USAGE } from '../../src/protocol/usage';
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

describe('the hooks of a result', () => {
  it.each(['after_tool_call_success', 'after_tool_call_failure'] as const)(
    '[SA75, HK20] have the arguments that the body had, also where the person who approved changed them (%s)',
    async (first) => {
      const told: unknown[] = [];
      const hooks = hooksOf((name, { tool, input }) => {
        told.push([name, tool.toolCallId, input]);
        return undefined;
      });
      const had: unknown[] = [];
      const pay = defineTool({
        name: 'pay',
        description: 'x',
        inputSchema: z.object({ text: z.string() }),
        requireApproval: ({ text }) => text !== 'asks nobody',
        execute: (input) => {
          had.push(input);
          if (first === 'after_tool_call_failure') throw new Error('No.');
          return 'Paid.';
        },
      });
      const written = ['asks nobody', 'as it is', 'to be changed'].map((text) => ({ name: 'pay', input: { text } }));
      const parts = (): TreeParts => ({
        agents: [agentOf('top', { tools: [pay], hooks })],
        scripts: { top: [...written.map((one) => ({ calls: [one] })), { text: 'Done.' }] },
      });
      await withTree(parts, {}, async (tree) => {
        await tree.start();
        for (const changed of [{}, { input: { text: 'changed' } }]) {
          await tree.rest();
          const answer = { kind: 'approval-response', approved: true, ...changed } as const;
          expect(await tree.answer(waiting(tree), answer)).toMatchObject({ ok: true });
        }
        await tree.finish();
        const inputs = [{ text: 'asks nobody' }, { text: 'as it is' }, { text: 'changed' }];
        const ids = tree
          .store()
          .steps({})
          .flatMap((step) => (step.phase === 'calls' ? step.calls.map(({ callId }) => callId) : []));
        expect(had).toEqual(inputs);
        expect(told).toEqual(
          inputs.flatMap((input, at) => [first, 'before_store_tool_result'].map((name) => [name, ids[at], input])),
        );
      });
    },
  );
});

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
        expect(tree.time.now - at).toBeLessThanOrEqual(700 + 100);
        expect(JSON.stringify([tree.transcript(), tree.log])).not.toContain('Rome');
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
      // One grace for all of them.
      expect(tree.time.now - at).toBeLessThanOrEqual(700 + 100);
      await tree.time.drain();
      const own = tree.log.filter(({ chunk }) => chunk.agentType === 'top');
      expect(JSON.stringify([tree.transcript(), own])).not.toContain('"l"');
      expect(tree.log.filter(({ chunk }) => chunk.type === 'hook_failed')).toEqual([]);
      expect(tree.time.problems).toEqual([]);
      if (verb === 'interrupt') {
        await tree.resume();
        await tree.finish();
        expect(tree.outcome).toMatchObject({ status: 'completed', output: 'Done.' });
      }
      expect(signals).toHaveLength(1);
      expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'result_withheld' } }]);
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

describe('a stop while the hooks of a result redact it', () => {
  const GRACE = 700;
  const limits = { hookTimeoutMs: 100_000, stopGraceMs: GRACE };
  const SECRET = 'account 1234567890';
  const COMPLETED_WITH_SECRET = { status: 'completed', output: SECRET, completionReason: 'text' } as const;
  const wait = (tree: Tree, ms: number) => new Promise<void>((go) => void tree.time.environment.timer(ms, go));

  /** Everything that the agent at the top keeps, or has shown. */
  const kept = (tree: Tree) =>
    JSON.stringify([
      tree.transcript(),
      tree.store().steps({}),
      tree.log.filter(({ chunk }) => chunk.agentType === 'top'),
      tree.state(),
    ]);

  const look = (replay: 'safe' | 'never', body: () => unknown = () => SECRET) =>
    defineTool({ name: 'look', description: 'x', inputSchema: z.object({}), replay, execute: body });

  const looking = (tool: ReturnType<typeof look>, hooks: ReturnType<typeof hooksOf>): TreeParts => ({
    agents: [agentOf('top', { tools: [tool], hooks, limits })],
    scripts: { top: [{ calls: [{ name: 'look' }] }, { text: 'Done.' }] },
  });

  const redacted = { success: true, value: 'redacted' } as const;

  it.each(STOP_VERBS)('[HK24] %s leaves nothing of the result of a tool, but that it was withheld', async (verb) => {
    let begun = 0;
    const hooks = hooksOf(() => {
      begun++;
      return new Promise(() => undefined);
    });
    await withTree(
      () => looking(look('never'), hooks),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.until(() => begun === 1);
        const at = tree.time.now;
        tree.stop(verb);
        await tree.time.until(() => tree.ended);
        expect(tree.time.now - at).toBe(GRACE);
        await tree.time.drain();
        expect(begun).toBe(1);
        expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'result_withheld' } }]);
        expect(kept(tree)).not.toContain(SECRET);
        if (verb !== 'interrupt') examine(tree);
      },
    );
  });

  it('[HK24] one that may run again does so after the resume of an interrupted run, and its result is redacted then', async () => {
    let bodies = 0;
    let begun = 0;
    const hooks = hooksOf(() => (++begun === 1 ? new Promise(() => undefined) : redacted));
    const tool = look('safe', () => {
      bodies++;
      return SECRET;
    });
    await withTree(
      () => looking(tool, hooks),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.until(() => begun === 1);
        tree.stop('interrupt');
        await tree.finish();
        expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'superseded' } }]);
        await tree.resume();
        await tree.finish();
        expect([bodies, toolResults(tree)]).toEqual([2, [redacted]]);
        expect(kept(tree)).not.toContain(SECRET);
      },
    );
  });

  it.each([
    ['in the time that is left', 300, 300, redacted],
    ['after it', 300, 500, { success: false, error: { code: 'result_withheld' } }],
  ] as const)(
    '[HK23] a body and its hooks have one grace together: hooks that end %s',
    async (_, body, hook, result) => {
      await withTree(
        (tree) => {
          const hooks = hooksOf(async (name) => {
            await wait(tree, name === 'before_store_tool_result' ? hook : 0);
            return redacted;
          });
          const slow = look('never', async () => {
            tree.body('look');
            await wait(tree, 1_000 + body);
            return SECRET;
          });
          return looking(slow, hooks);
        },
        {},
        async (tree) => {
          await tree.start();
          await tree.time.until(() => tree.bodies.size === 1);
          await tree.time.pass(1_000);
          const at = tree.time.now;
          tree.stop('interrupt');
          await tree.time.until(() => tree.ended);
          expect(tree.time.now - at).toBe(Math.min(body + hook, GRACE));
          await tree.time.drain();
          expect(toolResults(tree)).toMatchObject([result]);
          expect(kept(tree)).not.toContain(SECRET);
        },
      );
    },
  );

  it('[HK24] what a client gave is not taken by the run that goes on before its hooks were cut off', async () => {
    const hooks = hooksOf(() => new Promise(() => undefined));
    await withTree(
      () => asking(hooks, limits),
      {},
      async (tree) => {
        await tree.start();
        await tree.rest();
        const answered = tree.answer(waiting(tree), gave(SECRET));
        await tree.time.settle();
        tree.stop('interrupt');
        expect(tree.ended).toBe(true);
        await tree.resume();
        expect(await tree.soon(answered)).toMatchObject({ ok: false });
        await tree.rest();
        // The call still waits, and nobody has seen anything.
        expect(tree.pending).toHaveLength(1);
        expect(kept(tree)).not.toContain(SECRET);
      },
    );
  });

  const delegating = (
    hooks: ReturnType<typeof hooksOf>,
    leafDoes: TreeParts['scripts'][string],
    tree: Tree,
    stopGraceMs = GRACE,
  ): TreeParts => {
    const leaf = agentOf('leaf', { tools: [noteTool(tree)], limits: { maxSteps: 2 } });
    return {
      agents: [
        agentOf('top', { tools: [createSubAgentTool(leaf, question)], hooks, limits: { ...limits, stopGraceMs } }),
        leaf,
      ],
      scripts: { top: [{ calls: [{ name: 'subagent__leaf', input: { q: 'a' } }] }, { text: 'Done.' }], leaf: leafDoes },
    };
  };

  it('[HK25] what a sub-agent had done passes the hooks with its failure', async () => {
    const told: unknown[] = [];
    const hooks = hooksOf((name, { result }) => {
      told.push([name, JSON.stringify(result).includes(SECRET)]);
      return result.success ? result : JSON.parse(JSON.stringify(result).replaceAll(SECRET, 'redacted'));
    });
    const note = { calls: [{ name: 'note', input: { text: SECRET } }], text: SECRET };
    await withTree(
      (tree) => delegating(hooks, [note, note, note], tree),
      {},
      async (tree) => {
        await tree.run();
        expect(told).toEqual([
          ['after_tool_call_failure', true],
          ['before_store_tool_result', false],
        ]);
        expect(toolResults(tree)).toMatchObject([
          {
            success: false,
            error: { code: 'max_steps', details: { done: { lastText: 'redacted', callsSucceeded: 2 } } },
          },
        ]);
        expect(kept(tree)).not.toContain(SECRET);
        examine(tree);
      },
    );
  });

  it.each(['abort', 'terminate'] as const)('[HK25] so it does where %s ends the sub-agent', async (verb) => {
    const hooks = hooksOf((_, { result }) => JSON.parse(JSON.stringify(result).replaceAll(SECRET, 'redacted')));
    const note = { calls: [{ name: 'note', input: { text: SECRET } }] };
    await withTree(
      (tree) => delegating(hooks, [note, { hang: true }], tree),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.until(() => tree.port.asked.length === 3);
        tree.stop(verb);
        await tree.finish();
        const [result] = toolResults(tree);
        expect(JSON.stringify(result)).toContain('redacted');
        expect(kept(tree)).not.toContain(SECRET);
        examine(tree);
      },
    );
  });

  it('[HK24] a crash under a stop leaves no time: the end that is told again is withheld, and no hook is asked', async () => {
    let begun = 0;
    const hooks = hooksOf(() => {
      begun++;
      return new Promise(() => undefined);
    });
    await withTree(
      (tree) => delegating(hooks, [{ text: SECRET }], tree, 60_000),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.until(() => begun === 1);
        tree.stop('interrupt');
        await tree.time.pass(GRACE);
        tree.crash();
        await tree.finish();
        expect(begun).toBe(1);
        expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'result_withheld' } }]);
        expect(kept(tree)).not.toContain(SECRET);
      },
    );
  });

  it('[HK25] an end that is told again while its hooks are asked asks them no second time', async () => {
    let begun = 0;
    await withTree(
      (tree) =>
        delegating(
          hooksOf(async () => {
            begun++;
            await wait(tree, 200);
            return redacted;
          }),
          [{ text: SECRET }],
          tree,
        ),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.until(() => begun === 1);
        const child = present([...tree.state().children.values()][0]);
        const { childId, task, address } = child;
        const { runId = '' } = tree.state(address).run ?? {};
        const told = { task: { childId, task: task.number }, outcome: COMPLETED_WITH_SECRET } as const;
        const again = tree.world
          .object(tree.address)
          .send(tree.address, { type: 'child_settled', ...told, runId, usage: NO_USAGE });
        await tree.time.settle();
        expect(begun).toBe(1);
        tree.stop('interrupt');
        await tree.finish();
        expect(await again).toMatchObject({ answer: 'refused', error: { code: 'superseded' } });
        expect(begun).toBe(2);
        expect(toolResults(tree)).toEqual([redacted]);
        expect(kept(tree)).not.toContain(SECRET);
      },
    );
  });

  it('[HK24] a change of a message whose hook is cut off is not made', async () => {
    let begun = 0;
    const hooks = [
      defineHook({
        hook: 'before_update_message',
        id: 'redact_changes',
        execute: () => {
          begun++;
          return new Promise<undefined>(() => undefined);
        },
      }),
      defineHook({
        hook: 'after_create_message',
        id: 'note_first',
        execute: ({ message }, { updateState }) => {
          if (message.role === 'user') updateState(() => ({ first: message.messageId }));
        },
      }),
    ];
    const mend = defineTool({
      name: 'mend',
      description: 'x',
      inputSchema: z.object({}),
      execute: async (_, { thread, getState }) => {
        const { first } = z.object({ first: z.string() }).parse(getState());
        await thread.updateMessage(first, { content: SECRET });
        return 'mended';
      },
    });
    await withTree(
      () => ({
        agents: [agentOf('top', { tools: [mend], hooks, limits })],
        scripts: { top: [{ calls: [{ name: 'mend' }] }, { text: 'Done.' }] },
      }),
      {},
      async (tree) => {
        await tree.start();
        await tree.time.until(() => begun === 1);
        tree.stop('interrupt');
        await tree.finish();
        expect(tree.transcript()[0]).toMatchObject({ content: 'Go' });
        expect(toolResults(tree)).toMatchObject([{ success: false, error: { code: 'interrupted' } }]);
        expect(kept(tree)).not.toContain(SECRET);
      },
    );
  });
});
