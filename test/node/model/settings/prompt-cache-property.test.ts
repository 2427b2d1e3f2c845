/** Marks of the prompt cache, whatever an agent remembers, and whatever its author marks. */

import { createAnthropic } from '@ai-sdk/anthropic';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelRequest, ToolSpec } from '../../../../src/core/definition/model-port';
import { modelPort } from '../../../../src/model/adapter';
import type { Message, TextPart } from '../../../../src/protocol/messages';
import { say } from '../../../providers/replies';
import { type Body, blocksOf } from '../../../providers/rules/anthropic-api';
import { provider } from '../../../providers/server';
import { present } from '../../../support/present';
import { always, sized } from '../../../support/sizes';
import { ask } from '../ask';
import { drawn } from '../request/transcripts';

const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;
const WEB = { name: 'web_search', id: 'anthropic.web_search_20250305', args: {} } as const;

type Asked = Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'settings' | 'providerTools'>;

/** The tools of a request, of which the author marks some. */
const tools = fc.array(fc.boolean(), { maxLength: 6 }).map((marks) =>
  marks.map((isMarked, at): ToolSpec => {
    const tool = {
      name: `tool_${at}`,
      description: 'Works.',
      inputSchema: { type: 'object', properties: {} },
    } as const;
    return isMarked ? { ...tool, providerOptions: MARK } : tool;
  }),
);

const settings = fc.constantFrom<NonNullable<Asked['settings']>>(
  {},
  { reasoning: { effort: 'high' } },
  { toolChoice: 'required' },
  { promptCache: false },
);

/** A history in which the author marks so many texts, from the first on. */
function withMarks(messages: readonly Message[], most: number): Message[] {
  let left = most;
  const marked = <Part extends { type: string }>(part: Part): Part =>
    part.type === 'text' && left-- > 0 ? { ...part, providerMetadata: MARK } : part;
  return messages.map((message): Message => {
    if (message.role === 'assistant') return { ...message, content: message.content.map(marked) };
    if (message.role !== 'user') return message;
    const parts: readonly TextPart[] | (typeof message)['content'] =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    return { ...message, content: typeof parts === 'string' ? parts : parts.map(marked) };
  });
}

/** A request as its blocks, in the order in which the cache reads them. */
function blocks(body: Body): { readonly bytes: string; readonly isMarked: boolean }[] {
  const all = [
    ...(body.tools ?? []).map((tool) => ['tool', tool] as const),
    ...(body.system === undefined ? [] : blocksOf(body.system)).map((block) => ['system', block] as const),
    ...body.messages.flatMap(({ role, content }) => blocksOf(content).map((block) => [role, block] as const)),
  ];
  return all.map(([role, block]) => ({
    bytes: JSON.stringify([role, block], (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
    isMarked: JSON.stringify(block).includes('"cache_control"'),
  }));
}

/** The bodies of these requests, each of which Anthropic takes. */
async function bodiesOf(model: string, requests: readonly Asked[]): Promise<Body[]> {
  const api = provider('anthropic', { replies: () => say('Yes.') });
  const port = modelPort(createAnthropic({ apiKey: 'k', fetch: api.fetch })(model));
  for (const request of requests) await ask(port, request);
  expect(api.requests.map(({ problem, text }) => problem && [problem.rule, text])).toEqual(
    requests.map(() => undefined),
  );
  return api.requests.map(({ body }) => body as Body);
}

const marksIn = (body: Body): number => [...JSON.stringify(body).matchAll(/"cache_control"/g)].length;
const models = fc.constantFrom('claude-sonnet-4-6', 'claude-opus-4-8', 'claude-sonnet-4-5');
const ROUNDS = sized(300, 5_000);
const SAID: Message = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] };

describe('the marks of any request to Anthropic', () => {
  it('[M85] are four at most, none on a thought, whatever the author marks and however tools and settings change', async () => {
    const drawnRequests = fc.tuple(drawn, fc.nat(6), tools, tools, settings, settings, models, fc.boolean());
    await always(
      fc.asyncProperty(drawnRequests, async ([one, marks, before, after, first, second, model, searches]) => {
        const messages = withMarks(one.messages, marks);
        const providerTools = searches ? [WEB] : [];
        const bodies = await bodiesOf(model, [
          { system: one.system, messages, tools: before, settings: first, providerTools },
          {
            system: one.system,
            messages: [...messages, SAID, ...withMarks(one.more, marks)],
            tools: after,
            settings: second,
            providerTools: [],
          },
        ]);
        for (const body of bodies) expect(marksIn(body)).toBeLessThanOrEqual(4);
        // Without marks of the author, the tools, the system prompt and the end have one of ours.
        const [body] = bodies;
        const isPlain = marks === 0 && !before.some(({ providerOptions }) => providerOptions);
        if (isPlain && first.promptCache !== false && body) expect(marksIn(body)).toBeGreaterThan(0);
        if (isPlain && first.promptCache === false && body) expect(marksIn(body)).toBe(0);
      }),
      ROUNDS,
    );
  });

  it.each(['claude-sonnet-4-6', 'claude-opus-4-8'])(
    '[M69, M72] %s has no system prompt but that of the agent, whatever a later message of that role says',
    async (model) => {
      const messages: Message[] = [
        { role: 'user', content: 'Hi.' },
        { role: 'system', content: 'Be short.' },
      ];
      const [none, own] = await bodiesOf(model, [
        { system: '', messages, tools: [] },
        { system: 'Help.', messages, tools: [] },
      ]);
      expect(none?.system).toBeUndefined();
      expect(JSON.stringify(none?.messages)).toContain('Be short.');
      expect(JSON.stringify(own?.system)).toContain('Help.');
      expect(JSON.stringify(own?.system)).not.toContain('Be short.');
    },
  );

  it('[M72, M84] end a beginning that the next request has byte for byte, unless tools or system prompt change', async () => {
    await always(
      fc.asyncProperty(drawn, tools, models, async (one, given, model) => {
        const request = { system: one.system, tools: given };
        const longer = [...one.messages, SAID, ...one.more];
        const [first, second] = await bodiesOf(model, [
          { ...request, messages: one.messages },
          { ...request, messages: longer },
        ]);
        // Files beyond the pages of a request go from the oldest on.
        if (JSON.stringify(second).includes('one of the oldest')) return;
        const before = blocks(present(first));
        const last = before.findLastIndex(({ isMarked }) => isMarked);
        expect(last).toBeGreaterThanOrEqual(0);
        const bytes = (all: ReturnType<typeof blocks>) => all.slice(0, last + 1).map((block) => block.bytes);
        expect(bytes(blocks(present(second)))).toEqual(bytes(before));
        // The next request has a mark where it finds them: at the end of the one before, at most 20 blocks behind.
        const marks = blocks(present(second)).flatMap(({ isMarked }, at) => (isMarked ? [at] : []));
        expect(marks.some((at) => at >= last && at - last <= 20)).toBe(true);
      }),
      ROUNDS,
    );
  });
});
