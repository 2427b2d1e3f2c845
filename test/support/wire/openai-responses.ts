/** The stream of OpenAI's Responses API. */
import { stopOf, WIRE_USAGE, type WireReply } from './reply';
import { frame } from './server';

interface Item {
  readonly begin: object;
  readonly steps: readonly (readonly [type: string, fields: object])[];
  readonly done: object;
}

/** The events of a reply. */
export function responsesFrames(reply: WireReply, model = 'gpt-test-2026'): string[] {
  const frames: string[] = [];
  const emit = (type: string, fields: object): void => {
    frames.push(frame({ type, sequence_number: frames.length, ...fields }, type));
  };
  const response = { id: 'resp_1', object: 'response', created_at: 1_790_000_000, model, output: [], error: null };
  emit('response.created', { response: { ...response, status: 'in_progress', usage: null } });
  emit('response.in_progress', { response: { ...response, status: 'in_progress', usage: null } });
  for (const [output_index, { begin, steps, done }] of items(reply).entries()) {
    emit('response.output_item.added', { output_index, item: begin });
    for (const [type, fields] of steps) emit(type, { output_index, ...fields });
    emit('response.output_item.done', { output_index, item: done });
  }
  const stop = stopOf(reply);
  const cut = stop === 'length' ? 'max_output_tokens' : stop === 'filter' ? 'content_filter' : undefined;
  const status = cut === undefined ? 'completed' : 'incomplete';
  const incomplete_details = cut === undefined ? null : { reason: cut };
  emit(`response.${status}`, { response: { ...response, status, incomplete_details, usage: usage(reply) } });
  return frames;
}

function items(reply: WireReply): Item[] {
  const found: Item[] = [];
  if (reply.thinking) found.push(reasoning(reply.thinking));
  if (reply.text) found.push(message(reply.text));
  if (reply.refusal !== undefined) found.push(refusal(reply.refusal));
  for (const call of reply.calls ?? []) found.push(functionCall(call));
  return found;
}

function reasoning(pieces: readonly string[]): Item {
  const item = { id: 'rs_1', type: 'reasoning' };
  const at = { item_id: item.id, summary_index: 0 };
  const text = pieces.join('');
  return {
    begin: { ...item, summary: [], encrypted_content: null },
    steps: [
      ['response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } }],
      ...pieces.map((delta) => ['response.reasoning_summary_text.delta', { ...at, delta }] as const),
      ['response.reasoning_summary_text.done', { ...at, text }],
      ['response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } }],
    ],
    done: { ...item, summary: [{ type: 'summary_text', text }], encrypted_content: 'gAAAAB-sealed' },
  };
}

function message(pieces: readonly string[]): Item {
  const item = { id: 'msg_1', type: 'message', role: 'assistant' };
  const at = { item_id: item.id, content_index: 0 };
  const part = { type: 'output_text', text: pieces.join(''), annotations: [], logprobs: [] };
  return {
    begin: { ...item, status: 'in_progress', content: [] },
    steps: [
      ['response.content_part.added', { ...at, part: { ...part, text: '' } }],
      ...pieces.map((delta) => ['response.output_text.delta', { ...at, delta, logprobs: [] }] as const),
      ['response.output_text.done', { ...at, text: part.text, logprobs: [] }],
      ['response.content_part.done', { ...at, part }],
    ],
    done: { ...item, status: 'completed', content: [part] },
  };
}

function refusal(text: string): Item {
  const item = { id: 'msg_1', type: 'message', role: 'assistant' };
  const at = { item_id: item.id, content_index: 0 };
  return {
    begin: { ...item, status: 'in_progress', content: [] },
    steps: [
      ['response.content_part.added', { ...at, part: { type: 'refusal', refusal: '' } }],
      ['response.refusal.delta', { ...at, delta: text }],
      ['response.refusal.done', { ...at, refusal: text }],
      ['response.content_part.done', { ...at, part: { type: 'refusal', refusal: text } }],
    ],
    done: { ...item, status: 'completed', content: [{ type: 'refusal', refusal: text }] },
  };
}

function functionCall({ id, name, args }: NonNullable<WireReply['calls']>[number]): Item {
  const item = { id: `fc_${id}`, type: 'function_call', call_id: id, name };
  return {
    begin: { ...item, status: 'in_progress', arguments: '' },
    steps: [
      ...args.map((delta) => ['response.function_call_arguments.delta', { item_id: item.id, delta }] as const),
      ['response.function_call_arguments.done', { item_id: item.id, arguments: args.join('') }],
    ],
    done: { ...item, status: 'completed', arguments: args.join('') },
  };
}

function usage(reply: WireReply): object {
  const { input, cached, output, reasoning: thought } = reply.usage ?? WIRE_USAGE;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: thought },
    total_tokens: input + output,
  };
}
