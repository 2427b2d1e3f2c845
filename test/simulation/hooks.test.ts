/** Hooks: what an author's code is told, when, how often, and what it may do. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { AgentOptions } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import {
  type AgentHooks,
  HOOK_NAMES,
  type HookBody,
  type HookContext,
  type HookName,
  type HookPayloads,
} from '../../src/core/definition/hooks/hook-types';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { isObject } from '../../src/protocol/json';
import { examine } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { People, type Plan, yes } from '../support/people';
import type { Answer } from '../support/scripted-port';
import { moments } from '../support/sizes';
import { agentOf, answer, hangTool, noteTool, question } from '../support/trees';

/** A body of a hook that was begun. */
interface Fired {
  readonly agent: string;
  readonly hook: HookName;
  readonly about: string;
  readonly key: string;
  readonly runId: string;
  readonly at: number;
  readonly payload: unknown;
}

/** What a hook is about, of all that it is told. */
function aboutOf(payload: HookPayloads[keyof HookPayloads]): string {
  if ('tool' in payload) return payload.tool.name;
  if ('agentType' in payload) return String(payload.agentType);
  return 'step' in payload ? String(payload.step) : '';
}

/** What a body does beside being noted. */
type Act = (fired: Fired, context: HookContext) => unknown;

/** Every hook, noting that it was begun. */
function allHooks(tree: Tree, into: Fired[], act: Act = () => undefined): AgentHooks {
  const body =
    (hook: HookName) =>
    (payload: HookPayloads[HookName], context: HookContext): unknown => {
      const { idempotencyKey: key, agent } = context;
      const fired = { hook, key, payload, agent: agent.type, runId: agent.runId, about: aboutOf(payload) };
      into.push({ ...fired, at: tree.time.now });
      return act({ ...fired, at: tree.time.now }, context);
    };
  return Object.fromEntries(HOOK_NAMES.map((hook) => [hook, body(hook)]));
}

const lines = (fired: readonly Fired[], agent?: string): string[] =>
  fired.filter((one) => agent === undefined || one.agent === agent).map(({ hook, about }) => `${hook} ${about}`.trim());

/** Two steps: a tool, a child, a tool that a person allows, and one of the client; then the end. */
function everything(tree: Tree, into: Fired[], act?: Act, options: Partial<AgentOptions> = {}): TreeParts {
  const leaf = agentOf('leaf', {
    tools: [noteTool(tree)],
    outputSchema: answer,
    hooks: allHooks(tree, into, act),
  });
  const pay = noteTool(tree, { name: 'pay', requireApproval: true });
  const locate = defineTool({ name: 'locate', description: 'x', inputSchema: z.object({}), execute: 'client' });
  const tools = [noteTool(tree), pay, locate, createSubAgentTool(leaf, question)];
  const top = agentOf('top', { tools, hooks: allHooks(tree, into, act), ...options });
  return {
    agents: [top, leaf],
    scripts: {
      top: [
        {
          calls: [
            { name: 'note', input: { text: 'n' } },
            { name: 'subagent__leaf', input: { q: 'a' } },
            { name: 'pay', input: { text: 'p' } },
            { name: 'locate' },
          ],
        },
        { text: 'Done.' },
      ],
      leaf: [{ calls: [{ name: 'note', input: { text: 'l' } }] }, { finish: { answer: 'l' } }],
    },
  };
}

/** One agent with one tool. */
function single(tree: Tree, hooks: AgentHooks, options: Partial<AgentOptions> = {}): TreeParts {
  const top = agentOf('top', { tools: [noteTool(tree)], hooks, ...options });
  return {
    agents: [top],
    scripts: {
      top: [
        {
          calls: [
            { name: 'note', input: { text: 'a' } },
            { name: 'note', input: { text: 'b' } },
          ],
        },
        { text: 'Done.' },
      ],
    },
  };
}

/** Runs a tree with people who answer, to its end, and checks what holds of every tree. */
async function attended(make: (tree: Tree) => TreeParts, plan: Plan = {}, options: TreeOptions = {}, what = '') {
  const people = new People(plan);
  const onCommit = (tree: Tree, commit: number) => people.committed(tree, tree.commits[commit - 1] ?? '');
  return withTree(make, { ...options, onCommit }, async (tree) => {
    await tree.start();
    await people.attend(tree);
    await tree.time.drain();
    return {
      tree,
      outcome: tree.outcome,
      log: tree.log,
      kinds: tree.kinds,
      problems: tree.time.problems,
      what,
    };
  });
}

describe('the order of hooks', () => {
  it.for([false, true])('[HK1, HK4, HK5] each fires once, in order (asynchronous: %s)', async (late) => {
    const fired: Fired[] = [];
    const act: Act = () => (late ? Promise.resolve().then(() => undefined) : undefined);
    const { outcome, log, problems } = await attended((tree) => everything(tree, fired, act));
    expect(outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(problems).toEqual([]);
    const top = lines(fired, 'top');
    expect(top.slice(0, 4)).toEqual(['onAgentStart', 'onStepStart 1', 'beforeTool note', 'beforeTool locate']);
    expect(top.slice(-5)).toEqual(['onStepEnd 1', 'onStepStart 2', 'onStepEnd 2', 'onAgentComplete', 'onRunSettled']);
    expect(top.slice(4, -5).sort()).toEqual(
      ['afterTool locate', 'afterTool note', 'afterTool pay', 'beforeTool pay', 'onChildSettled leaf'].sort(),
    );
    expect(top.indexOf('beforeTool pay')).toBeLessThan(top.indexOf('afterTool pay'));
    expect(lines(fired, 'leaf')).toEqual([
      'onAgentStart',
      'onStepStart 1',
      'beforeTool note',
      'afterTool note',
      'onStepEnd 1',
      'onStepStart 2',
      'onStepEnd 2',
      'onAgentComplete',
      'onRunSettled',
    ]);
    expect(new Set(fired.map(({ key }) => key)).size).toBe(fired.length);
    const answered = log.find(({ chunk }) => chunk.type === 'tool_answered' && chunk.kind === 'approval-response');
    expect(fired.find(({ about, hook }) => hook === 'beforeTool' && about === 'pay')?.at).toBeGreaterThanOrEqual(
      answered?.chunk.timestamp ?? Number.POSITIVE_INFINITY,
    );
  });

  it('[HK2, HK5] beforeTool of an approval fires after the yes, with the arguments agreed to, and not after a no', async () => {
    const fired: Fired[] = [];
    const say: Plan['say'] = (waiting) =>
      waiting.item.kind === 'approval'
        ? { kind: 'approval-response', approved: true, input: { text: 'q' } }
        : yes(waiting);
    await attended((tree) => everything(tree, fired), { say });
    expect(fired.filter(({ about }) => about === 'pay').map(({ payload }) => payload)).toMatchObject([
      { tool: { name: 'pay' }, input: { text: 'q' } },
      { tool: { name: 'pay' }, input: { text: 'q' }, result: { success: true, value: { noted: 'q' } } },
    ]);
    const denied: Fired[] = [];
    const no: Plan['say'] = (waiting) =>
      waiting.item.kind === 'approval' ? { kind: 'approval-response', approved: false } : yes(waiting);
    await attended((tree) => everything(tree, denied), { say: no });
    expect(lines(denied, 'top').filter((line) => line.endsWith('pay'))).toEqual(['afterTool pay']);
  });

  it('[HK4] says what it is told to say', async () => {
    const fired: Fired[] = [];
    const { tree } = await attended((made) => everything(made, fired));
    const of = (agent: string, hook: HookName) =>
      fired.filter((one) => one.agent === agent && one.hook === hook).map(({ payload }) => payload);
    expect(of('top', 'onAgentStart')).toEqual([{ turn: 1 }]);
    expect(of('leaf', 'onAgentStart')).toEqual([{ turn: 1, input: { q: 'a' } }]);
    expect(of('leaf', 'onRunSettled')).toEqual([
      { status: 'completed', output: { answer: 'l' }, durationMs: expect.any(Number) },
    ]);
    expect(of('top', 'onAgentComplete')).toMatchObject([{ output: 'Done.', durationMs: expect.any(Number) }]);
    expect(of('leaf', 'onAgentComplete')).toMatchObject([{ output: { answer: 'l' } }]);
    expect(of('top', 'onStepEnd')).toMatchObject([
      { step: 1, finishReason: 'tool-calls', usage: { modelCalls: 1 } },
      { step: 2, text: 'Done.', finishReason: 'stop' },
    ]);
    expect(of('top', 'onChildSettled')).toEqual([
      {
        agentType: 'leaf',
        toolCallId: expect.stringMatching(/^c_/),
        sessionId: expect.stringMatching(/^s_/),
        address: `${tree.address}/sub/leaf/1~1`,
        result: { success: true, value: { answer: 'l' } },
      },
    ]);
    expect(new Set(fired.map(({ runId }) => runId)).size).toBe(2);
  });
});

describe('what a hook may do', () => {
  it('[HK6] changes the state and writes to the stream while it runs, and knows where it stands', async () => {
    const seen: unknown[] = [];
    const hooks: AgentHooks = {
      onAgentStart: (_, context) => {
        context.updateState((state) => ({ ...(isObject(state) && state), begun: true }));
        context.emitCustom('trace', { span: 1 });
        context.emit('Beginning.');
        seen.push({ ...context.agent, tags: [...context.tags], parent: context.parentSessionId ?? null });
      },
      afterTool: (_, context) => {
        seen.push(context.getState());
      },
    };
    const { tree, log } = await attended((made) => single(made, hooks));
    expect(tree.nodes).toHaveLength(1);
    expect(seen[0]).toMatchObject({ type: 'top', address: tree.address, tags: [], parent: null });
    expect(seen.slice(1)).toEqual([{ begun: true }, { begun: true }]);
    const types = log.map(({ chunk }) => chunk.type);
    expect(types.slice(0, 4)).toEqual(['run_started', 'state_patch', 'custom', 'subagent_status']);
    expect(log[1]?.chunk).toMatchObject({ patch: [{ op: 'add', path: '/begun', value: true }] });
  });

  it('[HK6] a child’s hook knows its parent, and keeps a state of its own', async () => {
    const parents: (string | undefined)[] = [];
    const note: Act = ({ agent, hook }, context) => {
      if (hook !== 'onAgentStart') return;
      parents.push(context.parentSessionId);
      context.updateState((state) => ({ ...(isObject(state) && state), by: agent }));
    };
    await withTree(
      (tree) => everything(tree, [], note),
      {},
      async (tree) => {
        await tree.start();
        await new People({}).attend(tree);
        expect(parents).toEqual([undefined, tree.state().session.sessionId]);
        expect(tree.addresses.map((address) => tree.state(address).custom)).toEqual([
          { by: 'top' },
          { q: 'a', by: 'leaf' },
        ]);
      },
    );
  });

  it('[HK6] writes nothing once it has ended', async () => {
    let kept: HookContext | undefined;
    const refused: unknown[] = [];
    const hooks: AgentHooks = {
      onStepStart: (_, context) => {
        kept = context;
      },
      onAgentComplete: () => {
        try {
          kept?.emit('Too late.');
        } catch (error) {
          refused.push(error);
        }
      },
    };
    const { log } = await attended((tree) => single(tree, hooks));
    expect(refused).toMatchObject([{ code: 'superseded' }]);
    expect(log.filter(({ chunk }) => chunk.type === 'subagent_status')).toEqual([]);
  });

  it('[HK7] what a hook records as spent is counted, also before the first step', async () => {
    const hooks: AgentHooks = Object.fromEntries(
      (['onAgentStart', 'beforeTool', 'onAgentComplete'] as const).map((name) => [
        name,
        (_: unknown, { recordUsage }: HookContext) => recordUsage({ inputTokens: 1_000, costUsd: 0.5 }),
      ]),
    );
    await withTree(
      (tree) => single(tree, hooks),
      {},
      async (tree) => {
        await tree.run();
        const { inputTokens, costUsd } = tree.state().spent;
        expect({ inputTokens, costUsd }).toEqual({ inputTokens: 4_020, costUsd: 2 });
        expect(tree.nodes[0]?.usage).toEqual(tree.state().spent);
      },
    );
  });
});

describe('hooks of a tree', () => {
  const ways = {
    finish: { finish: { answer: 'l' } },
    finishWith: { calls: [{ name: 'deliver', input: { text: 'x' } }] },
    failure: { fail: { code: 'model_refused' as const } },
  };

  it.for(Object.keys(ways) as (keyof typeof ways)[])(
    '[HK8] a child ends by %s: its own hooks, then its parent’s, whose stream is open all the while',
    async (way) => {
      const fired: Fired[] = [];
      const open: string[] = [];
      const { log } = await attended((tree) => {
        const act: Act = ({ agent, hook }, context) => {
          context.emitCustom('span', hook);
          const { run } = tree.state();
          open.push(`${agent} ${hook} ${run?.phase}`);
        };
        const deliver = noteTool(tree, { name: 'deliver', finishWith: true });
        const leaf = agentOf('leaf', {
          ...(way === 'finishWith'
            ? { tools: [deliver], outputSchema: z.object({ noted: z.string() }) }
            : { outputSchema: answer }),
          hooks: allHooks(tree, fired, act),
        });
        const top = agentOf('top', { tools: [createSubAgentTool(leaf, question)], hooks: allHooks(tree, fired, act) });
        const scripts = {
          top: [{ calls: [{ name: 'subagent__leaf', input: { q: 'a' } }] }, { text: 'Done.' }],
          leaf: [ways[way]],
        };
        return { agents: [top, leaf], scripts };
      });
      const last = way === 'failure' ? 'onAgentFail' : 'onAgentComplete';
      expect(lines(fired, 'leaf').filter((line) => line.startsWith('onAgent'))).toEqual(['onAgentStart', last]);
      const order = fired.map(({ agent, hook }) => `${agent} ${hook}`);
      expect(order.filter((one) => one === 'top onChildSettled')).toHaveLength(1);
      expect(order.indexOf(`leaf ${last}`)).toBeLessThan(order.indexOf('top onChildSettled'));
      expect(order.slice(-2)).toEqual(['top onAgentComplete', 'top onRunSettled']);
      expect(open.every((one) => one.endsWith('active'))).toBe(true);
      const spans = log.filter(({ chunk }) => chunk.type === 'custom').length;
      expect(spans).toBe(fired.length);
      expect(log.at(-1)?.chunk.type).toBe('run_completed');
    },
  );
});

describe('a hook that fails', () => {
  it.for(HOOK_NAMES.filter((name) => name !== 'onAgentFail'))(
    '[HK3, HK17] %s throws: it is reported and shown, and nothing changes',
    async (name) => {
      const boom: Act = ({ hook }) => {
        if (hook === name) throw new Error('Boom.');
      };
      const fired: Fired[] = [];
      const { outcome, problems, log } = await attended((tree) => everything(tree, fired, boom));
      expect(outcome).toMatchObject({ status: 'completed', output: 'Done.' });
      expect(problems).toHaveLength(fired.filter(({ hook }) => hook === name).length);
      expect(problems[0]).toContain(`The hook ${name} failed.`);
      expect(lines(fired, 'top')).toHaveLength(14);
      const shown = log.flatMap(({ chunk }) => (chunk.type === 'hook_failed' ? [chunk] : []));
      expect(shown).toHaveLength(problems.length);
      for (const chunk of shown)
        expect(chunk).toMatchObject({ hook: name, failsRun: false, error: { code: 'hook_failed', message: 'Boom.' } });
    },
  );

  it.for(HOOK_NAMES.filter((name) => !['onAgentFail', 'onChildSettled', 'onRunSettled'].includes(name)))(
    '[HK9] %s throws with failRun: the run has failed with hook_failed, and all its calls are settled',
    async (name) => {
      const told: string[] = [];
      const body: HookBody<HookName> = () => {
        throw new Error('Boom.');
      };
      const hooks: AgentHooks = {
        [name]: { run: body, failRun: true },
        onAgentFail: ({ error }) => {
          told.push(error.code);
        },
      };
      await withTree(
        (tree) => single(tree, hooks),
        {},
        async (tree) => {
          await tree.run();
          expect(tree.outcome).toMatchObject({
            status: 'failed',
            failureReason: 'hook_failed',
            error: { code: 'hook_failed' },
          });
          expect(tree.outcome).toMatchObject({
            error: { message: expect.stringContaining(`${name} failed the run: Boom.`) },
          });
          examine(tree, name);
          // The end of the run was decided before its last hook: there is no second last hook.
          expect(told).toEqual(name === 'onAgentComplete' ? [] : ['hook_failed']);
          if (name === 'beforeTool') expect(tree.bodies.size).toBe(0);
        },
      );
    },
  );

  it('[HK9] a child’s end that fails its parent: what is settled stays, the sibling is stopped', async () => {
    const { outcome, tree } = await attended(() => {
      const leaf = agentOf('leaf', { outputSchema: answer });
      const hooks: AgentHooks = {
        onChildSettled: {
          failRun: true,
          run: () => {
            throw new Error('Not good enough.');
          },
        },
      };
      const top = agentOf('top', { tools: [createSubAgentTool(leaf, question)], hooks });
      const calls = ['quick', 'slow'].map((q) => ({ name: 'subagent__leaf', input: { q } }));
      return {
        agents: [top, leaf],
        scripts: {
          top: [{ calls }],
          leaf: (request) =>
            JSON.stringify(request.messages).includes('slow') ? { hang: true } : { finish: { answer: 'q' } },
        },
      };
    });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } });
    expect(tree.nodes.map(({ status }) => status)).toEqual(['failed', 'completed', 'failed']);
  });

  it.for([
    [false, 'model_refused'],
    [true, 'hook_failed'],
  ] as const)('[HK3, HK9] onAgentFail throws (failRun: %s): the run has failed with %s', async ([failRun, code]) => {
    const run = () => {
      throw new Error('Boom.');
    };
    const make = (): TreeParts => ({
      agents: [agentOf('top', { hooks: { onAgentFail: { run, failRun } } })],
      scripts: { top: [{ fail: { code: 'model_refused' } }] },
    });
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(tree.outcome).toMatchObject({ status: 'failed', error: { code } });
      expect(tree.time.problems).toHaveLength(1);
    });
  });

  it.for([
    [699, 'completed'],
    [701, 'failed'],
  ] as const)('[HK10] a hook of %i ms within its 700 ms, with failRun: the run has %s', async ([ms, status]) => {
    const make = (tree: Tree): TreeParts => {
      const run = () => new Promise<void>((resolve) => void tree.time.environment.timer(ms, resolve));
      return single(tree, { onStepStart: { run, failRun: true } }, { limits: { hookTimeoutMs: 700 } });
    };
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(tree.outcome).toMatchObject({ status });
    });
  });

  it('[HK10] a hook that never ends is left behind after hookTimeoutMs, with its signal aborted', async () => {
    let aborted = 0;
    const hang = (_: unknown, { abortSignal }: HookContext) =>
      new Promise(() => abortSignal.addEventListener('abort', () => aborted++));
    const limits = { hookTimeoutMs: 700 };
    await withTree(
      (tree) => single(tree, { onStepStart: hang }, { limits }),
      {},
      async (tree) => {
        const begun = tree.time.now;
        await tree.run();
        expect(tree.outcome).toMatchObject({ status: 'completed' });
        const times = tree.log
          .filter(({ chunk }) => chunk.type === 'step_committed')
          .map(({ chunk }) => chunk.timestamp - begun);
        expect(times).toEqual([700, 1_400]);
        expect(aborted).toBe(2);
        expect(tree.time.problems[0]).toContain('did not end within 700 ms');
      },
    );
    await withTree(
      (tree) => single(tree, { onStepStart: { run: hang, failRun: true } }, { limits }),
      {},
      async (tree) => {
        await tree.run();
        expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } });
      },
    );
  });
});

/** What was begun, by its key: which hook of which agent, and how often. */
function byKey(fired: readonly Fired[]): Map<string, { line: string; bodies: number }> {
  const found = new Map<string, { line: string; bodies: number }>();
  for (const { key, agent, hook, about } of fired) {
    const bodies = (found.get(key)?.bodies ?? 0) + 1;
    found.set(key, { line: `${agent} ${hook} ${about}`.trim(), bodies });
  }
  return found;
}

/** Counts in the agent's state how often a body of each hook came to its end. */
const counting: Act = ({ key }, context) => {
  context.updateState((state) => {
    const counts = isObject(state) ? state : {};
    return { ...counts, [key]: Number(counts[key] ?? 0) + 1 };
  });
};

describe('hooks and crashes', () => {
  it('[HK11] a crash after any commit: each hook of a run is in effect once, its repeats have its key', async () => {
    const whole: Fired[] = [];
    const { kinds } = await attended((tree) => everything(tree, whole, counting));
    const expected = [...byKey(whole).values()].map(({ line }) => line).sort();
    let repeated = 0;
    let doubled = 0;
    // Each hook has a key of its own, so none is left out.
    const crashes = moments(kinds, kinds.length);
    for (const at of crashes) {
      const fired: Fired[] = [];
      const { tree, outcome, problems } = await attended(
        (made) => everything(made, fired, counting),
        {},
        { crashAt: new Set([at]) },
      );
      const what = `crash at ${at}`;
      expect(outcome, what).toMatchObject({ status: 'completed', output: 'Done.' });
      expect(problems, what).toEqual([]);
      examine(tree, what);
      const keys = byKey(fired);
      expect([...keys.values()].map(({ line }) => line).sort(), what).toEqual(expected);
      expect(tree.commits.filter((commit) => commit === 'hook_done').length, what).toBe(keys.size);
      const counts: { [key: string]: number } = Object.assign(
        {},
        ...tree.addresses.map((address) => tree.state(address).custom),
      );
      for (const [key, { bodies }] of keys) {
        const edits = counts[key] ?? 0;
        expect(edits, `${what}: ${key}`).toBeGreaterThanOrEqual(1);
        expect(edits, `${what}: ${key}`).toBeLessThanOrEqual(bodies);
        repeated += bodies - 1;
        doubled += edits - 1;
      }
    }
    console.info(
      `${crashes.length} crashes over ${expected.length} hooks: ${repeated} bodies repeated, ${doubled} of their edits twice`,
    );
    expect(repeated).toBeGreaterThan(0);
    expect(doubled).toBeLessThanOrEqual(repeated);
  });
});

/** Runs the tree and stops its root while the n-th body of a hook runs; it goes on where it was interrupted. */
async function stoppedIn(nth: number, verb: 'interrupt' | 'abort' | 'terminate') {
  const fired: Fired[] = [];
  let stops = 0;
  const make = (tree: Tree) =>
    everything(tree, fired, (_, { abortSignal }) => {
      if (fired.length !== nth) return undefined;
      queueMicrotask(() => {
        stops += tree.apply((facts) => ({ type: 'stop', ...facts, verb, reason: 'Enough.' })).ok ? 1 : 0;
      });
      return new Promise((resolve) => abortSignal.addEventListener('abort', resolve));
    });
  return { fired, stops: () => stops, ...(await attended(make)) };
}

describe('a hook that takes the process down', () => {
  it.each(['onAgentStart', 'onStepStart', 'onStepEnd', 'onAgentComplete'] as const)(
    '[RC4] ends its run, whether a step has begun or not (%s)',
    async (hook) => {
      let bodies = 0;
      const make = (tree: Tree): TreeParts => {
        const body = (): Promise<never> => {
          bodies++;
          // One that is never given up is seen by its number, not by a test that does not end.
          if (bodies < 30) tree.crash();
          return new Promise(() => undefined);
        };
        const limits = { maxRecoveries: 3, hookTimeoutMs: 1_000 };
        return { agents: [agentOf('top', { hooks: { [hook]: body }, limits })], scripts: { top: [{ text: 'Done.' }] } };
      };
      await withTree(make, {}, async (tree) => {
        await tree.run();
        expect(bodies).toBe(4);
        expect(tree.outcome).toMatchObject(
          hook === 'onAgentComplete'
            ? { status: 'completed', output: 'Done.' }
            : { status: 'failed', error: { code: 'max_recoveries' } },
        );
        expect(tree.time.pending).toBe(0);
        examine(tree);
      });
    },
  );
});

describe('hooks and stops', () => {
  it.for(['interrupt', 'abort', 'terminate'] as const)(
    '[HK15] %s during any hook ends the body and the run',
    async (verb) => {
      const whole: Fired[] = [];
      await attended((tree) => everything(tree, whole));
      for (let nth = 1; nth <= whole.length; nth++) {
        const { fired, stops, outcome, tree, problems } = await stoppedIn(nth, verb);
        const what = `${verb} in ${nth}: ${fired[nth - 1]?.agent} ${fired[nth - 1]?.hook}`;
        expect(stops(), what).toBe(1);
        expect(problems, what).toEqual([]);
        examine(tree, what);
        for (const [key, { bodies, line }] of byKey(fired)) expect(bodies, `${what}: ${line} ${key}`).toBe(1);
        const ends = lines(fired, 'top').filter((line) => /Complete|Fail/.test(line));
        if (verb === 'interrupt') {
          expect(outcome, what).toMatchObject({ status: 'completed', output: 'Done.' });
          expect(ends.at(-1), what).toBe('onAgentComplete');
          expect(lines(fired, 'top').filter((line) => line === 'onAgentStart').length, what).toBe(2);
        } else {
          expect(outcome, what).toMatchObject({ status: verb === 'abort' ? 'failed' : 'terminated' });
          // The hook of an end that a stop took back has begun, and is not the last.
          expect(ends.filter((line) => line === 'onAgentFail').length, what).toBe(verb === 'abort' ? 1 : 0);
        }
      }
    },
  );

  it('[HK13] a tool whose hook an interrupt cut off runs after that hook in the run that resumes', async () => {
    const order: string[] = [];
    const make = (tree: Tree): TreeParts => {
      const hooks: AgentHooks = {
        beforeTool: (_, { agent, abortSignal }) => {
          order.push(`before ${agent.runId}`);
          if (order.length > 1) return undefined;
          queueMicrotask(() => tree.apply((facts) => ({ type: 'stop', ...facts, verb: 'interrupt', reason: 'Wait.' })));
          return new Promise((resolve) => abortSignal.addEventListener('abort', resolve));
        },
      };
      const note = defineTool({
        name: 'note',
        description: 'x',
        inputSchema: z.object({}),
        execute: (_, { agent }) => {
          order.push(`body ${agent.runId}`);
          return null;
        },
      });
      const top = agentOf('top', { tools: [note], hooks });
      return { agents: [top], scripts: { top: [{ calls: [{ name: 'note' }] }, { text: 'Done.' }] } };
    };
    const { outcome, tree } = await attended(make);
    expect(outcome).toMatchObject({ status: 'completed' });
    const [first, second] = tree
      .store()
      .runs({})
      .map(({ runId }) => runId);
    expect(order).toEqual([`before ${first}`, `before ${second}`, `body ${second}`]);
  });

  it('[HK14] a resume and a retry begin with onAgentStart of the new run, which names the old one', async () => {
    const fired: Fired[] = [];
    let fails = 1;
    const make = (tree: Tree): TreeParts => {
      const top = agentOf('top', { hooks: allHooks(tree, fired) });
      return {
        agents: [top],
        scripts: {
          top: () =>
            fails-- > 0 ? { fail: { code: 'model_refused' } } : fails === -1 ? { hang: true } : { text: 'Done.' },
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.run();
      tree.apply((facts) => ({ type: 'retry', ...facts, runId: 'r_again' }));
      await tree.time.until(() => fails === -1);
      tree.apply((facts) => ({ type: 'stop', ...facts, verb: 'interrupt', reason: 'Wait.' }));
      await tree.finish();
      expect(tree.outcome).toMatchObject({ status: 'interrupted' });
      await tree.resume();
      await tree.finish();
      const starts = fired.filter(({ hook }) => hook === 'onAgentStart');
      const [one, two, three] = tree
        .store()
        .runs({})
        .map(({ runId }) => runId);
      expect(starts.map(({ runId }) => runId)).toEqual([one, two, three]);
      expect(starts.map(({ payload }) => payload)).toEqual([
        { turn: 1 },
        { turn: 2, resumedFrom: one },
        { turn: 3, resumedFrom: two },
      ]);
      expect(lines(fired).filter((line) => /Fail|Complete/.test(line))).toEqual(['onAgentFail', 'onAgentComplete']);
      expect(new Set(fired.map(({ key }) => key)).size).toBe(fired.length);
    });
  });
});

/** An agent whose runs end as its model says, and what it was told of their ends. */
function ending(told: unknown[], first: Answer, hooks: AgentHooks = {}) {
  return (tree: Tree): TreeParts => {
    const onRunSettled: HookBody<'onRunSettled'> = ({ durationMs: _ms, ...end }, context) => {
      told.push({ ...end, step: context.stepCount, run: context.agent.runId });
    };
    const top = agentOf('top', { tools: [noteTool(tree)], hooks: { onRunSettled, ...hooks } });
    return { agents: [top], scripts: { top: [first, { text: 'Done.' }] } };
  };
}
const NOTE: Answer = { calls: [{ name: 'note', input: { text: 'a' } }] };

describe('the end of a run', () => {
  it.for([
    ['interrupt', { status: 'interrupted', reason: 'Enough.' }],
    ['abort', { status: 'failed', failureReason: 'aborted', error: { code: 'aborted' } }],
    ['terminate', { status: 'terminated', reason: 'Enough.' }],
  ] as const)('[HK16] by %s is told, before it is committed, and the run ends so', async ([verb, end]) => {
    const told: unknown[] = [];
    await withTree(ending(told, { hang: true }), {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.port.asked.length === 1);
      tree.stop(verb);
      await tree.finish();
      const { runId } = tree.state().run ?? {};
      expect(told).toMatchObject([{ ...end, step: 1, run: runId }]);
      expect(tree.outcome).toMatchObject(end);
      expect(tree.log.at(-1)?.chunk.type).toBe(`run_${end.status}`);
    });
  });

  it('[HK16] is told once for each run of a chain, and what was interrupted stays open', async () => {
    const told: unknown[] = [];
    await withTree(ending(told, { hang: true }), {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.port.asked.length === 1);
      tree.stop('interrupt');
      await tree.finish();
      expect(tree.log.filter(({ chunk }) => chunk.type === 'step_committed')).toEqual([]);
      await tree.resume();
      await tree.time.until(() => tree.port.asked.length === 2);
      tree.stop('terminate');
      await tree.finish();
      expect(told).toMatchObject([{ status: 'interrupted' }, { status: 'terminated' }]);
    });
  });

  it('[HK16] of an interrupted session that is ended for good is told of its last run', async () => {
    const told: unknown[] = [];
    await withTree(ending(told, { hang: true }), {}, async (tree) => {
      await tree.start();
      await tree.time.until(() => tree.port.asked.length === 1);
      tree.stop('interrupt');
      await tree.finish();
      tree.apply((facts) => ({ type: 'stop', ...facts, verb: 'terminate', reason: 'Over.' }));
      await tree.finish();
      expect(told).toMatchObject([{ status: 'interrupted' }, { status: 'terminated', reason: 'Over.' }]);
    });
  });

  it('[HK16, HK9] that a last hook fails is told as it is; itself it cannot fail the run', async () => {
    const told: unknown[] = [];
    const run = () => {
      throw new Error('Boom.');
    };
    await withTree(ending(told, { text: 'Done.' }, { onAgentComplete: { run, failRun: true } }), {}, async (tree) => {
      await tree.run();
      expect(told).toMatchObject([{ status: 'failed', error: { code: 'hook_failed' } }]);
      expect(tree.outcome).toMatchObject({ status: 'failed', error: { code: 'hook_failed' } });
    });
    expect(() => agentOf('top', { hooks: { onRunSettled: { run, failRun: true } } })).toThrow(/failRun/);
  });

  it('[HK16, HK11] is told at least once wherever a crash comes, and the run ends as it was told last', async () => {
    const make = (told: unknown[]) => ending(told, NOTE);
    const { commits } = await withTree(make([]), {}, (tree) => tree.run());
    for (let at = 1; at <= commits.length; at++) {
      const told: unknown[] = [];
      await withTree(make(told), { crashAt: new Set([at]) }, async (tree) => {
        await tree.run();
        expect(told.length, `crash at ${at}`).toBeGreaterThanOrEqual(1);
        for (const one of told) expect(one).toMatchObject({ status: 'completed', output: 'Done.' });
        examine(tree, `crash at ${at}`);
      });
    }
  });
});

describe('the trace of a run', () => {
  it('[RN7] is given to its tools and model calls, and to those below it', async () => {
    const seen: unknown[] = [];
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const make = (): TreeParts => {
      const where = defineTool({
        name: 'where',
        description: 'x',
        inputSchema: z.object({}),
        execute: (_, context) => void seen.push([context.agent.type, context.traceparent]),
      });
      const leaf = agentOf('leaf', { tools: [where] });
      const top = agentOf('top', { tools: [where, createSubAgentTool(leaf, question)] });
      const calls = [{ name: 'where' }, { name: 'subagent__leaf', input: { q: 'a' } }];
      const says = (request: ModelRequest, ...then: Answer[]) => {
        seen.push([`model of ${request.agentType}`, request.traceparent]);
        return then[request.step - 1] ?? { text: 'Done.' };
      };
      return {
        agents: [top, leaf],
        scripts: {
          top: (request) => says(request, { calls }),
          leaf: (request) => says(request, { calls: [{ name: 'where' }] }),
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      const call = { kind: 'verb', path: [], verb: 'start', input: { message: 'Go' } } as const;
      await tree.world.object(tree.address).call({ ...call, traceparent });
      await tree.finish();
      expect(seen.sort()).toEqual(
        ['leaf', 'model of leaf', 'model of leaf', 'model of top', 'model of top', 'top'].map((who) => [
          who,
          traceparent,
        ]),
      );
    });
  });
});

describe('who asked for a run', () => {
  it('[HK18] is known to the hooks and tools of the agent and of those below it, and a resume names its own', async () => {
    const seen: unknown[] = [];
    const make = (tree: Tree): TreeParts => {
      const onStepStart: HookBody<'onStepStart'> = (_, { agent, caller, stepCount }) => {
        seen.push([agent.type, caller, stepCount]);
      };
      const who = defineTool({
        name: 'who',
        description: 'x',
        inputSchema: z.object({}),
        execute: (_, { agent, caller }) => void seen.push([agent.type, caller, 'tool']),
      });
      const leaf = agentOf('leaf', { tools: [who, hangTool(tree)], hooks: { onStepStart } });
      const top = agentOf('top', { tools: [createSubAgentTool(leaf, question)], hooks: { onStepStart } });
      const script = { calls: [{ name: 'subagent__leaf', input: { q: 'a' } }] };
      return {
        agents: [top, leaf],
        scripts: { top: [script, { text: 'Done.' }], leaf: [{ calls: [{ name: 'who' }] }, { hang: true }] },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.start('Go', 'ann');
      await tree.time.until(() => tree.port.asked.length === 3);
      expect(seen).toEqual([
        ['top', 'ann', 1],
        ['leaf', 'ann', 1],
        ['leaf', 'ann', 'tool'],
        ['leaf', 'ann', 2],
      ]);
      tree.stop('interrupt');
      await tree.finish();
      tree.apply((facts) => ({ type: 'resume', ...facts, runId: 'r_next', actor: 'bob' }));
      await tree.time.until(() => tree.port.asked.length === 4);
      expect(seen.slice(4)).toEqual([['leaf', 'bob', 2]]);
    });
  });
});
