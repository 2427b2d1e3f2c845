/** Rules of OpenAI's Chat Completions API. */
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
  unsupported,
  withoutTools,
} from './openai-api';
import { SAMPLES } from './pictures';
import { isRecord, type Refusal, type Rule } from './rule';

/** A part of a message. */
export interface ChatPart {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
}

/** A call in a message. */
export interface ChatCall {
  readonly id: string;
  readonly type?: string;
  readonly function: { readonly name: string; readonly arguments: unknown };
}

/** A message. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | null | readonly ChatPart[];
  readonly tool_calls?: readonly ChatCall[];
  readonly tool_call_id?: string;
  readonly reasoning_content?: string;
  readonly prefix?: boolean;
  readonly name?: string;
}

/** A request. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly type: string; readonly function?: Fn }[];
  readonly tool_choice?: string | { readonly type: string; readonly function?: { readonly name: string } };
  readonly parallel_tool_calls?: boolean;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly stop?: string | readonly string[];
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly prompt_cache_key?: string;
  readonly reasoning_effort?: string;
  readonly stream?: boolean;
  /** DeepSeek's switch of its thinking. */
  readonly thinking?: { readonly type: string };
}

type ChatRule = Rule<ChatBody>;

/** The smallest request that is taken. */
export const CHAT_REQUEST: ChatBody = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello.' }] };

/** A request with these messages. */
export function chatTalk(messages: readonly ChatMessage[], more: Partial<ChatBody> = {}): ChatBody {
  return { ...CHAT_REQUEST, ...more, messages };
}

/** A call of a tool. */
export function chatCall(id: string, name = 'look', args: unknown = '{}'): ChatCall {
  return { id, type: 'function', function: { name, arguments: args } };
}

/** A conversation with these calls and a result of each. */
export function chatCalls(calls: readonly ChatCall[], more: Partial<ChatBody> = {}): ChatBody {
  const results = calls.map(({ id }): ChatMessage => ({ role: 'tool', tool_call_id: id, content: 'Seen.' }));
  return chatTalk([USER, { role: 'assistant', content: null, tool_calls: calls }, ...results], more);
}

/** A tool with that function. */
export function chatTool(name: string, more: Partial<Fn> = {}) {
  return { type: 'function', function: { name, parameters: { type: 'object', properties: {} }, ...more } };
}

const USER: ChatMessage = { role: 'user', content: 'Look.' };

function withTool(fn: ReturnType<typeof chatTool>, more: Partial<ChatBody> = {}): ChatBody {
  return { ...CHAT_REQUEST, tools: [fn], ...more };
}

function fnRule(check: (fn: Fn, at: string) => Refusal | undefined): ChatRule['problem'] {
  return ({ body: { tools = [] } }) =>
    fnFault(
      tools.map((tool) => tool.function),
      (at) => `tools[${at}].function`,
      check,
    );
}

/** The first refusal by `check` of a call in the history, called with the place of the call. */
export function eachCall(
  { messages }: ChatBody,
  check: (call: ChatCall, at: string) => Refusal | undefined,
): Refusal | undefined {
  for (const [i, { tool_calls }] of messages.entries()) {
    for (const [j, one] of (tool_calls ?? []).entries()) {
      const found = check(one, `messages[${i}].tool_calls[${j}]`);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

const FIELDS = new Set(
  (
    'model messages audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens ' +
    'metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_retention ' +
    'prompt_cache_options reasoning_effort response_format safety_identifier seed service_tier stop store stream ' +
    'stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options'
  ).split(' '),
);

const WHOLE: readonly ChatRule[] = [
  {
    id: 'bytes',
    says: 'A request with its files has at most 50 MB.',
    source: 'https://platform.openai.com/docs/guides/images-vision; https://platform.openai.com/docs/guides/pdf-files',
    refuses: chatTalk([{ role: 'user', content: 'x'.repeat(1000) }]),
    takes: chatTalk([{ role: 'user', content: 'x'.repeat(800) }]),
    limits: { maxBytes: 1_000 },
    problem: (asked) => sizeFault(asked),
  },
  {
    id: 'json',
    says: 'A request is JSON.',
    source: 'https://platform.openai.com/docs/guides/error-codes',
    refuses: '{"model":',
    takes: CHAT_REQUEST,
    problem: ({ text }) => unreadable(text),
  },
  {
    id: 'surrogates',
    says: 'No text holds half a surrogate pair.',
    source: 'https://github.com/anthropics/claude-code/issues/3277 (of another provider); RFC 8259, section 8.2',
    certainty: 'reported',
    refuses: chatTalk([{ role: 'user', content: 'Hello \ud83d.' }]),
    takes: chatTalk([{ role: 'user', content: 'Hello \ud83d\ude00.' }]),
    problem: ({ body }) => halfFault(body),
  },
  {
    id: 'required',
    says: 'A request names its model and its messages.',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    refuses: { model: 'gpt-4o' },
    takes: CHAT_REQUEST,
    problem({ body }) {
      const missing = (['model', 'messages'] as const).find((name) => !isRecord(body) || body[name] === undefined);
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
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    refuses: { ...CHAT_REQUEST, top_k: 5 },
    takes: { ...CHAT_REQUEST, seed: 5 },
    problem({ body }) {
      const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
      return unknown === undefined ? undefined : invalid(`Unrecognized request argument supplied: ${unknown}`);
    },
  },
  {
    id: 'no-messages',
    says: 'A request has a message.',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    refuses: chatTalk([]),
    takes: CHAT_REQUEST,
    problem: ({ body }) =>
      body.messages.length > 0
        ? undefined
        : invalid(
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            { param: 'messages', code: 'empty_array' },
          ),
  },
  {
    id: 'window',
    says: "The request fits the model's window.",
    source: 'https://github.com/bytedance/deer-flow/issues/310',
    refuses: chatTalk([{ role: 'user', content: 'x'.repeat(1_000) }]),
    takes: chatTalk([{ role: 'user', content: 'x'.repeat(300) }]),
    limits: { window: 200 },
    problem: ({ tokens, limits: { window } }) =>
      window === undefined || tokens <= window
        ? undefined
        : invalid(
            `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. ` +
              'Please reduce the length of the messages.',
            { param: 'messages', code: 'context_length_exceeded' },
          ),
  },
];

const SETTINGS: readonly ChatRule[] = [
  {
    id: 'max-tokens',
    says: 'Models that think take max_completion_tokens in place of max_tokens.',
    source: 'https://github.com/fish2018/YPrompt/issues/26',
    refuses: { ...CHAT_REQUEST, model: 'gpt-5.1', max_tokens: 100 },
    takes: { ...CHAT_REQUEST, model: 'gpt-5.1', max_completion_tokens: 100 },
    problem: ({ body }) =>
      body.max_tokens !== undefined && isReasoningModel(body.model)
        ? invalid(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            { param: 'max_tokens', code: 'unsupported_parameter' },
          )
        : undefined,
  },
  {
    id: 'temperature',
    says: 'Models that always think take no temperature but 1.',
    source: 'https://github.com/decolua/9router/issues/560',
    refuses: { ...CHAT_REQUEST, model: 'gpt-5-mini', temperature: 0.2 },
    takes: { ...CHAT_REQUEST, model: 'gpt-5-mini', temperature: 1 },
    problem: ({ body: { model, temperature = 1 } }) =>
      temperature !== 1 && alwaysReasons(model)
        ? invalid(
            `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
            { param: 'temperature', code: 'unsupported_value' },
          )
        : undefined,
  },
  {
    id: 'temperature-range',
    says: 'The temperature is from 0 to 2.',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    refuses: { ...CHAT_REQUEST, temperature: 2.1 },
    takes: { ...CHAT_REQUEST, temperature: 2 },
    problem: ({ body: { temperature = 1 } }) =>
      temperature >= 0 && temperature <= 2
        ? undefined
        : invalid(
            `Invalid 'temperature': decimal ${temperature < 0 ? 'below minimum' : 'above maximum'} value. Expected a value ` +
              `${temperature < 0 ? '>= 0' : '<= 2'}, but got ${temperature} instead.`,
            { param: 'temperature', code: temperature < 0 ? 'decimal_below_min_value' : 'decimal_above_max_value' },
          ),
  },
  {
    id: 'stop-count',
    says: 'A request has at most four stop sequences.',
    source: 'https://github.com/continuedev/continue/issues/2461; https://github.com/QwenLM/Qwen-Agent/issues/228',
    refuses: { ...CHAT_REQUEST, stop: ['a', 'b', 'c', 'd', 'e'] },
    takes: { ...CHAT_REQUEST, stop: ['a', 'b', 'c', 'd'] },
    problem: ({ body: { stop } }) =>
      !Array.isArray(stop) || stop.length <= 4
        ? undefined
        : invalid(
            `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length ${stop.length} instead.`,
            { param: 'stop', code: 'array_above_max_length' },
          ),
  },
  {
    id: 'stop',
    says: 'Models that think take no stop sequences.',
    source: 'https://github.com/huggingface/smolagents/issues/1671; https://github.com/langgenius/dify/issues/18971',
    refuses: { ...CHAT_REQUEST, model: 'gpt-5-mini', stop: ['END'] },
    takes: { ...CHAT_REQUEST, stop: ['END'] },
    problem: ({ body }) => (body.stop !== undefined && isReasoningModel(body.model) ? unsupported('stop') : undefined),
  },
  {
    id: 'reasoning',
    says: 'Models that do not think take no effort.',
    source: 'https://github.com/davidmigloz/langchain_dart/issues/712; https://github.com/umputun/tg-spam/issues/304',
    refuses: { ...CHAT_REQUEST, reasoning_effort: 'low' },
    takes: { ...CHAT_REQUEST, model: 'gpt-5', reasoning_effort: 'low' },
    problem: ({ body }) =>
      body.reasoning_effort !== undefined && /^gpt-[34]/.test(body.model)
        ? invalid('Unrecognized request argument supplied: reasoning_effort')
        : undefined,
  },
  {
    id: 'penalties',
    says: 'Models that think take no penalties.',
    source:
      'https://platform.openai.com/docs/guides/reasoning; https://platform.openai.com/docs/api-reference/chat/create',
    refuses: { ...CHAT_REQUEST, model: 'gpt-5-mini', presence_penalty: 0.5 },
    takes: { ...CHAT_REQUEST, presence_penalty: 0.5 },
    problem: ({ body }) => {
      const set = (['presence_penalty', 'frequency_penalty'] as const).find((name) => body[name] !== undefined);
      return set !== undefined && isReasoningModel(body.model) ? unsupported(set) : undefined;
    },
  },
  {
    id: 'parallel',
    says: 'Models of the series o take no parallel_tool_calls.',
    source:
      'https://github.com/langchain-ai/langchain/issues/29704; https://github.com/run-llama/llama_index/issues/20865',
    refuses: withTool(chatTool('look'), { model: 'o4-mini', parallel_tool_calls: false }),
    takes: withTool(chatTool('look'), { model: 'gpt-5', parallel_tool_calls: false }),
    problem: ({ body }) =>
      body.parallel_tool_calls !== undefined && /^o\d/.test(body.model)
        ? unsupported('parallel_tool_calls')
        : undefined,
  },
  {
    id: 'cache-key',
    says: 'The key of the cache has at most 64 characters.',
    source: 'https://github.com/vybestack/llxprt-code/issues/2135; https://github.com/theopenco/llmgateway/pull/3110',
    refuses: { ...CHAT_REQUEST, prompt_cache_key: 'x'.repeat(65) },
    takes: { ...CHAT_REQUEST, prompt_cache_key: 'x'.repeat(64) },
    problem: ({ body: { prompt_cache_key: key = '' } }) =>
      key.length > 64 ? tooLong('prompt_cache_key', 64, key.length) : undefined,
  },
  {
    id: 'parallel-without-tools',
    says: 'Calls at once are a matter of requests with tools.',
    source: 'https://github.com/openai/swarm/issues/30',
    refuses: { ...CHAT_REQUEST, parallel_tool_calls: false },
    takes: withTool(chatTool('look'), { parallel_tool_calls: false }),
    problem: ({ body }) => withoutTools(body, 'parallel_tool_calls'),
  },
  {
    id: 'tool-choice-without-tools',
    says: 'A choice of a tool comes with tools.',
    source: 'https://github.com/writer/writer-framework/pull/1013',
    refuses: { ...CHAT_REQUEST, tool_choice: 'auto' },
    takes: withTool(chatTool('look'), { tool_choice: 'auto' }),
    problem: ({ body }) => withoutTools(body, 'tool_choice'),
  },
];

const TOOLS: readonly ChatRule[] = [
  {
    id: 'tools-count',
    says: 'A request has at most 128 tools.',
    source: 'https://github.com/vishalmysore/Tools4AI/issues/16',
    refuses: { ...CHAT_REQUEST, tools: Array.from({ length: 129 }, (_, n) => chatTool(`look_${n}`)) },
    takes: { ...CHAT_REQUEST, tools: Array.from({ length: 128 }, (_, n) => chatTool(`look_${n}`)) },
    problem: ({ body: { tools = [] } }) => toolCountFault(tools.length),
  },
  {
    id: 'tool-type',
    says: 'A tool is a function or custom: tools of the provider are no part of this API.',
    source: 'https://github.com/sipeed/picoclaw/pull/2951',
    refuses: { ...CHAT_REQUEST, tools: [{ type: 'web_search_preview' }] },
    takes: { ...CHAT_REQUEST, tools: [{ type: 'custom' }] },
    problem({ body: { tools = [] } }) {
      const at = tools.findIndex(({ type }) => type !== 'function' && type !== 'custom');
      if (at < 0) return undefined;
      return invalid(`Invalid value: '${tools[at]?.type}'. Supported values are: 'function' and 'custom'.`, {
        param: `tools[${at}].type`,
        code: 'invalid_value',
      });
    },
  },
  {
    id: 'tool-name',
    says: 'The name of a tool has 1 to 64 letters, digits, underscores and dashes.',
    source: 'https://github.com/brekkylab/ailoy/pull/109; https://platform.openai.com/docs/api-reference/chat/create',
    refuses: withTool(chatTool('look.up')),
    takes: withTool(chatTool('x'.repeat(64))),
    problem: fnRule((fn, at) => nameFault(`${at}.name`, fn.name, 64)),
  },
  {
    id: 'tool-schema-union',
    says: 'The schema of a tool has no union at its root.',
    source: 'https://github.com/nspady/google-calendar-mcp/issues/39',
    refuses: withTool(chatTool('look', { parameters: { type: 'object', oneOf: [{ type: 'object' }] } })),
    takes: withTool(
      chatTool('look', { parameters: { type: 'object', properties: { a: { oneOf: [{ type: 'string' }] } } } }),
    ),
    problem: fnRule((fn, at) => (isRecord(fn.parameters) && 'type' in fn.parameters ? unionFault(fn, at) : undefined)),
  },
  {
    id: 'tool-schema-type',
    says: 'The schema of a tool is that of an object.',
    source: 'https://github.com/chatanywhere/GPT_API_free/issues/403',
    refuses: withTool(chatTool('look', { parameters: { anyOf: [{ type: 'object' }] } })),
    takes: withTool(chatTool('look', { parameters: { type: 'object', properties: {} } })),
    problem: fnRule(rootFault),
  },
  {
    id: 'tool-schema-items',
    says: 'A list in the schema of a tool says what is in it.',
    source: 'https://github.com/PrefectHQ/fastmcp/issues/2464',
    refuses: withTool(chatTool('look', { parameters: { type: 'object', properties: { a: { type: 'array' } } } })),
    takes: withTool(
      chatTool('look', { parameters: { type: 'object', properties: { a: { type: 'array', items: {} } } } }),
    ),
    problem: fnRule(itemsFault),
  },
  {
    id: 'tool-strict',
    says: 'The schema of a strict tool allows no further properties, and requires all that it has.',
    source:
      'https://github.com/lastmile-ai/openai-agents-mcp/issues/2; https://github.com/dotnet/extensions/issues/6302',
    refuses: withTool(
      chatTool('look', {
        strict: true,
        parameters: {
          type: 'object',
          properties: { a: { type: 'string' } },
          required: [],
          additionalProperties: false,
        },
      }),
    ),
    takes: withTool(
      chatTool('look', {
        strict: true,
        parameters: {
          type: 'object',
          properties: { a: { type: 'string' } },
          required: ['a'],
          additionalProperties: false,
        },
      }),
    ),
    problem: fnRule(strictnessFault),
  },
];

const MESSAGES: readonly ChatRule[] = [
  {
    id: 'content-null',
    says: 'Only a message of the model that calls a tool has no content.',
    source: 'https://github.com/langchain-ai/langchainjs/issues/4153',
    refuses: chatTalk([USER, { role: 'assistant', content: null }, USER]),
    takes: chatTalk([USER, { role: 'assistant', content: '' }, USER]),
    problem({ body: { messages } }) {
      const at = messages.findIndex(
        ({ content, tool_calls }) => (content === null || content === undefined) && (tool_calls ?? []).length === 0,
      );
      if (at < 0) return undefined;
      return invalid("Invalid value for 'content': expected a string, got null.", {
        param: `messages.[${at}].content`,
      });
    },
  },
  {
    id: 'call-name',
    says: 'The name of a call in the history has 1 to 64 letters, digits, underscores and dashes.',
    source:
      'https://github.com/hackers365/xiaozhi-esp32-server-golang/issues/268 (tools); ' +
      'https://github.com/Vortiago/mcp-azure-devops/pull/30',
    refuses: chatCalls([chatCall('call_1', 'look up')]),
    takes: chatCalls([chatCall('call_1', 'x'.repeat(64))]),
    problem: ({ body }) => eachCall(body, (call, at) => nameFault(`${at}.function.name`, call.function.name, 64)),
  },
  {
    id: 'call-id',
    says: 'The id of a call has 1 to 40 characters.',
    source: 'https://github.com/vercel/ai/issues/5171',
    refuses: chatCalls([chatCall('x'.repeat(41))]),
    takes: chatCalls([chatCall('functions.look:0')]),
    problem: ({ body }) =>
      eachCall(body, ({ id }, at) => {
        if (id === '') return emptyString(`${at}.id`);
        return id.length > 40 ? tooLong(`${at}.id`, 40, id.length) : undefined;
      }),
  },
  {
    id: 'call-arguments',
    says: 'The arguments of a call are a text.',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    refuses: chatCalls([chatCall('call_1', 'look', {})]),
    takes: chatCalls([chatCall('call_1', 'look', '{"a":')]),
    problem: ({ body }) =>
      eachCall(body, ({ function: { arguments: args } }, at) =>
        typeof args === 'string'
          ? undefined
          : invalid(`Invalid type for '${at}.function.arguments': expected a string, but got an object instead.`, {
              param: `${at}.function.arguments`,
              code: 'invalid_type',
            }),
      ),
  },
  {
    id: 'call-id-twice',
    says: 'No two calls of a message have the same id.',
    source: 'quoted in public code ("Duplicate value for \'tool_call_id\'", ten files)',
    refuses: chatCalls([chatCall('call_1'), chatCall('call_1')]),
    takes: chatCalls([chatCall('call_1'), chatCall('call_2')]),
    problem({ body: { messages } }) {
      for (const [i, { tool_calls = [] }] of messages.entries()) {
        const ids = tool_calls.map(({ id }) => id);
        const twice = ids.find((id, j) => ids.indexOf(id) < j);
        if (twice !== undefined) return invalid(`Duplicate value for 'tool_call_id' of '${twice}' in message[${i}]`);
      }
      return undefined;
    },
  },
  {
    id: 'result-without-call',
    says: "A result answers a call of the model's message before it.",
    source: 'https://github.com/simonw/llm/issues/937',
    refuses: chatTalk([USER, { role: 'tool', tool_call_id: 'call_1', content: 'Seen.' }]),
    takes: chatCalls([chatCall('call_1')]),
    problem({ body: { messages } }) {
      const at = messages.findIndex(
        ({ role, tool_call_id }, i) => role === 'tool' && !openChatCalls(messages, i).includes(String(tool_call_id)),
      );
      if (at < 0) return undefined;
      return invalid(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        { param: `messages.[${at}].role` },
      );
    },
  },
  {
    id: 'call-without-result',
    says: 'Each call has its result before the next message of another role.',
    source: 'https://github.com/langgenius/dify/issues/32222; https://platform.openai.com/docs/guides/function-calling',
    refuses: chatTalk([USER, { role: 'assistant', content: null, tool_calls: [chatCall('call_1')] }, USER]),
    takes: chatTalk([...chatCalls([chatCall('call_1')]).messages, USER]),
    problem({ body: { messages } }) {
      const found = unanswered(messages);
      if (found === undefined) return undefined;
      return invalid(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
          `The following tool_call_ids did not have response messages: ${found.ids.join(', ')}`,
        { param: `messages.[${found.at + 1}].role` },
      );
    },
  },
  {
    id: 'picture',
    says: 'A picture is a PNG, JPEG, GIF or WebP that decodes.',
    source: 'https://github.com/vercel/ai/issues/1544; https://github.com/openai/openai-node/issues/1463',
    refuses: chatPicture('data:image/png;base64,AAAA'),
    takes: chatPicture(`data:image/png;base64,${SAMPLES['image/png']}`),
    problem({ body: { messages } }) {
      const urls = messages.flatMap(({ content }) =>
        Array.isArray(content) ? content.flatMap((part: ChatPart) => part.image_url?.url ?? []) : [],
      );
      if (urls.every(isPictureUrl)) return undefined;
      return invalid(
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
        { code: 'invalid_image_format' },
      );
    },
  },
];

/** A request with a picture. */
export function chatPicture(url: string, more: Partial<ChatBody> = {}): ChatBody {
  return chatTalk(
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What?' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
    more,
  );
}

/** The calls that a result at `at` can answer. */
export function openChatCalls(messages: readonly ChatMessage[], at: number): string[] {
  const call = messages.slice(0, at).findLast(({ role }) => role !== 'tool');
  return (call?.tool_calls ?? []).map(({ id }) => id);
}

/** The first message with calls that have no results, and those calls. */
export function unanswered(
  messages: readonly ChatMessage[],
): { readonly at: number; readonly ids: string[] } | undefined {
  for (const [at, { tool_calls = [] }] of messages.entries()) {
    const rest = messages.slice(at + 1);
    const end = rest.findIndex(({ role }) => role !== 'tool');
    const answered = rest.slice(0, end < 0 ? undefined : end).map(({ tool_call_id }) => tool_call_id);
    const ids = tool_calls.map(({ id }) => id).filter((id) => !answered.includes(id));
    if (ids.length > 0) return { at, ids };
  }
  return undefined;
}

/** All rules, in the order in which they are asked. */
export const CHAT_RULES: readonly ChatRule[] = [...WHOLE, ...SETTINGS, ...TOOLS, ...MESSAGES];
