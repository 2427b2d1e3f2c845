/** Paths, prefixes, media types and bytes of files: each rule for all of its rows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Of, bytesOfBase64, factsOfBytes, isBinary, typeProblem } from '../../src/protocol/content/file-bytes';
import { filePath, filePrefix, mediaTypeOf, newFilePath, prefixRange } from '../../src/protocol/file-rules';

const x = (length: number): string => 'x'.repeat(length);

describe('the path of a file', () => {
  it.each([
    ['notes/a.md', 'notes/a.md'],
    ['/notes/a.md', 'notes/a.md'],
    ['a', 'a'],
    ['.a/..b/...', '.a/..b/...'],
    ['a b/ä', 'a b/ä'],
    ['e\u0301', '\u00e9'],
    [x(1_024), x(1_024)],
    ['/'.concat(x(1_024)), x(1_024)],
    ['ä'.repeat(512), 'ä'.repeat(512)],
  ])('[FS15, FS50] %j is %j', (given, path) => {
    expect(filePath(given)).toBe(path);
    expect(newFilePath(given)).toBe(path);
    expect(filePrefix(given)).toBe(path);
  });

  it.each([
    ...['', '/', '//a', 'a//b', 'a/', '.', '..', 'a/./b', 'a/../b', '/..', 'a/..', 'a\0b', 'a\ud800', '\udc00a'],
    ...[x(1_025), 'ä'.repeat(513)],
  ])('[FS15] %j is refused', (given) => {
    expect(() => filePath(given)).toThrow(/^The path of the file /);
    expect(() => newFilePath(given)).toThrow(/^The path of the file /);
  });

  it('[A53] a new one may not deceive; one that is there is still read', () => {
    for (const mark of ['\n', '\x1b', '\u202e', '\u2028', '\x7f']) {
      expect(() => newFilePath(`a${mark}b`)).toThrow('control or text-direction');
      expect(filePath(`a${mark}b`)).toBe(`a${mark}b`);
    }
  });
});

describe('a prefix', () => {
  const bytes = (text: string) => Buffer.from(text);
  const path = fc
    .array(fc.constantFrom('a', 'b', '/', 'é', '\ud7ff', '\ue000', '\u{10ffff}', '\u{1f600}'), { maxLength: 4 })
    .map((letters) => letters.join(''));

  it('[FS16] is a range of bytes that holds the paths which begin so, and no other', () => {
    fc.assert(
      fc.property(path, path, (prefix, given) => {
        const start = filePrefix(prefix);
        const { from, to } = prefixRange(prefix);
        const one = given.normalize('NFC');
        const isIn =
          Buffer.compare(bytes(one), bytes(from)) >= 0 &&
          (to === undefined || Buffer.compare(bytes(one), bytes(to)) < 0);
        expect(isIn).toBe(one.startsWith(start));
      }),
      { numRuns: 1_000 },
    );
  });

  it('[FS15, FS16] may be empty or end anywhere, but is a text of at most 1,024 bytes', () => {
    expect(prefixRange('')).toEqual({ from: '' });
    expect(prefixRange('/')).toEqual({ from: '' });
    expect(prefixRange('/a/')).toEqual({ from: 'a/', to: 'a0' });
    expect(prefixRange('a\ud7ff')).toEqual({ from: 'a\ud7ff', to: 'a\ue000' });
    expect(prefixRange('a\u{10ffff}')).toEqual({ from: 'a\u{10ffff}', to: 'b' });
    expect(prefixRange('\u{10ffff}')).toEqual({ from: '\u{10ffff}' });
    expect(prefixRange(x(1_024)).from).toHaveLength(1_024);
    for (const wrong of [x(1_025), 'a\0', 'a\ud800']) expect(() => prefixRange(wrong)).toThrow(/^The prefix /);
  });
});

describe('a media type', () => {
  it.each([
    ...['text/plain', 'a/b', 'application/vnd.x+json', 'text/html; charset=utf-8', 'a/b;c=d', 'a/b; c="d e"'],
    ...['a/b;', 'a/b ; c=d ;e=f', 'a/b;c="\\""', `a/${x(253)}`, "!#$%&'*+.^_`|~-/x"],
  ])('[FS14] %j is one', (given) => {
    expect(mediaTypeOf(given)).toBe(given);
  });

  it.each([
    ...['', 'text', '/plain', 'text/', 'text/plain/x', 'te xt/plain', 'text/pl ain', ' text/plain', 'text/plain '],
    ...[
      'a/b;c',
      'a/b;c=',
      'a/b;c="',
      'a/b;c="\n"',
      'a/b\r\nx: y',
      'ä/b',
      'a/b;c=d e',
      'a/b;=d',
      'a/b;c="\\',
      `a/${x(254)}`,
    ],
  ])('[FS14] %j is none', (given) => {
    expect(() => mediaTypeOf(given)).toThrow('The media type of the file is not valid');
  });
});

describe('bytes', () => {
  it('[M61] are the same behind base64, however many, and what is no base64 has none', () => {
    for (const length of [0, 1, 2, 3, 32_767, 32_768, 32_769, 70_000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 7) % 256);
      expect(base64Of(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      expect(Buffer.compare(bytesOfBase64(base64Of(bytes)) ?? new Uint8Array(1), bytes)).toBe(0);
    }
    expect(bytesOfBase64('*')).toBeUndefined();
  });

  it('[WS22] are no text with a zero among the first 8,192, or with a mark of UTF-16', () => {
    const withZeroAt = (at: number) => Uint8Array.from({ length: 9_000 }, (_, index) => (index === at ? 0 : 97));
    const rows = [
      [withZeroAt(0), true],
      [withZeroAt(8_191), true],
      [withZeroAt(8_192), false],
      [Uint8Array.of(0xff, 0xfe, 97), true],
      [Uint8Array.of(0xfe, 0xff, 97), true],
      [Uint8Array.of(0xff, 97), false],
      [Uint8Array.of(0xfe, 0xfe), false],
      [Uint8Array.of(), false],
    ] as const;
    for (const [bytes, expected] of rows) expect(isBinary(bytes)).toBe(expected);
  });

  it('[M61] are a PDF file with its head among the first 1,024 and its end among the last 2,048', () => {
    const pdf = (before: number, behind: number, inside = '') =>
      Buffer.from(`${x(before)}%PDF-1.4 ${inside} %%EOF${x(behind)}`);
    const kindOf = (bytes: Uint8Array) => factsOfBytes(bytes);
    expect(kindOf(pdf(0, 0))).toEqual({ kind: 'pdf', encrypted: false });
    expect(kindOf(pdf(0, 0, '/Encrypt'))).toEqual({ kind: 'pdf', encrypted: true });
    expect(kindOf(pdf(1_019, 2_043))).toEqual({ kind: 'pdf', encrypted: false });
    expect(kindOf(pdf(1_020, 0))).toEqual({ kind: 'other' });
    expect(kindOf(pdf(0, 2_044))).toEqual({ kind: 'broken', mediaType: 'application/pdf' });
    expect(kindOf(Buffer.from('text'))).toEqual({ kind: 'other' });
  });

  it('[M61] may be declared as any picture where they are one, and as anything that is not looked into', () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    expect(factsOfBytes(png)).toEqual({
      kind: 'picture',
      mediaType: 'image/png',
      width: 1,
      height: 1,
      animated: false,
    });
    const pdf = Buffer.from('%PDF-1.4 %%EOF');
    for (const type of ['image/png', 'IMAGE/JPEG', 'image/gif; x=1', ' image/webp ']) {
      expect(typeProblem(type, png)).toBeUndefined();
      for (const wrong of [pdf, Buffer.from('text'), png.subarray(0, 30), undefined])
        expect(typeProblem(type, wrong)).toMatch(/^it is not a complete file of the type image\/\w+$/);
    }
    // Each name of a part is needed: the head, the data and the end.
    for (const part of ['IHDR', 'IDAT', 'IEND']) {
      const other = Buffer.from(png.toString('latin1').replace(part, 'teXt'), 'latin1');
      expect(typeProblem('image/png', other), part).toContain('image/png');
    }
    expect(typeProblem('application/pdf', pdf)).toBeUndefined();
    for (const wrong of [png, undefined]) expect(typeProblem('application/pdf', wrong)).toContain('application/pdf');
    for (const other of ['image/svg+xml', 'image/tiff', 'text/plain', ''])
      expect(typeProblem(other, undefined)).toBeUndefined();
  });
});
