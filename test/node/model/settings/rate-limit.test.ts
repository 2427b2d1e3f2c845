/** Children at a provider's rate limit, with the real packages over HTTP. Nothing is asserted of time. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createSubAgentTool } from '../../../../src/core/definition/children/relationship';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import { modelPort } from '../../../../src/model/adapter';
import { createTestRuntime } from '../../../../src/testing';
import { call, say } from '../../../providers/replies';
import { type Served, startProvider } from '../../../providers/server';

const CHILDREN = 24;
const PER_ANSWER = 2;
/** Four requests in so many ms: slow enough that this machine comes to it, and fast enough to be waited for. */
const WINDOW_MS = 300;

const MODEL = {
  anthropic: (baseURL: string) => createAnthropic({ apiKey: 'k', baseURL })('claude-sonnet-4-5'),
  chat: (baseURL: string) => createOpenAI({ apiKey: 'k', baseURL }).chat('gpt-4o'),
  responses: (baseURL: string) => createOpenAI({ apiKey: 'k', baseURL })('gpt-5'),
  mistral: (baseURL: string) => createOpenAICompatible({ name: 'mistral', baseURL })('mistral-large-latest'),
};

async function served(...[kind, options]: Parameters<typeof startProvider>): Promise<Served> {
  const server = await startProvider(kind, options);
  onTestFinished(() => server.close());
  return server;
}

describe('a rate limit over HTTP', () => {
  it.each(['anthropic', 'chat', 'mistral'] as const)(
    '[MT4] 24 children at a limit of %s all complete, with at most two requests for an answer',
    async (kind) => {
      // A whole second, as the header has it, would make the test wait for seconds.
      const headers = kind === 'anthropic' ? ('none' as const) : undefined;
      // Its first window lasts until it has refused one, however slowly a busy machine asks.
      const now = (): number => (limited.requests.some(({ status }) => status === 429) ? Date.now() : 0);
      const limited: Served = await served(kind, {
        replies: () => say('Seen.'),
        rate: { requests: 4, windowMs: WINDOW_MS, now, ...(headers ? { headers } : {}) },
      });
      const own = await served('chat', {
        replies: ({ n }) =>
          n > 1
            ? say('All seen.')
            : {
                parts: Array.from(
                  { length: CHILDREN },
                  (_, at) => call(`call_${at}`, 'subagent__kid', { q: `${at}` }).parts,
                ).flat(),
              },
      });
      const limits = { modelRetryBaseMs: WINDOW_MS };
      const kid = defineAgent({
        name: 'kid',
        systemPrompt: 'Look.',
        model: MODEL[kind](limited.url),
        inputSchema: z.object({ q: z.string() }),
        limits,
      });
      const top = defineAgent({
        name: 'top',
        systemPrompt: 'Ask.',
        model: MODEL.chat(own.url),
        tools: [createSubAgentTool(kid)],
        limits: { ...limits, maxConcurrentCalls: CHILDREN },
      });
      const runtime = createTestRuntime({ agents: [top, kid] });
      onTestFinished(() => runtime.close());
      const run = await runtime.execute(top, 'Go.');
      expect(await run.result()).toEqual({ status: 'completed', output: 'All seen.' });
      const told = own.requests.at(-1)?.text ?? '';
      expect(told.match(/Seen\./g)).toHaveLength(CHILDREN);
      expect(limited.requests.filter(({ status }) => status === 200)).toHaveLength(CHILDREN);
      expect(limited.requests.some(({ status }) => status === 429)).toBe(true);
      expect(limited.requests.length).toBeLessThanOrEqual(CHILDREN * PER_ANSWER);
    },
  );

  it.each([
    ['anthropic', 'anthropic.messages'],
    ['chat', 'openai.chat'],
    ['responses', 'openai.responses'],
    ['mistral', 'mistral.chat'],
  ] as const)('[MT8] a model of %s names its provider', async (kind, name) => {
    expect(await modelPort(() => MODEL[kind]('http://there/v1'), {}).provider?.()).toBe(name);
  });
});
