import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { modelPort } from '../../../src/model/adapter';
import { defaultModel } from '../../../src/models';
import { openaiError } from '../../support/wire/openai-chat';
import { responsesFrames } from '../../support/wire/openai-responses';
import { frame } from '../../support/wire/server';
import { afterwards, ask, provider, SEARCH, sorted } from './ask';
import { wireSuite } from './wire-suite';

const SENT = {
  input: [
    { role: 'system', content: 'You answer.' },
    { role: 'user', content: [{ type: 'input_text', text: 'Find both.' }] },
    { role: 'assistant', content: 'Looking.' },
    { type: 'function_call', call_id: 'call_a', name: 'search', arguments: '{"q":"one"}' },
    { type: 'function_call', call_id: 'call_b', name: 'search', arguments: '{"q":"two"}' },
    { type: 'function_call_output', call_id: 'call_a', output: '{"hits":["first"]}' },
    {
      type: 'function_call_output',
      call_id: 'call_b',
      output: '{"error":{"success":false,"error":"No index.","code":"tool_failed"}}',
    },
    { type: 'function_call', call_id: 'call_a_2', name: 'search', arguments: '{"q":"one"}' },
    { type: 'function_call_output', call_id: 'call_a_2', output: 'plain text' },
    { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
  ],
  tools: [{ type: 'function', name: 'search', description: 'Searches.', parameters: SEARCH.inputSchema }],
  tool_choice: 'auto',
  stream: true,
};

wireSuite({
  name: 'OpenAI Responses',
  model: 'openai/gpt-test-2026',
  create: (baseURL) => createOpenAI({ baseURL, apiKey: 'k' })('gpt-test'),
  frames: responsesFrames,
  error: openaiError,
  errorFrame: (message) =>
    frame({ type: 'error', sequence_number: 9, code: 'server_error', message, param: null }, 'error'),
  sent: SENT,
  thinks: true,
});

describe('what OpenAI Responses alone does', () => {
  it('[M8][M31] gets its sealed thoughts and the items of a reply back, with nothing kept at the provider', async () => {
    const calls = [{ id: 'call_a', name: 'search', args: ['{"q":"one"}'] }];
    const server = await provider({
      kind: 'stream',
      frames: responsesFrames({ thinking: ['Hm.'], text: ['So.'], calls }),
    });
    const env = { OFFSHOOT_MODEL: 'openai/gpt-5', OPENAI_API_KEY: 'k-123456', OFFSHOOT_BASE_URL: server.url };
    const port = modelPort(defaultModel, env);
    const first = await ask(port, { tools: [SEARCH] });
    await ask(port, { messages: afterwards(first), tools: [SEARCH] });
    expect(server.requests[1]?.body).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      input: [
        { role: 'developer', content: 'You answer.' },
        { role: 'user' },
        { type: 'reasoning', encrypted_content: 'gAAAAB-sealed', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        { role: 'assistant', content: 'So.' },
        { type: 'function_call', call_id: 'call_a' },
        { type: 'function_call_output', call_id: 'call_a', output: '"done"' },
      ],
    });
    expect(server.requests[1]?.headers.authorization).toBe('Bearer k-123456');
  });

  it('[M17] does not repeat where the account is empty, also when the stream says so', async () => {
    const error = { type: 'insufficient_quota', code: 'insufficient_quota', message: 'You exceeded your quota.' };
    const server = await provider(
      { kind: 'body', status: 429, body: JSON.stringify({ error }) },
      { kind: 'stream', frames: [frame({ ...error, type: 'error', sequence_number: 0, param: null }, 'error')] },
    );
    const port = modelPort(createOpenAI({ baseURL: server.url, apiKey: 'k' })('gpt-test'));
    expect(sorted(await ask(port))).toEqual(['model_rate_limited', false]);
    expect(sorted(await ask(port))).toEqual(['model_rate_limited', false]);
  });
});
