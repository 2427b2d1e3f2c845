import { afterEach, describe, expect, it } from 'vitest';
import { modelPort } from '../../../src/model/adapter';
import { defaultModel } from '../../../src/models';
import { type ModelServer, type ServerScript, startModelServer } from '../../support/wire/model-server';
import { ask, SEARCH, sorted, TRANSCRIPT } from './ask';

let server: ModelServer | undefined;

afterEach(() => server?.close());

async function portTo(script: ServerScript) {
  server = await startModelServer({ script });
  const env = { OFFSHOOT_MODEL: 'openai-compatible/test', OFFSHOOT_BASE_URL: server.url };
  return { server, port: modelPort(defaultModel, env) };
}

describe('a scripted model behind HTTP', () => {
  it('[M22][M25] answers by its script and counts', async () => {
    const { port, server: own } = await portTo([
      {
        thinking: 'Hm.',
        text: 'Two.',
        calls: [
          { name: 'search', input: { q: 'one' } },
          { name: 'search', rawInput: '{' },
        ],
      },
      { text: 'Done.', usage: { inputTokens: 9, cachedTokens: 4 } },
    ]);
    const first = await ask(port, { tools: [SEARCH] });
    expect(first.reply).toMatchObject({
      finishReason: 'tool-calls',
      model: 'openai-compatible/test',
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Two.' },
        { providerId: 'call_1_1', input: { q: 'one' } },
        { providerId: 'call_1_2', malformed: '{' },
      ],
    });
    const second = await ask(port, { messages: TRANSCRIPT, tools: [SEARCH] });
    expect(second.reply).toMatchObject({ finishReason: 'stop', usage: { inputTokens: 9, cachedTokens: 4 } });
    expect(own.requests).toMatchObject([
      { call: 1, model: 'test', system: 'You answer.', tools: ['search'], turns: 0 },
      { call: 2, model: 'test', system: 'You answer.', tools: ['search'], turns: 3 },
    ]);
    const third = await ask(port);
    expect(third.failure?.message).toContain('The script has no answer for call 3.');
  });

  it('[M26] fails, breaks off and hangs as told', async () => {
    const { port, server: own } = await portTo(({ call }) => {
      if (call === 1) return { fail: { status: 429, message: 'Slow.' } };
      if (call === 2) return { text: 'abcd', chunkSize: 2, failAfterChunks: 1 };
      if (call === 3) return { text: 'abcd', chunkSize: 2, failAfterChunks: 1, fail: { message: 'Oops.' } };
      return { text: 'ab', hang: 'forever' };
    });
    expect(sorted(await ask(port))).toEqual(['model_rate_limited', true]);
    expect(sorted(await ask(port))).toEqual(['model_unavailable', true]);
    const third = await ask(port);
    expect(sorted(third)).toEqual(['model_unavailable', true]);
    expect(third.failure?.message).toContain('Oops.');
    expect(sorted(await ask(port, { stallMs: 50 }))).toEqual(['model_timeout', true]);
    await own.requests[3]?.gone;
  });
});
