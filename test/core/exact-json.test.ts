/** Values on their way from who wrote them to who gets them: a JSON text is read as exactly what it says, or refused. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { resultOf } from '../../src/cli/answering/prompt';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import { exactJson } from '../../src/protocol/content/exact-json';
import { DATA_LIMITS } from '../../src/protocol/data-limits';
import { parseJson, plainInput } from '../../src/protocol/plain-input';
import { createTestRuntime } from '../../src/testing';
import { FINISH, fakeModel, streamOf, textParts } from '../node/model/fake-model';

const problem = (text: string) => {
  const read = exactJson(text);
  return read.ok ? undefined : read.problem;
};

const TWICE = '{ "amount": 5, "to": "a", "amount": 5000 }';

/** A value as a row gives it back. */
const asRow = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('a JSON text', () => {
  it.for<[string, string]>([
    [TWICE, 'has the key "amount" twice in one object: send it once'],
    ['[{"a":1},{"b":{"x":1,"\\u0078":2}}]', 'has the key "x" twice'],
    ['{"__proto__":1,"__proto__":2}', 'has the key "__proto__" twice'],
    [
      '12345678901234567890',
      'has the number 12345678901234567890, which would be read as 12345678901234567000: send it',
    ],
    ['{"a":[9007199254740993]}', 'which would be read as 9007199254740992'],
    ['1e999', 'which would be read as Infinity'],
    ['-1e-999', 'which would be read as 0'],
    ['{"a":1', 'is not valid JSON'],
    ['', 'is not valid JSON'],
  ])('[JS5] %s is refused', ([text, said]) => {
    expect(problem(text)?.replace('-0', '0')).toContain(said);
  });

  it('[JS5] is taken where it is read as what it says: the same key elsewhere, marks in texts, numbers that fit', () => {
    const texts = [
      '{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a"}',
      '{"a":"{\\"x\\":1,\\"x\\":12345678901234567890}","b":"\\\\","c":"\\""}',
      '["a","a",{"a" : "a","b":"a:"}]',
      '9007199254740992',
      '18446744073709552000',
      '1000000000000000000000',
      '3.14159265358979323846',
      '[0,-0,0.0e5,1e21,-1.5E-7]',
      '{"a":[-0.0,-0e7,{"b":-0}],"c":"-0"}',
    ];
    for (const text of texts) expect(exactJson(text), text).toEqual({ ok: true, json: asRow(JSON.parse(text)) });
  });

  it('[JS5] of any length is read in one pass', () => {
    const long = JSON.stringify({ a: '\\"'.repeat(1_000_000), b: [1] });
    expect(exactJson(long).ok).toBe(true);
  });

  it('[JS8] has as many levels, lists and objects as it may, and one more is refused before any is made', () => {
    const { maxDepth, maxContainers } = DATA_LIMITS;
    const deep = (levels: number, inner = '1') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;
    const wide = (parts: number) => `[${'{},'.repeat(parts - 2)}{}]`;
    const marks = JSON.stringify({ '[[': '{"[[[\\"['.repeat(maxContainers) });
    for (const text of [deep(maxDepth), wide(maxContainers), marks]) expect(problem(text)).toBeUndefined();
    const parse = vi.spyOn(JSON, 'parse');
    expect(problem(deep(maxDepth + 1))).toBe('is nested deeper than 100 levels');
    expect(problem(wide(maxContainers + 1))).toBe('has more than 250000 arrays and objects');
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
    // Broken texts end, too.
    for (const text of ['"', '["', '{"a', '"\\"', '[[[', ']]]]']) expect(problem(text)).toBe('is not valid JSON');
  });

  it('[JS5] that JavaScript wrote is always taken', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(exactJson(text)).toEqual({ ok: true, json: JSON.parse(text) });
      }),
    );
  });
});

describe('where JSON texts come in', () => {
  it('[JS5, A23] bodies and frames', () => {
    expect(() => parseJson(TWICE)).toThrow('The body has the key "amount" twice');
    expect(() => parseJson('{"input":{"id":12345678901234567890}}')).toThrow('send it as a string');
    expect(plainInput({ id: 2 ** 64 })).toEqual({ id: 2 ** 64 });
  });

  it('[JS8, A23] bodies and frames that are too deep or have too many parts', () => {
    expect(() => parseJson('{"a":'.repeat(200_000))).toThrow('The body is nested deeper than 100 levels.');
    expect(() => parseJson(`[${'[],'.repeat(250_000)}1]`)).toThrow('The body has more than 250000 arrays and objects.');
    expect(() => parseJson('['.repeat(101) + ']'.repeat(101), 1)).not.toThrow();
  });

  it('[Y4, A23] an input is taken as the JSON that it is, where a naive reading finds nothing in it that JSON would change', () => {
    const isPlain = (value: unknown): boolean => {
      if (value === null || ['string', 'boolean'].includes(typeof value)) return true;
      if (typeof value === 'number') return Number.isFinite(value);
      if (Array.isArray(value)) return Array.from(value).every(isPlain);
      if (typeof value !== 'object' || ![Object.prototype, null].includes(Object.getPrototypeOf(value))) return false;
      return Object.values(value).every((each) => each === undefined || isPlain(each));
    };
    const anything = fc.anything({
      ...{ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true },
      key: fc.string().filter((key) => key !== '__proto__'),
    });
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b'), anything), (given) => {
        seen.add(isPlain(given));
        if (isPlain(given)) expect(plainInput(given)).toEqual(asRow(given));
        else expect(() => plainInput(given)).toThrow('The input must be plain JSON');
      }),
      // A number that a row would keep as another one.
      { numRuns: 300, examples: [[{ a: -0 }], [{ a: [{ b: -0 }] }]] },
    );
    expect(seen.size).toBe(2);
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    expect(() => plainInput(deep(100))).not.toThrow();
    expect(() => plainInput(deep(101))).toThrow('deeper than 100 levels');
  });

  it('[JS5] a result that a person types is a text where it is not read as what it says', () => {
    expect(resultOf('{"a":1}')).toEqual({ a: 1 });
    expect(resultOf(TWICE)).toBe(TWICE);
  });

  it('[JS5, CL4] arguments of a model: nobody is shown them otherwise than they run, and the model is told', async () => {
    const ran: unknown[] = [];
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      inputSchema: z.object({ amount: z.number(), to: z.string() }),
      requireApproval: true,
      execute: (input) => ran.push(input),
    });
    const call = (input: string): LanguageModelV4StreamPart[] => [
      { type: 'tool-call', toolCallId: 'c', toolName: 'pay', input },
      { ...FINISH, finishReason: { unified: 'tool-calls', raw: undefined } },
    ];
    const replies = [call(TWICE), call('{"amount":12345678901234567890,"to":"a"}'), [...textParts('Done.'), FINISH]];
    const { model } = fakeModel(async () => streamOf(replies.shift() ?? []));
    const agent = defineAgent({ name: 'a', systemPrompt: 'Work.', model, tools: [pay] });
    const run = await createTestRuntime({ agents: [agent] }).execute(agent, 'Go.');
    expect((await run.result()).status).toBe('completed');
    const told = run.messages().flatMap((message) => (message.role === 'tool' ? [message.result] : []));
    expect(told).toMatchObject([
      { error: { code: 'invalid_arguments', message: expect.stringContaining('the key "amount" twice') } },
      {
        error: { code: 'invalid_arguments', message: expect.stringContaining('would be read as 12345678901234567000') },
      },
    ]);
    expect(ran).toEqual([]);
  });
});
