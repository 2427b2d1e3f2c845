import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, it, vi } from 'vitest';
import { modelPort } from '../../../src/model/adapter';
import { inputOf } from '../../../src/model/further';
import { png } from '../../providers/rules/pictures';
import { ask } from './ask';
import { anyStream, FINISH, fakeModel, streamOf, textParts } from './fake-model';

type Part = LanguageModelV4StreamPart;

const PNG = png();

/** What a reply of these parts is, and what streams of it. */
async function replyTo(...parts: readonly object[]) {
  // Some parts are of older versions, or of none.
  const { model } = fakeModel(() => anyStream([...parts, FINISH]));
  const { reply, deltas, failure } = await ask(modelPort(model));
  return { content: reply?.content, deltas, failure };
}

const CALL: Part = {
  type: 'tool-call',
  toolCallId: 'w',
  toolName: 'web_search',
  input: '{"q":1}',
  providerExecuted: true,
};
const RAN = { by: 'fake.web_search', providerId: 'w', toolName: 'web_search' };
const PICTURE = { type: 'made-file', mediaType: 'image/png', data: PNG };

it('[JS8] keeps the arguments of a call that a provider ran as a text where they exceed the bounds of JSON', () => {
  const parse = vi.spyOn(JSON, 'parse');
  const deep = `{"a":${'['.repeat(500_000)}`;
  const kept = String(inputOf(deep));
  expect([kept.length, deep.startsWith(kept)]).toEqual([4_096, true]);
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
  expect(['', '{"q":1}', '{"q":'].map(inputOf)).toEqual([{}, { q: 1 }, '{"q":']);
});

/** What becomes of each kind of part of a stream: what is kept of it, and what is streamed. */
const KINDS: Readonly<Record<Part['type'], readonly [parts: readonly object[], kept: object[], streamed: object[]]>> = {
  'text-start': [[{ type: 'text-start', id: 't' }], [], []],
  'text-delta': [textParts('Hi.'), [{ type: 'text', text: 'Hi.' }], [{ type: 'text', part: 0, delta: 'Hi.' }]],
  'text-end': [
    [
      ...textParts('Hi.').slice(0, 2),
      { type: 'text-end', id: 't', citations: [{ type: 'url', url: 'https://a.test' }] },
    ],
    [{ type: 'text', text: 'Hi.' }],
    [{ type: 'text', part: 0, delta: 'Hi.' }],
  ],
  'reasoning-start': [[{ type: 'reasoning-start', id: 'r' }], [], []],
  'reasoning-delta': [
    [
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    ],
    [{ type: 'reasoning', text: 'Hm.' }],
    [{ type: 'thinking', part: 0, delta: 'Hm.' }],
  ],
  'reasoning-end': [[{ type: 'reasoning-end', id: 'r' }], [], []],
  'tool-input-start': [[{ type: 'tool-input-start', id: 'w', toolName: 'web_search', providerExecuted: true }], [], []],
  'tool-input-delta': [
    [
      { type: 'tool-input-start', id: 'w', toolName: 'web_search', providerExecuted: true },
      { type: 'tool-input-delta', id: 'w', delta: '{}' },
    ],
    [],
    [],
  ],
  'tool-input-end': [[{ type: 'tool-input-end', id: 'w' }], [], []],
  'tool-call': [
    // Some providers say only once that they run it themselves.
    [CALL, { ...CALL, providerExecuted: undefined }],
    [{ type: 'provider-call', ...RAN, input: { q: 1 } }],
    [{ type: 'provider_call', part: 0, id: 'w', toolName: 'web_search', input: { q: 1 } }],
  ],
  'tool-result': [
    [
      { type: 'tool-result', toolCallId: 'w', toolName: 'web_search', result: { n: 0 }, preliminary: true },
      { type: 'tool-result', toolCallId: 'w', toolName: 'web_search', result: { n: 1 }, isError: true },
    ],
    [{ type: 'provider-result', ...RAN, result: { n: 1 }, isError: true }],
    [{ type: 'provider_result', part: 0, id: 'w', toolName: 'web_search', result: { n: 1 }, success: false }],
  ],
  source: [
    [
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test/x', title: 'A' },
      { type: 'source', sourceType: 'document', id: 'd', mediaType: 'application/pdf', title: 'B', filename: 'b.pdf' },
      { type: 'source', sourceType: 'url', id: 'no', url: 'no address' },
    ],
    [
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test/x', title: 'A' },
      { type: 'source', sourceType: 'document', id: 'd', mediaType: 'application/pdf', title: 'B', filename: 'b.pdf' },
    ],
    [
      { type: 'source', part: 0 },
      { type: 'source', part: 1 },
    ],
  ],
  file: [
    [
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: Buffer.from(PNG, 'base64') } },
      { type: 'file', mediaType: 'image/png', data: PNG },
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://a.test/x.png') } },
    ],
    [PICTURE, PICTURE, PICTURE, { type: 'reply-file', mediaType: 'image/png', url: 'https://a.test/x.png' }],
    [],
  ],
  'reasoning-file': [[{ type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: PNG } }], [], []],
  custom: [[{ type: 'custom', kind: 'fake.extra', providerMetadata: { fake: { a: 1 } } }], [], []],
  'tool-approval-request': [[{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'w' }], [], []],
  'stream-start': [[{ type: 'stream-start', warnings: [] }], [], []],
  'response-metadata': [[{ type: 'response-metadata', id: 'resp_1', modelId: 'model-2' }], [], []],
  ping: [[{ type: 'ping' }], [], []],
  raw: [[{ type: 'raw', rawValue: { any: 1 } }], [], []],
  finish: [[], [], []],
  error: [[], [], []],
};

describe('parts of a stream', () => {
  it.for(Object.entries(KINDS))('[RP1, RP2] `%s` is kept as it should be, beside a text', async ([, row]) => {
    const [parts, kept, streamed] = row;
    const { content, deltas } = await replyTo(...parts, ...textParts('End.', 'end'));
    expect(content).toEqual([...kept, { type: 'text', text: 'End.' }]);
    expect(deltas.slice(0, -1)).toMatchObject(streamed);
    expect(deltas).toHaveLength(streamed.length + 1);
  });

  it('[RP2] a kind that nobody knows yet is passed over', async () => {
    const { content } = await replyTo({ type: 'hologram', id: 'h', data: { deep: [1] } }, ...textParts('End.'));
    expect(content).toEqual([{ type: 'text', text: 'End.' }]);
  });

  it('[RP1] knows the tool by the id that it was asked with', async () => {
    const { model } = fakeModel([CALL, ...textParts('End.'), FINISH]);
    const providerTools = [{ name: 'web_search', id: 'fake.search_2', args: {} }];
    const { reply } = await ask(modelPort(model), { providerTools });
    expect(reply?.content[0]).toMatchObject({ type: 'provider-call', by: 'fake.search_2' });
  });

  it('[RP4] the picture of a tool that makes one is a file of the reply, and not in its result', async () => {
    const { content } = await replyTo(
      { ...CALL, toolName: 'image_generation' },
      { type: 'tool-result', toolCallId: 'w', toolName: 'image_generation', result: { result: PNG } },
    );
    expect(content).toMatchObject([{ type: 'provider-call' }, { result: { mediaType: 'image/png' } }, PICTURE]);
    expect(JSON.stringify(content?.[1])).not.toContain(PNG);
  });

  it('[RP3] keeps so much and no more: a large result is cut, sources and files are counted', async () => {
    const source = (n: number) => ({ type: 'source', sourceType: 'url', id: `${n}`, url: `https://a.test/${n}` });
    const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } };
    const text = (n: number) => ({
      type: 'tool-result',
      toolCallId: `w${n}`,
      toolName: 'web_search',
      result: 'x'.repeat(n),
    });
    const { content = [] } = await replyTo(
      text(999_990),
      text(1_000_001),
      ...Array.from({ length: 201 }, (_, n) => source(n)),
      ...Array.from({ length: 21 }, () => file),
    );
    const [whole, cut] = content;
    expect(whole).toMatchObject({ result: 'x'.repeat(999_990) });
    expect(whole).not.toHaveProperty('cut');
    expect(cut).toMatchObject({ cut: true, result: expect.stringMatching(/^"x{4095}$/) });
    expect(content.filter(({ type }) => type === 'source')).toHaveLength(200);
    expect(content.filter(({ type }) => type === 'made-file')).toHaveLength(20);
  });

  it('[RP3] results count in the size of a reply, and files have a limit of their own', async () => {
    const result = 'x'.repeat(900_000);
    const parts = Array.from({ length: 5 }, (_, n) => ({
      type: 'tool-result',
      toolCallId: `w${n}`,
      toolName: 's',
      result,
    }));
    expect((await replyTo(...parts)).failure).toMatchObject({ code: 'model_bad_reply', retryable: false });
    const data = 'A'.repeat(40 * 1_048_576);
    const file = { type: 'file', mediaType: 'video/mp4', data: { type: 'data', data } };
    const { content = [] } = await replyTo(file, file);
    expect(content.map((part) => ('omitted' in part ? part.omitted : part.type))).toEqual([
      'made-file',
      expect.stringContaining('too large'),
    ]);
  });

  it('[RP11] a reply that its provider paused says so', async () => {
    const { model } = fakeModel(() =>
      streamOf([CALL, { ...FINISH, finishReason: { unified: 'stop', raw: 'pause_turn' } }]),
    );
    expect((await ask(modelPort(model))).reply?.finishReason).toBe('paused');
  });
});
