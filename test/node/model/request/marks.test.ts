/** Which blocks of a request are marked for Anthropic's cache, and which files it omits: the functions that decide. */
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marked } from '../../../../src/model/request/cache';
import { crowdedOut } from '../../../../src/model/request/crowd';
import { profileOf } from '../../../../src/model/request/profiles';
import type { PlacedFile } from '../../../../src/model/request/shape';

const MARK = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } } as const;
const markIf = (isMarked: boolean) => (isMarked ? MARK : {});
const SAID: LanguageModelV4Message = { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] };
type Tool = Parameters<typeof marked>[0]['tools'][number];

const tool = (name: string, isMarked: boolean): Tool => ({
  type: 'function',
  name,
  inputSchema: { type: 'object' },
  ...markIf(isMarked),
});

/** A request whose author marks what is true: tools, and parts of the messages of the user. */
const requests = fc.record({
  tools: fc.array(fc.boolean(), { maxLength: 4 }),
  system: fc.boolean(),
  turns: fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
});

const isMarked = (given: object): boolean => JSON.stringify(given).includes('ephemeral');

describe('the marks of a request', () => {
  it('[M84, M85] are at the last tool, the system prompt and the last two ends, as far as the author leaves room', () => {
    fc.assert(
      fc.property(requests, ({ tools, system, turns }) => {
        const prompt: LanguageModelV4Prompt = [
          ...(system ? [{ role: 'system', content: 'S' } as const] : []),
          ...turns.flatMap(
            (parts, at): LanguageModelV4Prompt => [
              ...(at === 0 ? [] : [SAID]),
              { role: 'user', content: parts.map((is) => ({ type: 'text', text: 'T', ...markIf(is) })) },
            ],
          ),
        ];
        const ends = turns.slice(-2).reverse();
        const authors = [...tools, ...turns.flat()].filter(Boolean).length;
        // Ours by use: the newest end, that of the step before, the system prompt, the last tool.
        const unmarked = [
          ...ends.map((parts, at) => ({ place: `end ${at}`, isMarked: parts.at(-1) === true })),
          ...(system ? [{ place: 'system', isMarked: false }] : []),
          ...(tools.length > 0 ? [{ place: 'tool', isMarked: tools.at(-1) === true }] : []),
        ].filter((each) => !each.isMarked);
        const expected = unmarked.slice(0, Math.max(0, 4 - authors)).map(({ place }) => place);
        const given = { prompt, tools: tools.map((is, at) => tool(`t${at}`, is)) };
        const found = marked(given);
        const ours = [
          ...found.prompt
            .filter(({ role }) => role === 'user')
            .slice(-2)
            .reverse()
            .flatMap(({ content }, at) => {
              const last = Array.isArray(content) ? content.at(-1) : undefined;
              const wasMarked = ends[at]?.at(-1) === true;
              return last && isMarked(last) && !wasMarked ? [`end ${at}`] : [];
            }),
          ...found.prompt.flatMap((message) => (message.role === 'system' && isMarked(message) ? ['system'] : [])),
          ...(found.tools.slice(-1).some(isMarked) && tools.at(-1) !== true ? ['tool'] : []),
        ];
        expect(ours).toEqual(expected);
        const all = [...JSON.stringify(found).matchAll(/"ephemeral"/g)].length;
        expect(all).toBe(authors + expected.length);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the files that a request omits', () => {
  const file = (name: string, pages?: number): PlacedFile => ({
    part: { type: 'file', mediaType: 'application/pdf', filename: name, data: { type: 'data', data: 'AAAA' } },
    ...(pages === undefined ? {} : { pages }),
  });
  const profile = { ...profileOf('anthropic.messages', 'claude-sonnet-4-6'), mostPages: 10, mostFiles: 1_048_576 };

  it('[M94] for their pages are files that have pages, whatever is older', () => {
    const files = [file('picture'), file('old.pdf', 6), file('text', 0), file('new.pdf', 6)];
    expect([...crowdedOut(files, profile).keys()]).toEqual([files[1]?.part]);
  });

  it('[M94] are none where the pages are just as many as fit', () => {
    expect(crowdedOut([file('picture'), file('one.pdf', 4), file('two.pdf', 6)], profile).size).toBe(0);
  });
});
