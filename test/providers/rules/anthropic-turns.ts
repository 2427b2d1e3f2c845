/** Rules of Anthropic's Messages API on the order of messages, and on calls and their results. */
import {
  type AnthropicRule,
  afterCall,
  allBlocks,
  assistant,
  type Body,
  blocksOf,
  invalid,
  type Message,
  result,
  talk,
  thought,
  use,
  user,
} from './anthropic-api';
import { isRecord, repeated } from './rule';

/** Shapes that were sent to the API on 2026-07-25, with its answers; a public text, read as a stored copy. */
const MEASURED = 'quoted in public code (PROBED_SHAPES, a table of shapes that were sent on 2026-07-25)';

const TAKES_SYSTEM = /opus-(4-[89]|[5-9])|(sonnet|fable|mythos)-[5-9]|haiku-5-5/;
const ID = /^[a-zA-Z0-9_-]+$/;

/** The messages after the call at `at`, up to the next of the model. */
function userTurn(messages: readonly Message[], at: number): readonly Message[] {
  const rest = messages.slice(at + 1);
  const end = rest.findIndex(({ role }) => role === 'assistant');
  return end < 0 ? rest : rest.slice(0, end);
}

/** The results that count for a call: those that come before anything else in the user's next turn. */
function leadingResults(messages: readonly Message[], at: number): string[] {
  const blocks = userTurn(messages, at).flatMap(({ content }) => blocksOf(content));
  const end = blocks.findIndex(({ type }) => type !== 'tool_result');
  return blocks.slice(0, end < 0 ? undefined : end).map(({ tool_use_id }) => String(tool_use_id));
}

function callsOf(message: Message | undefined): string[] {
  return blocksOf(message?.content).flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : []));
}

/** The calls that the results of the message at `at` can answer: those of the model's message before it. */
function openCalls(messages: readonly Message[], at: number): string[] {
  return callsOf(messages.slice(0, at).findLast(({ role }) => role === 'assistant'));
}

const ORDER: readonly AnthropicRule[] = [
  {
    id: 'role',
    says: 'A message has the role user or assistant, or system where the model takes one.',
    source: 'https://docs.claude.com/en/api/messages',
    refuses: talk([user('Hello.'), { role: 'tool', content: 'Seen.' }]),
    takes: talk([user('Hello.'), user('Are you there?')]),
    problem({ body }) {
      const at = body.messages.findIndex(({ role }) => !['user', 'assistant', 'system'].includes(role));
      return at < 0 ? undefined : invalid(`messages.${at}.role: Input should be 'user' or 'assistant'`);
    },
  },
  {
    id: 'system-unsupported',
    says: 'Models before Opus 4.8, and Haiku before 5.5, take no message with the role system.',
    source:
      'https://docs.rs/gproxy-transform/2.5.2/gproxy_transform/transform/common/claude_mid_conv_system; ' +
      'https://github.com/langchain-ai/langchainjs/releases/tag/@langchain%2Fanthropic@1.5.13',
    refuses: talk([user('Hello.'), { role: 'system', content: 'Be brief.' }]),
    takes: talk([user('Hello.'), { role: 'system', content: 'Be brief.' }], { model: 'claude-opus-4-8' }),
    problem({ body }) {
      const at = body.messages.findIndex(({ role }) => role === 'system');
      if (at < 0 || TAKES_SYSTEM.test(body.model)) return undefined;
      return invalid(`messages.${at}: role 'system' is not supported on this model`);
    },
  },
  {
    id: 'first-message',
    says: 'The first message is of the user.',
    source: `https://github.com/lobehub/lobehub/issues/1601; ${MEASURED}`,
    refuses: talk([assistant('Hello.'), user('Hello.')]),
    takes: talk([user('Hello.'), assistant('Hello.'), assistant('How are you?'), user('Well.')]),
    problem: ({ body }) =>
      body.messages[0]?.role === 'user' ? undefined : invalid('messages: first message must use the "user" role'),
  },
  {
    id: 'system-place',
    says: 'A message with the role system comes before one of the model, or last.',
    source: 'https://github.com/anthropics/claude-code/issues/73821',
    refuses: talk([user('Hello.'), { role: 'system', content: 'Be brief.' }, user('Well?')], {
      model: 'claude-opus-4-8',
    }),
    takes: talk([user('Hello.'), { role: 'system', content: 'Be brief.' }, assistant('Hi.'), user('Well?')], {
      model: 'claude-opus-4-8',
    }),
    problem({ body: { messages } }) {
      const at = messages.findIndex(
        ({ role }, i) => role === 'system' && messages[i + 1] !== undefined && messages[i + 1]?.role !== 'assistant',
      );
      return at < 0
        ? undefined
        : invalid(`messages.${at}: role 'system' must precede an 'assistant' message or end the array`);
    },
  },
];

const CALLS: readonly AnthropicRule[] = [
  {
    id: 'call-name',
    says: 'The name of a call in the history has 1 to 200 characters, of any kind.',
    source: 'https://github.com/anthropics/claude-code/issues/2673',
    refuses: afterCall({ name: 'x'.repeat(201) }),
    takes: afterCall({ name: 'look up/the thing' }),
    problem({ body }) {
      for (const { at, block } of allBlocks(body)) {
        if (block.type !== 'tool_use') continue;
        const length = String(block.name ?? '').length;
        const bound = length < 1 ? 'at least 1 character' : length > 200 ? 'at most 200 characters' : undefined;
        if (bound !== undefined) return invalid(`${at}.tool_use.name: String should have ${bound}`);
      }
      return undefined;
    },
  },
  {
    id: 'call-id',
    says: 'The id of a call has letters, digits, underscores and dashes alone.',
    source: 'https://github.com/huggingface/tau/issues/385',
    refuses: afterCall({ id: 'functions.look:0' }),
    takes: afterCall({ id: 'call_Ab-9' }),
    problem({ body }) {
      const bad = allBlocks(body).find(({ block }) => block.type === 'tool_use' && !ID.test(String(block.id ?? '')));
      return bad && invalid(`${bad.at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    },
  },
  {
    id: 'call-input',
    says: 'The arguments of a call are an object.',
    source: 'https://github.com/VoltAgent/voltagent/pull/1135',
    refuses: afterCall({ input: '{"q":' }),
    takes: afterCall({ input: {} }),
    problem({ body }) {
      const bad = allBlocks(body).find(({ block }) => block.type === 'tool_use' && !isRecord(block.input));
      return bad && invalid(`${bad.at}.tool_use.input: Input should be a valid dictionary`);
    },
  },
  {
    id: 'call-id-twice',
    says: 'No two calls of a request have the same id.',
    source: 'https://github.com/anthropics/claude-code/issues/21317',
    refuses: talk([...afterCall().messages, assistant(use('toolu_1')), user(result('toolu_1'))]),
    takes: talk([...afterCall().messages, assistant(use('toolu_2')), user(result('toolu_2'))]),
    problem({ body }) {
      const calls = allBlocks(body).filter(({ block }) => block.type === 'tool_use');
      const twice = calls.find(({ block }, i) => calls.findIndex((one) => one.block.id === block.id) < i);
      return twice && invalid(`${twice.at}: \`tool_use\` ids must be unique`);
    },
  },
  {
    id: 'result-without-call',
    says: "A result answers a call of the model's message before it.",
    source: `https://github.com/decocms/studio/issues/1803; ${MEASURED}`,
    refuses: talk([user('Look.'), assistant(use('toolu_1')), user(result('toolu_1'), result('toolu_2'))]),
    takes: talk([
      user('Look.'),
      assistant(use('toolu_1'), use('toolu_2')),
      user(result('toolu_2')),
      user(result('toolu_1')),
    ]),
    problem({ body: { messages } }) {
      for (const [i, { content }] of messages.entries()) {
        const open = openCalls(messages, i);
        for (const [j, { type, tool_use_id }] of blocksOf(content).entries()) {
          if (type !== 'tool_result' || open.includes(String(tool_use_id))) continue;
          return invalid(
            `messages.${i}.content.${j}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${tool_use_id}. ` +
              'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
          );
        }
      }
      return undefined;
    },
  },
  {
    id: 'call-without-result',
    says: "Each call has its result first in the user's next turn, before anything else.",
    source: `https://github.com/anthropics/claude-code/issues/5060; ${MEASURED}`,
    refuses: talk([user('Look.'), assistant(use('toolu_1')), user('Well?', result('toolu_1'))]),
    takes: talk([user('Look.'), assistant(use('toolu_1')), user(result('toolu_1')), user('Well?')]),
    problem({ body: { messages } }) {
      for (const [i, message] of messages.entries()) {
        const answered = leadingResults(messages, i);
        const open = callsOf(message).filter((id) => !answered.includes(id));
        if (open.length === 0) continue;
        return invalid(
          `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
            `${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
        );
      }
      return undefined;
    },
  },
  {
    id: 'result-twice',
    says: 'A call has one result.',
    source: 'quoted in public code (ten files of different projects, 2025 and 2026)',
    refuses: talk([user('Look.'), assistant(use('toolu_1')), user(result('toolu_1'), result('toolu_1'))]),
    takes: afterCall(),
    problem({ body: { messages } }) {
      for (const [i] of messages.entries()) {
        const [twice] = repeated(messages[i]?.role === 'assistant' ? leadingResults(messages, i) : []);
        if (twice === undefined) continue;
        return invalid(
          `messages.${i + 1}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`,
        );
      }
      return undefined;
    },
  },
  {
    id: 'result-error-empty',
    says: 'A result that is an error says something.',
    source: 'quoted in public code (six files of different projects, one with a production log)',
    refuses: afterCall({}, { content: '', is_error: true }),
    takes: afterCall({}, { content: '' }),
    problem({ body }) {
      const bad = allBlocks(body).find(
        ({ block }) =>
          block.type === 'tool_result' &&
          block.is_error === true &&
          (block.content === undefined || block.content.length === 0),
      );
      return bad && invalid(`${bad.at}.tool_result: content cannot be empty if \`is_error\` is true`);
    },
  },
  {
    id: 'search-id',
    says: 'The id of a call that Anthropic ran begins with srvtoolu_.',
    source: 'quoted in public code (a relay log of 2026-07, req_011CdQDBXB9w2RAAeRZbDqPh)',
    refuses: searched('call_1'),
    takes: searched('srvtoolu_1'),
    problem({ body }) {
      const bad = allBlocks(body).find(
        ({ block }) => block.type === 'server_tool_use' && !/^srvtoolu_[a-zA-Z0-9_]+$/.test(String(block.id)),
      );
      return bad && invalid(`${bad.at}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`);
    },
  },
  {
    id: 'search-without-call',
    says: 'The result of a call that Anthropic ran has its call before it in the same message.',
    source: 'https://github.com/anthropics/claude-code/issues/64383',
    refuses: talk([user('Search.'), assistant(searchResult('srvtoolu_1'), 'Found.'), user('Well?')]),
    takes: searched('srvtoolu_1'),
    problem({ body }) {
      for (const [i, { content }] of body.messages.entries()) {
        const blocks = blocksOf(content);
        for (const [j, { type, tool_use_id }] of blocks.entries()) {
          if (!type.endsWith('_tool_result')) continue;
          if (blocks.slice(0, j).some((one) => one.type === 'server_tool_use' && one.id === tool_use_id)) continue;
          return invalid(
            `messages.${i}.content.${j}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${tool_use_id}. ` +
              `Each \`${type}\` block must have a corresponding \`server_tool_use\` block before it.`,
          );
        }
      }
      return undefined;
    },
  },
];

function searchResult(id: string) {
  return { type: 'web_search_tool_result', tool_use_id: id, content: [] };
}

function searched(id: string): Body {
  const call = { type: 'server_tool_use', id, name: 'web_search', input: { query: 'q' } };
  return talk([user('Search.'), assistant(call, searchResult(id), 'Found.'), user('Well?')]);
}

const LAST: readonly AnthropicRule[] = [
  {
    id: 'thinking-last',
    says: 'The last message of a request does not end with a thought.',
    source: MEASURED,
    refuses: talk([user('Hello.'), assistant('Hi.', thought('Hm.'))]),
    takes: talk([user('Hello.'), assistant('Hi.', thought('Hm.')), user('Well?')]),
    problem({ body: { messages } }) {
      const last = messages.at(-1);
      const block = last?.role === 'assistant' ? blocksOf(last.content).at(-1) : undefined;
      if (block?.type !== 'thinking' && block?.type !== 'redacted_thinking') return undefined;
      return invalid(
        `messages.${messages.length - 1}: The final block in an assistant message cannot be \`thinking\`.`,
      );
    },
  },
  {
    id: 'prefill',
    says: 'Models from 4.6 on do not continue a message that they began: the last message is of the user.',
    source: `https://github.com/ericc-ch/copilot-api/pull/261; ${MEASURED}`,
    refuses: talk([user('Hello.'), assistant('Hi')], { model: 'claude-sonnet-4-6' }),
    takes: talk([user('Hello.'), assistant('Hi')], { model: 'claude-sonnet-4-5' }),
    problem({ body: { messages, model } }) {
      if (messages.at(-1)?.role !== 'assistant') return undefined;
      if (/claude-(3|instant|2)|-4-[015](-|$)|-4-20\d{6}/.test(model)) return undefined;
      return invalid(
        'This model does not support assistant message prefill. The conversation must end with a user message.',
      );
    },
  },
  {
    id: 'final-whitespace',
    says: 'A message that the model continues does not end with white space.',
    source: 'https://github.com/tailcallhq/forgecode/issues/1872',
    refuses: talk([user('Hello.'), assistant('Hi ')]),
    takes: talk([user('Hello.'), assistant('Hi '), user('Well?')]),
    problem({ body: { messages } }) {
      const last = messages.at(-1);
      if (last?.role !== 'assistant' || !/\s$/.test(blocksOf(last.content).at(-1)?.text ?? '')) return undefined;
      return invalid('messages: final assistant content cannot end with trailing whitespace');
    },
  },
];

/** Rules on messages, calls and results, in the order in which they are asked. */
export const TURN_RULES: readonly AnthropicRule[] = [...ORDER, ...CALLS, ...LAST];
