/** Rules of Anthropic's Messages API on the request as a whole: its size, settings and tools. */
import { type AnthropicRule, assistant, type Body, invalid, REQUEST, talk, tool, user } from './anthropic-api';
import { brokenText, isJson, isRecord, repeated } from './rule';
import { hasUnionAtRoot, isObjectSchema, schemaFault } from './schemas';

/** The most bytes of a request to the Messages API. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The most tokens that a model may be asked for, newest first. */
const MOST_OUTPUT: readonly (readonly [model: RegExp, tokens: number])[] = [
  [/claude-3-haiku/, 4_096],
  [/opus-4-1|opus-4-0|opus-4-20/, 32_000],
  [/-4-5|sonnet-4-0|sonnet-4-20/, 64_000],
  [/./, 128_000],
];

/** Models that take either a temperature or top_p. */
const ONE_OF_TWO = /-4-[56]|opus-4-1/;
/** Models that take no sampling settings at all. */
const NO_SAMPLING = /opus-4-[789]|(opus|sonnet|haiku|fable|mythos)-[5-9]/;

const FIELDS = new Set(
  (
    'model max_tokens messages system metadata stop_sequences stream temperature top_k top_p tools tool_choice thinking ' +
    'output_config output_format service_tier container context_management mcp_servers cache_control inference_geo speed ' +
    'fallbacks safeguards compaction thread'
  ).split(' '),
);

/** The words of a JSON parser for the first text that holds half a surrogate pair. */
function halfMessage(text: string): string {
  const at = [...text].find((letter) => !letter.isWellFormed()) ?? '';
  return at >= '\udc00' ? 'invalid high surrogate in string' : 'no low surrogate in string';
}

const WHOLE: readonly AnthropicRule[] = [
  {
    id: 'bytes',
    says: 'A request has at most 32 MB.',
    source: 'https://github.com/anthropics/anthropic-sdk-python/issues/938',
    refuses: talk([user('x'.repeat(1_000))]),
    takes: talk([user('x'.repeat(800))]),
    limits: { maxBytes: 1_000 },
    problem: ({ bytes, limits }) =>
      bytes <= (limits.maxBytes ?? MAX_BYTES)
        ? undefined
        : // A proxy before the API answers this, in another shape: without a `type` at its root.
          { status: 413, body: { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } } },
  },
  {
    id: 'json',
    says: 'A request is JSON.',
    source: 'https://docs.claude.com/en/api/errors',
    refuses: '{"model":',
    takes: REQUEST,
    problem: ({ text }) =>
      isJson(text) ? undefined : invalid('The request body is not valid JSON: unexpected end of data'),
  },
  {
    id: 'surrogates',
    says: 'No text holds half a surrogate pair.',
    source: 'https://github.com/anthropics/claude-code/issues/3277',
    refuses: talk([user('Hello \ud83d.')]),
    takes: talk([user('Hello \ud83d\ude00.')]),
    problem({ body, text }) {
      const broken = brokenText(body);
      if (broken === undefined) return undefined;
      const at = Math.max(text.search(/\\ud[89a-f]/i), 0);
      return invalid(
        `The request body is not valid JSON: ${halfMessage(broken)}: line 1 column ${at + 1} (char ${at})`,
      );
    },
  },
  {
    id: 'required',
    says: 'A request names its model, its messages and the most tokens to reply with.',
    source: 'https://docs.claude.com/en/api/messages',
    refuses: { model: REQUEST.model, messages: REQUEST.messages },
    takes: REQUEST,
    problem({ body }) {
      if (!isRecord(body)) return invalid('Input should be a valid dictionary');
      const missing = (['model', 'messages', 'max_tokens'] as const).find((name) => body[name] === undefined);
      if (missing !== undefined) return invalid(`${missing}: Field required`);
      return Array.isArray(body.messages) ? undefined : invalid('messages: Input should be a valid list');
    },
  },
  {
    id: 'unknown-field',
    says: 'A request has no field that the API does not know.',
    source: 'https://docs.claude.com/en/api/messages; quoted in public code ("Extra inputs are not permitted")',
    refuses: { ...REQUEST, frequency_penalty: 0 },
    takes: { ...REQUEST, stop_sequences: ['END'] },
    problem({ body }) {
      const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
      return unknown === undefined ? undefined : invalid(`${unknown}: Extra inputs are not permitted`);
    },
  },
  {
    id: 'no-messages',
    says: 'A request has a message.',
    source: 'https://docs.latitude.so/guides/prompt-manager/provider-rules/anthropic',
    refuses: talk([]),
    takes: talk([user('.')]),
    problem: ({ body }) =>
      body.messages.length > 0 ? undefined : invalid('messages: at least one message is required'),
  },
  {
    id: 'window',
    says: "The request fits the model's window.",
    source:
      'https://github.com/anthropics/claude-code/issues/6380 and many others; https://docs.claude.com/en/docs/build-with-claude/context-windows',
    refuses: talk([user('x'.repeat(1_000))]),
    takes: talk([user('x'.repeat(300))]),
    limits: { window: 200 },
    problem: ({ tokens, limits: { window } }) =>
      window === undefined || tokens <= window
        ? undefined
        : invalid(`prompt is too long: ${tokens} tokens > ${window} maximum`),
  },
];

const SETTINGS: readonly AnthropicRule[] = [
  {
    id: 'max-tokens-low',
    says: 'A reply may have at least one token.',
    source: 'https://docs.claude.com/en/api/messages',
    refuses: { ...REQUEST, max_tokens: -1 },
    takes: { ...REQUEST, max_tokens: 1 },
    problem: ({ body }) =>
      body.max_tokens >= 1 ? undefined : invalid('max_tokens: Input should be greater than or equal to 1'),
  },
  {
    id: 'max-tokens-high',
    says: 'A reply may have no more tokens than its model can write.',
    source:
      'quoted in public code ("max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens ' +
      'for claude-sonnet-4-5", ten files); figures of the model catalog of @ai-sdk/anthropic 4',
    refuses: { ...REQUEST, max_tokens: 64_001 },
    takes: { ...REQUEST, max_tokens: 64_000 },
    problem({ body: { max_tokens, model } }) {
      const most = MOST_OUTPUT.find(([models]) => models.test(model))?.[1] ?? max_tokens;
      if (max_tokens <= most) return undefined;
      return invalid(
        `max_tokens: ${max_tokens} > ${most}, which is the maximum allowed number of output tokens for ${model}`,
      );
    },
  },
  {
    id: 'stop-blank',
    says: 'A stop sequence has more than white space.',
    source: 'https://github.com/BerriAI/litellm/issues/3286; https://github.com/BerriAI/litellm/pull/7484',
    refuses: { ...REQUEST, stop_sequences: ['END', '\n'] },
    takes: { ...REQUEST, stop_sequences: ['\nEND'] },
    problem: ({ body: { stop_sequences = [] } }) =>
      stop_sequences.every((text) => text.trim() !== '')
        ? undefined
        : invalid('stop_sequences: each stop sequence must contain non-whitespace'),
  },
  {
    id: 'temperature-range',
    says: 'The temperature is from 0 to 1.',
    source: 'https://docs.claude.com/en/api/messages',
    refuses: { ...REQUEST, temperature: 1.1 },
    takes: { ...REQUEST, temperature: 1 },
    problem: ({ body: { temperature } }) =>
      temperature === undefined || (temperature >= 0 && temperature <= 1)
        ? undefined
        : invalid('temperature: range: 0..1'),
  },
  {
    id: 'sampling',
    says: 'Models from Opus 4.7 on take no temperature, top_p or top_k.',
    source: 'https://github.com/vercel/ai/pull/15674; the model catalog of @ai-sdk/anthropic 4',
    refuses: { ...REQUEST, model: 'claude-opus-4-7', temperature: 0.5 },
    takes: { ...REQUEST, model: 'claude-opus-4-6', temperature: 0.5 },
    problem({ body }) {
      const set = (['temperature', 'top_p', 'top_k'] as const).find((name) => body[name] !== undefined);
      if (set === undefined || !NO_SAMPLING.test(body.model)) return undefined;
      return invalid(`\`${set}\` is deprecated for this model.`);
    },
  },
  {
    id: 'temperature-and-top-p',
    says: 'Models 4.5 and 4.6, and Opus 4.1, take a temperature or top_p, not both.',
    source: 'quoted in public code (live answers of 2026-08-20 and 2026-09-29)',
    refuses: { ...REQUEST, temperature: 0.5, top_p: 0.5 },
    takes: { ...REQUEST, top_p: 0.5, top_k: 5 },
    problem({ body: { temperature, top_p, model } }) {
      if (temperature === undefined || top_p === undefined || !ONE_OF_TWO.test(model)) return undefined;
      return invalid('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
    },
  },
  {
    id: 'thinking-temperature',
    says: 'With thinking, the temperature is 1.',
    source: 'https://github.com/MartialBE/one-hub/issues/529',
    refuses: thinking(1_024, { temperature: 0 }),
    takes: thinking(1_024, { temperature: 1 }),
    problem: ({ body }) =>
      isThinking(body) && body.temperature !== undefined && body.temperature !== 1
        ? invalid('`temperature` may only be set to 1 when thinking is enabled.')
        : undefined,
  },
  {
    id: 'thinking-top-k',
    says: 'With thinking, top_k is not set.',
    source:
      'https://docs.claude.com/en/docs/build-with-claude/extended-thinking; ' +
      'https://github.com/LostRuins/lite.koboldai.net/issues/108',
    certainty: 'reported',
    refuses: thinking(1_024, { top_k: 5 }),
    takes: thinking(1_024),
    problem: ({ body }) =>
      isThinking(body) && body.top_k !== undefined
        ? invalid('`top_k` must be unset when thinking is enabled.')
        : undefined,
  },
  {
    id: 'thinking-budget-low',
    says: 'Thinking has at least 1024 tokens.',
    source: 'https://docs.claude.com/en/docs/build-with-claude/extended-thinking',
    refuses: thinking(1_023),
    takes: thinking(1_024),
    problem: ({ body }) =>
      body.thinking?.type === 'enabled' && (body.thinking.budget_tokens ?? 0) < 1_024
        ? invalid('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024')
        : undefined,
  },
  {
    id: 'thinking-budget-high',
    says: 'The reply may have more tokens than its thinking.',
    source: 'https://github.com/mirrorange/clove/issues/39',
    refuses: thinking(1_024, { max_tokens: 1_024 }),
    takes: thinking(1_024, { max_tokens: 1_025 }),
    problem: ({ body }) =>
      body.thinking?.type === 'enabled' && body.max_tokens <= (body.thinking.budget_tokens ?? 0)
        ? invalid('`max_tokens` must be greater than `thinking.budget_tokens`.')
        : undefined,
  },
];

function thinking(budget_tokens: number, more: Partial<Body> = {}): Body {
  return { ...REQUEST, max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens }, ...more };
}

function isThinking(body: Body): boolean {
  return body.thinking !== undefined && body.thinking.type !== 'disabled';
}

const TOOLS: readonly AnthropicRule[] = [
  {
    id: 'tool-name',
    says: 'The name of a tool has 1 to 128 letters, digits, underscores and dashes.',
    source: 'https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1345',
    refuses: talk([user('Look.')], { tools: [tool('look.up')] }),
    takes: talk([user('Look.')], { tools: [tool(`look-up_${'x'.repeat(120)}`)] }),
    problem({ body: { tools = [] } }) {
      const at = tools.findIndex(({ name }) => !/^[a-zA-Z0-9_-]{1,128}$/.test(String(name)));
      return at < 0
        ? undefined
        : invalid(`tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    },
  },
  {
    id: 'tool-name-twice',
    says: 'No two tools have one name.',
    source: 'https://github.com/tailcallhq/forgecode/issues/892',
    refuses: talk([user('Look.')], { tools: [tool('look'), tool('look')] }),
    takes: talk([user('Look.')], { tools: [tool('look'), tool('Look')] }),
    problem: ({ body: { tools = [] } }) =>
      repeated(tools.map(({ name }) => name)).length > 0 ? invalid('tools: Tool names must be unique.') : undefined,
  },
  {
    id: 'tool-schema-union',
    says: 'The schema of a tool has no union at its root.',
    source: 'https://github.com/anthropics/claude-code/issues/5319',
    refuses: talk([user('Look.')], { tools: [tool('look', { type: 'object', anyOf: [{ type: 'object' }] })] }),
    takes: talk([user('Look.')], {
      tools: [tool('look', { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } })],
    }),
    problem: ({ body }) =>
      toolProblem(body, (schema) =>
        hasUnionAtRoot(schema) ? ': input_schema does not support oneOf, allOf, or anyOf at the top level' : undefined,
      ),
  },
  {
    id: 'tool-schema-type',
    says: 'The schema of a tool is that of an object.',
    source: 'https://docs.claude.com/en/api/messages',
    refuses: talk([user('Look.')], { tools: [tool('look', { properties: {} })] }),
    takes: talk([user('Look.')], { tools: [tool('look', { type: 'object' })] }),
    problem: ({ body }) =>
      toolProblem(body, (schema) => {
        if (!isRecord(schema) || schema.type === undefined) return '.type: Field required';
        return schema.type === 'object' ? undefined : ".type: Input should be 'object'";
      }),
  },
  {
    id: 'tool-schema-keys',
    says: "Names of a schema's properties have 1 to 64 letters, digits, underscores, dots and dashes.",
    source: 'quoted in public code (ten files); https://github.com/modelcontextprotocol/go-sdk/issues/169',
    refuses: talk([user('Look.')], { tools: [tool('look', { type: 'object', properties: { 'a b': {} } })] }),
    takes: talk([user('Look.')], { tools: [tool('look', { type: 'object', properties: { 'a.b': {} } })] }),
    problem: ({ body }) =>
      toolProblem(body, (schema) => {
        const names = isRecord(schema) && isRecord(schema.properties) ? Object.keys(schema.properties) : [];
        return names.every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name))
          ? undefined
          : ".properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'";
      }),
  },
  {
    id: 'tool-strict',
    says: 'Objects in the schema of a strict tool take no further properties.',
    source: 'https://docs.claude.com/en/docs/build-with-claude/structured-outputs',
    refuses: talk([user('Look.')], { tools: [{ ...tool('look'), strict: true }] }),
    takes: talk([user('Look.')], {
      tools: [{ ...tool('look', { type: 'object', additionalProperties: false }), strict: true }],
    }),
    problem({ body: { tools = [] } }) {
      const at = tools.findIndex(
        ({ strict, input_schema }) =>
          strict === true &&
          schemaFault(input_schema, (schema) =>
            isObjectSchema(schema) && schema.additionalProperties !== false ? 'open' : undefined,
          ) !== undefined,
      );
      return at < 0
        ? undefined
        : invalid(`tools.${at}.custom: For 'object' type, 'additionalProperties' must be explicitly set to false`);
    },
  },
  {
    id: 'tool-choice-without-tools',
    says: 'A choice of a tool comes with tools.',
    source: 'https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use',
    certainty: 'reported',
    refuses: talk([user('Look.')], { tool_choice: { type: 'any' } }),
    takes: talk([user('Look.')], { tool_choice: { type: 'any' }, tools: [tool('look')] }),
    problem: ({ body: { tool_choice, tools = [] } }) =>
      tool_choice !== undefined && tools.length === 0
        ? invalid('tool_choice may only be specified while providing tools')
        : undefined,
  },
  {
    id: 'tool-choice-unknown',
    says: 'A tool that has to be called is among the tools.',
    source: 'quoted in public code ("Tool \'web_search\' not found in provided tools", four files)',
    refuses: talk([user('Look.')], { tool_choice: { type: 'tool', name: 'find' }, tools: [tool('look')] }),
    takes: talk([user('Look.')], { tool_choice: { type: 'tool', name: 'look' }, tools: [tool('look')] }),
    problem({ body: { tool_choice, tools = [] } }) {
      if (tool_choice?.type !== 'tool' || tools.some(({ name }) => name === tool_choice.name)) return undefined;
      return invalid(`Tool '${tool_choice.name}' not found in provided tools`);
    },
  },
  {
    id: 'thinking-forced-tool',
    says: 'With thinking, no tool has to be called.',
    source: 'https://github.com/mastra-ai/mastra/issues/7507',
    refuses: thinking(1_024, { tool_choice: { type: 'any' }, tools: [tool('look')] }),
    takes: thinking(1_024, {
      tool_choice: { type: 'auto' },
      tools: [tool('look')],
      messages: [user('Hi.'), assistant('Hi.'), user('.')],
    }),
    problem: ({ body }) =>
      body.thinking?.type === 'enabled' && ['any', 'tool'].includes(body.tool_choice?.type ?? '')
        ? invalid('Thinking may not be enabled when tool_choice forces tool use.')
        : undefined,
  },
];

/** The first fault in the schema of a tool that Anthropic does not define itself. */
function toolProblem({ tools = [] }: Body, fault: (schema: unknown) => string | undefined) {
  for (const [at, { type, input_schema }] of tools.entries()) {
    const found = type === undefined || type === 'custom' ? fault(input_schema) : undefined;
    if (found !== undefined) return invalid(`tools.${at}.custom.input_schema${found}`);
  }
  return undefined;
}

/** Rules on the whole request, before any on its messages. */
export const WHOLE_RULES: readonly AnthropicRule[] = WHOLE;

/** Rules on settings and tools, in the order in which they are asked. */
export const SETTINGS_RULES: readonly AnthropicRule[] = [...SETTINGS, ...TOOLS];
