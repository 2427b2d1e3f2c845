/** Servers that speak Chat Completions more strictly than OpenAI's own: Mistral's and DeepSeek's. */
import { chatEvents, chatWhole } from './chat';
import type { Api } from './provider';
import type { Failed } from './replies';
import {
  CHAT_REQUEST,
  type ChatBody,
  type ChatMessage,
  chatCall,
  chatCalls,
  chatPicture,
  chatTalk,
  chatTool,
  eachCall,
  openChatCalls,
  unanswered,
} from './rules/chat-rules';
import { failure as openaiFailure, invalid as openaiInvalid } from './rules/openai-api';
import { SAMPLES } from './rules/pictures';
import { brokenText, isJson, isRecord, judgeBy, type Refusal, type Rule } from './rules/rule';

type ChatRule = Rule<ChatBody>;

const USER: ChatMessage = { role: 'user', content: 'Look.' };
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const VALIDATOR = 'mistralai/mistral-common, src/mistral_common/protocol/instruct/validator.py';

/** A refusal of Mistral's. */
function mistralError(
  message: unknown,
  type = 'invalid_request_error',
  code: string | null = null,
  status = 400,
): Refusal {
  return { status, body: { object: 'error', message, type, param: null, code } };
}

function outOfOrder(message: string): Refusal {
  return mistralError(message, 'invalid_request_message_order', '3230');
}

/** For each role, the roles that may come after it. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  system: ['user', 'assistant', 'system'],
  user: ['assistant', 'system', 'user'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
};

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  body: new Set(
    (
      'model messages temperature top_p max_tokens stream stop random_seed metadata response_format tools tool_choice ' +
      'presence_penalty frequency_penalty n prediction parallel_tool_calls prompt_mode reasoning_effort safe_prompt ' +
      'guardrails prompt_cache_key stream_options'
    ).split(' '),
  ),
  system: new Set(['role', 'content']),
  user: new Set(['role', 'content']),
  assistant: new Set(['role', 'content', 'tool_calls', 'prefix']),
  tool: new Set(['role', 'content', 'tool_call_id', 'name']),
};

function extra(loc: readonly (string | number)[], input: unknown): Refusal {
  const detail = [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted', input }];
  return mistralError({ detail }, 'invalid_request_error', null, 422);
}

function assistantError(both: string): Refusal {
  return mistralError(`Assistant message must have either content or tool_calls, but not ${both}.`);
}

/** A call with an id as Mistral wants it. */
const CALL = chatCall('aB3xK9mP2');
const MODEL = { model: 'mistral-large-latest' } as const;
const HELLO: ChatBody = { ...CHAT_REQUEST, ...MODEL };

const MISTRAL_RULES: readonly ChatRule[] = [
  {
    id: 'json',
    says: 'A request is JSON without half a surrogate pair.',
    source: 'RFC 8259, section 8.2; https://docs.mistral.ai/api/',
    refuses: '{"model":',
    takes: HELLO,
    problem: ({ text }) =>
      isJson(text) && brokenText(JSON.parse(text)) === undefined
        ? undefined
        : mistralError(
            { detail: [{ type: 'json_invalid', loc: ['body'], msg: 'JSON decode error' }] },
            undefined,
            null,
            422,
          ),
  },
  {
    id: 'required',
    says: 'A request names its model and its messages.',
    source: 'https://docs.mistral.ai/api/',
    refuses: MODEL,
    takes: HELLO,
    problem({ body }) {
      const missing = (['model', 'messages'] as const).find((name) => !isRecord(body) || (body[name] ?? null) === null);
      if (missing === undefined) return undefined;
      return mistralError(
        { detail: [{ type: 'missing', loc: ['body', missing], msg: 'Field required' }] },
        undefined,
        null,
        422,
      );
    },
  },
  {
    id: 'unknown-field',
    says: 'A request has no field that the API does not know.',
    source:
      'https://github.com/mistralai/platform-docs-public/issues/7; https://github.com/editor-code-assistant/eca/issues/231',
    refuses: { ...HELLO, max_completion_tokens: 100 },
    takes: { ...HELLO, max_tokens: 100 },
    problem({ body }) {
      const [name, input] = Object.entries(body).find(([field]) => !FIELDS.body?.has(field)) ?? [];
      return name === undefined ? undefined : extra(['body', name], input);
    },
  },
  {
    id: 'stream-options',
    says: 'Counts in a stream cannot be asked for; they always come.',
    source:
      'https://github.com/avante-corp/avante.nvim/issues/2347; https://github.com/openai/openai-agents-python/issues/442; ' +
      'https://github.com/vybestack/llxprt-code/issues/114',
    certainty: 'reported',
    refuses: { ...HELLO, stream: true, stream_options: { include_usage: true } },
    takes: { ...HELLO, stream: true },
    problem: ({ body }) =>
      'stream_options' in body ? extra(['body', 'stream_options', 'include_usage'], true) : undefined,
  },
  {
    id: 'unknown-field-of-message',
    says: 'A message has no field that its role does not know, such as reasoning_content.',
    source: 'https://github.com/charmbracelet/crush/issues/1590; https://github.com/BerriAI/litellm/issues/30835',
    refuses: chatTalk([USER, { role: 'assistant', content: 'Hi.', reasoning_content: 'Hm.' }, USER], MODEL),
    takes: chatTalk([USER, { role: 'assistant', content: 'Hi.' }, USER], MODEL),
    problem({ body: { messages } }) {
      for (const [i, message] of messages.entries()) {
        const [name, input] =
          Object.entries(message).find(([field]) => FIELDS[message.role]?.has(field) === false) ?? [];
        if (name !== undefined) return extra(['body', 'messages', i, message.role, name], input);
      }
      return undefined;
    },
  },
  {
    id: 'no-messages',
    says: 'A request has a message.',
    source: VALIDATOR,
    refuses: chatTalk([], MODEL),
    takes: HELLO,
    problem: ({ body }) =>
      body.messages.length > 0 ? undefined : mistralError('Conversation must have at least one message'),
  },
  {
    id: 'tool-name',
    says: 'The name of a tool, and of a call, has 1 to 64 letters, digits, underscores and dashes.',
    source: VALIDATOR,
    refuses: { ...HELLO, tools: [chatTool('look.up')] },
    takes: { ...HELLO, tools: [chatTool('look-up_2')] },
    problem({ body }) {
      const called = body.messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function.name));
      const names = [...(body.tools ?? []).map((tool) => String(tool.function?.name)), ...called];
      const bad = names.find((name) => !NAME.test(name));
      return bad === undefined
        ? undefined
        : mistralError(
            `Function name was ${bad} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`,
          );
    },
  },
  {
    id: 'call-id',
    says: 'The id of a call has nine letters and digits.',
    source: 'https://github.com/nearai/ironclaw/issues/1241; https://github.com/karthink/gptel/issues/1203 (2026-01)',
    refuses: chatCalls([chatCall('call_0fypS1hVX')], MODEL),
    takes: chatCalls([CALL], MODEL),
    problem({ body }) {
      const answered = body.messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
      const called = body.messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
      const bad = [...called, ...answered].find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
      return bad === undefined
        ? undefined
        : mistralError(
            `Tool call id was ${bad} but must be a-z, A-Z, 0-9, with a length of 9.`,
            'invalid_function_call',
            '3280',
          );
    },
  },
  {
    id: 'assistant-empty',
    says: 'A message of the model has text or calls.',
    source: 'https://github.com/OpenHands/OpenHands/issues/8685',
    refuses: chatTalk([USER, { role: 'assistant', content: '' }, USER], MODEL),
    takes: chatTalk([USER, { role: 'assistant', content: '.' }, USER], MODEL),
    problem: ({ body: { messages } }) => (messages.some(isEmptyReply) ? assistantError('none') : undefined),
  },
  {
    id: 'assistant-both',
    says: 'A message of the model has text or calls, not both; with some models.',
    source: `https://github.com/github/copilot-cli/issues/4884 (2026-09); ${VALIDATOR} (a flag of later versions allows both)`,
    certainty: 'reported',
    refuses: chatTalk(
      [
        USER,
        { role: 'assistant', content: 'I look.', tool_calls: [CALL] },
        { role: 'tool', tool_call_id: CALL.id, content: '' },
      ],
      MODEL,
    ),
    takes: chatCalls([CALL], MODEL),
    problem: ({ body: { messages } }) =>
      messages.some(({ content, tool_calls = [] }) => tool_calls.length > 0 && (content ?? '').length > 0)
        ? assistantError('both')
        : undefined,
  },
  {
    id: 'order',
    says: "After a result comes another or the model's message; after the model's, no system message.",
    source: `https://github.com/avante-corp/avante.nvim/pull/2695; ${VALIDATOR}`,
    refuses: chatTalk([...chatCalls([CALL]).messages, USER], MODEL),
    takes: chatTalk([...chatCalls([CALL]).messages, { role: 'assistant', content: 'Seen.' }, USER, USER], MODEL),
    problem({ body: { messages } }) {
      for (const [i, { role }] of messages.entries()) {
        const before = messages[i - 1]?.role ?? 'system';
        if (AFTER[before]?.includes(role) === false)
          return outOfOrder(`Unexpected role '${role}' after role '${before}'`);
      }
      return undefined;
    },
  },
  {
    id: 'last-role',
    says: "The last message is the user's or a result, or marked as the beginning of the reply.",
    source: 'https://github.com/huggingface/smolagents/issues/757',
    refuses: chatTalk([USER, { role: 'assistant', content: 'I see' }], MODEL),
    takes: chatTalk([USER, { role: 'assistant', content: 'I see', prefix: true }], MODEL),
    problem({ body: { messages } }) {
      const last = messages.at(-1);
      if (last?.role !== 'assistant' || last.prefix === true) return undefined;
      return mistralError(
        'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
      );
    },
  },
  {
    id: 'call-without-result',
    says: 'There are as many results as calls.',
    source: `https://github.com/partITech/php-mistral/issues/57; ${VALIDATOR}`,
    refuses: chatTalk(
      [
        USER,
        { role: 'assistant', tool_calls: [CALL, chatCall('aB3xK9mP3')] },
        { role: 'tool', tool_call_id: CALL.id, content: '' },
      ],
      MODEL,
    ),
    takes: chatCalls([CALL, chatCall('aB3xK9mP3')], MODEL),
    problem: ({ body: { messages } }) =>
      unanswered(messages) === undefined
        ? undefined
        : outOfOrder('Not the same number of function calls and responses'),
  },
];

function isEmptyReply({ role, content, tool_calls = [] }: ChatMessage): boolean {
  return role === 'assistant' && tool_calls.length === 0 && (content ?? '').length === 0;
}

/** The stand-in for Mistral's API. */
export const mistral: Api = {
  kind: 'mistral',
  path: '/chat/completions',
  rules: MISTRAL_RULES,
  problem: judgeBy(MISTRAL_RULES, mistralError),
  key: { header: 'authorization', before: 'Bearer ' },
  waits: 'none',
  whole: chatWhole,
  events: (said, about) => chatEvents(said, about, false),
  failure: ({ status, message = `Status ${status}.`, type, code }: Failed) =>
    mistralError(
      message,
      type ?? (status === 429 ? 'rate_limited' : 'invalid_request_error'),
      code === undefined ? null : String(code),
      status,
    ),
};

const DEEP = { model: 'deepseek-v4-flash' } as const;
const DEEP_HELLO: ChatBody = { ...CHAT_REQUEST, ...DEEP };
const THINKS = { ...DEEP, thinking: { type: 'enabled' } } as const;

function deepError(message: string): Refusal {
  return openaiInvalid(message, { code: 'invalid_request_error' });
}

const DEEPSEEK_RULES: readonly ChatRule[] = [
  {
    id: 'json',
    says: 'A request is JSON without half a surrogate pair.',
    source: 'RFC 8259, section 8.2; https://api-docs.deepseek.com/quick_start/error_codes',
    refuses: '{"model":',
    takes: DEEP_HELLO,
    problem: ({ text }) =>
      isJson(text) && brokenText(JSON.parse(text)) === undefined
        ? undefined
        : deepError('Failed to parse the request body as JSON'),
  },
  {
    id: 'required',
    says: 'A request names its model and its messages.',
    source: 'https://api-docs.deepseek.com/api/create-chat-completion',
    refuses: DEEP,
    takes: DEEP_HELLO,
    problem({ body }) {
      const missing = (['model', 'messages'] as const).find((name) => !isRecord(body) || (body[name] ?? null) === null);
      if (missing === undefined) return undefined;
      return deepError(`Failed to deserialize the JSON body into the target type: missing field \`${missing}\``);
    },
  },
  {
    id: 'window',
    says: "The request fits the model's window.",
    source: 'https://github.com/langgenius/dify/issues/17778 (the same text of a server of this kind)',
    certainty: 'reported',
    refuses: chatTalk([{ role: 'user', content: 'x'.repeat(1_000) }], DEEP),
    takes: chatTalk([{ role: 'user', content: 'x'.repeat(300) }], DEEP),
    limits: { window: 200 },
    problem: ({ tokens, limits: { window } }) =>
      window === undefined || tokens <= window
        ? undefined
        : deepError(
            `This model's maximum context length is ${window} tokens. However, you requested ${tokens} tokens ` +
              `(${tokens} in the messages, 0 in the completion). Please reduce the length of the messages or completion.`,
          ),
  },
  {
    id: 'picture',
    says: 'A message is text.',
    source: 'https://github.com/1jehuang/jcode/issues/310',
    refuses: chatPicture(`data:image/png;base64,${SAMPLES['image/png']}`, DEEP),
    takes: chatTalk([{ role: 'user', content: [{ type: 'text', text: 'What?' }] }], DEEP),
    problem({ body: { messages } }) {
      for (const [i, { content }] of messages.entries()) {
        const other = Array.isArray(content)
          ? content.find(({ type }: { type: string }) => type !== 'text')
          : undefined;
        if (other === undefined) continue;
        return deepError(
          `Failed to deserialize the JSON body into the target type: messages[${i}]: unknown variant \`${other.type}\`, expected \`text\``,
        );
      }
      return undefined;
    },
  },
  {
    id: 'assistant-empty',
    says: 'A message of the model has content, be it empty, or calls.',
    source: 'quoted in public code ("Invalid assistant message: content or tool_calls must be set", ten files)',
    refuses: chatTalk([USER, { role: 'assistant', content: null }, USER], DEEP),
    takes: chatTalk([USER, { role: 'assistant', content: '' }, USER], DEEP),
    problem: ({ body: { messages } }) =>
      messages.some(
        ({ role, content, tool_calls = [] }) =>
          role === 'assistant' && tool_calls.length === 0 && (content === null || content === undefined),
      )
        ? deepError('Invalid assistant message: content or tool_calls must be set')
        : undefined,
  },
  {
    id: 'tool-name',
    says: 'The name of a tool, and of a call, has 1 to 64 letters, digits, underscores and dashes.',
    source: 'https://api-docs.deepseek.com/api/create-chat-completion',
    refuses: chatCalls([chatCall('call_1', 'look up')], DEEP),
    takes: chatCalls([chatCall('call_1', 'look-up')], DEEP),
    problem({ body }) {
      const tool = (body.tools ?? []).findIndex(({ function: fn }) => !NAME.test(String(fn?.name)));
      const fault = (at: string) =>
        deepError(
          `Invalid '${at}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        );
      if (tool >= 0) return fault(`tools[${tool}]`);
      return eachCall(body, (call, at) => (NAME.test(call.function.name) ? undefined : fault(at)));
    },
  },
  {
    id: 'call-id-twice',
    says: 'No two calls of a message have the same id.',
    source: 'quoted in public code ("Duplicate value for \'tool_call_id\' of … in message[2]", with deepseek-v4-flash)',
    refuses: chatCalls([chatCall('call_1'), chatCall('call_1')], DEEP),
    takes: chatCalls([chatCall('call_1'), chatCall('call_2')], DEEP),
    problem({ body: { messages } }) {
      for (const [i, { tool_calls = [] }] of messages.entries()) {
        const ids = tool_calls.map(({ id }) => id);
        const twice = ids.find((id, j) => ids.indexOf(id) < j);
        if (twice !== undefined) return deepError(`Duplicate value for 'tool_call_id' of ${twice} in message[${i}]`);
      }
      return undefined;
    },
  },
  {
    id: 'result-without-call',
    says: "A result answers a call of the model's message before it.",
    source: 'https://github.com/FoundationAgents/OpenManus/issues/744',
    refuses: chatTalk([USER, { role: 'tool', tool_call_id: 'call_1', content: 'Seen.' }], DEEP),
    takes: chatCalls([chatCall('call_1')], DEEP),
    problem: ({ body: { messages } }) =>
      messages.some(
        ({ role, tool_call_id }, i) => role === 'tool' && !openChatCalls(messages, i).includes(String(tool_call_id)),
      )
        ? deepError("Messages with role 'tool' must be a response to a preceding message with 'tool_calls'")
        : undefined,
  },
  {
    id: 'call-without-result',
    says: 'Each call has its result before the next message of another role.',
    source: 'https://github.com/TurixAI/TuriX-CUA/issues/15; https://github.com/gptme/gptme/issues/3421',
    refuses: chatTalk([USER, { role: 'assistant', content: null, tool_calls: [chatCall('call_1')] }, USER], DEEP),
    takes: chatTalk([...chatCalls([chatCall('call_1')]).messages, USER], DEEP),
    problem: ({ body: { messages } }) =>
      unanswered(messages) === undefined
        ? undefined
        : deepError(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
              '(insufficient tool messages following tool_calls message)',
          ),
  },
  {
    id: 'thinking-dropped',
    says: 'With thinking, a message with calls since the last of the user keeps its thought.',
    source: 'https://api-docs.deepseek.com/guides/thinking_mode; https://github.com/mnfst/modelparams.dev/issues/29',
    refuses: chatCalls([chatCall('call_1')], THINKS),
    takes: chatTalk(
      [
        USER,
        { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [chatCall('call_1')] },
        { role: 'tool', tool_call_id: 'call_1', content: 'Seen.' },
      ],
      THINKS,
    ),
    problem({ body }) {
      const thinks = body.thinking?.type === 'enabled';
      if (!thinks && !body.model.includes('reasoner')) return undefined;
      const turn = body.messages.slice(body.messages.findLastIndex(({ role }) => role === 'user') + 1);
      return turn.some(
        ({ tool_calls = [], reasoning_content }) => tool_calls.length > 0 && reasoning_content === undefined,
      )
        ? deepError('The `reasoning_content` in the thinking mode must be passed back to the API.')
        : undefined;
    },
  },
];

/** The stand-in for DeepSeek's API. */
export const deepseek: Api = {
  kind: 'deepseek',
  path: '/chat/completions',
  rules: DEEPSEEK_RULES,
  problem: judgeBy(DEEPSEEK_RULES, deepError),
  key: { header: 'authorization', before: 'Bearer ' },
  waits: 'none',
  whole: chatWhole,
  events: chatEvents,
  failure: openaiFailure,
};
