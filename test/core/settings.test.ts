import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import { definePrompt } from '../../src/core/definition/prompt';
import { type ModelSettings, shownSettings } from '../../src/core/definition/settings/settings';
import { scriptedModel } from '../../src/model/scripted';

/** Defines with options that the compiler refuses. */
const untyped = (define: (options: never) => unknown, options: object): unknown =>
  Reflect.apply(define, undefined, [options]);

const model = scriptedModel([]);
const search = defineTool({
  name: 'search',
  description: 'Searches.',
  inputSchema: z.object({}),
  execute: () => 'ok',
});
const agentWith = (settings: unknown) =>
  untyped(defineAgent, { name: 'plain', systemPrompt: 'Help.', model, tools: [search], settings });

describe('settings of a definition', () => {
  const right: ModelSettings = {
    temperature: 0,
    topP: 1,
    topK: 1,
    maxOutputTokens: 1,
    stopSequences: ['END'],
    seed: -1,
    presencePenalty: -2,
    frequencyPenalty: 2,
    reasoning: { effort: 'none' },
    toolChoice: { tool: 'search' },
    parallelToolCalls: false,
    headers: { 'x-team': 'secret words' },
    providerOptions: { openai: { user: 'u' } },
    promptCache: false,
    gatewayMetadata: true,
  };

  it('[DF26] are kept as they are, where nobody can change them', () => {
    const given = structuredClone(right);
    const { settings } = defineAgent({ name: 'plain', systemPrompt: 'Help.', model, tools: [search], settings: given });
    Object.assign(given.headers ?? {}, { 'x-team': 'other' });
    expect(settings).toEqual(right);
    expect(Object.isFrozen(settings)).toBe(true);
    expect(Object.isFrozen(settings.headers)).toBe(true);
    expect(defineAgent({ name: 'plain', systemPrompt: 'Help.', model }).settings).toEqual({});
  });

  it.each<[unknown, RegExp]>([
    [7, /`settings` must be an object/],
    [{ temprature: 1 }, /unknown options: temprature\. Did you mean `temperature`\?$/],
    [{ temperature: 2.1 }, /`settings.temperature` must be a number from 0 to 2/],
    [{ temperature: Number.NaN }, /number from 0 to 2/],
    [{ temperature: '1' }, /number from 0 to 2/],
    [{ topP: 0 }, /`settings.topP` must be a number above 0, at most 1/],
    [{ topK: 1.5 }, /`settings.topK` must be a whole number from 1 to 1,000/],
    [{ maxOutputTokens: 0 }, /whole number from 1 to 1,000,000/],
    [{ maxOutputTokens: 1_000_001 }, /whole number from 1 to 1,000,000/],
    [{ stopSequences: 'END' }, /list of at most 16 texts of 1 to 256/],
    [{ stopSequences: [''] }, /list of at most 16 texts/],
    [{ stopSequences: Array.from({ length: 17 }, () => 'a') }, /list of at most 16 texts/],
    [{ seed: 0.5 }, /whole number/],
    [{ presencePenalty: 3 }, /from -2 to 2/],
    [{ frequencyPenalty: -3 }, /from -2 to 2/],
    [{ reasoning: 'low' }, /`settings.reasoning` must be an object such as { effort: 'low' }/],
    [{ reasoning: { effort: 'much' } }, /`reasoning.effort` must be one of none, minimal/],
    [{ reasoning: { budget: 1 } }, /unknown option "budget"/],
    [{ toolChoice: 'any' }, /one of auto, none, required, or an object such as { tool: 'search' }/],
    [{ toolChoice: { tool: 'find' } }, /names the tool "find", which does not exist\. Available tools: search/],
    [{ parallelToolCalls: 'no' }, /true or false/],
    [{ promptCache: 1 }, /true or false/],
    [{ gatewayMetadata: 1 }, /true or false/],
    [{ providerOptions: { openai: 1 } }, /an object of options by the name of each provider/],
    [{ providerOptions: { openai: { at: Number.NaN } } }, /`settings.providerOptions` cannot be sent/],
    [{ providerOptions: { offshoot: {} } }, /may not have "offshoot"/],
    [{ providerOptions: { openai: { user: 'x'.repeat(70_000) } } }, /cannot be sent/],
  ])('[DF26] %j is refused with what to write', (settings, why) => {
    expect(() => agentWith(settings)).toThrow(why);
  });

  it.each([
    'Authorization',
    'x-api-key',
    'api-key',
    'x-goog-api-key',
    'Cookie',
    'cf-aig-authorization',
    'x-auth-token',
  ])('[DF27] the header %s is refused: a key belongs to the model', (name) => {
    expect(() => agentWith({ headers: { [name]: 'k' } })).toThrow(`may not have "${name}": give a key to the model`);
  });

  it.each(['host', 'Content-Type', 'content-length', 'traceparent'])(
    '[DF27] the header %s is refused: the request has its own',
    (name) => {
      expect(() => agentWith({ headers: { [name]: 'k' } })).toThrow('which the request sets itself');
    },
  );

  it.each([{ 'a b': 'c' }, { a: 'b\r\nx-other: c' }, { a: 'é' }, { a: 7 }, { a: 'x'.repeat(2_049) }, ['a']])(
    '[DF27] headers that no request can have are refused: %j',
    (headers) => {
      expect(() => agentWith({ headers })).toThrow(/`settings.headers`/);
    },
  );

  it('[DF26] belong to the prompt where an agent works by one', () => {
    const prompt = definePrompt({ name: 'asking', prompt: 'Work.', model, settings: { temperature: 0.5 } });
    expect(defineAgent({ name: 'plain', prompt }).settings).toEqual({ temperature: 0.5 });
    const both = () => untyped(defineAgent, { name: 'plain', prompt, settings: {} });
    expect(both).toThrow('has a `prompt` and `settings`; leave out one');
  });

  it('[DF26] of a prompt hold its own fields, each given once', () => {
    const prompt = { name: 'asking', prompt: 'Work.', model, toolChoice: 'none' } as const;
    const settings = { temperature: 0.5 };
    expect(definePrompt({ ...prompt, settings, reasoning: { effort: 'low' } }).settings).toEqual({
      temperature: 0.5,
      toolChoice: 'none',
      reasoning: { effort: 'low' },
    });
    const twice = () => definePrompt({ ...prompt, settings: { toolChoice: 'none' } });
    expect(twice).toThrow('has `toolChoice` and `settings.toolChoice`; leave out one');
    const unknown = () => definePrompt({ ...prompt, toolChoice: { tool: 'find' } });
    expect(unknown).toThrow('`toolChoice` names the tool "find"');
  });

  it('[DF28] are shown without what may be secret', () => {
    const shown = shownSettings(right);
    expect(shown).toMatchObject({ temperature: 0, headers: ['x-team'], providerOptions: { openai: ['user'] } });
    expect(JSON.stringify(shown)).not.toMatch(/secret words|"u"/);
  });
});

/** Values at the ends of what each setting takes, and past them. */
const EDGES: {
  readonly [Name in keyof Required<ModelSettings>]: readonly [fits: readonly unknown[], not: readonly unknown[]];
} = {
  temperature: [
    [0, 2],
    [-0.01, 2.01],
  ],
  topP: [
    [Number.MIN_VALUE, 1],
    [0, 1.01],
  ],
  topK: [
    [1, 1_000],
    [0, 1_001],
  ],
  maxOutputTokens: [
    [1, 1_000_000],
    [0, 1_000_001],
  ],
  stopSequences: [
    [[], Array(16).fill('x'.repeat(256))],
    [Array(17).fill('x'), ['x'.repeat(257)], [7]],
  ],
  seed: [
    [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [Number.MAX_SAFE_INTEGER + 1, '1'],
  ],
  presencePenalty: [
    [-2, 2],
    [-2.01, 2.01],
  ],
  frequencyPenalty: [
    [-2, 2],
    [-2.01, 2.01],
  ],
  reasoning: [
    [{}, ...['none', 'minimal', 'low', 'medium', 'high', 'xhigh'].map((effort) => ({ effort }))],
    [null, { effort: 'max' }, { effort: null }],
  ],
  toolChoice: [
    ['auto', 'none', 'required', { tool: 'search' }],
    ['any', null, {}, { tool: 7 }, { tool: 'search', more: 1 }],
  ],
  parallelToolCalls: [
    [true, false],
    [0, 'true'],
  ],
  headers: [
    [
      {},
      { ['x'.repeat(128)]: 'y'.repeat(2_048) },
      { x: '\t ~' },
      Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x${at}`, ''])),
    ],
    [
      ...[{ ['x'.repeat(129)]: '' }, { x: 'y'.repeat(2_049) }, { '': '' }, { x: '\x1f' }, { x: '\x7f' }],
      ...[
        Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x${at}`, ''])),
        { 'Proxy-Authorization': '' },
        { 'my-secret': '' },
      ],
      ...['connection', 'transfer-encoding', 'accept', 'accept-encoding', 'upgrade'].map((name) => ({ [name]: '' })),
    ],
  ],
  providerOptions: [
    [{}, { a: {} }, { a: { b: 'x'.repeat(65_536 - 14) } }],
    [[], { a: [] }, { a: null }, { a: { b: 'x'.repeat(65_536 - 13) } }, { offshoot: {} }],
  ],
  promptCache: [
    [true, false],
    [null, 1],
  ],
  gatewayMetadata: [
    [true, false],
    [null, 1],
  ],
};

it.each(Object.entries(EDGES))(
  '[DF26, DF27] %s takes the ends of its range, and nothing past them',
  (name, [fits, not]) => {
    for (const value of [undefined, ...fits]) {
      const { settings } = agentWith({ [name]: value }) as { settings: object };
      expect(settings).toEqual(value === undefined ? {} : { [name]: value });
    }
    for (const value of not)
      expect(() => agentWith({ [name]: value }), JSON.stringify(value)).toThrow(`settings.${name}\``);
  },
);
