import { describe, expect, it } from 'vitest';
import { asNewest } from '../../../../src/model/older';
import { pagesOf } from '../../../../src/model/request/pdf-pages';
import { bytesOfBase64, factsOfBytes, typeProblem } from '../../../../src/protocol/content/file-bytes';
import type { Message } from '../../../../src/protocol/messages';
import { PDF, pdfOf, png, SAMPLES } from '../../../providers/rules/pictures';
import { ALL_MODELS, call, file, type ModelName, promptOf, reply, result, taken, textsOf, user } from './asked';

const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');
const facts = (data: string) => factsOfBytes(bytesOfBase64(data) ?? new Uint8Array());
const TYPES = Object.keys(SAMPLES) as (keyof typeof SAMPLES)[];

/** Those that take pictures, those that take PDF files, and those that take both in results. */
// Those of these tests have one pixel, which is too small for Qwen.
const NO_PICTURES: readonly ModelName[] = ['deepseek', 'qwen'];
const PDFS: readonly ModelName[] = ['anthropic', 'opus', 'responses', 'chat'];
const IN_RESULTS: readonly ModelName[] = ['anthropic', 'opus', 'responses'];

describe('the bytes of a file', () => {
  it.each(TYPES)('[M61] tell a picture by its structure: %s', (mediaType) => {
    const whole = SAMPLES[mediaType];
    expect(facts(whole)).toMatchObject({ kind: 'picture', mediaType, width: 1, height: 1, animated: false });
    const bytes = Buffer.from(whole, 'base64');
    // Cut off anywhere, it is broken, or no picture at all.
    for (let length = 0; length < bytes.length - 1; length++)
      expect([length, facts(base64(bytes.subarray(0, length))).kind]).not.toEqual([length, 'picture']);
    expect(typeProblem('image/png', bytes)).toBeUndefined();
    expect(typeProblem(mediaType, bytes.subarray(0, 20))).toContain(mediaType);
  });

  it('[M61] tell the size of a picture, and a PDF file', () => {
    expect(facts(png(300, 20))).toMatchObject({ width: 300, height: 20 });
    expect(facts(PDF)).toEqual({ kind: 'pdf', encrypted: false });
    expect(facts(base64('%PDF-1.4 /Encrypt %%EOF'))).toEqual({ kind: 'pdf', encrypted: true });
    expect(facts(base64('%PDF-1.4'))).toMatchObject({ kind: 'broken' });
    for (const other of ['', 'PK\u0003\u0004', 'GIF8', '\0'.repeat(64)])
      expect(facts(base64(other)).kind).toBe('other');
    expect(bytesOfBase64('%%')).toBeUndefined();
    expect(typeProblem('text/plain', undefined)).toBeUndefined();
    expect(typeProblem('application/pdf; x=1', Buffer.from('%PDF-1.4'))).toContain('application/pdf');
  });

  it.each([
    ['VP8 ', false],
    ['VP8L', false],
    ['VP8X', false],
    ['VP8X', true],
  ] as const)(
    '[M61] tell the size of a WebP picture whose first part is %s, and whether it moves: %s',
    (part, animated) => {
      const [width, height] = [300, 20];
      const body = {
        'VP8 ': [0, 0, 0, 0x9d, 0x01, 0x2a, width & 0xff, width >> 8, height, 0],
        VP8L: [0x2f, ...new Uint8Array(new Uint32Array([(width - 1) | ((height - 1) << 14)]).buffer), 0, 0, 0, 0, 0],
        VP8X: [animated ? 2 : 0, 0, 0, 0, (width - 1) & 0xff, (width - 1) >> 8, 0, height - 1, 0, 0],
      }[part];
      const inner = Buffer.concat([Buffer.from(`WEBP${part}`), Buffer.from([10, 0, 0, 0, ...body])]);
      const whole = Buffer.concat([Buffer.from('RIFF'), Buffer.from([inner.length, 0, 0, 0]), inner]);
      expect(facts(base64(whole))).toMatchObject({ kind: 'picture', mediaType: 'image/webp', width, height, animated });
      const other = Buffer.concat([whole.subarray(0, 12), Buffer.from('VP9 '), whole.subarray(16)]);
      expect(facts(base64(other)).kind).not.toBe('picture');
    },
  );

  it('[M61] tell a picture that moves', () => {
    const gif = Buffer.from(SAMPLES['image/gif'], 'base64');
    // The frame once more, before the trailer.
    const frame = gif.subarray(gif.indexOf(0x2c), gif.length - 1);
    const moves = base64(Buffer.concat([gif.subarray(0, gif.length - 1), frame, gif.subarray(gif.length - 1)]));
    expect(facts(moves)).toMatchObject({ kind: 'picture', animated: true });
    const sent = (model: ModelName) => textsOf(promptOf([user([file('image/gif', moves)])], model)).join();
    expect(sent('anthropic')).toBe('');
    expect(sent('chat')).toContain('animated images');
  });
});

describe.each(ALL_MODELS)('a file for %s', (model) => {
  const sent = (mediaType: string, data: string) => taken([user([file(mediaType, data, 'a')])], model);

  it('[M13] is a picture as which it goes, by its bytes', () => {
    for (const mediaType of TYPES) {
      for (const called of [mediaType, 'image/heic', 'application/octet-stream']) {
        const { prompt, notes } = sent(called, SAMPLES[mediaType]);
        if (NO_PICTURES.includes(model)) expect(notes).toHaveLength(1);
        else
          expect(prompt.at(-1)?.content).toEqual([
            { type: 'file', mediaType, filename: 'a', data: { type: 'data', data: SAMPLES[mediaType] } },
          ]);
      }
    }
  });

  it.each([
    ['image/png', base64(new Uint8Array(64)), 'accepts no files of this kind'],
    ['image/png', SAMPLES['image/png'].slice(0, 40), 'not a complete file of the type image/png'],
    ['image/heic', base64('\0\0\0\u0018ftypheic'), 'accepts no files of this kind'],
    ['application/zip', base64('PK\u0003\u0004'), 'accepts no files of this kind'],
    ['audio/wav', base64('RIFF'), 'accepts no files of this kind'],
    ['image/png', '%%', 'not base64'],
    ['text/plain', '%%', 'not base64'],
    ['text/plain', base64('\xff\xfea\0'), 'not UTF-8 text'],
    ['application/pdf', base64('%PDF-1.4 /Encrypt %%EOF'), model],
  ])('[M67, WS22] of the type %s that is not taken is a line that names it', (mediaType, data, problem) => {
    const { prompt, notes } = sent(mediaType, data);
    const [text] = textsOf(prompt);
    expect(text).toMatch(/^\[The file a \(.*\) was left out: .*\.\]$/);
    if (problem !== model) expect(text).toContain(problem);
    expect(notes.map((note) => note.text)).toEqual([expect.stringContaining('The file a (')]);
  });

  it('[M13] is a PDF file where that is taken', () => {
    const { prompt, notes } = sent('application/pdf', PDF);
    const part = { type: 'file', mediaType: 'application/pdf', filename: 'a', data: { type: 'data', data: PDF } };
    if (PDFS.includes(model)) expect(prompt.at(-1)?.content).toEqual([part]);
    else expect(notes).toHaveLength(1);
  });

  it('[M13] is text under its name where it is one', () => {
    const { prompt } = sent('text/markdown; charset=utf-8', base64('# Grüße'));
    expect(textsOf(prompt)).toEqual(['File a (text/markdown; charset=utf-8):\n\n# Grüße']);
    expect(textsOf(sent('application/ld+json', base64('\n')).prompt)).toEqual([
      'File a (application/ld+json): it is empty.',
    ]);
  });

  // https://github.com/open-webui/open-webui/pull/21729, https://github.com/epam/ai-dial-chat/issues/5779
  it.each(['application/octet-stream', 'video/mp2t', 'application/x-sh'])('[M100] is text by its bytes: %s', (type) => {
    const { prompt, notes } = sent(type, base64('const é = 1;'));
    expect([textsOf(prompt).join(), notes]).toEqual([expect.stringContaining(`File a (${type}):\n\nconst é = 1;`), []]);
    for (const other of [base64(Buffer.from([0x80, 0x81])), base64('a\0b')])
      expect(sent(type, other).notes).toHaveLength(1);
  });

  it('[M74] that a tool gives is shown to the model, and no text has its base64', () => {
    const value = [
      { type: 'text', text: 'Two.' },
      { type: 'media', mediaType: 'image/png', data: SAMPLES['image/png'] },
      { type: 'file', mediaType: 'application/zip', filename: 'a.zip', data: { type: 'data', data: base64('PK') } },
    ];
    const gives = { success: true, value: { type: 'content', value } } as const;
    const messages: Message[] = [user(), reply(call('c_1'), call('c_2')), result('c_1', gives), result('c_2')];
    const { prompt, notes } = taken(messages, model);
    const texts = JSON.stringify(prompt.map((message) => JSON.stringify(message).replaceAll(/"data":\{[^}]*\}/g, '')));
    expect(texts).not.toContain(SAMPLES['image/png']);
    expect(notes.map(({ text }) => text).join()).toContain('a.zip');
    const files = prompt.flatMap(({ role, content }) =>
      typeof content === 'string'
        ? []
        : content.flatMap((part) => {
            if (part.type === 'file') return [role];
            if (part.type !== 'tool-result' || part.output.type !== 'content') return [];
            return part.output.value.flatMap(({ type }) => (type === 'file' ? ['result'] : []));
          }),
    );
    expect(files).toEqual(NO_PICTURES.includes(model) ? [] : IN_RESULTS.includes(model) ? ['result'] : ['user']);
    // A value that only looks like one is JSON.
    const other = { success: true, value: { type: 'content', value: [{ type: 'odd' }] } } as const;
    expect(JSON.stringify(promptOf([user(), reply(call('c_1')), result('c_1', other)], model))).toContain('odd');
  });
});

describe('many pictures', () => {
  const pictures = (count: number, data = SAMPLES['image/png']): Message[] =>
    Array.from({ length: count }, (_, n) => [user([file('image/png', data, `p${n}`)]), reply('Seen.')]).flat();
  const left = (messages: readonly Message[], model: ModelName): string[] =>
    textsOf(promptOf(messages, model)).flatMap((text) => /The file (p\d+) .*left out/.exec(text)?.[1] ?? []);

  it('[M71] are the newest ones, and half of the others go at once', () => {
    expect(left(pictures(100), 'anthropic')).toEqual([]);
    const first = Array.from({ length: 50 }, (_, n) => `p${n}`);
    expect(left(pictures(101), 'anthropic')).toEqual(first);
    expect(left(pictures(150), 'anthropic')).toEqual(first);
    expect(left(pictures(151), 'anthropic')).toHaveLength(100);
  });

  it('[M71] are small ones where a request has many', () => {
    const large = png(2_001, 1);
    expect(left(pictures(20, large), 'anthropic')).toEqual([]);
    expect(left(pictures(21, large), 'anthropic')).toHaveLength(21);
    expect(left([...pictures(20), user([file('image/png', large, 'p99')])], 'anthropic')).toEqual(['p99']);
    expect(left(pictures(21, large), 'chat')).toEqual([]);
    expect(left([user([file('image/png', png(8_001, 1), 'p1')])], 'anthropic')).toEqual(['p1']);
  });
});

describe('PDF files', () => {
  const papers = (...pages: readonly number[]): Message[] =>
    pages.flatMap((count, n) => [user([file('application/pdf', pdfOf(count, n % 2 === 1), `p${n}`)]), reply('Seen.')]);

  it('[M94] have their pages counted, be they compressed', () => {
    for (const count of [1, 7, 100])
      for (const compressed of [false, true])
        expect(pagesOf(Buffer.from(pdfOf(count, compressed), 'base64'))).toBe(count);
    expect(pagesOf(Buffer.from(PDF, 'base64'))).toBe(1);
    expect(pagesOf(Buffer.from('%PDF-1.5 /Type /ObjStm stream\nno deflate'))).toBe(1);
  });

  it('[M94] go from the oldest on where they have too many pages, and one that has too many itself', () => {
    const left = (messages: readonly Message[], model: ModelName): string[] =>
      taken(messages, model).notes.map(({ text }) => / p\d /.exec(text)?.[0].trim() ?? text);
    expect(left(papers(40, 60), 'anthropic')).toEqual([]);
    expect(left(papers(40, 60, 1), 'anthropic')).toEqual(['p0', 'p1']);
    expect(left(papers(20, 20, 20, 20, 20, 20), 'anthropic')).toEqual(['p0', 'p1', 'p2', 'p3']);
    expect(left(papers(20, 20, 20, 20, 20, 20, 50), 'anthropic')).toEqual(['p0', 'p1', 'p2', 'p3']);
    expect(left(papers(101, 10), 'anthropic')).toEqual(['p0']);
    expect(left(papers(300, 300), 'responses')).toEqual([]);
    expect(textsOf(promptOf(papers(101), 'anthropic')).join()).toContain('101 pages');
  });
});

describe('a model of an older version', () => {
  it.each([
    ['v2', { type: 'media', mediaType: 'image/png', data: SAMPLES['image/png'] }],
    ['v3', { type: 'image-data', mediaType: 'image/png', data: SAMPLES['image/png'] }],
  ] as const)('[M74] is shown a picture of a result in its own words: %s', async (specificationVersion, expected) => {
    let asked: unknown;
    const stream = new ReadableStream();
    const model = asNewest({
      specificationVersion,
      provider: 'anthropic',
      modelId: 'x',
      doStream: async (options: { prompt: unknown }) => {
        asked = options.prompt;
        return { stream };
      },
    } as never);
    const value = [{ type: 'file', mediaType: 'image/png', data: SAMPLES['image/png'] }];
    const gives = { success: true, value: { type: 'content', value } } as const;
    const prompt = promptOf([user(), reply(call('c_1')), result('c_1', gives)], 'anthropic');
    await model.doStream({ prompt } as never);
    expect(asked).toMatchObject([{}, {}, { content: [{ output: { type: 'content', value: [expected] } }] }]);
  });
});
