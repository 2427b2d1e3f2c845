/** The end of a reply, its cost, and what is kept of what a provider adds: every row, its edge and one past it. */
import { expect, it } from 'vitest';
import { fileOf, inputOf, keptResult, PART_LIMITS, pictureIn, sourceOf } from '../../../../src/model/further';
import { companyOf, modelName, ReplyBuilder, toUsage } from '../../../../src/model/reply';
import { png } from '../../../providers/rules/pictures';
import { FINISH } from '../fake-model';

type Finish = Parameters<ReplyBuilder['finish']>[0];

const builder = () => new ReplyBuilder({ provider: 'fake.chat', modelId: 'm' }, () => undefined);
const ended = (finish: object) => builder().finish({ ...FINISH, ...finish } as Finish);

const BROKEN = [
  'abort',
  'aborted',
  'cancelled',
  'error',
  'insufficient_system_resource',
  'network_error',
  'interrupted',
];
const REASONS: readonly (readonly [given: unknown, reason: string])[] = [
  ...['stop', 'length', 'content-filter', 'tool-calls'].map((word) => [word, word] as const),
  ...['guardrail_intervened', 'refusal', 'safety', 'sensitive', 'SAFETY'].map(
    (word) => [word, 'content-filter'] as const,
  ),
  ...['max_output_tokens', 'max_tokens', 'model_context_window_exceeded'].map((word) => [word, 'length'] as const),
  ...['other', 'odd', '', undefined, {}, { raw: 7 }].map((given) => [given, 'other'] as const),
  // A word that the AI SDK knows counts before the provider's own.
  [{ unified: 'stop', raw: 'safety' }, 'stop'],
  [{ unified: 'other', raw: 'safety' }, 'content-filter'],
  [{ unified: 'tool-calls', raw: 'pause_turn' }, 'paused'],
  [{ unified: 'unknown', raw: 'pause_turn' }, 'paused'],
];

it.each(REASONS)('[M89, M21] a reply that ends with %o ends as %s', (finishReason, reason) => {
  expect(ended({ finishReason }).finishReason).toBe(reason);
});

it.each(BROKEN)('[M20] a reply that ends with %s broke off, and says by what', (raw) => {
  const ownWord = raw === 'interrupted' ? raw : { unified: 'other', raw: raw.toUpperCase() };
  for (const finishReason of [raw, ownWord])
    expect(() => ended({ finishReason })).toThrow(/^fake\/m: the reply broke off/);
  expect(() => ended({ finishReason: { unified: 'error', raw } })).toThrow(`broke off (${raw}).`);
  expect(() => ended({ finishReason: { unified: 'error' } })).toThrow('broke off.');
});

it('[M20, M21] a reply is empty only without content, input and output, and where no filter stopped it', () => {
  const usage = (input: number, output: number) => ({ inputTokens: input, outputTokens: output });
  expect(() => ended({ usage: usage(0, 0) })).toThrow('the reply is empty');
  expect(ended({ usage: usage(1, 0) }).content).toEqual([]);
  expect(ended({ usage: usage(0, 1) }).content).toEqual([]);
  expect(ended({ usage: usage(0, 0), finishReason: 'content-filter' }).finishReason).toBe('content-filter');
  const said = builder();
  for (const part of [{ type: 'text-start' }, { type: 'text-delta', delta: 'Hi.' }] as const)
    said.take({ id: 't', ...part } as never);
  expect(said.finish({ ...FINISH, usage: usage(0, 0) } as never).content).toEqual([{ type: 'text', text: 'Hi.' }]);
});

it('[M9, M89, US10] a usage has each count at its place: totals before parts, whole, and nothing that is no count', () => {
  const input = { noCache: 5, cacheRead: 3, cacheWrite: 2 };
  const none = { cachedTokens: 0, reasoningTokens: 0, modelCalls: 1, toolCalls: 0 };
  const table: readonly (readonly [given: object | undefined, usage: object])[] = [
    [undefined, { inputTokens: 0, outputTokens: 0 }],
    [
      { inputTokens: 7, outputTokens: 4 },
      { inputTokens: 7, outputTokens: 4 },
    ],
    [
      { inputTokens: { ...input, total: 11 }, outputTokens: { total: 9, text: 4, reasoning: 6 } },
      { inputTokens: 11, outputTokens: 9, cachedTokens: 3, cacheWriteTokens: 2, reasoningTokens: 6 },
    ],
    [
      { inputTokens: input, outputTokens: { text: 4, reasoning: 6 } },
      { inputTokens: 10, outputTokens: 10, cachedTokens: 3, cacheWriteTokens: 2, reasoningTokens: 6 },
    ],
    [{ inputTokens: { ...input, cacheWrite: 0 } }, { inputTokens: 8, outputTokens: 0, cachedTokens: 3 }],
    [
      { inputTokens: 1.4, outputTokens: 1.5 },
      { inputTokens: 1, outputTokens: 2 },
    ],
    [
      { inputTokens: -1, outputTokens: Number.POSITIVE_INFINITY },
      { inputTokens: 0, outputTokens: 0 },
    ],
    [{ inputTokens: { total: Number.NaN, noCache: 5 } }, { inputTokens: 0, outputTokens: 0 }],
  ];
  for (const [given, usage] of table) expect(toUsage(given as never)).toStrictEqual({ ...none, ...usage });
});

it('[M9] a reply has the name and the id that the provider says, as far as they are kept', () => {
  const of = (more: object) => {
    const made = builder();
    made.take({ type: 'response-metadata', ...more } as never);
    const { model, responseId } = made.finish(FINISH);
    return [made.model, model, responseId];
  };
  const same = (name: string, id?: string) => [`fake/${name}`, `fake/${name}`, id];
  expect(of({})).toEqual(same('m'));
  expect(of({ modelId: '', id: '' })).toEqual(same('m'));
  expect(of({ modelId: 'n', id: 'i' })).toEqual(same('n', 'i'));
  expect(of({ modelId: 'n'.repeat(257), id: 'i'.repeat(257) })).toEqual(same('n'.repeat(256)));
  expect([companyOf('a.b.c'), companyOf('a'), modelName('a.chat', 'b.c')]).toEqual(['a', 'a', 'a/b.c']);
});

it('[RP14, RP3] of a source its link to the web is kept up to its limit, and the beginning of its other texts', () => {
  const long = (most: number) => ['x'.repeat(most), 'x'.repeat(most + 1)] as const;
  const link = (url: string) => sourceOf({ type: 'source', sourceType: 'url', id: 's', url } as never);
  const base = 'https://a.test/';
  const [fits, over] = long(PART_LIMITS.maxUrl - base.length);
  expect(link(`${base}${fits}`)).toEqual({ type: 'source', sourceType: 'url', id: 's', url: `${base}${fits}` });
  for (const url of [`${base}${over}`, 'ftp://a.test/', 'javascript:1', `${base}\ud800`, ''])
    expect(link(url)).toBeUndefined();
  const [title, titleOver] = long(PART_LIMITS.maxTitle);
  const [name, nameOver] = long(PART_LIMITS.maxName);
  const paper = (more: object) =>
    sourceOf({ type: 'source', sourceType: 'document', id: nameOver, mediaType: nameOver, ...more } as never);
  const kept = { type: 'source', sourceType: 'document', id: name, mediaType: name };
  expect(paper({ title: titleOver, filename: nameOver })).toStrictEqual({ ...kept, title, filename: name });
  expect(paper({ title: '', filename: '' })).toStrictEqual(kept);
});

it('[RP2, RP14] a file is its bytes however they come, or its address on the web', () => {
  const metadata = { fake: { a: 1 } };
  const made = { type: 'made-file', mediaType: 'image/png', data: 'aGk=', providerMetadata: metadata };
  for (const data of ['aGk=', new TextEncoder().encode('hi'), { type: 'data', data: 'aGk=' }])
    expect(fileOf(data as never, 'image/png', metadata)).toStrictEqual(made);
  const at = (url: string | URL) => fileOf({ type: 'url', url } as never, 'x'.repeat(257), undefined);
  const base = { type: 'reply-file', mediaType: 'x'.repeat(256) };
  const fits = `https://a.test/${'x'.repeat(PART_LIMITS.maxUrl - 15)}`;
  expect(at(fits)).toStrictEqual({ ...base, url: fits });
  expect(at(new URL('https://a.test/'))).toStrictEqual({ ...base, url: 'https://a.test/' });
  expect(at(`${fits}x`)).toStrictEqual({ ...base, omitted: 'its address is too long' });
  expect(at('data:,x')).toStrictEqual({ ...base, omitted: 'its address is not a web address' });
});

it('[RP1, RP3] a result is kept whole up to its limit, and then its beginning; arguments are what they are', () => {
  const text = (size: number) => 'x'.repeat(size - 2);
  expect(keptResult(text(PART_LIMITS.maxResult))).toEqual({ result: text(PART_LIMITS.maxResult) });
  const cut = keptResult(text(PART_LIMITS.maxResult + 1));
  expect(cut).toEqual({ result: `"${'x'.repeat(PART_LIMITS.maxCutResult - 1)}`, cut: true });
  expect(keptResult(10n)).toEqual({ result: expect.any(String), cut: true });
  expect(['', ' \n', '{"a":1}', ' 7 ', 'no'].map(inputOf)).toEqual([{}, {}, { a: 1 }, 7, 'no']);
});

it('[RP4] a picture in a result is base64 of one, of 64 characters at least', () => {
  const data = png();
  expect(pictureIn({ result: data })).toEqual({ mediaType: 'image/png', data });
  for (const none of [
    undefined,
    data,
    {},
    { result: 7 },
    { result: 'A'.repeat(64) },
    { result: data.slice(0, 60) },
    { result: '?'.repeat(64) },
  ])
    expect(pictureIn(none)).toBeUndefined();
});
