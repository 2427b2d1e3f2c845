import { describe, expect, it } from 'vitest';
import { toPrompt } from '../../../src/model/prompt';
import type { Message } from '../../../src/protocol/messages';
import { TRANSCRIPT } from './ask';

const prompt = (messages: readonly Message[], provider = 'fake.chat', system = '') =>
  toPrompt({ system, messages }, provider);

const call = (toolCallId: string, providerId: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, providerId, toolName: 'search', input: {} }],
});

const ids = (messages: readonly Message[], provider?: string): string[] =>
  prompt(messages, provider).flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])),
  );

describe('a transcript as a prompt', () => {
  it('[M11][M12] keeps the order, groups the results of a step and gives repeated ids a number', () => {
    expect(prompt(TRANSCRIPT, 'fake.chat', 'You answer.')).toEqual([
      { role: 'system', content: 'You answer.' },
      { role: 'user', content: [{ type: 'text', text: 'Find both.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool-call', toolCallId: 'call_a', toolName: 'search', input: { q: 'one' } },
          { type: 'tool-call', toolCallId: 'call_b', toolName: 'search', input: { q: 'two' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_a',
            toolName: 'search',
            output: { type: 'json', value: { hits: ['first'] } },
          },
          {
            type: 'tool-result',
            toolCallId: 'call_b',
            toolName: 'search',
            output: { type: 'error-json', value: { success: false, error: 'No index.', code: 'tool_failed' } },
          },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'call_a_2', toolName: 'search', input: { q: 'one' } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_a_2',
            toolName: 'search',
            output: { type: 'text', value: 'plain text' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
    ]);
  });

  it('[M11] has no system message without a system prompt, and keeps those of the transcript', () => {
    expect(prompt([{ role: 'system', content: 'A child is done.' }])).toEqual([
      { role: 'system', content: 'A child is done.' },
    ]);
  });

  it('[M11] leaves out a reply without content', () => {
    const silent: Message = { role: 'assistant', content: [{ type: 'text', text: '' }] };
    expect(prompt([silent, { role: 'user', content: 'Still there?' }])).toHaveLength(1);
  });

  it('[M11] leaves the request as it was', () => {
    const before = structuredClone(TRANSCRIPT);
    prompt(TRANSCRIPT);
    expect(TRANSCRIPT).toEqual(before);
  });

  it('[M12] takes the smallest free number, also where a provider has used it itself', () => {
    const three = [call('c_1', 'x'), call('c_2', 'x_2'), call('c_3', 'x'), call('c_4', 'x'), call('c_5', 'x_2')];
    expect(ids(three)).toEqual(['x', 'x_2', 'x_3', 'x_4', 'x_2_2']);
  });

  it('[M12] never renames what a shorter transcript named', () => {
    const all = [...Array(6).keys()].map((n) => call(`c_${n}`, n % 2 === 0 ? 'x' : 'x_2'));
    const whole = ids(all);
    for (let length = 0; length <= all.length; length += 1)
      expect(ids(all.slice(0, length))).toEqual(whole.slice(0, length));
    expect(new Set(whole).size).toBe(all.length);
  });

  it('[M12] fits the ids of another provider to what a strict API takes', () => {
    const foreign = [call('c_1', 'functions.search:0'), call('c_2', 'functions.search_0'), call('c_3', 'y'.repeat(90))];
    expect(ids(foreign)).toEqual(['functions.search:0', 'functions.search_0', 'y'.repeat(90)]);
    expect(ids(foreign, 'anthropic.messages').slice(0, 2)).toEqual(['functions_search_0', 'functions_search_0_2']);
    for (const id of ids([...foreign, call('c_4', 'y'.repeat(90))], 'openai.responses'))
      expect(id.length).toBeLessThanOrEqual(64);
  });

  it('[M8] gives providers their metadata back, on a call also with its result', () => {
    const providerMetadata = { fake: { sealed: 'x' }, odd: 1 };
    const messages: Message[] = [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerMetadata },
          { type: 'text', text: 'So.', providerMetadata },
          { type: 'tool-call', toolCallId: 'c_1', providerId: 'a', toolName: 'search', input: {}, providerMetadata },
        ],
      },
      { role: 'tool', toolCallId: 'c_1', toolName: 'search', result: { success: true, value: 1 } },
    ];
    const providerOptions = { fake: { sealed: 'x' } };
    expect(prompt(messages)).toMatchObject([
      {
        content: [
          { type: 'reasoning', providerOptions },
          { type: 'text', providerOptions },
          { type: 'tool-call', providerOptions },
        ],
      },
      { content: [{ type: 'tool-result', providerOptions }] },
    ]);
  });

  it('[M13] hands files on, and those of text as text', () => {
    const markdown = btoa(String.fromCharCode(...new TextEncoder().encode('# Grüße')));
    const content = [
      { type: 'text', text: 'Look.' },
      { type: 'file', mediaType: 'image/png', filename: 'a.png', data: 'aGk=' },
      { type: 'file', mediaType: 'text/markdown; charset=utf-8', filename: 'a.md', data: markdown },
      { type: 'file', mediaType: 'application/ld+json', data: btoa('{}') },
    ] as const;
    expect(prompt([{ role: 'user', content }])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'file', mediaType: 'image/png', filename: 'a.png', data: { type: 'data', data: 'aGk=' } },
          { type: 'text', text: 'File a.md (text/markdown; charset=utf-8):\n\n# Grüße' },
          { type: 'text', text: 'File application/ld+json:\n\n{}' },
        ],
      },
    ]);
  });

  it('[M13] says which file is not base64', () => {
    const broken: Message = {
      role: 'user',
      content: [{ type: 'file', mediaType: 'text/plain', filename: 'a.txt', data: '%%' }],
    };
    expect(() => prompt([broken])).toThrow('The data of the file a.txt is not base64.');
  });
});
