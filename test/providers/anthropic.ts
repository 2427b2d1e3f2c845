/** Anthropic's Messages API: what it refuses, and how it answers. */

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
  type Source,
  tokensOf,
} from './replies';
import { errorType, invalid, signatureOf } from './rules/anthropic-api';
import { CONTENT_RULES } from './rules/anthropic-content';
import { RAN_RULES } from './rules/anthropic-ran';
import { SETTINGS_RULES, WHOLE_RULES } from './rules/anthropic-settings';
import { TURN_RULES } from './rules/anthropic-turns';
import { judgeBy } from './rules/rule';

const RULES = [...WHOLE_RULES, ...SETTINGS_RULES, ...CONTENT_RULES, ...TURN_RULES, ...RAN_RULES];

const STOPS: Readonly<Record<Finish, string>> = {
  stop: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  filter: 'refusal',
  refusal: 'refusal',
  paused: 'pause_turn',
};

/** A block that begins, the pieces that follow, and the block once it is whole. */
interface Streamed {
  readonly start: object;
  readonly deltas: readonly object[];
  readonly whole: object;
}

function blocksOf(part: Exclude<Part, { type: 'wait' }>): Streamed[] {
  switch (part.type) {
    case 'text': {
      const pieces = piecesOf(part.text);
      const citations = part.sources?.map(cited);
      return [
        {
          start: { type: 'text', text: '' },
          deltas: [
            ...pieces.map((text) => ({ type: 'text_delta', text })),
            ...(citations ?? []).map((citation) => ({ type: 'citations_delta', citation })),
          ],
          whole: { type: 'text', text: pieces.join(''), ...(citations === undefined ? {} : { citations }) },
        },
      ];
    }
    case 'reasoning': {
      const pieces = piecesOf(part.text);
      const thinking = pieces.join('');
      const signature = signatureOf(thinking);
      const deltas = pieces.map((piece) => ({ type: 'thinking_delta', thinking: piece }));
      return [
        {
          start: { type: 'thinking', thinking: '', signature: '' },
          deltas: [...deltas, { type: 'signature_delta', signature }],
          whole: { type: 'thinking', thinking, signature },
        },
      ];
    }
    case 'call': {
      const { id, name } = part;
      const pieces = argumentsOf(part);
      return [
        {
          start: { type: 'tool_use', id, name, input: {} },
          deltas: pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
          whole: { type: 'tool_use', id, name, input: part.input ?? {} },
        },
      ];
    }
    case 'search': {
      const { id, query, results } = part;
      const call = { type: 'server_tool_use', id, name: 'web_search' };
      const content = results?.map((page) => ({
        type: 'web_search_result',
        ...page,
        encrypted_content: 'c2VlbQ==',
        page_age: null,
      }));
      const found = { type: 'web_search_tool_result', tool_use_id: id, content };
      return [
        {
          start: { ...call, input: {} },
          deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify({ query }) }],
          whole: { ...call, input: { query } },
        },
        ...(content === undefined ? [] : [{ start: found, deltas: [], whole: found }]),
      ];
    }
    case 'image':
      throw new Error('The Messages API makes no pictures.');
  }
}

function cited({ url, title }: Source): object {
  return { type: 'web_search_result_location', url, title, cited_text: title, encrypted_index: 'aW5kZXg=' };
}

function usage(said: Said) {
  const { input, output, cached, cacheWritten } = tokensOf(said);
  return {
    input_tokens: input - cached - cacheWritten,
    cache_creation_input_tokens: cacheWritten,
    cache_read_input_tokens: cached,
    output_tokens: output,
    service_tier: 'standard',
  };
}

function message({ n, model }: About) {
  return { id: `msg_${n}`, type: 'message', role: 'assistant', model };
}

function* events(said: Said, about: About): Generator<Frame> {
  const event = (data: { type: string } & Record<string, unknown>): string => frame(data, data.type);
  const open = { content: [], stop_reason: null, stop_sequence: null, usage: { ...usage(said), output_tokens: 1 } };
  yield event({ type: 'message_start', message: { ...message(about), ...open } });
  yield event({ type: 'ping' });
  let index = 0;
  for (const part of said.parts) {
    if (part.type === 'wait') {
      yield { wait: part.until };
      continue;
    }
    for (const { start, deltas } of blocksOf(part)) {
      yield event({ type: 'content_block_start', index, content_block: start });
      for (const delta of deltas) yield event({ type: 'content_block_delta', index, delta });
      yield event({ type: 'content_block_stop', index });
      index += 1;
    }
  }
  if (said.failure !== undefined) {
    const { type = 'api_error', message: text } = said.failure;
    yield event({ type: 'error', error: { type, message: text } });
    return;
  }
  const delta = { stop_reason: STOPS[finishOf(said)], stop_sequence: null };
  yield event({ type: 'message_delta', delta, usage: { output_tokens: usage(said).output_tokens } });
  yield event({ type: 'message_stop' });
}

/** The stand-in for Anthropic's Messages API. */
export const anthropic: Api = {
  kind: 'anthropic',
  path: '/messages',
  rules: RULES,
  problem: judgeBy(RULES, invalid),
  key: { header: 'x-api-key', before: '' },
  waits: 'seconds',
  whole(said, about) {
    const content = said.parts.flatMap((part) =>
      part.type === 'wait' ? [] : blocksOf(part).map(({ whole }) => whole),
    );
    return { ...message(about), content, stop_reason: STOPS[finishOf(said)], stop_sequence: null, usage: usage(said) };
  },
  events,
  failure: ({ status, type = errorType(status), message: text = `Status ${status}.` }) => ({
    status,
    body: { type: 'error', error: { type, message: text }, request_id: 'req_standin' },
  }),
};
