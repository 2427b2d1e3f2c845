/** Mistakes in scripts. */
import { describe, expect, it } from 'vitest';
import { defineAgent, OffshootError } from '../../../../src';
import { modelPort } from '../../../../src/model/adapter';
import { routingScriptedModel, scriptedModel } from '../../../../src/model/scripted';
import { createTestRuntime } from '../../../../src/testing';
import { ask, sorted } from '../ask';

const refused = (make: (...given: never[]) => unknown, ...given: readonly unknown[]): string => {
  try {
    Reflect.apply(make, undefined, given);
  } catch (error) {
    if (error instanceof OffshootError && error.code === 'invalid_definition') return error.message;
    throw error;
  }
  throw new Error('It was taken.');
};

describe('a script', () => {
  it.each([
    [[{ txt: 'x' }], 'Script entry 1 has the unknown field `txt`. Did you mean `text`?'],
    [[{ text: 'a' }, { content: 'x' }], 'Script entry 2 has the unknown field `content`. Did you mean `text`?'],
    [[{ zebra: 1 }], 'Script entry 1 has the unknown field `zebra`. Available fields: text, thinking, calls,'],
    ['hello', "Script must be a list of entries, such as [{ text: 'Hello.' }], or a function, but is a string."],
    [['hello'], 'Script entry 1 must be an object, but is a string.'],
    [[{ text: 7 }], 'Script entry 1: `text` must be a string, but is 7.'],
    [[{ calls: { name: 'x' } }], 'Script entry 1: `calls` must be a list, but is an object.'],
    [[{ calls: [{ tool: 'x' }] }], 'Script entry 1, `calls[0]` has the unknown field `tool`. Did you mean `name`?'],
    [
      [{ calls: [{ name: 'x', args: {} }] }],
      'Script entry 1, `calls[0]` has the unknown field `args`. Did you mean `input`?',
    ],
    [[{ calls: [{}] }], "Script entry 1, `calls[0]`: `name` is missing: write a tool's name."],
    [[{ fail: { status: 500, msg: 'x' } }], 'Script entry 1, `fail` has the unknown field `msg`.'],
    [[{ usage: { input: 5 } }], 'Script entry 1, `usage` has the unknown field `input`. Did you mean `inputTokens`?'],
  ])('[M113] is refused when its model is made: %j', (script, words) => {
    expect(refused(scriptedModel, script)).toContain(words);
  });

  it.each([
    [{ hang: 'forver' }, ': `hang` must be until-aborted or forever, but is "forver".'],
    [{ hang: 'until-abort' }, ': `hang` must be until-aborted or forever, but is "until-abort".'],
    [{ hang: true }, ': `hang` must be until-aborted or forever, but is true.'],
    [{ hang: '' }, ': `hang` must be until-aborted or forever, but is "".'],
    [{ finishReason: 'stopp' }, 'must be stop, length, content-filter, tool-calls or other, but is "stopp".'],
    [{ fail: {} }, ', `fail`: `message` is missing: write why the model fails.'],
    [{ fail: { message: '' } }, ', `fail`: `message` is empty: write why the model fails.'],
    [{ fail: { code: 'nope', message: 'x' } }, ', `fail`: `code` must be an error code of Offshoot, but is "nope".'],
    [{ fail: { status: 0, message: 'x' } }, ', `fail`: `status` must be an HTTP status, but is 0.'],
    [{ fail: { status: 600, message: 'x' } }, ', `fail`: `status` must be an HTTP status, but is 600.'],
    [{ delayMs: -1 }, ': `delayMs` must be a number from 0 to 2147483647, but is -1.'],
    [{ delayMs: Number.NaN }, ': `delayMs` must be a number from 0 to 2147483647, but is NaN.'],
    [{ chunkDelayMs: 2_147_483_648 }, ': `chunkDelayMs` must be a number from 0 to 2147483647, but is 2147483648.'],
    [{ chunkSize: 0 }, ': `chunkSize` must be a whole number from 1, but is 0.'],
    [{ chunkSize: 1.5 }, ': `chunkSize` must be a whole number from 1, but is 1.5.'],
    [{ failAfterChunks: -1 }, ': `failAfterChunks` must be a whole number from 0, but is -1.'],
    [{ usage: { inputTokens: -1 } }, ', `usage`: `inputTokens` must be a whole number from 0, but is -1.'],
    [{ calls: [{ name: '' }] }, ", `calls[0]`: `name` is empty: write a tool's name."],
    [{ calls: [{ name: 'x', input: {}, rawInput: '{' }] }, ', `calls[0]` has both `input` and `rawInput`: write one'],
  ])('[M116] is refused with a value that its field does not take: %j', (entry, words) => {
    expect(refused(scriptedModel, [entry])).toContain(
      `Script entry 1${words.startsWith('must') ? ': `finishReason` ' : ''}${words}`,
    );
  });

  it('[M116] takes the least and the most of each number, and each word', () => {
    const reasons = ['stop', 'length', 'content-filter', 'tool-calls', 'other'] as const;
    const words = reasons.flatMap((finishReason) => [
      { finishReason, hang: 'forever' as const },
      { finishReason, hang: 'until-aborted' as const },
    ]);
    const least = { delayMs: 0, chunkDelayMs: 0, chunkSize: 1, failAfterChunks: 0, usage: { inputTokens: 0 } };
    const failures = [100, 599].map((status) => ({ fail: { status, code: 'internal' as const, message: 'x' } }));
    expect(scriptedModel([...words, least, { delayMs: 2_147_483_647 }, ...failures]).calls).toBe(0);
  });

  it('[M113] of one agent type is refused by its name, as are options', () => {
    expect(refused(routingScriptedModel, { planner: [{ txt: 'x' }] })).toMatch(/^Script "planner" entry 1 has the/);
    expect(refused(routingScriptedModel, [{ text: 'x' }])).toMatch(/^routingScriptedModel needs an object of scripts/);
    expect(refused(scriptedModel, [], { By: 'call' })).toContain('Did you mean `by`?');
    expect(refused(scriptedModel, [], { by: 'turn' })).toContain('`by` must be step or call');
  });

  it.each(['an entry of a list', 'the script'])(
    '[M113] is refused, once, when a function returned a wrong entry: %s',
    async (where) => {
      let calls = 0;
      const one = () => {
        calls += 1;
        return JSON.parse('{"txt":"x"}');
      };
      const model = scriptedModel(where === 'the script' ? one : [one]);
      const outcome = await ask(modelPort(model));
      expect(sorted(outcome)).toEqual(['invalid_definition', false]);
      const speller = defineAgent({ name: 'speller', systemPrompt: 'Spell.', model });
      const runtime = createTestRuntime({ agents: [speller] });
      const result = await (await runtime.execute(speller, 'Go.')).result();
      expect(result).toMatchObject({ status: 'failed', error: { code: 'invalid_definition' } });
      expect(calls).toBe(2);
      runtime.close();
    },
  );
});
