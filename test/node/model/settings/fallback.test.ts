/** Models of one agent at two providers: each failure of the first, at rest and in the middle of a stream. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import { defineTool } from '../../../../src/core/definition/define-tool';
import { createTestRuntime } from '../../../../src/testing';
import { call, type Reply, say } from '../../../providers/replies';
import { type InProcess, type ProviderKind, provider } from '../../../providers/server';

type Fetch = typeof globalThis.fetch;

const MODEL = {
  anthropic: (fetch: Fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5'),
  responses: (fetch: Fetch) => createOpenAI({ apiKey: 'k', fetch })('gpt-5'),
  chat: (fetch: Fetch) => createOpenAI({ apiKey: 'k', fetch }).chat('gpt-4o'),
  mistral: (fetch: Fetch) =>
    createOpenAICompatible({ name: 'openai-compatible', baseURL: 'http://there/v1', fetch })('mistral-large-latest'),
  deepseek: (fetch: Fetch) =>
    createOpenAICompatible({ name: 'openai-compatible', baseURL: 'http://there/v1', fetch })('deepseek-v4-flash'),
} as const satisfies Record<ProviderKind, unknown>;

/** Each provider with the one that is asked after it. */
const PAIRS: readonly (readonly [ProviderKind, ProviderKind])[] = [
  ['anthropic', 'responses'],
  ['responses', 'chat'],
  ['chat', 'mistral'],
  ['mistral', 'deepseek'],
  ['deepseek', 'anthropic'],
];

const HALF = { type: 'text', text: ['Half ', 'of ', 'an ', 'answer.'] } as const;
const HALF_CALL = {
  type: 'call',
  id: 'call_half',
  name: 'work',
  pieces: ['{"n"', ': 1', '1}'],
} as const;

/** What the first model answers with in place of a reply. */
const FAILURES: Readonly<Record<string, Reply>> = {
  'a rate limit': { status: 429, message: 'Slow down.' },
  'an overload': { status: 503, message: 'Overloaded.' },
  'an outage': { status: 500, message: 'Oops.' },
  'refused credentials': { status: 401, message: 'Invalid API key.' },
  'an answer that is none': { status: 502, body: '<html>Bad gateway</html>' },
  'nothing said': { parts: [] },
  'an error behind half of a text': { parts: [HALF], failure: { type: 'api_error', message: 'Internal error.' } },
  'a connection lost behind half of a text': { parts: [HALF], broken: { after: 4, how: 'lost' } },
  'a stream that ends within a call': { parts: [HALF, HALF_CALL], broken: { after: 7, how: 'ended' } },
};

const work = defineTool({
  name: 'work',
  description: 'Works.',
  inputSchema: z.object({ n: z.number().optional() }),
  execute: () => 'ok',
});

/** An agent whose first model works for one step, then fails until the next turn. */
function twoModels(kinds: readonly [ProviderKind, ProviderKind], failure: Reply) {
  const fails = { is: true };
  const asked: ProviderKind[] = [];
  const replyOf = (at: 0 | 1) => () => {
    asked.push(kinds[at]);
    const n = asked.length;
    if (n === 1) return call('call_one', 'work', { n: 1 });
    if (at === 0) return fails.is ? failure : say('From the first.');
    return say('From the second.');
  };
  const apis = kinds.map((kind, at) => provider(kind, { replies: replyOf(at === 0 ? 0 : 1) }));
  const [first, second] = apis as [InProcess, InProcess];
  const agent = defineAgent({
    name: 'plain',
    systemPrompt: 'Help.',
    models: [MODEL[kinds[0]](first.fetch), MODEL[kinds[1]](second.fetch)],
    tools: [work],
    limits: { modelRetryBaseMs: 1, modelRetries: 1 },
  });
  const runtime = createTestRuntime({ agents: [agent], report: () => undefined });
  onTestFinished(() => runtime.close());
  return { fails, asked, apis, begin: () => runtime.execute(agent, 'Go.') };
}

const TRIES = PAIRS.flatMap((pair) => Object.keys(FAILURES).map((name) => [...pair, name] as const));

describe('a first model that fails in the middle of a run', () => {
  it.each(TRIES)('[FM1, FM4, FM7] hands the run over, and is asked first in the next: %s, %s: %s', async (...at) => {
    const [one, other, name] = at;
    const failure = FAILURES[name];
    if (failure === undefined) throw new Error('There is no such failure.');
    const { fails, asked, apis, begin } = twoModels([one, other], failure);
    const run = await begin();
    expect(await run.result()).toEqual({ status: 'completed', output: 'From the second.' });
    expect(asked.at(-1)).toBe(other);
    // Nothing of the broken reply was said: neither kept, nor sent on.
    expect(JSON.stringify(run.messages())).not.toMatch(/Half|call_half/);
    expect(apis[1]?.requests.map(({ text }) => text).join()).not.toMatch(/Half|call_half/);
    fails.is = false;
    asked.length = 1;
    await run.send('And now?');
    expect(await run.result()).toEqual({ status: 'completed', output: 'From the first.' });
    expect(asked.slice(1)).toEqual([one]);
    // Each request fitted the rules of its provider.
    expect(apis.flatMap(({ requests }) => requests.flatMap(({ problem }) => problem ?? []))).toEqual([]);
  });
});
