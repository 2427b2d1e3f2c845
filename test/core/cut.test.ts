import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { cutMessage } from '../../src/core/agent/context/size';
import { defineAgent } from '../../src/core/definition/define-agent';
import { defineTool } from '../../src/core/definition/define-tool';
import { scriptedModel } from '../../src/model/scripted';
import { beginningOf, cutBefore, endOf } from '../../src/protocol/content/cut';
import { boundedText, failure, MAX_ERROR_TEXT } from '../../src/protocol/errors';
import { toJson } from '../../src/protocol/json';
import { patternOf } from '../../src/protocol/shown/alike';
import { beginningInWords } from '../../src/protocol/shown/in-words';
import { createTestRuntime } from '../../src/testing';

/** Texts whose characters are of one to many code units. */
const CHARACTERS = ['a', '\n', 'é', 'é', '中', '😀', '👍🏽', '👨‍👩‍👧', '🇩🇪', '🇫🇷', '❤️', 'Z͑ͫ'];
const texts = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 24 });

describe('a text is cut', () => {
  it('[TX1] between characters: its beginning and its end hold whole ones, as many as fit', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 60 }), (characters, most) => {
        const text = characters.join('');
        const ends = characters.map((_, count) => characters.slice(0, count + 1).join('').length);
        const fits = Math.max(0, ...ends.filter((end) => end <= most));
        const begins = [0, ...ends].filter((begin) => text.length - begin <= most);
        // A room smaller than the first character takes it apart, between code points.
        if (fits > 0 || text === '') expect(beginningOf(text, most)).toBe(text.slice(0, fits));
        if (Math.min(...begins) < text.length) expect(endOf(text, most)).toBe(text.slice(Math.min(...begins)));
      }),
    );
  });

  it('[TX1] without half of a pair, whatever it is and however long its characters are', () => {
    const any = fc.array(fc.constantFrom(...CHARACTERS, '\u0301'.repeat(80), '🇩🇪'.repeat(40)), { maxLength: 12 });
    fc.assert(
      fc.property(any, fc.integer({ min: 0, max: 400 }), (characters, most) => {
        const text = characters.join('');
        for (const part of [beginningOf(text, most), endOf(text, most)]) {
          expect(part.isWellFormed()).toBe(true);
          expect(part.length).toBeLessThanOrEqual(most);
        }
        // Pieces that are as long as a row are never empty: each begins where the last one ended.
        expect(cutBefore(text, 100)).toBeGreaterThanOrEqual(Math.min(text.length, 36));
      }),
    );
  });

  it('[TX1] also an error, the path of a value, a pattern, a beginning in words and a part of a message', () => {
    const emoji = '😀'.repeat(5_000);
    for (const before of ['', 'e']) {
      const text = before + emoji;
      const cut = [
        boundedText(text),
        failure('tool_failed', text).message,
        failure('tool_failed', 'e'.repeat(MAX_ERROR_TEXT - 9) + emoji).message,
        JSON.stringify(toJson({ [text]: 1n })),
        patternOf(text),
        beginningInWords(text, 21),
        beginningInWords(text, 20),
        JSON.stringify(cutMessage({ role: 'user', content: text }, 300)),
        JSON.stringify(cutMessage({ role: 'user', content: text }, 301)),
      ];
      for (const each of cut) {
        expect(each.length).toBeLessThan(text.length + 100);
        expect(each).not.toMatch(/\\ud[89a-f]/);
        expect(each.isWellFormed()).toBe(true);
      }
    }
  });

  it('[TX1, CL4] so the model reads no half of an emoji in what a tool has thrown', async () => {
    const fails = defineTool({
      name: 'fails',
      description: 'Fails.',
      inputSchema: z.object({}),
      execute: () => {
        throw new Error('e'.repeat(8_183) + '😀'.repeat(10));
      },
    });
    const model = scriptedModel([{ calls: [{ name: 'fails', input: {} }] }, { text: 'Done.' }]);
    const plain = defineAgent({ name: 'plain', systemPrompt: 'Help.', model, tools: [fails] });
    const runtime = createTestRuntime({ agents: [plain], report: () => {} });
    expect((await (await runtime.execute(plain, 'Go.')).result()).status).toBe('completed');
    const read = JSON.stringify(model.requests[1]);
    expect(read).toContain('eee … (cut)');
    expect(read).not.toMatch(/\\ud[89a-f]/);
  });
});
