import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RepliedStep } from '../../../src/core/agent/state';
import { Facts } from '../../../src/engine/perform/closed-step';
import { NO_USAGE, type Usage } from '../../../src/protocol/usage';

const stepWith = (usage: Usage): RepliedStep => ({
  phase: 'calls',
  id: 1,
  turn: 1,
  number: 1,
  attempt: 1,
  recoveries: 0,
  token: 't',
  messagesUpTo: 0,
  startedAt: 1,
  repliedAt: 2,
  failures: [],
  spent: NO_USAGE,
  model: 'offshoot/scripted',
  finishReason: 'stop',
  reply: [],
  calls: [],
  usage,
});

const tokens = fc.integer({ min: 0, max: 1_000_000 });

it('[CL13] what conditions of `stopWhen` change in the facts of a step is not changed in the step', () => {
  const result = { success: true, value: { found: ['a'] } } as const;
  const call = {
    providerId: 'p',
    callId: 'c',
    name: 'find',
    input: { list: ['b'] },
    index: 0,
    bodies: 0,
    plan: { kind: 'tool', replay: 'safe', finishWith: false, timeoutMs: 1 },
  } as const;
  const step: RepliedStep = {
    ...stepWith(NO_USAGE),
    reply: [{ type: 'tool-call', providerId: 'p', toolName: 'find', index: 0 }],
    calls: [{ ...call, settled: { result, startedAt: 3, at: 3 } }],
  };
  const before = structuredClone(step);
  const facts = new Facts(step, () => step);
  const spoil = (value: unknown): void => {
    if (Array.isArray(value)) value.push('spoilt');
    if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) spoil(each);
  };
  spoil(facts.calls);
  for (const { content } of facts.steps) spoil(content);
  expect(JSON.stringify(facts.calls)).toContain('spoilt');
  expect(step).toEqual(before);
});

it('[ST14] the parts of the tokens of a closed step add up to its input, its output and its total', () => {
  const split = fc.record({
    noCache: tokens,
    cachedTokens: tokens,
    cacheWriteTokens: fc.option(tokens, { nil: undefined }),
    text: tokens,
    reasoningTokens: tokens,
  });
  fc.assert(
    fc.property(split, ({ noCache, cachedTokens, cacheWriteTokens, text, reasoningTokens }) => {
      const inputTokens = noCache + cachedTokens + (cacheWriteTokens ?? 0);
      const outputTokens = text + reasoningTokens;
      const written = cacheWriteTokens === undefined ? {} : { cacheWriteTokens };
      const step = stepWith({ ...NO_USAGE, inputTokens, outputTokens, cachedTokens, reasoningTokens, ...written });
      const [closed] = new Facts(step, () => step).steps;
      expect(closed?.usage).toEqual({
        inputTokens,
        inputTokenDetails: { noCacheTokens: noCache, cacheReadTokens: cachedTokens, cacheWriteTokens },
        outputTokens,
        outputTokenDetails: { textTokens: text, reasoningTokens },
        totalTokens: inputTokens + outputTokens,
      });
    }),
  );
});
