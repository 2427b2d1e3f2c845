/** OpenAI's Chat Completions API: what it refuses, and how it answers. */

import type { Api } from './provider';
import {
  type About,
  argumentsOf,
  type Finish,
  type Frame,
  finishOf,
  frame,
  type Part,
  piecesOf,
  type Said,
  tokensOf,
} from './replies';
import { CHAT_RULES } from './rules/chat-rules';
import { failure, invalid } from './rules/openai-api';
import { judgeBy } from './rules/rule';

const FINISHES: Readonly<Record<Finish, string>> = {
  stop: 'stop',
  calls: 'tool_calls',
  length: 'length',
  filter: 'content_filter',
  refusal: 'content_filter',
  paused: 'stop',
};

function usage(said: Said) {
  const { input, output, cached, reasoning } = tokensOf(said);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function annotations(part: Extract<Part, { type: 'text' }>): object {
  const citations = part.sources?.map(({ url, title }) => ({
    type: 'url_citation',
    url_citation: { start_index: 0, end_index: 1, url, title },
  }));
  return citations === undefined ? {} : { annotations: citations };
}

function callsOf(said: Said) {
  return said.parts.flatMap((part) => (part.type === 'call' ? [part] : []));
}

/** The additions of each part to the message, piece by piece. */
function* deltas(said: Said): Generator<object | { wait: Promise<unknown> }> {
  const calls = callsOf(said);
  for (const part of said.parts) {
    switch (part.type) {
      case 'wait':
        yield { wait: part.until };
        break;
      case 'text':
        for (const content of piecesOf(part.text)) yield { content };
        if (part.sources !== undefined) yield annotations(part);
        break;
      case 'reasoning':
        for (const reasoning_content of piecesOf(part.text)) yield { reasoning_content };
        break;
      case 'search':
      case 'image':
        throw new Error('No search of the provider is part of Chat Completions.');
      case 'call': {
        const index = calls.indexOf(part);
        const head = { index, id: part.id, type: 'function', function: { name: part.name, arguments: '' } };
        yield { tool_calls: [head] };
        for (const piece of argumentsOf(part)) yield { tool_calls: [{ index, function: { arguments: piece } }] };
      }
    }
  }
}

/** A reply as the events of Chat Completions; the counts come last, or with the last word where `countsLate` is false. */
export function* chatEvents(said: Said, { n, model }: About, countsLate = true): Generator<Frame> {
  const head = { id: `chatcmpl-${n}`, object: 'chat.completion.chunk', created: 1, model };
  const event = (delta: object, finish_reason: string | null = null, more = {}): string =>
    frame({ ...head, choices: [{ index: 0, delta, finish_reason }], ...more });
  yield event({ role: 'assistant', content: '' });
  for (const delta of deltas(said)) yield 'wait' in delta ? delta : event(delta);
  if (said.failure !== undefined) {
    const { message, type = 'server_error', code = null } = said.failure;
    yield frame({ error: { message, type, param: null, code } });
    return;
  }
  yield event({}, said.rawFinish ?? FINISHES[finishOf(said)], countsLate ? {} : { usage: usage(said) });
  if (countsLate) yield frame({ ...head, choices: [], usage: usage(said) });
  yield frame('[DONE]');
}

/** A reply as one answer of Chat Completions. */
export function chatWhole(said: Said, { n, model }: About): object {
  const joined = (type: 'text' | 'reasoning') =>
    said.parts.flatMap((part) => (part.type === type ? piecesOf(part.text) : [])).join('');
  const calls = callsOf(said).map((part) => ({
    id: part.id,
    type: 'function',
    function: { name: part.name, arguments: argumentsOf(part).join('') },
  }));
  const reasoning = joined('reasoning');
  const cited = said.parts.find((part) => part.type === 'text' && part.sources !== undefined);
  const message = {
    role: 'assistant',
    content: joined('text') === '' && calls.length > 0 ? null : joined('text'),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(cited?.type === 'text' ? annotations(cited) : {}),
  };
  const choices = [{ index: 0, message, finish_reason: said.rawFinish ?? FINISHES[finishOf(said)] }];
  return { id: `chatcmpl-${n}`, object: 'chat.completion', created: 1, model, choices, usage: usage(said) };
}

/** The stand-in for OpenAI's Chat Completions API. */
export const chat: Api = {
  kind: 'chat',
  path: '/chat/completions',
  rules: CHAT_RULES,
  problem: judgeBy(CHAT_RULES, invalid),
  key: { header: 'authorization', before: 'Bearer ' },
  waits: 'seconds and ms',
  whole: chatWhole,
  events: chatEvents,
  failure,
};
