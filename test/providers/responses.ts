/** OpenAI's Responses API: what it refuses, and how it answers. */

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
import { failure, invalid } from './rules/openai-api';
import { RESPONSES_RULES } from './rules/responses-rules';
import { judgeBy } from './rules/rule';

/** One event, without its number. */
type Happening = { readonly type: string } & Record<string, unknown>;

/** An item of the output: as it begins, what is sent of it, and as it is once whole. */
interface Output {
  readonly start: object;
  readonly between: readonly Happening[];
  readonly whole: object;
}

function usage(said: Said) {
  const { input, output, cached, reasoning } = tokensOf(said);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

/** The item of a part, which is the `at`th of reply `n`. */
function output(part: Exclude<Part, { type: 'wait' }>, n: number, at: number): Output {
  const place = { output_index: at };
  switch (part.type) {
    case 'text':
      return textOutput(part, `msg_${n}_${at}`, at);
    case 'reasoning': {
      const id = `rs_${n}_${at}`;
      const within = { item_id: id, ...place, summary_index: 0 };
      const pieces = piecesOf(part.text);
      const item = { type: 'reasoning', id, encrypted_content: 'ZW5j' };
      const summary = { type: 'summary_text', text: pieces.join('') };
      return {
        start: { ...item, summary: [] },
        between: [
          { type: 'response.reasoning_summary_part.added', ...within, part: { type: 'summary_text', text: '' } },
          ...pieces.map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...within, delta })),
          { type: 'response.reasoning_summary_part.done', ...within, part: summary },
        ],
        whole: { ...item, summary: [summary] },
      };
    }
    case 'call': {
      const id = `fc_${n}_${at}`;
      const pieces = argumentsOf(part);
      const item = { type: 'function_call', id, call_id: part.id, name: part.name };
      const text = pieces.join('');
      return {
        start: { ...item, arguments: '', status: 'in_progress' },
        between: [
          ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', item_id: id, ...place, delta })),
          { type: 'response.function_call_arguments.done', item_id: id, ...place, arguments: text },
        ],
        whole: { ...item, arguments: text, status: 'completed' },
      };
    }
    case 'image': {
      const item = { type: 'image_generation_call', id: part.id };
      return {
        start: { ...item, status: 'in_progress' },
        between: [
          {
            type: 'response.image_generation_call.partial_image',
            item_id: part.id,
            ...place,
            partial_image_index: 0,
            partial_image_b64: part.data,
          },
        ],
        whole: { ...item, status: 'completed', result: part.data },
      };
    }
    case 'search': {
      const item = { type: 'web_search_call', id: part.id };
      const sources = (part.results ?? []).map(({ url }) => ({ type: 'url', url }));
      return {
        start: { ...item, status: 'in_progress' },
        between: [],
        whole: { ...item, status: 'completed', action: { type: 'search', query: part.query, sources } },
      };
    }
  }
}

function textOutput(part: Extract<Part, { type: 'text' }>, id: string, output_index: number): Output {
  const pieces = piecesOf(part.text);
  const within = { item_id: id, output_index, content_index: 0 };
  const annotations = (part.sources ?? []).map(({ url, title }) => ({
    type: 'url_citation',
    start_index: 0,
    end_index: 1,
    url,
    title,
  }));
  const item = { type: 'message', id, role: 'assistant' };
  const text = { type: 'output_text', text: pieces.join(''), annotations, logprobs: [] };
  return {
    start: { ...item, status: 'in_progress', content: [] },
    between: [
      { type: 'response.content_part.added', ...within, part: { type: 'output_text', text: '', annotations: [] } },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...within, delta, logprobs: [] })),
      ...annotations.map((annotation, annotation_index) => ({
        type: 'response.output_text.annotation.added',
        ...within,
        annotation_index,
        annotation,
      })),
      { type: 'response.output_text.done', ...within, text: text.text, logprobs: [] },
      { type: 'response.content_part.done', ...within, part: text },
    ],
    whole: { ...item, status: 'completed', content: [text] },
  };
}

/** The reasons of replies that are incomplete. */
const CUT: Readonly<Partial<Record<Finish, string>>> = {
  length: 'max_output_tokens',
  filter: 'content_filter',
  refusal: 'content_filter',
};

/** Status and details of a reply that ended. */
function ending(said: Said): object {
  const finish = finishOf(said);
  const reason = CUT[finish];
  return reason === undefined
    ? { status: 'completed', incomplete_details: null }
    : { status: 'incomplete', incomplete_details: { reason } };
}

function head({ n, model }: About) {
  return { id: `resp_${n}`, object: 'response', created_at: 1, model, error: null, service_tier: 'default' };
}

function* events(said: Said, about: About): Generator<Frame> {
  let sequence_number = 0;
  const event = ({ type, ...data }: Happening): string => {
    sequence_number += 1;
    return frame({ type, sequence_number: sequence_number - 1, ...data }, type);
  };
  const begun = { ...head(about), status: 'in_progress', incomplete_details: null, output: [], usage: null };
  yield event({ type: 'response.created', response: begun });
  yield event({ type: 'response.in_progress', response: begun });
  const whole: object[] = [];
  for (const part of said.parts) {
    if (part.type === 'wait') {
      yield { wait: part.until };
      continue;
    }
    const output_index = whole.length;
    const item = output(part, about.n, output_index);
    yield event({ type: 'response.output_item.added', output_index, item: item.start });
    for (const between of item.between) yield event(between);
    yield event({ type: 'response.output_item.done', output_index, item: item.whole });
    whole.push(item.whole);
  }
  if (said.failure !== undefined) {
    const { message, code = 'server_error' } = said.failure;
    const failed = {
      ...head(about),
      status: 'failed',
      incomplete_details: null,
      output: whole,
      error: { code, message },
    };
    yield event({ type: 'response.failed', response: failed });
    return;
  }
  const end = ending(said);
  const type = 'status' in end && end.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
  yield event({ type, response: { ...head(about), ...end, output: whole, usage: usage(said) } });
}

/** The stand-in for OpenAI's Responses API. */
export const responses: Api = {
  kind: 'responses',
  path: '/responses',
  rules: RESPONSES_RULES,
  problem: judgeBy(RESPONSES_RULES, invalid),
  key: { header: 'authorization', before: 'Bearer ' },
  waits: 'seconds and ms',
  whole(said, about) {
    const parts = said.parts.flatMap((part) => (part.type === 'wait' ? [] : [part]));
    const items = parts.map((part, at) => output(part, about.n, at).whole);
    return { ...head(about), ...ending(said), output: items, usage: usage(said) };
  },
  events,
  failure,
};
