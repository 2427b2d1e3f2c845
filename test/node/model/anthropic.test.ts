import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it } from 'vitest';
import { modelPort } from '../../../src/model/adapter';
import { defaultModel } from '../../../src/models';
import { anthropicError, anthropicFrames, event } from '../../support/wire/anthropic';
import { type Answer, frame } from '../../support/wire/server';
import { afterwards, ask, provider, SEARCH, sorted } from './ask';
import { wireSuite } from './wire-suite';

const SENT = {
  system: [{ type: 'text', text: 'You answer.' }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Find both.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: 'call_a', name: 'search', input: { q: 'one' } },
        { type: 'tool_use', id: 'call_b', name: 'search', input: { q: 'two' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_a', content: '{"hits":["first"]}' },
        {
          type: 'tool_result',
          tool_use_id: 'call_b',
          content: '{"success":false,"error":"No index.","code":"tool_failed"}',
          is_error: true,
        },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_a_2', name: 'search', input: { q: 'one' } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_a_2', content: 'plain text' },
        { type: 'text', text: 'And now?' },
      ],
    },
  ],
  tools: [{ name: 'search', description: 'Searches.', input_schema: SEARCH.inputSchema }],
  tool_choice: { type: 'auto' },
  stream: true,
};

wireSuite({
  name: 'Anthropic Messages',
  model: 'anthropic/claude-test-2026',
  create: (baseURL) => createAnthropic({ baseURL, apiKey: 'k' })('claude-test'),
  frames: anthropicFrames,
  error: anthropicError,
  errorFrame: (message) => frame(anthropicError(message, 'overloaded_error'), 'error'),
  sent: SENT,
  thinks: true,
});

describe('what Anthropic Messages alone does', () => {
  it('[M8] gets its signed thoughts back', async () => {
    const calls = [{ id: 'toolu_1', name: 'search', args: ['{"q":"one"}'] }];
    const server = await provider({ kind: 'stream', frames: anthropicFrames({ thinking: ['Hm.'], calls }) });
    const port = modelPort(createAnthropic({ baseURL: server.url, apiKey: 'k' })('claude-test'));
    const first = await ask(port, { tools: [SEARCH] });
    await ask(port, { messages: afterwards(first), tools: [SEARCH] });
    expect(server.requests[1]?.body.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'EqQBCg-signed' },
          { type: 'tool_use', id: 'toolu_1', name: 'search', input: { q: 'one' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '"done"' }] },
    ]);
  });

  it('[M17] takes a stream that begins with an error for that error', async () => {
    const first = (type: string): Answer => ({
      kind: 'stream',
      frames: [frame(anthropicError('Not now.', type), 'error')],
    });
    const server = await provider(first('overloaded_error'), first('rate_limit_error'), first('authentication_error'));
    const port = modelPort(createAnthropic({ baseURL: server.url, apiKey: 'k' })('claude-test'));
    expect(sorted(await ask(port))).toEqual(['model_overloaded', true]);
    expect(sorted(await ask(port))).toEqual(['model_rate_limited', true]);
    expect(sorted(await ask(port))).toEqual(['model_unauthorized', false]);
  });

  it('[M33][M31] shows its pings as signs of life, and sends its key in its own header', async () => {
    const pings = [...anthropicFrames({}).slice(0, 1), event('ping', {}), event('ping', {})];
    const server = await provider({ kind: 'stream', frames: pings, after: 'hang' });
    const env = {
      OFFSHOOT_MODEL: 'anthropic/claude-test',
      ANTHROPIC_API_KEY: 'k-123456',
      OFFSHOOT_BASE_URL: server.url,
    };
    const model = await defaultModel(env);
    if (typeof model === 'string') throw new Error('A model object is due.');
    const { stream } = await model.doStream({ prompt: [] });
    let count = 0;
    for await (const part of stream) {
      if (part.type === 'ping') count += 1;
      if (count === 2) break;
    }
    expect(count).toBe(2);
    expect(server.requests[0]?.headers['x-api-key']).toBe('k-123456');
  });
});
