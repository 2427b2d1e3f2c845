/** Answers of hooks, checked against what they were told: every field, each edge and one past it. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  changesGiven,
  messagesGiven,
  resultGiven,
  settingsGiven,
  systemGiven,
} from '../../src/core/definition/hooks/hook-answers';
import { type HookedMessage, keptBy, withKept } from '../../src/core/definition/hooks/hooked-message';
import { priceProblem } from '../../src/core/definition/price';
import type { Json } from '../../src/protocol/json';
import { byteLength } from '../../src/protocol/json';
import type { Message } from '../../src/protocol/messages';

const said: Required<HookedMessage> = {
  ...{ messageId: 'm', role: 'user', content: 'Hi.', from: 'caller', metadata: { a: 1 }, to: 'side_a', silent: true },
  ...{ files: ['a.txt'], calls: [{ toolName: 't', input: {} }] },
};

it('[HK20, HK21] of a message its content and its metadata are changed, and no other field, whichever it is', () => {
  expect(changesGiven(said, undefined, 9)).toEqual({});
  expect(changesGiven(said, null, 9)).toEqual({});
  expect(changesGiven(said, {}, 9)).toEqual({});
  expect(changesGiven(said, structuredClone(said), 9)).toEqual({ content: 'Hi.', metadata: { a: 1 } });
  expect(changesGiven(said, { content: 'Ho.' }, 9)).toEqual({ content: 'Ho.' });
  expect(changesGiven(said, { ...said, content: undefined, metadata: null }, 9)).toEqual({ metadata: null });
  for (const field of Object.keys(said).filter((each) => each !== 'content' && each !== 'metadata')) {
    const changed = { ...said, [field]: ['other'] };
    expect(() => changesGiven(said, changed, 9)).toThrow(`another \`${field}\``);
    expect(() => changesGiven({ ...said, [field]: undefined }, { [field]: ['new'] }, 9)).toThrow(
      `another \`${field}\``,
    );
    // A field that is left out, or undefined, stays as it was.
    expect(changesGiven(said, { ...said, [field]: undefined }, 9)).toEqual({ content: 'Hi.', metadata: { a: 1 } });
  }
  expect(() => changesGiven(said, { odd: 1 }, 9)).toThrow('another `odd`');
  expect(() => changesGiven(said, 'Ho.', 9)).toThrow('not a message');
});

it('[HK21] a content may be as long as it was, or as a message may be; one of parts is for users alone', () => {
  const bytes = (text: string) => byteLength(JSON.stringify(text));
  const give = (was: string, text: string, most: number) =>
    changesGiven({ ...said, content: was }, { content: text }, most);
  for (const [was, most] of [
    ['x'.repeat(50), 20],
    ['x', 20],
  ] as const) {
    const room = Math.max(bytes(was), most) - 2;
    expect(give(was, 'y'.repeat(room), most)).toEqual({ content: 'y'.repeat(room) });
    expect(() => give(was, 'y'.repeat(room + 1), most)).toThrow('content');
  }
  const parts = [{ type: 'text', text: 'Ho.' }];
  expect(changesGiven(said, { content: parts }, 99)).toEqual({ content: parts });
  for (const role of ['system', 'assistant'] as const)
    expect(() => changesGiven({ ...said, role }, { content: parts }, 99)).toThrow('content');
});

it('[HK21] a system prompt may have 262,144 bytes, or stay as long as it was', () => {
  expect([undefined, null].map((given) => systemGiven('Work.', given))).toEqual(['Work.', 'Work.']);
  const most = 262_144;
  expect(systemGiven('', 'ü'.repeat(most / 2))).toHaveLength(most / 2);
  expect(() => systemGiven('', `${'ü'.repeat(most / 2)}x`)).toThrow(`more than ${most} bytes`);
  expect(systemGiven('x'.repeat(most + 5), 'y'.repeat(most + 5))).toHaveLength(most + 5);
  expect(() => systemGiven('x'.repeat(most + 5), 'y'.repeat(most + 6))).toThrow(`more than ${most + 5} bytes`);
  expect(() => systemGiven('', 7)).toThrow('not a string');
});

it('[HK21] settings are given in `settings` alone, over those that were', () => {
  const was = { temperature: 1, topK: 5 };
  for (const nothing of [undefined, null]) expect(settingsGiven(was, nothing, [])).toBe(was);
  expect(settingsGiven(was, {}, [])).toEqual(was);
  expect(settingsGiven(was, { settings: { temperature: 0 } }, [])).toEqual({ temperature: 0, topK: 5 });
  for (const odd of [7, 'x', { temperature: 0 }, { settings: {}, more: 1 }])
    expect(() => settingsGiven(was, odd, [])).toThrow('only `settings`');
  expect(() => settingsGiven(was, { settings: { temperature: 3 } }, [])).toThrow('from 0 to 2');
  expect(() => settingsGiven(was, { settings: { toolChoice: { tool: 'x' } } }, ['y'])).toThrow('Available tools: y');
});

it('[HK21] messages may grow by 1 MB, and by nothing where they were fitted', () => {
  const messages: Message[] = [{ role: 'user', content: '' }];
  const grown = (more: number): unknown => [{ role: 'user', content: 'x'.repeat(more) }];
  const give = (more: number, fitted: boolean) => messagesGiven(messages, grown(more), { fitted }).length;
  for (const nothing of [undefined, null]) expect(messagesGiven(messages, nothing, { fitted: true })).toBe(messages);
  expect([give(1_048_576, false), give(0, true)]).toEqual([1, 1]);
  expect(() => give(1_048_577, false)).toThrow('messages');
  expect(() => give(1, true)).toThrow('messages');
});

/** Messages of calls and results in any order. */
const talks = fc.array(
  fc.oneof(
    fc.constant('user' as const),
    fc.record({ calls: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')) }),
    fc.record({ result: fc.constantFrom('a', 'b', 'c') }),
  ),
  { maxLength: 7 },
);

it('[HK21] messages are sent where each call has its one result right behind it, and no result is without its call', () => {
  fc.assert(
    fc.property(talks, (talk) => {
      const messages = talk.map((one): Message => {
        if (one === 'user') return { role: 'user', content: 'x' };
        if ('result' in one)
          return { role: 'tool', toolCallId: one.result, toolName: 't', result: { success: true, value: 1 } };
        const call = (id: string) =>
          ({ type: 'tool-call', toolCallId: id, providerId: id, toolName: 't', input: {} }) as const;
        return { role: 'assistant', content: one.calls.map(call) };
      });
      // Results run up to the next message of another role, and are those of the calls before them.
      const stretches: { calls: readonly string[]; results: string[] }[] = [{ calls: [], results: [] }];
      for (const one of talk)
        if (one !== 'user' && 'result' in one) stretches.at(-1)?.results.push(one.result);
        else stretches.push({ calls: one === 'user' ? [] : one.calls, results: [] });
      const isPaired = stretches.every(({ calls, results }) => [...calls].sort().join() === results.sort().join());
      const give = () => messagesGiven([], messages, { fitted: false });
      if (isPaired) expect(give()).toEqual(messages);
      else expect(give).toThrow('no model accepts');
    }),
    { numRuns: 300 },
  );
});

it('[HK21] a result takes the place of another where it is one, up to its limit', () => {
  const was = { success: true, value: 1 } as const;
  expect([undefined, null].map((given) => resultGiven(was, given, 99))).toEqual([was, was]);
  const given = { success: true, value: 'x'.repeat(10) };
  const size = byteLength(JSON.stringify(given));
  expect(resultGiven(was, given, size)).toEqual(given);
  expect(() => resultGiven(was, given, size - 1)).toThrow('result of a tool');
  for (const none of [7, { success: true }, { success: false, value: 1 }, { value: 1 }])
    expect(() => resultGiven(was, none, 99)).toThrow('result of a tool');
});

it('[HK20] metadata that a hook gives keeps the facts of every door by which its message came', () => {
  const facts = (id: string) => ({ id, digest: `${id} digest` });
  const more = { ...facts('c'), parts: 2 };
  for (const door of ['chat', 'agui'] as const) {
    expect(keptBy(door, { [door]: more })).toEqual(more);
    for (const none of [
      undefined,
      null,
      7,
      {},
      { [door]: 7 },
      { [door]: { id: 'c' } },
      { [door]: { id: 'c', digest: 7 } },
    ])
      expect(keptBy(door, none as Json | undefined)).toEqual({});
  }
  expect(keptBy('chat', { agui: more })).toEqual({});
  const both = { chat: more, agui: facts('a'), other: 1 };
  expect(withKept(undefined, 7)).toBe(7);
  expect(withKept({ other: 1 }, null)).toBeNull();
  expect(withKept(both, null)).toEqual({ chat: facts('c'), agui: facts('a') });
  expect(withKept(both, 7)).toBeUndefined();
  expect(withKept(both, { own: 1, chat: { id: 'x', extra: 1 }, agui: 7 })).toEqual({
    ...{ own: 1, chat: { ...facts('c'), extra: 1 }, agui: facts('a') },
  });
});

it('[US8] a price has an input and an output at least, each part of it from 0 on, and no other part', () => {
  const price = { input: 1, output: 2 };
  for (const right of [price, { ...price, cached: 0, cacheWrite: 0.1, reasoning: 3 }, { ...price, cached: undefined }])
    expect(priceProblem(right)).toBeUndefined();
  for (const none of [undefined, null, 7]) expect(priceProblem(none)).toContain('must be an object');
  expect(priceProblem({ ...price, cache: 1 })).toContain('unknown part "cache"');
  expect(priceProblem({ input: 1 })).toContain('`output`');
  expect(priceProblem({ output: 1, input: undefined })).toContain('`input`');
  for (const part of ['input', 'output', 'cached', 'cacheWrite', 'reasoning'])
    for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY, '1', null])
      expect(priceProblem({ ...price, [part]: wrong })).toContain(`\`${part}\``);
});
