/** Parts of files over HTTP: from the headers of a request to the bytes of its answer, against the rules of RFC 9110. */
import { beforeEach, expect, it, vi } from 'vitest';
import type { ByteRange, FileInfo } from '../../../src/core/ports/file-store';
import { fileResponse, rangeOf, uploadFacts } from '../../../src/gateway/files-http';
import { readFile } from '../../../src/verbs/files';

const ETAG = 'b5bb9d80';

/** As the platform has it, for streams whose length is known. */
class Fixed extends TransformStream<Uint8Array, Uint8Array> {
  constructor(_length: number) {
    super();
  }
}
beforeEach(() => void vi.stubGlobal('FixedLengthStream', Fixed));

/** The answer to a request for a file, by way of the verb. */
async function answered(text: string, headers: Record<string, string>, method = 'GET') {
  const request = new Request('https://offshoot.test/agents/top/one/files/notes%2Fa.txt', { method, headers });
  const content = new TextEncoder().encode(text);
  const file: FileInfo = {
    path: 'notes/a.txt',
    size: content.length,
    mediaType: 'text/plain',
    etag: ETAG,
    updatedAt: 1_000,
  };
  const open = async (_path: string, range: (file: FileInfo) => ByteRange) => {
    const { offset = 0, length = content.length } = range(file);
    const part = content.slice(offset, offset + length);
    return { file, body: new Blob([part]).stream(), offset, length: part.length };
  };
  const input = { path: file.path, ...rangeOf(request) };
  const object = { ports: { files: { open } } };
  const verb = readFile as unknown as {
    handle(context: never): Promise<{ body: never; bytes: ReadableStream<Uint8Array> }>;
  };
  const { body, bytes } = await verb.handle({ object, input } as never);
  const response = fileResponse(request, body, bytes, 'r', new Headers());
  const { status } = response;
  const [length, range] = ['content-length', 'content-range'].map((name) => response.headers.get(name));
  const said = status === 416 ? '' : await response.text();
  return { status, range, length: status === 416 ? null : length, said };
}

/** The answer of the standard to a header `Range` that is one range of bytes. */
function byStandard(text: string, range: string | undefined) {
  const size = text.length;
  const whole = { status: 200, range: null, length: String(size), said: text };
  const match = /^bytes=(\d*)-(\d*)$/i.exec(range ?? '');
  if (!match || range?.toLowerCase() === 'bytes=-') return whole;
  const [, from = '', to = ''] = match;
  const none = { status: 416, range: `bytes */${size}`, length: null, said: '' };
  if (from === '') {
    if (Number(to) === 0) return none;
    if (size === 0) return whole;
  } else if (to !== '' && Number(to) < Number(from)) return whole;
  else if (Number(from) >= size) return none;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  const said = text.slice(first, end);
  return { status: 206, range: `bytes ${first}-${end - 1}/${size}`, length: String(said.length), said };
}

const NUMBERS = ['', '0', '1', '2', '3', '99999999999999999999'];

it('[FS25, FS26] every part of every small file is what the standard says', async () => {
  for (const text of ['', 'abc'])
    for (const from of NUMBERS)
      for (const to of NUMBERS)
        for (const unit of text === 'abc' ? ['bytes', 'Bytes'] : ['bytes']) {
          const range = `${unit}=${from}-${to}`;
          expect([text, range, await answered(text, { range })]).toEqual([text, range, byStandard(text, range)]);
        }
});

it('[FS26] forms of ranges that are not known, and those of a HEAD, are answered with the whole file', async () => {
  for (const range of ['', 'bytes', 'bytes=a-b', 'bytes=0-1,2-2', 'items=0-1', 'bytes=0-1x', 'bytes= 0-1'])
    expect([range, await answered('abc', { range })]).toEqual([range, byStandard('abc', undefined)]);
  for (const range of ['bytes=0-0', 'bytes=-1', 'bytes=9-'])
    expect(await answered('abc', { range }, 'HEAD')).toEqual({ ...byStandard('abc', undefined), said: '' });
});

it('[FS27] a part is sent of the version that If-Range names alone, and otherwise the whole file', async () => {
  for (const [known, isPart] of [
    [`"${ETAG}"`, true],
    [` "${ETAG}" `, true],
    [`W/"${ETAG}"`, false],
    [ETAG, false],
    ['"a"', false],
    ['""', false],
    ['Thu, 01 Jan 1970 00:00:01 GMT', false],
  ] as const)
    for (const range of ['bytes=1-1', 'bytes=1-', 'bytes=-1', 'bytes=5-'])
      expect([known, range, await answered('abc', { range, 'if-range': known })]).toEqual([
        ...[known, range, byStandard('abc', isPart ? range : undefined)],
      ]);
  expect(await answered('abc', { 'if-range': `"${ETAG}"` })).toEqual(byStandard('abc', undefined));
});

it('[FS25] what a PUT says of the file is its length, its type and the version that it replaces', () => {
  const facts = (headers: Record<string, string>) => {
    try {
      return uploadFacts(new Request('https://offshoot.test/a', { method: 'PUT', headers }));
    } catch (error) {
      return (error as { failure: { code: string } }).failure.code;
    }
  };
  const length = { 'content-length': '3' };
  const rows: readonly (readonly [Record<string, string>, unknown])[] = [
    [{}, 'length_required'],
    [{ 'content-type': 'text/plain' }, 'length_required'],
    [length, { size: 3 }],
    [{ 'content-length': '0' }, { size: 0 }],
    ...['', 'x', '-1', '1.5', '1e3', '0x1', '+1', '1 2', '1234567890123456'].map(
      (bad): readonly [Record<string, string>, unknown] => [{ 'content-length': bad }, 'invalid_request'],
    ),
    [{ 'content-length': '123456789012345' }, { size: 123_456_789_012_345 }],
    [
      { ...length, 'content-type': 'text/plain' },
      { size: 3, mediaType: 'text/plain' },
    ],
    [
      { ...length, 'if-match': `"${ETAG}"` },
      { size: 3, ifMatch: ETAG },
    ],
    [
      { ...length, 'if-match': `W/"${ETAG}"` },
      { size: 3, ifMatch: ETAG },
    ],
    [{ ...length, 'if-match': '*' }, 'invalid_request'],
    [
      { ...length, 'if-none-match': '*' },
      { size: 3, ifMatch: null },
    ],
    [
      { ...length, 'if-none-match': ' * ' },
      { size: 3, ifMatch: null },
    ],
    [{ ...length, 'if-none-match': '"a"' }, 'invalid_request'],
    [
      { ...length, 'if-match': `"${ETAG}"`, 'if-none-match': '*' },
      { size: 3, ifMatch: null },
    ],
  ];
  for (const [headers, expected] of rows) expect([headers, facts(headers)]).toEqual([headers, expected]);
});
