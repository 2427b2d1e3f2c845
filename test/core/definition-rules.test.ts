/** Rules of definitions, each for all of its rows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { declaredVariables, scopedNames, wantedVariables } from '../../src/core/definition/children/child-graph';
import { createSubAgentTool, relationshipOf } from '../../src/core/definition/children/relationship';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import { defineDualAgent } from '../../src/core/definition/dual-agent';
import { type AnyHook, hooksOf, hooksWith } from '../../src/core/definition/hooks/hooks';
import { DEFAULT_LIMITS, limitProblem, MAX_CONTENT_BYTES, MAX_TIMER_MS } from '../../src/core/definition/limits';
import type { ModelReply } from '../../src/core/definition/model-port';
import { modelsOf } from '../../src/core/definition/models/models';
import { countsMoney } from '../../src/core/definition/price';
import { definePrompt } from '../../src/core/definition/prompt';
import { checkSize } from '../../src/core/definition/reply-size';
import { SETTING_NAMES } from '../../src/core/definition/settings/check';
import {
  type ModelSettings,
  settingsOfSummary,
  settingsWith,
  shownSettings,
} from '../../src/core/definition/settings/settings';
import type { VariableDefinition } from '../../src/core/definition/variables';
import { DATA_LIMITS } from '../../src/protocol/data-limits';
import { ERROR_CODES, type ErrorCode, isErrorCode } from '../../src/protocol/errors';
import { noModel } from '../support/no-model';
import { present } from '../support/present';

const inputSchema = z.object({ q: z.string() });
const shell = { systemPrompt: 'Work.', model: noModel, inputSchema };
const agentOf = (name: string, more: object = {}) => defineAgent({ name, ...shell, ...more });

describe('limits', () => {
  it.each(Object.keys(DEFAULT_LIMITS))(
    '[DF1, DF3] `%s` is a number above 0: whole unless it is money, at most what can be',
    (limit) => {
      const isMoney = limit.endsWith('CostUsd');
      const most = limit.endsWith('Ms')
        ? MAX_TIMER_MS
        : ({ maxFileBytes: MAX_CONTENT_BYTES, maxDepth: 16 }[limit] ??
          (isMoney ? Number.MAX_VALUE : Number.MAX_SAFE_INTEGER));
      const fits = [1, most, Reflect.get(DEFAULT_LIMITS, limit), ...(isMoney ? [0.5, Number.MIN_VALUE] : [])];
      const not = [
        0,
        -1,
        Number.NaN,
        Number.POSITIVE_INFINITY,
        '1',
        null,
        undefined,
        true,
        ...(isMoney ? [] : [0.5, most + 1]),
      ];
      for (const value of fits) expect(limitProblem(limit, value), String(value)).toBeUndefined();
      for (const value of not) expect(limitProblem(limit, value), String(value)).toMatch(/^must be /);
    },
  );
});

describe('models', () => {
  const leads = [
    ...['model_rate_limited', 'model_overloaded', 'model_unavailable', 'model_timeout', 'model_bad_reply'],
    ...['model_unauthorized', 'model_error'],
  ];
  const named = [...leads, 'context_too_large', 'model_refused'];
  const withModels = (models: readonly unknown[]) =>
    Reflect.apply(agentOf, undefined, ['a', { model: undefined, models }]);

  it('[DF1] the next one is asked after the usual failures, or those that its author names', () => {
    expect(modelsOf(agentOf('a'))).toEqual([{ model: noModel, on: leads }]);
    expect(withModels([noModel, noModel]).models).toEqual([
      { model: noModel, on: leads },
      { model: noModel, on: leads },
    ]);
    expect(withModels([{ model: noModel, on: ['model_refused'] }, noModel]).models?.[0]?.on).toEqual(['model_refused']);
    const takes = (code: string) => {
      try {
        return withModels([{ model: noModel, on: [code] }, noModel]) !== undefined;
      } catch {
        return false;
      }
    };
    expect(Object.keys(ERROR_CODES).filter(takes).sort()).toEqual(named.sort());
    expect(() => withModels([{ model: noModel, on: [] }, noModel])).toThrow('must be a list of these codes');
    const many = (count: number) => Array.from({ length: count }, () => noModel);
    expect(withModels(many(8)).models).toHaveLength(8);
    for (const count of [0, 9]) expect(() => withModels(many(count))).toThrow('1 to 8 models');
  });
});

describe('variables', () => {
  const flag = fc.option(fc.boolean(), { nil: undefined });
  const variable = fc
    .record({
      type: fc.constantFrom('text' as const, 'secret' as const),
      required: flag,
      scoped: flag,
      description: fc.option(fc.constantFrom('One.', 'Two.'), { nil: undefined }),
    })
    .map((all): VariableDefinition => {
      const given = Object.entries(all).filter(([, value]) => value !== undefined);
      return { name: 'A', type: 'text', ...Object.fromEntries(given) };
    });

  it('[VR1] asked for by several, one is as strict as the strictest of them, for what the first says of it', () => {
    fc.assert(
      fc.property(fc.array(variable, { minLength: 1, maxLength: 4 }), (all) => {
        const tools = all.map((one, at) =>
          defineTool({ name: `t${at}`, description: 'Works.', inputSchema, execute: () => null, variables: [one] }),
        );
        const [first, ...others] = tools;
        const uses = defineTool({
          name: 'uses',
          description: 'Works.',
          inputSchema,
          execute: () => null,
          uses: others,
        });
        const found = present(declaredVariables(agentOf('a', { tools: [present(first), uses] })).get('A'));
        expect(found.type).toBe(all.some(({ type }) => type === 'secret') ? 'secret' : 'text');
        expect(found.required ?? false).toBe(all.some(({ required }) => required === true));
        expect(found.scoped ?? false).toBe(all.some(({ scoped }) => scoped === true));
        const said = all.flatMap(({ description }) => description ?? []);
        if (said.length === 0) expect(found.description).toBeUndefined();
        else expect(said).toContain(found.description);
      }),
      { numRuns: 100 },
    );
  });

  it('[SA32, VR10] a child graph wants what is asked for scoped, by name, with all who ask: sides, tools and handoffs, too', () => {
    const needs = (name: string, more: Partial<VariableDefinition> = {}): VariableDefinition => ({
      name,
      type: 'text',
      scoped: true,
      ...more,
    });
    const tool = defineTool({
      name: 'mail',
      description: 'x',
      inputSchema,
      execute: () => null,
      variables: [needs('KEY', { required: true })],
    });
    const prompt = (name: string, variables: VariableDefinition[], more: object = {}) =>
      definePrompt({ name, prompt: 'x', model: noModel, variables, ...more });
    const taker = agentOf('taker', { exposeAsTool: true, variables: [needs('B', { description: 'For B.' })] });
    const pair = defineDualAgent({
      name: 'pair',
      exposeAsTool: true,
      sideA: { prompt: prompt('a', [needs('A', { type: 'secret' })]) },
      sideB: { prompt: prompt('b', [{ name: 'LOOSE', type: 'text', required: true }], { tools: [tool] }) },
    });
    const top = defineAgent({
      name: 'top',
      prompt: prompt('top', [needs('A', { required: true })], { tools: ['taker', 'pair'], agents: [taker, pair] }),
    });
    expect(wantedVariables(top)).toEqual([
      { name: 'A', type: 'secret', required: true, declaredBy: ['top', 'pair'] },
      { name: 'B', type: 'text', required: false, description: 'For B.', declaredBy: ['taker'] },
      { name: 'KEY', type: 'text', required: true, declaredBy: ['pair/mail'] },
    ]);
    expect([...scopedNames(top)].sort()).toEqual(['A', 'B', 'KEY']);
  });
});

describe('children', () => {
  it('[DG4, DG28] each kind says how long a child lives, what waits for it, and how its result comes', () => {
    const worker = agentOf('worker');
    const kind = (options: object) => {
      const { lifetime, await: waits, deliver } = present(relationshipOf(createSubAgentTool(worker, options)));
      return [lifetime, waits, deliver];
    };
    expect([kind({}), kind({ background: true })]).toEqual([
      ['call', 'step', 'result'],
      ['call', 'notice', 'notice'],
    ]);
    const [companion] = agentOf('boss', { persistentAgents: [{ agent: worker }] }).companions;
    expect(companion?.relationship).toMatchObject({ lifetime: 'named', await: 'notice', deliver: 'notice' });
    const both = (options: object) => relationshipOf(createSubAgentTool(worker, options))?.workspace;
    expect(
      [{}, { inheritWorkspace: false }, { inheritWorkspace: true }, { inheritWorkspace: 'read' }].map(both),
    ).toEqual([...['session', 'session', 'inherited', 'inherited-read']]);
  });

  const side = (name: string) => ({ prompt: definePrompt({ name, prompt: 'x', model: noModel }) });
  const pair = defineDualAgent({ name: 'pair', exposeAsTool: true, sideA: side('a'), sideB: side('b') });
  const resumable = { receives_messages: 'side_b' } as const;
  it.each([
    [{}, 'call', 'step', 'result'],
    [{ blocking: true }, 'call', 'step', 'result'],
    [{ blocking: false }, 'call', 'notice', 'envelope'],
    [{ resumable }, 'named', 'step', 'result'],
    [{ blocking: false, resumable }, 'named', 'notice', 'envelope'],
    [{ budget: { maxTokens: 5 }, timeoutMs: 9_000, placement: 'object' as const }, 'call', 'step', 'result'],
  ] as const)('[SA13, SA16] a prompt has a child %j as it says', (config, lifetime, waits, deliver) => {
    const prompt = definePrompt({
      name: 'p',
      prompt: 'x',
      model: noModel,
      tools: [{ name: 'pair', ...config }],
      agents: [pair],
    });
    const [entry] = prompt.subagents;
    expect(entry?.config).toEqual({ name: 'pair', blocking: true, immediate: false, resumable: false, ...config });
    const { budget, timeoutMs, placement = 'facet' } = 'budget' in config ? config : {};
    expect(entry?.relationship).toEqual({
      ...{ lifetime, await: waits, deliver, placement, workspace: 'session', child: pair, onParentSuspend: 'continue' },
      ...{ onFailure: 'result', onIdle: 'wake', retention: 'tree' },
      ...(budget ? { budget } : {}),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
  });

  it('[BU15] a cost may count by a price, a limit of the agent or of its tree, or the budget of that child', () => {
    const worker = agentOf('worker');
    const otherWorker = agentOf('other');
    const tools = [
      createSubAgentTool(worker, { budget: { maxCostUsd: 1 } }),
      createSubAgentTool(otherWorker, { budget: { maxTokens: 1 } }),
    ];
    const rows = [
      [{}, undefined, false],
      [{ price: { input: 1, output: 1 } }, undefined, true],
      [{ price: () => undefined }, undefined, true],
      [{ limits: { maxCostUsd: 1 } }, undefined, true],
      [{ limits: { maxTreeCostUsd: 1 } }, undefined, true],
      [{ limits: { maxTokens: 1 } }, undefined, false],
      [{ tools }, undefined, false],
      [{ tools }, worker, true],
      [{ tools }, otherWorker, false],
    ] as const;
    for (const [more, child, expected] of rows) expect(countsMoney(agentOf('a', more), child)).toBe(expected);
  });
});

describe('hooks', () => {
  const hook = (name: AnyHook['hook'], id?: string): AnyHook => ({
    hook: name,
    ...(id ? { id } : {}),
    run: () => null,
    failRun: false,
  });
  it('[HK21] those of a prompt stand for the agent’s of the same names; the others stay before them, in their order', () => {
    const own = [
      hook('beforeTool'),
      hook('prepare_step', 'one'),
      hook('prepare_step', 'two'),
      hook('filter_messages', 'three'),
    ];
    const prompts = [hook('prepare_step', 'four'), hook('after_system_message', 'five')];
    const all = hooksWith('x', own, prompts);
    expect(all.map(({ hook: name, id }) => id ?? name)).toEqual(['beforeTool', 'three', 'four', 'five']);
    expect(hooksWith('x', own, [])).toEqual(own);
    expect(hooksOf(own, 'prepare_step').map(({ id }) => id)).toEqual(['one', 'two']);
    expect(() => hooksWith('x', [hook('filter_messages', 'same')], [hook('prepare_step', 'same')])).toThrow(
      'two hooks with the id "same"',
    );
  });
});

describe('settings', () => {
  const ALL: Required<ModelSettings> = {
    temperature: 1,
    topP: 0.5,
    topK: 4,
    maxOutputTokens: 9,
    stopSequences: ['x'],
    seed: 3,
    presencePenalty: 1,
    frequencyPenalty: 1,
    reasoning: { effort: 'low' },
    toolChoice: 'none',
    parallelToolCalls: false,
    headers: { a: 'b', c: 'd' },
    providerOptions: { openai: { user: 'x', n: 1 }, google: {} },
    promptCache: true,
    gatewayMetadata: false,
  };

  it('[DF28] are shown whole, but for the values of headers and of the options of providers', () => {
    expect(Object.keys(ALL).sort()).toEqual([...SETTING_NAMES].sort());
    expect(shownSettings(ALL)).toEqual({
      ...ALL,
      headers: ['a', 'c'],
      providerOptions: { openai: ['user', 'n'], google: [] },
    });
    expect(shownSettings({ seed: 0 })).toEqual({ seed: 0 });
    expect(settingsWith(ALL, { seed: 4 })).toEqual({ ...ALL, seed: 4 });
  });

  it('[DF26] a summary is asked for with what belongs to the provider, and nothing that shapes a reply', () => {
    const { reasoning, headers, providerOptions, gatewayMetadata } = ALL;
    expect(settingsOfSummary(ALL)).toEqual({
      reasoning,
      headers,
      providerOptions,
      gatewayMetadata,
      promptCache: false,
    });
    expect(settingsOfSummary({ temperature: 1 })).toEqual({ promptCache: false });
  });
});

describe('the size of a reply', () => {
  const call = { type: 'tool-call', providerId: 'p', toolName: 't', input: { long: 'x'.repeat(50) } } as const;
  const refusal = (content: readonly object[]): ErrorCode | undefined => {
    try {
      Reflect.apply(checkSize, undefined, [{ content }]);
      return undefined;
    } catch (error) {
      const code: unknown = Reflect.get(Object(error), 'code');
      return typeof code === 'string' && isErrorCode(code) ? code : undefined;
    }
  };
  const text = (length: number): ModelReply['content'][number] => ({ type: 'text', text: 'x'.repeat(length) });

  it('[JS3, JS9] is at most 4,096 calls, 10,000 parts and so many characters, without arguments and files', () => {
    const most = DATA_LIMITS.maxReplyCharacters;
    const many = (count: number, part: object) => Array.from({ length: count }, () => part);
    const file = { type: 'made-file', mediaType: 'image/png', data: 'x'.repeat(most) };
    const rows = [
      [many(4_096, call), true],
      [many(4_097, call), false],
      [many(10_000, text(1)), true],
      [many(10_001, text(0)), false],
      [[text(most)], true],
      [[text(most + 1)], false],
      [[text(most - 2), call], true],
      [[text(most - 1), call], false],
      [[{ type: 'reasoning', text: 'xx' }, text(most - 2)], true],
      [[{ type: 'reasoning', text: 'xxx' }, text(most - 2)], false],
      [[file, text(most)], true],
      [[{ type: 'source' }, text(most - 17)], true],
      [[{ type: 'source' }, text(most - 16)], false],
    ] as const;
    for (const [content, fits] of rows) expect(refusal(content)).toBe(fits ? undefined : 'model_bad_reply');
  });
});
