/** The hooks of Standard Agents: each at its point, with what it gives in the place of what it was told. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../src/core/definition/children/relationship';
import type { AgentOptions } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import type { HookContext } from '../../src/core/definition/hooks/hook-types';
import {
  defineHook,
  type HookDefinition,
  STANDARD_HOOK_NAMES,
  type StandardHookName,
  type StandardHookPayloads,
} from '../../src/core/definition/hooks/standard-hooks';
import type { ModelRequest } from '../../src/core/definition/model-port';
import { isObject, type Json } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';
import { command } from '../../src/verbs/command';
import { examine } from '../support/examine';
import { type Tree, type TreeOptions, type TreeParts, withTree } from '../support/harness';
import { dualOf, lasting, leadOf, referencesIn } from '../support/prompts';
import { agentOf, noteTool, question, toolResults } from '../support/trees';

/** A hook that was called. */
interface Called {
  readonly agent: string;
  readonly hook: StandardHookName;
  readonly key: string;
  readonly payload: StandardHookPayloads[StandardHookName];
}

type Act<Name extends StandardHookName = StandardHookName> = (
  payload: StandardHookPayloads[Name],
  context: HookContext,
) => unknown;

/** Every hook, noting that it was called. */
function allHooks(into: Called[], act: { readonly [Name in StandardHookName]?: Act<Name> } = {}): HookDefinition[] {
  const made = <Name extends StandardHookName>(hook: Name): HookDefinition => {
    const given = act[hook];
    const execute = (payload: StandardHookPayloads[Name], context: HookContext): unknown => {
      into.push({ agent: context.agent.type, hook, key: context.idempotencyKey, payload });
      return given?.(payload, context);
    };
    return anyHook({ hook, id: `note_${hook}`, execute });
  };
  return STANDARD_HOOK_NAMES.map((hook) => made(hook));
}

/** What a test gives may be what no hook may give. */
const anyHook = (options: object): HookDefinition => Reflect.apply(defineHook, undefined, [options]);

const failTool = (tree: Tree) =>
  defineTool({
    name: 'spoil',
    description: 'Fails.',
    inputSchema: z.object({}),
    replay: 'safe',
    execute: (_, { idempotencyKey }) => {
      tree.body(idempotencyKey);
      throw new Error('Spoilt.');
    },
  });

/** Changes the message that its session began with. */
const mendTool = (tree: Tree) =>
  defineTool({
    name: 'mend',
    description: 'Changes the first message.',
    inputSchema: z.object({ id: z.string().optional() }),
    replay: 'safe',
    execute: async ({ id }, { thread, getState, idempotencyKey }) => {
      tree.body(idempotencyKey);
      const state = getState();
      const first = isObject(state) && typeof state.first === 'string' ? state.first : '';
      await thread.updateMessage(id ?? first, { content: 'Mended.' });
      return 'mended';
    },
  });

/** One agent in which each hook has its point: a tool, one that fails, a change of a message, and a sub-agent. */
function everywhere(hooks: (tree: Tree) => AgentOptions['hooks'], asked: ModelRequest[] = []) {
  return (tree: Tree): TreeParts => {
    const leaf = agentOf('leaf');
    const tools = [noteTool(tree), failTool(tree), mendTool(tree), createSubAgentTool(leaf, question)];
    const own = hooks(tree);
    const top = agentOf('top', {
      tools,
      hooks: [
        {
          // The id of the first message, for the tool that changes it.
          onAgentStart: (_, context) => context.updateState(() => ({ first: tree.state().inbox[0]?.messageId ?? '' })),
        },
        ...(Array.isArray(own) ? own : [own ?? {}]),
      ],
    });
    return {
      agents: [top, leaf],
      scripts: {
        top: (request) => {
          asked.push(structuredClone(request));
          if (request.step > 1) return { text: 'Done.' };
          return {
            text: 'Working.',
            calls: [
              { name: 'note', input: { text: 'n' } },
              { name: 'spoil' },
              { name: 'mend', input: {} },
              { name: 'subagent__leaf', input: { q: 'a' } },
            ],
          };
        },
        leaf: [{ text: 'leaf' }],
      },
    };
  };
}

async function ran(make: (tree: Tree) => TreeParts, options: TreeOptions = {}, what = '') {
  return withTree(make, options, async (tree) => {
    await tree.start();
    await tree.finish();
    await tree.rest();
    examine(tree, what);
    return {
      transcript: tree.transcript(),
      results: toolResults(tree),
      log: tree.log.map(({ chunk }) => chunk),
      outcome: tree.outcome,
      custom: tree.state().custom,
      commits: tree.commits.length,
      problems: tree.time.problems,
      state: tree.state(),
    };
  });
}

const saidIn = (messages: readonly Message[]): Json[] =>
  messages.flatMap((one) => (one.role === 'user' && typeof one.content === 'string' ? [one.content] : []));
const repliesIn = (messages: readonly Message[]): string[] =>
  messages.flatMap((one) =>
    one.role === 'assistant' ? [one.content.map((part) => (part.type === 'text' ? part.text : '')).join('')] : [],
  );

describe('the hooks of Standard Agents', () => {
  it('[SA75] are each called at their point, with what they speak of', async () => {
    const called: Called[] = [];
    const { outcome, problems, results } = await ran(everywhere(() => allHooks(called)));
    expect(outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(problems).toEqual([]);
    expect(results).toMatchObject([
      { success: true, value: { noted: 'n' } },
      { success: false, error: { message: 'Spoilt.' } },
      { success: true, value: 'mended' },
      { success: true, value: 'leaf' },
    ]);
    const names = called.map(({ hook }) => hook);
    expect(names.slice(0, 9)).toEqual([
      'after_thread_created',
      'before_create_message',
      'after_create_message',
      'prepare_step',
      'after_system_message',
      'filter_messages',
      'prefilter_llm_history',
      'before_create_message',
      'after_create_message',
    ]);
    expect(new Set(names)).toEqual(new Set(STANDARD_HOOK_NAMES));
    expect(new Set(called.map(({ key }) => key)).size).toBe(called.length);
    const of = (hook: StandardHookName) => called.filter((one) => one.hook === hook).map(({ payload }) => payload);
    expect(of('after_thread_created')).toEqual([
      { sessionId: expect.stringMatching(/^s_/), agentType: 'top', address: '/agents/top/one' },
    ]);
    expect(of('after_subagent_created')).toEqual([
      {
        sessionId: expect.stringMatching(/^s_/),
        agentType: 'leaf',
        address: '/agents/top/one/sub/leaf/1~1',
        toolCallId: expect.stringMatching(/^c_/),
      },
    ]);
    expect(of('after_system_message')).toEqual([{ system: 'top' }, { system: 'top' }]);
    expect(of('before_create_message')).toMatchObject([
      { message: { role: 'user', content: 'Go', from: 'caller', messageId: expect.stringMatching(/^m_/) } },
      {
        message: {
          role: 'assistant',
          content: 'Working.',
          from: 'agent',
          calls: [{ toolName: 'note', input: { text: 'n' } }, { toolName: 'spoil' }, {}, {}],
        },
      },
      { message: { role: 'assistant', content: 'Done.' } },
    ]);
    expect(of('after_create_message')).toEqual(of('before_create_message'));
    expect(of('filter_messages')[0]).toEqual({ messages: [{ role: 'user', content: 'Go' }] });
    expect(of('prefilter_llm_history')).toEqual(of('filter_messages'));
    expect(of('before_update_message')).toMatchObject([
      { message: { content: 'Go' }, changes: { content: 'Mended.' } },
    ]);
    expect(of('after_update_message')).toMatchObject([{ message: { content: 'Mended.', role: 'user' } }]);
    expect(of('after_tool_call_success')).toMatchObject([
      { tool: { name: 'note' }, input: { text: 'n' }, result: { success: true } },
      { tool: { name: 'mend' } },
      { tool: { name: 'subagent__leaf' }, input: { q: 'a' }, result: { success: true, value: 'leaf' } },
    ]);
    expect(of('after_tool_call_failure')).toMatchObject([{ tool: { name: 'spoil' }, result: { success: false } }]);
    expect(of('before_store_tool_result')).toHaveLength(4);
  });

  it('[SA75, HK20] what each gives takes the place of what it was told, before a model or a store has that', async () => {
    const asked: ModelRequest[] = [];
    const upper = (text: unknown): string => String(text).toUpperCase();
    const { transcript, results, outcome, problems, log } = await ran(
      everywhere(
        () =>
          allHooks([], {
            after_system_message: ({ system }) => `${system} [s]`,
            filter_messages: ({ messages }) => messages.filter(({ role }) => role !== 'system'),
            prefilter_llm_history: ({ messages }) => [...messages, { role: 'user', content: 'Be brief.' }],
            before_create_message: ({ message }) => ({ ...message, content: upper(message.content) }),
            before_update_message: ({ changes }) => ({ content: `${changes.content} Twice.` }),
            after_tool_call_success: ({ result }) => ({ ...result, value: result.success ? [result.value] : null }),
            after_tool_call_failure: () => ({ success: false, error: { code: 'tool_failed', message: 'Mild.' } }),
            before_store_tool_result: ({ result }) =>
              result.success ? { ...result, value: { kept: result.value } } : null,
          }),
        asked,
      ),
    );
    expect(problems).toEqual([]);
    expect(results).toMatchObject([
      { success: true, value: { kept: [{ noted: 'n' }] } },
      { success: false, error: { code: 'tool_failed', message: 'Mild.' } },
      { success: true, value: { kept: ['mended'] } },
      { success: true, value: { kept: ['leaf'] } },
    ]);
    expect(saidIn(transcript)).toEqual(['Mended. Twice.']);
    expect(repliesIn(transcript)).toEqual(['WORKING.', 'DONE.']);
    expect(outcome).toMatchObject({ output: 'DONE.' });
    const [first, second] = asked;
    expect(first?.system).toBe('top [s]');
    expect(saidIn(first?.messages ?? [])).toEqual(['GO', 'Be brief.']);
    expect(saidIn(second?.messages ?? [])).toEqual(['Mended. Twice.', 'Be brief.']);
    // What people read along is what is kept.
    const shown = log.flatMap((chunk) =>
      chunk.type === 'text_delta' && chunk.agentType === 'top' ? [chunk.delta] : [],
    );
    expect(shown).toEqual(['WORKING.', 'DONE.']);
    expect(log.flatMap((chunk) => (chunk.type === 'message_delivered' ? [chunk.text] : []))[0]).toBe('GO');
  });

  it.for(STANDARD_HOOK_NAMES)('[SA75] %s throws: it is shown and logged, and all stays as it was', async (name) => {
    const whole: Called[] = [];
    const before = await ran(everywhere(() => allHooks(whole)));
    const boom = (): never => {
      throw new Error('Boom.');
    };
    const called: Called[] = [];
    const { outcome, problems, log, results, transcript, state } = await ran(
      everywhere(() => allHooks(called, { [name]: boom })),
    );
    expect(outcome).toEqual(before.outcome);
    expect(results).toEqual(before.results);
    expect(saidIn(transcript)).toEqual(saidIn(before.transcript));
    expect(called.map(({ hook }) => hook)).toEqual(whole.map(({ hook }) => hook));
    const times = called.filter(({ hook }) => hook === name).length;
    expect(problems).toHaveLength(times);
    expect(problems[0]).toContain(`The hook ${name} "note_${name}" failed.`);
    const shown = log.flatMap((chunk) => (chunk.type === 'hook_failed' ? [chunk] : []));
    expect(shown).toHaveLength(times);
    for (const chunk of shown)
      expect(chunk).toMatchObject({
        hook: name,
        hookId: `note_${name}`,
        failsRun: false,
        error: { code: 'hook_failed', message: 'Boom.' },
      });
    expect(state.run?.phase).toBe('ended');
  });

  it.for([
    ['after_system_message', 7, 'not a string'],
    ['after_system_message', 'x'.repeat(262_145), 'more than 262144 bytes'],
    ['filter_messages', [{ role: 'robot', content: 'x' }], 'invalid messages'],
    [
      'filter_messages',
      [{ role: 'tool', toolCallId: 'c_1', toolName: 'x', result: { success: true, value: 1 } }],
      'c_1',
    ],
    ['prefilter_llm_history', [{ role: 'user', content: 'x'.repeat(1_100_000) }], 'messages with an invalid value'],
    ['before_create_message', { role: 'system' }, 'another `role`'],
    ['before_create_message', { content: 'x'.repeat(262_145) }, 'content with an invalid value'],
    ['before_create_message', { metadata: 'x'.repeat(20_000) }, 'metadata with an invalid value'],
    ['before_update_message', { messageId: 'm_1' }, 'another `messageId`'],
    ['before_store_tool_result', { value: 1 }, 'invalid result of a tool'],
    ['after_tool_call_success', { success: true, value: 'x'.repeat(1_048_577) }, 'with an invalid value'],
    ['after_tool_call_failure', 'no', 'invalid result of a tool'],
  ] as const)('[SA75, HK21] %s gives what does not fit: all stays as it was', async ([name, given, said]) => {
    const { outcome, results, log, transcript } = await ran(everywhere(() => allHooks([], { [name]: () => given })));
    expect(outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(results).toMatchObject([
      { value: { noted: 'n' } },
      { error: { message: 'Spoilt.' } },
      {},
      { value: 'leaf' },
    ]);
    expect(saidIn(transcript)).toEqual(['Mended.']);
    const [failed] = log.flatMap((chunk) => (chunk.type === 'hook_failed' ? [chunk] : []));
    expect(failed).toMatchObject({
      hook: name,
      error: { code: 'invalid_input', message: expect.stringContaining(said) },
    });
  });

  it.for(STANDARD_HOOK_NAMES)('[HK10, SA75] %s never ends: it is left behind after hookTimeoutMs', async (name) => {
    let aborted = 0;
    const hang = (_: unknown, { abortSignal }: HookContext) =>
      new Promise(() => abortSignal.addEventListener('abort', () => aborted++));
    const { outcome, problems } = await ran(everywhere(() => allHooks([], { [name]: hang })));
    expect(outcome).toMatchObject({ status: 'completed', output: 'Done.' });
    expect(aborted).toBe(problems.length);
    expect(problems[0]).toContain('did not end within 10000 ms');
  });

  it('[SA75] several of one name are called in their order, each with what the one before gave', async () => {
    const add = (id: string) =>
      defineHook({
        hook: 'before_create_message',
        id,
        execute: ({ message }) => ({ content: `${message.content} ${id}` }),
      });
    const spoilt = defineHook({
      hook: 'before_create_message',
      id: 'spoilt',
      execute: () => {
        throw new Error('Boom.');
      },
    });
    const { transcript } = await ran(everywhere(() => [add('one'), spoilt, add('two')]));
    expect(saidIn(transcript)).toEqual(['Mended.']);
    expect(repliesIn(transcript)).toEqual(['Working. one two', 'Done. one two']);
  });

  it('[SA75, HK11, HK20, HK26] a crash after any commit: each is in effect once, and what it gave stays', async () => {
    const counting =
      <Payload>(give: (payload: Payload) => unknown) =>
      (payload: Payload, { idempotencyKey: key, updateState }: HookContext) => {
        updateState((state) => {
          const counts = isObject(state) ? state : {};
          return { ...counts, [key]: Number(counts[key] ?? 0) + 1 };
        });
        return give(payload);
      };
    const act: Parameters<typeof allHooks>[1] = {
      after_thread_created: counting(() => null),
      after_subagent_created: counting(() => null),
      before_create_message: counting(({ message }) => ({ content: `${message.content}!` })),
      after_create_message: counting(() => null),
      after_update_message: counting(() => null),
      prepare_step: () => ({ settings: { temperature: 0.5 } }),
    };
    const make = (into: Called[], asked: ModelRequest[] = []) => everywhere(() => allHooks(into, act), asked);
    const called: Called[] = [];
    const whole = await ran(make(called));
    expect(saidIn(whole.transcript)).toEqual(['Mended.']);
    const owed = (calls: readonly Called[]) =>
      [
        ...new Set(calls.filter(({ hook }) => hook in act).map(({ hook, key }) => `${hook} ${key.split(' ').length}`)),
      ].sort();
    let repeated = 0;
    for (let at = 1; at <= whole.commits; at++) {
      const what = `crash at ${at}`;
      const again: Called[] = [];
      const asked: ModelRequest[] = [];
      const found = await ran(make(again, asked), { crashAt: new Set([at]) }, what);
      expect(new Set(asked.map(({ settings }) => settings?.temperature)), what).toEqual(new Set([0.5]));
      expect(found.outcome, what).toEqual(whole.outcome);
      expect(saidIn(found.transcript), what).toEqual(['Mended.']);
      expect(repliesIn(found.transcript), what).toEqual(['Working.!', 'Done.!']);
      expect(owed(again), what).toEqual(owed(called));
      const counts = Object.entries(isObject(found.custom) ? found.custom : {});
      const hooks = counts.filter(([key]) => key.includes('after_') || key.includes('before_create'));
      // A body whose end was lost runs again; only the effect of its end counts once.
      for (const [key, count] of hooks) expect(Number(count), `${what}: ${key}`).toBeLessThanOrEqual(2);
      repeated += hooks.filter(([, count]) => Number(count) > 1).length;
    }
    expect(repeated).toBeGreaterThan(0);
  });
});

const redact = (origins: string[]) =>
  defineHook({
    hook: 'before_create_message',
    id: 'redact',
    execute: ({ message }) => {
      origins.push(`${message.role} ${message.from}`);
      return typeof message.content === 'string' ? { content: message.content.replaceAll('secret', '[x]') } : null;
    },
  });

describe('messages', () => {
  it('[SAW34] pass the hook whichever way they came: a start, a message, a parent’s, a child’s end, a reminder', async () => {
    const origins: string[] = [];
    const below: string[] = [];
    const make = (): TreeParts => {
      const worker = dualOf('worker', { hooks: [redact(below)] });
      return {
        agents: [leadOf([lasting('worker', { blocking: false })], [worker], { hooks: [redact(origins)] }), worker],
        scripts: {
          lead: ({ messages, step }) => {
            const [reference] = referencesIn(messages);
            if (reference === undefined)
              return {
                calls: [
                  {
                    name: 'subagent_create',
                    input: { agent: 'worker', message: 'A secret task.', name: 'Ann', attachments: [] },
                  },
                ],
              };
            return { text: `Step ${step}.` };
          },
          worker: [{ text: 'The secret end.' }],
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.start('A secret.');
      await tree.finish();
      await tree.rest();
      tree.send('Another secret.');
      await tree.finish();
      await tree.rest();
      const worker = tree.addresses.find((address) => address.includes('/sub/')) ?? '';
      const heard = tree.port.asked.flatMap(({ messages }) => saidIn(messages));
      expect(heard).toHaveLength(8);
      expect(JSON.stringify([heard, tree.transcript(worker)])).not.toContain('secret');
      expect(origins).toContain('user caller');
      expect(origins).toContain('user offshoot');
      expect(below).toEqual(['user parent', 'assistant agent']);
      expect(JSON.stringify(tree.transcript())).toContain('[x] end.');
      expect(tree.time.problems).toEqual([]);
    });
  });

  it('[SAW34, HK20] many at once pass one by one, and none is lost', async () => {
    const seen: string[] = [];
    const hook = defineHook({
      hook: 'before_create_message',
      id: 'count',
      execute: ({ message }) => {
        seen.push(message.role === 'user' ? String(message.content) : '');
        return { content: `${message.content}.` };
      },
    });
    const make = (tree: Tree): TreeParts => ({
      agents: [agentOf('top', { tools: [noteTool(tree)], hooks: [hook] })],
      scripts: {
        top: ({ step }) => (step === 1 ? { calls: [{ name: 'note', input: { text: 'n' } }] } : { text: 'Done' }),
      },
    });
    let sent = false;
    const onCommit = (tree: Tree, _: number) => {
      if (sent || tree.commits.at(-1) !== 'model_replied') return;
      sent = true;
      for (let n = 1; n <= 45; n++) tree.send(`m${n}`);
    };
    await withTree(make, { onCommit }, async (tree) => {
      await tree.run();
      const all = Array.from({ length: 45 }, (_, n) => `m${n + 1}`);
      expect(saidIn(tree.transcript())).toEqual(['Go.', ...all.map((one) => `${one}.`)]);
      expect(seen.filter((one) => one !== '')).toEqual(['Go', ...all]);
    });
  });

  it('[SAW34, HK15] an interrupt between hooks drops them; they pass when the run goes on, each once', async () => {
    const seen: string[] = [];
    const hook = defineHook({
      hook: 'before_create_message',
      id: 'hang_once',
      execute: ({ message }) => {
        seen.push(String(message.content));
        return seen.length === 2 ? new Promise(() => undefined) : { content: `${message.content}!` };
      },
    });
    const make = (): TreeParts => ({
      agents: [agentOf('top', { hooks: [hook] })],
      scripts: { top: [{ text: 'Done' }] },
    });
    await withTree(make, {}, async (tree) => {
      await tree.start('one');
      tree.send('two');
      await tree.time.until(() => seen.length === 2);
      tree.stop('interrupt');
      await tree.finish();
      expect(saidIn(tree.transcript())).toEqual(['one!', 'two']);
      tree.send('three');
      await tree.finish();
      expect(saidIn(tree.transcript())).toEqual(['one!', 'two!', 'three!']);
      expect(seen).toEqual(['one', 'two', 'two', 'three', 'Done']);
    });
  });
});

describe('a change of a message', () => {
  /** Runs a tool that changes messages; gives what the model reads of it, and of the conversation then. */
  async function changing(change: (thread: HookContext['thread'], waiting: string) => Promise<void>) {
    const tool = defineTool({
      name: 'change',
      description: 'Changes messages.',
      inputSchema: z.object({}),
      execute: async (_, { thread }) => {
        await thread.queueMessage({ role: 'user', content: 'Queued.' });
        await change(thread, waiting());
        return null;
      },
    });
    let waiting = (): string => '';
    const make = (tree: Tree): TreeParts => {
      waiting = () => tree.state().inbox[0]?.messageId ?? '';
      return {
        agents: [agentOf('top', { tools: [tool] })],
        scripts: { top: ({ step }) => (step === 1 ? { calls: [{ name: 'change' }] } : { text: 'Done.' }) },
      };
    };
    return withTree(make, {}, async (tree) => {
      await tree.run();
      return { results: toolResults(tree), asked: tree.port.asked.map(({ messages }) => saidIn(messages)) };
    });
  }

  it('[SAT4] is seen by later requests: of what a step has seen, and of what waits', async () => {
    const { asked } = await changing((thread, waiting) => thread.updateMessage(waiting, { content: 'Changed.' }));
    expect(asked).toEqual([['Go'], ['Go', 'Changed.']]);
    const { transcript } = await ran(everywhere(() => []));
    expect(saidIn(transcript)).toEqual(['Mended.']);
  });

  it.for([
    ['of no message', 'm_none', { content: 'x' }, 'not_found'],
    ['of its author', undefined, { content: 'x', from: 'caller' }, 'invalid_input'],
    ['to what is none', undefined, { content: 7 }, 'invalid_input'],
    ['that is too long', undefined, { content: 'x'.repeat(262_145) }, 'invalid_input'],
  ] as const)('[SAT4] %s is refused, and changes nothing', async ([_what, id, changes, code]) => {
    const { results, asked } = await changing((thread, waiting) =>
      Reflect.apply(thread.updateMessage, thread, [id ?? waiting, changes]),
    );
    expect(results).toMatchObject([{ success: false, error: { code } }]);
    expect(asked[1]).toEqual(['Go', 'Queued.']);
  });

  it('[SAT4, HK21] by a hook of a change is refused', async () => {
    const hook = defineHook({
      hook: 'before_update_message',
      id: 'again',
      execute: async ({ message }, { thread }) => {
        await thread.updateMessage(message.messageId, { content: 'Again.' });
        return null;
      },
    });
    const { transcript, problems } = await ran(everywhere(() => [hook]));
    expect(saidIn(transcript)).toEqual(['Mended.']);
    expect(problems[0]).toContain('cannot change a message itself');
  });
});

describe('a sub-agent', () => {
  it('[HK22] that is made while its parent is at rest is told to the next run of that', async () => {
    const made: string[] = [];
    const hook = defineHook({
      hook: 'after_subagent_created',
      id: 'note_made',
      execute: ({ agentType }, { agent }) => void made.push(`${agentType} ${agent.runId}`),
    });
    const make = (): TreeParts => {
      const need = { name: 'KEY', type: 'text', required: true, scoped: true } as const;
      const worker = dualOf('worker', { variables: [need] });
      const call = {
        name: 'subagent_create',
        input: { agent: 'worker', message: 'Sweep.', name: 'Ann', attachments: [] },
      };
      return {
        agents: [leadOf([lasting('worker', { blocking: false })], [worker], { hooks: [hook] }), worker],
        scripts: {
          lead: ({ messages }) =>
            messages.some(({ role }) => role === 'assistant') ? { text: 'Told.' } : { calls: [call] },
          worker: [{ text: 'Swept.' }],
        },
      };
    };
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(made).toEqual([]);
      const first = tree.state().run?.runId;
      const [refused] = toolResults(tree);
      const details = refused?.success === false ? JSON.stringify(refused.error.details) : '';
      const path = /"request_id":"([^"]+)"/.exec(details)?.[1] ?? '';
      const at = tree.address;
      const given = { path, env: { KEY: 'x' } };
      await tree.soon(command(tree.world.object(at), at, 'giveVariables', given, { caller: 'ada' }));
      await tree.rest();
      expect(made).toEqual([`worker ${tree.state().run?.runId}`]);
      expect(tree.state().run?.runId).not.toBe(first);
    });
  });
});

describe('the messages of a request', () => {
  it.for([
    [0, undefined],
    [1, 'with an invalid value'],
  ] as const)('[HK21, CX1] of an agent with a context grow by nothing: %i bytes more', async ([more, problem]) => {
    const hook = defineHook({
      hook: 'filter_messages',
      id: 'grow',
      execute: ({ messages }) =>
        messages.map((one) =>
          one.role === 'user' && one.content === 'Go' ? { ...one, content: `${'G'.repeat(2 + more)}` } : one,
        ),
    });
    const make = (): TreeParts => ({
      agents: [agentOf('top', { hooks: [hook], context: { maxTokens: 10_000 } })],
      scripts: { top: [{ text: 'Done.' }] },
    });
    await withTree(make, {}, async (tree) => {
      await tree.run();
      expect(tree.port.asked.map(({ messages }) => saidIn(messages))).toEqual([[more === 0 ? 'GG' : 'Go']]);
      expect(tree.time.problems.join()).toEqual(problem === undefined ? '' : expect.stringContaining(problem));
    });
  });
});
