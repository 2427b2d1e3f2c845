/** Runs of an agent whose provider answers as scripted, through a real package. */

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/core/definition/define-agent';
import { defineTool } from '../../../../src/core/definition/define-tool';
import type { Price } from '../../../../src/core/definition/definition';
import { createTestRuntime } from '../../../../src/testing';
import { type Reply, say } from '../../../providers/replies';
import { type ProviderKind, provider } from '../../../providers/server';

/** What a package asks its server by. */
export type Fetch = typeof globalThis.fetch;
interface Own {
  readonly outputSchema?: z.ZodType;
  readonly limits?: { readonly maxSameFailures: number };
  readonly price?: Price;
}

/** A tool that works. */
const work = defineTool({
  name: 'work',
  description: 'Works.',
  inputSchema: z.object({ n: z.number().optional() }),
  execute: ({ n = 0 }) => `worked ${n}`,
});

/** A model of a server that speaks OpenAI's protocol, by the name that its author gave it. */
export const compatible = (name: string, model: string) => (fetch: Fetch) =>
  createOpenAICompatible({ name, baseURL: 'http://there/v1', fetch })(model);
/** A model of OpenAI by its older API. */
export const openai = (fetch: Fetch) => createOpenAI({ apiKey: 'k', fetch }).chat('gpt-4o');

/** Runs an agent whose provider answers so; returns its end, its requests and its messages. */
export async function ran(
  kind: ProviderKind,
  replies: readonly Reply[] | ((n: number) => Reply),
  model: (fetch: Fetch) => LanguageModelV4,
  own: Own = {},
) {
  const api = provider(kind, { replies: typeof replies === 'function' ? ({ n }) => replies(n) : replies });
  const agent = defineAgent({
    name: 'plain',
    systemPrompt: 'Help.',
    model: model(api.fetch),
    tools: [work],
    ...own,
    limits: { modelRetryBaseMs: 1, ...own.limits },
  });
  const reports: string[] = [];
  const runtime = createTestRuntime({ agents: [agent], report: (problem) => reports.push(problem) });
  onTestFinished(() => runtime.close());
  const run = await runtime.execute(agent, 'Go.');
  const result = await run.result();
  const results = run.messages().flatMap((one) => (one.role === 'tool' ? [one.result] : []));
  return { result, results, requests: api.requests, messages: run.messages(), usage: run.usage(), reports, run };
}

/** A reply that ends a run. */
export const done = say('Done.');
