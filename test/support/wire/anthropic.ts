/** The stream of Anthropic's Messages API. */
import { stopOf, WIRE_USAGE, type WireReply } from './reply';
import { frame } from './server';

interface Block {
  readonly begin: object;
  readonly deltas: readonly object[];
}

/** The events of a reply. */
export function anthropicFrames(reply: WireReply, model = 'claude-test-2026'): string[] {
  const { input, cached, output, reasoning } = reply.usage ?? WIRE_USAGE;
  const counted = { input_tokens: input - cached, cache_creation_input_tokens: 0, cache_read_input_tokens: cached };
  const start = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null };
  const frames = [
    event('message_start', { message: { ...start, stop_sequence: null, usage: { ...counted, output_tokens: 1 } } }),
  ];
  for (const [index, { begin, deltas }] of blocks(reply).entries()) {
    frames.push(event('content_block_start', { index, content_block: begin }), event('ping', {}));
    for (const delta of deltas) frames.push(event('content_block_delta', { index, delta }));
    frames.push(event('content_block_stop', { index }));
  }
  const stop_reason = { end: 'end_turn', calls: 'tool_use', length: 'max_tokens', filter: 'refusal' }[stopOf(reply)];
  const usage = { ...counted, output_tokens: output, output_tokens_details: { thinking_tokens: reasoning } };
  frames.push(
    event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }),
    event('message_stop', {}),
  );
  return frames;
}

/** One event, which repeats its name as its type. */
export function event(type: string, fields: object): string {
  return frame({ type, ...fields }, type);
}

function blocks(reply: WireReply): Block[] {
  const found: Block[] = [];
  if (reply.thinking) {
    const thoughts = reply.thinking.map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signature = { type: 'signature_delta', signature: 'EqQBCg-signed' };
    found.push({ begin: { type: 'thinking', thinking: '', signature: '' }, deltas: [...thoughts, signature] });
  }
  const said = [...(reply.text ?? []), ...(reply.refusal === undefined ? [] : [reply.refusal])];
  if (said.length > 0) {
    found.push({ begin: { type: 'text', text: '' }, deltas: said.map((text) => ({ type: 'text_delta', text })) });
  }
  for (const { id, name, args } of reply.calls ?? []) {
    const deltas = args.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    found.push({ begin: { type: 'tool_use', id, name, input: {} }, deltas });
  }
  return found;
}

/** The body of an error, and the data of an error event. */
export function anthropicError(message: string, type = 'api_error'): string {
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' });
}
