/** Rules of OpenAI's Responses API. */
import {
  alwaysReasons,
  emptyString,
  type Fn,
  fnFault,
  halfFault,
  invalid,
  isPictureUrl,
  isReasoningModel,
  itemsFault,
  nameFault,
  rootFault,
  sizeFault,
  strictnessFault,
  tooLong,
  toolCountFault,
  unionFault,
  unreadable,
} from './openai-api';
import { SAMPLES } from './pictures';
import { isRecord, type Refusal, type Rule, repeated } from './rule';

/** An item of the input: a message, a call, an output, a thought. */
export interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly id?: string;
  readonly content?: string | readonly { readonly type: string; readonly image_url?: string; readonly text?: string }[];
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly output?: unknown;
  readonly action?: unknown;
  readonly encrypted_content?: string | null;
  readonly summary?: readonly object[];
}

/** A tool; those that are no functions run at the provider. */
export interface ResponsesTool extends Partial<Fn> {
  readonly type: string;
}

/** A request. */
export interface ResponsesBody {
  readonly model: string;
  readonly input: string | readonly Item[];
  readonly instructions?: string;
  readonly tools?: readonly ResponsesTool[];
  readonly tool_choice?: string | { readonly type: string; readonly name?: string };
  readonly store?: boolean;
  readonly include?: readonly string[];
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_output_tokens?: number;
  readonly prompt_cache_key?: string;
  readonly reasoning?: { readonly effort?: string | null; readonly summary?: string | null };
  readonly previous_response_id?: string;
  readonly conversation?: unknown;
  readonly stream?: boolean;
}

type ResponsesRule = Rule<ResponsesBody>;

/** The smallest request that is taken. */
const RESPONSES_REQUEST: ResponsesBody = { model: 'gpt-5.1', input: [{ role: 'user', content: 'Hello.' }] };

const USER: Item = { role: 'user', content: [{ type: 'input_text', text: 'Look.' }] };

/** A request with these items. */
function responsesTalk(input: readonly Item[], more: Partial<ResponsesBody> = {}): ResponsesBody {
  return { ...RESPONSES_REQUEST, ...more, input };
}

/** A call of a tool. */
function fnCall(call_id: string, more: Partial<Item> = {}): Item {
  return { type: 'function_call', call_id, name: 'look', arguments: '{}', ...more };
}

/** The output of a call. */
function fnOutput(call_id: string, more: Partial<Item> = {}): Item {
  return { type: 'function_call_output', call_id, output: 'Seen.', ...more };
}

/** A thought, with what makes it understood without a store. */
function reasoning(id: string, encrypted_content: string | null = 'ZW5j'): Item {
  return { type: 'reasoning', id, summary: [], encrypted_content };
}

function called(call: Partial<Item>): ResponsesBody {
  const id = call.call_id ?? 'call_1';
  return responsesTalk([USER, fnCall(id, call), fnOutput(id)]);
}

function fnTool(name: string, more: Partial<Fn> = {}): ResponsesTool {
  return { type: 'function', name, parameters: { type: 'object', properties: {} }, ...more };
}

function withTool(tool: ResponsesTool, more: Partial<ResponsesBody> = {}): ResponsesBody {
  return { ...RESPONSES_REQUEST, tools: [tool], ...more };
}

function itemsOf({ input }: ResponsesBody): readonly Item[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

/** The first refusal that `check` gives for an item, called with the place of the item. */
function eachItem(
  body: ResponsesBody,
  check: (item: Item, at: string, index: number) => Refusal | undefined,
): Refusal | undefined {
  for (const [index, item] of itemsOf(body).entries()) {
    const found = check(item, `input[${index}]`, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fnRule(check: (fn: Fn, at: string) => Refusal | undefined): ResponsesRule['problem'] {
  return ({ body: { tools = [] } }) =>
    fnFault(
      tools.map(({ type, name, ...rest }) => (type === 'function' ? { name: String(name), ...rest } : undefined)),
      (at) => `tools[${at}]`,
      check,
    );
}

/** The beginnings of ids of items, by type. */
const PREFIXES: Readonly<Record<string, string>> = {
  function_call: 'fc',
  reasoning: 'rs',
  message: 'msg',
  web_search_call: 'ws',
};

/** The types of tools. */
const TOOL_TYPES = new Set(
  (
    'function custom namespace file_search web_search web_search_2025_08_26 web_search_preview ' +
    'web_search_preview_2025_03_11 computer computer_use_preview code_interpreter image_generation local_shell shell mcp ' +
    'apply_patch tool_search programmatic_tool_calling'
  ).split(' '),
);

const FIELDS = new Set(
  (
    'model input instructions background conversation context_management include max_output_tokens max_tool_calls metadata ' +
    'parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention prompt_cache_options reasoning ' +
    'safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p ' +
    'truncation user moderation'
  ).split(' '),
);

const WHOLE: readonly ResponsesRule[] = [
  {
    id: 'bytes',
    says: 'A request with its files has at most 50 MB.',
    source: 'https://platform.openai.com/docs/guides/images-vision; https://platform.openai.com/docs/guides/pdf-files',
    refuses: responsesTalk([{ role: 'user', content: [{ type: 'input_text', text: 'x'.repeat(1000) }] }]),
    takes: responsesTalk([{ role: 'user', content: [{ type: 'input_text', text: 'x'.repeat(800) }] }]),
    limits: { maxBytes: 1_000 },
    problem: (asked) => sizeFault(asked),
  },
  {
    id: 'json',
    says: 'A request is JSON.',
    source: 'https://platform.openai.com/docs/guides/error-codes',
    refuses: '{"model":',
    takes: RESPONSES_REQUEST,
    problem: ({ text }) => unreadable(text),
  },
  {
    id: 'surrogates',
    says: 'No text holds half a surrogate pair.',
    source: 'https://github.com/anthropics/claude-code/issues/3277 (of another provider); RFC 8259, section 8.2',
    certainty: 'reported',
    refuses: responsesTalk([{ role: 'user', content: 'Hello \ude00.' }]),
    takes: responsesTalk([{ role: 'user', content: 'Hello \ud83d\ude00.' }]),
    problem: ({ body }) => halfFault(body),
  },
  {
    id: 'required',
    says: 'A request names its model and has an input.',
    source: 'https://platform.openai.com/docs/api-reference/responses/create',
    refuses: { model: 'gpt-5.1' },
    takes: { model: 'gpt-5.1', input: 'Hello.' },
    problem({ body }) {
      const missing = (['model', 'input'] as const).find((name) => !isRecord(body) || body[name] === undefined);
      if (missing === undefined) return undefined;
      return invalid(`Missing required parameter: '${missing}'.`, {
        param: missing,
        code: 'missing_required_parameter',
      });
    },
  },
  {
    id: 'unknown-field',
    says: 'A request has no field that the API does not know.',
    source: 'https://platform.openai.com/docs/api-reference/responses/create',
    refuses: { ...RESPONSES_REQUEST, max_tokens: 100 },
    takes: { ...RESPONSES_REQUEST, max_output_tokens: 100 },
    problem({ body }) {
      const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
      if (unknown === undefined) return undefined;
      return invalid(`Unknown parameter: '${unknown}'.`, { param: unknown, code: 'unknown_parameter' });
    },
  },
  {
    id: 'window',
    says: "The request fits the model's window.",
    source: 'quoted in public code ("Your input exceeds the context window of this model", ten files)',
    refuses: responsesTalk([{ role: 'user', content: 'x'.repeat(1_000) }]),
    takes: responsesTalk([{ role: 'user', content: 'x'.repeat(300) }]),
    limits: { window: 200 },
    problem: ({ tokens, limits: { window } }) =>
      window === undefined || tokens <= window
        ? undefined
        : invalid('Your input exceeds the context window of this model. Please adjust your input and try again.', {
            param: 'input',
            code: 'context_length_exceeded',
          }),
  },
];

const SETTINGS: readonly ResponsesRule[] = [
  {
    id: 'max-output-tokens',
    says: 'A reply may have at least 16 tokens.',
    source: 'quoted in public code ("Expected a value >= 16", ten files)',
    refuses: { ...RESPONSES_REQUEST, max_output_tokens: 15 },
    takes: { ...RESPONSES_REQUEST, max_output_tokens: 16 },
    problem: ({ body: { max_output_tokens: most = 16 } }) =>
      most >= 16
        ? undefined
        : invalid(
            `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${most} instead.`,
            { param: 'max_output_tokens', code: 'integer_below_min_value' },
          ),
  },
  {
    id: 'temperature',
    says: 'Models that always think take no temperature and no top_p.',
    source: 'https://platform.openai.com/docs/guides/latest-model; https://github.com/decolua/9router/issues/560',
    refuses: { ...RESPONSES_REQUEST, model: 'gpt-5-mini', temperature: 0.2 },
    takes: { ...RESPONSES_REQUEST, model: 'gpt-4.1', temperature: 0.2 },
    problem({ body }) {
      const set = (['temperature', 'top_p'] as const).find((name) => body[name] !== undefined && body[name] !== 1);
      if (set === undefined || !alwaysReasons(body.model)) return undefined;
      return invalid(`Unsupported parameter: '${set}' is not supported with this model.`, { param: set });
    },
  },
  {
    id: 'reasoning',
    says: 'Models that do not think take no effort.',
    source: 'https://platform.openai.com/docs/guides/reasoning',
    refuses: { ...RESPONSES_REQUEST, model: 'gpt-4.1', reasoning: { effort: 'low' } },
    takes: { ...RESPONSES_REQUEST, reasoning: { effort: 'low' } },
    problem: ({ body: { model, reasoning: asked } }) =>
      (asked?.effort ?? null) !== null && !isReasoningModel(model)
        ? invalid("Unsupported parameter: 'reasoning.effort' is not supported with this model.", {
            param: 'reasoning.effort',
            code: 'unsupported_parameter',
          })
        : undefined,
  },
  {
    id: 'cache-key',
    says: 'The key of the cache has at most 64 characters.',
    source: 'https://github.com/vybestack/llxprt-code/issues/2135; https://github.com/everruns/everruns/pull/1875',
    refuses: { ...RESPONSES_REQUEST, prompt_cache_key: 'x'.repeat(65) },
    takes: { ...RESPONSES_REQUEST, prompt_cache_key: 'x'.repeat(64) },
    problem: ({ body: { prompt_cache_key: key = '' } }) =>
      key.length > 64 ? tooLong('prompt_cache_key', 64, key.length) : undefined,
  },
  {
    id: 'encrypted-content',
    says: 'Models that do not think have no encrypted thoughts.',
    source: 'https://github.com/microsoft/agent-framework/issues/7483',
    refuses: { ...RESPONSES_REQUEST, model: 'gpt-4.1', include: ['reasoning.encrypted_content'] },
    takes: { ...RESPONSES_REQUEST, include: ['reasoning.encrypted_content'] },
    problem: ({ body: { model, include = [] } }) =>
      include.includes('reasoning.encrypted_content') && !isReasoningModel(model)
        ? invalid('Encrypted content is not supported with this model.', { param: 'include' })
        : undefined,
  },
];

const TOOLS: readonly ResponsesRule[] = [
  {
    id: 'tools-count',
    says: 'A request has at most 128 tools.',
    source: 'https://github.com/zed-industries/zed/issues/42393',
    refuses: { ...RESPONSES_REQUEST, tools: Array.from({ length: 129 }, (_, n) => fnTool(`look_${n}`)) },
    takes: { ...RESPONSES_REQUEST, tools: Array.from({ length: 128 }, (_, n) => fnTool(`look_${n}`)) },
    problem: ({ body: { tools = [] } }) => toolCountFault(tools.length),
  },
  {
    id: 'tool-name',
    says: 'The name of a function has 1 to 128 letters, digits, underscores and dashes.',
    source:
      'openai/openai-openapi (FunctionToolParam); https://platform.openai.com/docs/api-reference/responses/create',
    refuses: withTool(fnTool('look.up')),
    takes: withTool(fnTool('x'.repeat(128))),
    problem: fnRule((fn, at) => nameFault(`${at}.name`, fn.name, 128)),
  },
  {
    id: 'tool-schema-union',
    says: 'The schema of a function has no union at its root.',
    source: 'https://github.com/langchain-ai/langchainjs/issues/9804',
    refuses: withTool(fnTool('look', { parameters: { type: 'object', anyOf: [{ type: 'object' }] } })),
    takes: withTool(
      fnTool('look', { parameters: { type: 'object', properties: { a: { anyOf: [{ type: 'string' }] } } } }),
    ),
    problem: fnRule((fn, at) => (isRecord(fn.parameters) && 'type' in fn.parameters ? unionFault(fn, at) : undefined)),
  },
  {
    id: 'tool-schema-type',
    says: 'The schema of a function is that of an object.',
    source: 'https://github.com/chatanywhere/GPT_API_free/issues/403',
    refuses: withTool(fnTool('look', { parameters: { oneOf: [{ type: 'object' }] } })),
    takes: withTool(fnTool('look', { parameters: { type: 'object', properties: {} } })),
    problem: fnRule(rootFault),
  },
  {
    id: 'tool-schema-items',
    says: 'A list in the schema of a function says what is in it.',
    source: 'https://github.com/PrefectHQ/fastmcp/issues/2464',
    refuses: withTool(fnTool('look', { parameters: { type: 'object', properties: { a: { type: 'array' } } } })),
    takes: withTool(
      fnTool('look', { parameters: { type: 'object', properties: { a: { type: 'array', items: {} } } } }),
    ),
    problem: fnRule(itemsFault),
  },
  {
    id: 'tool-strict',
    says: 'The schema of a strict function allows no further properties, and requires all that it has.',
    source: 'https://github.com/bytedance/trae-agent/issues/173',
    refuses: withTool(fnTool('look', { strict: true })),
    takes: withTool(
      fnTool('look', { strict: true, parameters: { type: 'object', properties: {}, additionalProperties: false } }),
    ),
    problem: fnRule(strictnessFault),
  },
  {
    id: 'tool-type',
    says: 'A tool is a function, or of a type that the API knows.',
    source: 'https://platform.openai.com/docs/api-reference/responses/create; openai/openai-openapi (Tool)',
    refuses: withTool({ type: 'web_search_20250305' }),
    takes: withTool({ type: 'web_search' }),
    problem({ body: { tools = [] } }) {
      const at = tools.findIndex(({ type }) => !TOOL_TYPES.has(type));
      if (at < 0) return undefined;
      const known = "'function', 'file_search', 'web_search', 'code_interpreter', 'image_generation', and 'mcp'";
      return invalid(`Invalid value: '${tools[at]?.type}'. Supported values are: ${known}.`, {
        param: `tools[${at}].type`,
        code: 'invalid_value',
      });
    },
  },
  {
    id: 'tool-choice-unknown',
    says: 'A tool that has to be called is among the tools.',
    source: "quoted in public code (\"Tool choice 'image_generation' not found in 'tools' parameter.\", ten files)",
    refuses: withTool(fnTool('look'), { tool_choice: { type: 'function', name: 'find' } }),
    takes: withTool(fnTool('look'), { tool_choice: { type: 'function', name: 'look' } }),
    problem({ body: { tool_choice, tools = [] } }) {
      if (typeof tool_choice !== 'object' || tool_choice.type === 'allowed_tools') return undefined;
      const { type, name } = tool_choice;
      if (tools.some((tool) => tool.type === type && (type !== 'function' || tool.name === name))) return undefined;
      return invalid(`Tool choice '${type}' not found in 'tools' parameter.`, { param: 'tool_choice' });
    },
  },
];

const SEARCHED: Item = { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'q' } };

const ITEMS: readonly ResponsesRule[] = [
  {
    id: 'search-action',
    says: 'A search of the web searches, opens a page, or finds something in one.',
    source: 'https://github.com/openai/codex/issues/7073',
    refuses: responsesTalk([USER, { ...SEARCHED, action: { type: 'other' } }, USER]),
    takes: responsesTalk([USER, SEARCHED, USER]),
    problem: ({ body }) =>
      eachItem(body, ({ type, action }, at) => {
        if (type !== 'web_search_call') return undefined;
        const kind = isRecord(action) ? String(action.type) : '';
        if (['search', 'open_page', 'find_in_page'].includes(kind)) return undefined;
        return invalid(`Invalid value: '${kind}'. Supported values are: 'search', 'open_page', and 'find_in_page'.`, {
          param: `${at}.action.type`,
          code: 'invalid_value',
        });
      }),
  },
  {
    id: 'assistant-part',
    says: "Text of the model's messages is output_text, not input_text.",
    source: "quoted in public code (\"Supported values are: 'output_text' and 'refusal'.\", ten files)",
    refuses: responsesTalk([USER, { role: 'assistant', content: [{ type: 'input_text', text: 'Hi.' }] }, USER]),
    takes: responsesTalk([USER, { role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] }, USER]),
    problem: ({ body }) =>
      eachItem(body, ({ role, content }, at) => {
        if (role !== 'assistant' || typeof content === 'string' || content === undefined) return undefined;
        const bad = content.findIndex(({ type }) => type !== 'output_text' && type !== 'refusal');
        if (bad < 0) return undefined;
        return invalid(`Invalid value: '${content[bad]?.type}'. Supported values are: 'output_text' and 'refusal'.`, {
          param: `${at}.content[${bad}]`,
          code: 'invalid_value',
        });
      }),
  },
  {
    id: 'call-name',
    says: 'The name of a call in the history has 1 to 128 letters, digits, underscores and dashes.',
    source:
      'openai/openai-openapi (FunctionToolCallItemParam); https://platform.openai.com/docs/api-reference/responses/create',
    refuses: called({ name: 'look up' }),
    takes: called({ name: 'x'.repeat(128) }),
    problem: ({ body }) =>
      eachItem(body, ({ type, name }, at) =>
        type === 'function_call' ? nameFault(`${at}.name`, name, 128) : undefined,
      ),
  },
  {
    id: 'call-id',
    says: 'The id of a call has 1 to 64 characters.',
    source: 'https://github.com/AnswerDotAI/fastllm/issues/45',
    refuses: called({ call_id: 'x'.repeat(65) }),
    takes: called({ call_id: 'functions.look:0' }),
    problem: ({ body }) =>
      eachItem(body, ({ type, call_id }, at) => {
        if (type !== 'function_call' && type !== 'function_call_output') return undefined;
        const id = String(call_id ?? '');
        if (id === '') return emptyString(`${at}.call_id`);
        return id.length > 64 ? tooLong(`${at}.call_id`, 64, id.length) : undefined;
      }),
  },
  {
    id: 'call-arguments',
    says: 'The arguments of a call are a text.',
    source: 'https://platform.openai.com/docs/api-reference/responses/create',
    refuses: called({ arguments: {} }),
    takes: called({ arguments: '' }),
    problem: ({ body }) =>
      eachItem(body, ({ type, arguments: args }, at) =>
        type !== 'function_call' || typeof args === 'string'
          ? undefined
          : invalid(`Invalid type for '${at}.arguments': expected a string, but got an object instead.`, {
              param: `${at}.arguments`,
              code: 'invalid_type',
            }),
      ),
  },
  {
    id: 'item-id',
    says: 'The id of an item begins with fc, rs, msg or ws, by its type, and has letters, digits, underscores and dashes.',
    source:
      'https://github.com/Wei-Shaw/sub2api/issues/3785; https://github.com/openai/codex/issues/33176; ' +
      'https://github.com/anomalyco/opencode/issues/25065',
    refuses: called({ id: 'call_1' }),
    takes: called({ id: 'fc_1' }),
    problem: ({ body }) =>
      eachItem(body, ({ type, role, id }, at) => {
        const prefix = PREFIXES[type ?? (role === 'assistant' ? 'message' : '')];
        if (id === undefined || prefix === undefined) return undefined;
        const details = { param: `${at}.id`, code: 'invalid_value' };
        if (!/^[a-zA-Z0-9_-]+$/.test(id))
          return invalid(
            `Invalid '${at}.id': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
            details,
          );
        return id.startsWith(prefix)
          ? undefined
          : invalid(`Invalid '${at}.id': '${id}'. Expected an ID that begins with '${prefix}'.`, details);
      }),
  },
  {
    id: 'item-id-twice',
    says: 'No two items have one id.',
    source: 'https://github.com/vercel/ai/issues/7883',
    refuses: responsesTalk([USER, reasoning('rs_1'), reasoning('rs_1'), { role: 'assistant', content: 'Hi.' }, USER]),
    takes: responsesTalk([USER, reasoning('rs_1'), reasoning('rs_2'), { role: 'assistant', content: 'Hi.' }, USER]),
    problem({ body }) {
      const [twice] = repeated(itemsOf(body).flatMap(({ id }) => id ?? []));
      if (twice === undefined) return undefined;
      return invalid(`Duplicate item found with id ${twice}. Remove duplicate items from your input and try again.`, {
        param: 'input',
      });
    },
  },
  {
    id: 'not-stored',
    says: 'Without a store, no item is referred to, and a thought comes with its encrypted content.',
    source: 'https://github.com/vercel/ai/issues/7543; https://github.com/openai/openai-agents-python/issues/919',
    refuses: responsesTalk([USER, reasoning('rs_1', null), { role: 'assistant', content: 'Hi.' }, USER], {
      store: false,
    }),
    takes: responsesTalk([USER, reasoning('rs_1'), { role: 'assistant', content: 'Hi.' }, USER], { store: false }),
    problem: ({ body }) =>
      eachItem(body, ({ type, id, encrypted_content }) => {
        if (body.store !== false || id === undefined) return undefined;
        const isBare = type === 'item_reference' || (type === 'reasoning' && (encrypted_content ?? null) === null);
        if (!isBare) return undefined;
        return invalid(
          `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
          { param: 'input', status: 404 },
        );
      }),
  },
  {
    id: 'reasoning-alone',
    says: 'A thought is followed by what it led to: a message of the model or a call.',
    source: 'https://github.com/openai/openai-node/issues/1567',
    refuses: responsesTalk([USER, reasoning('rs_1'), USER]),
    takes: responsesTalk([USER, reasoning('rs_1'), fnCall('call_1'), fnOutput('call_1')]),
    problem: ({ body }) =>
      eachItem(body, ({ type, id }, _, at) => {
        if (type !== 'reasoning') return undefined;
        const next = itemsOf(body)
          .slice(at + 1)
          .find((item) => item.type !== 'reasoning');
        const isFollowed = next !== undefined && next.role !== 'user' && next.type !== 'function_call_output';
        if (isFollowed) return undefined;
        return invalid(`Item '${id}' of type 'reasoning' was provided without its required following item.`, {
          param: 'input',
        });
      }),
  },
  {
    id: 'output-without-call',
    says: 'An output has its call before it.',
    source: 'https://github.com/continuedev/continue/issues/10092',
    refuses: responsesTalk([USER, fnOutput('call_1')]),
    takes: responsesTalk([USER, fnOutput('call_1')], { previous_response_id: 'resp_1' }),
    problem({ body }) {
      if (body.previous_response_id !== undefined || body.conversation !== undefined) return undefined;
      return eachItem(body, ({ type, call_id }, _, at) => {
        if (type !== 'function_call_output') return undefined;
        const before = itemsOf(body).slice(0, at);
        if (before.some((item) => item.type === 'function_call' && item.call_id === call_id)) return undefined;
        return invalid(`No tool call found for function call output with call_id ${call_id}.`, { param: 'input' });
      });
    },
  },
  {
    id: 'call-without-output',
    says: 'A call has its output after it.',
    source: 'https://github.com/bytedance/trae-agent/issues/245',
    refuses: responsesTalk([USER, fnCall('call_1'), USER]),
    takes: responsesTalk([USER, fnCall('call_1'), USER, fnOutput('call_1')]),
    problem: ({ body }) =>
      eachItem(body, ({ type, call_id }, _, at) => {
        if (type !== 'function_call') return undefined;
        const after = itemsOf(body).slice(at + 1);
        if (after.some((item) => item.type === 'function_call_output' && item.call_id === call_id)) return undefined;
        return invalid(`No tool output found for function call ${call_id}.`, { param: 'input' });
      }),
  },
  {
    id: 'picture',
    says: 'A picture is a PNG, JPEG, GIF or WebP that decodes.',
    source: 'https://platform.openai.com/docs/guides/images-vision; https://github.com/openai/openai-node/issues/1463',
    refuses: responsesTalk([
      { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }] },
    ]),
    takes: responsesTalk([
      { role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${SAMPLES['image/png']}` }] },
    ]),
    problem: ({ body }) =>
      eachItem(body, ({ content, output }) => {
        const parts = [content, output].flatMap((one) => (Array.isArray(one) ? one : []));
        const urls = parts.flatMap((part) =>
          isRecord(part) && typeof part.image_url === 'string' ? part.image_url : [],
        );
        if (urls.every(isPictureUrl)) return undefined;
        return invalid(
          'The image data you provided does not represent a valid image. Please check your input and try again.',
          {
            code: 'invalid_value',
          },
        );
      }),
  },
];

/** All rules, in the order in which they are asked. */
export const RESPONSES_RULES: readonly ResponsesRule[] = [...WHOLE, ...SETTINGS, ...TOOLS, ...ITEMS];
