/** The stream of OpenAI's Chat Completions API, which most other servers speak too. */
import { stopOf, WIRE_USAGE, type WireReply } from './reply';
import { frame } from './server';

/** The events of a reply. `reasoning_content` is what compatible servers add for thinking. */
export function chatFrames(reply: WireReply, model = 'gpt-test-2026'): string[] {
  const chunk = (choices: readonly unknown[], usage: unknown = null): string =>
    frame({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_790_000_000, model, choices, usage });
  const delta = (content: object): string => chunk([{ index: 0, delta: content, logprobs: null, finish_reason: null }]);
  const frames = [delta({ role: 'assistant', content: '', refusal: null })];
  for (const text of reply.thinking ?? []) frames.push(delta({ reasoning_content: text }));
  for (const content of reply.text ?? []) frames.push(delta({ content }));
  if (reply.refusal !== undefined) frames.push(delta({ refusal: reply.refusal }));
  for (const [index, { id, name, args }] of (reply.calls ?? []).entries()) {
    frames.push(delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }));
    for (const piece of args) frames.push(delta({ tool_calls: [{ index, function: { arguments: piece } }] }));
  }
  const finish_reason = { end: 'stop', calls: 'tool_calls', length: 'length', filter: 'content_filter' }[stopOf(reply)];
  frames.push(chunk([{ index: 0, delta: {}, logprobs: null, finish_reason }]));
  frames.push(chunk([], chatUsage(reply)), frame('[DONE]'));
  return frames;
}

function chatUsage(reply: WireReply): object {
  const { input, cached, output, reasoning } = reply.usage ?? WIRE_USAGE;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  };
}

/** The body of an error, as both of OpenAI's APIs answer it. */
export function openaiError(message: string, type = 'server_error', code: string | null = null): string {
  return JSON.stringify({ error: { message, type, param: null, code } });
}
