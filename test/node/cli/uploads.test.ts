/** What the command sends with a question, and how it writes numbers and arguments. */
import { describe, expect, it } from 'vitest';
import { isReport, jsonLines, readableLines } from '../../../src/cli/answering/arguments';
import { CliError, EXIT } from '../../../src/cli/cli-error';
import { questionOf, readUploads } from '../../../src/cli/files';
import { formatCount, formatSpan, plural } from '../../../src/cli/terminal/format';

const read = async () => new TextEncoder().encode('hi');
const pathsOf = async (...paths: string[]) => (await readUploads(paths, read)).map(({ path }) => path);

describe('files of a question', () => {
  it.each([
    ...[
      ['a.css', 'text/css'],
      ['a.csv', 'text/csv'],
      ['a.gif', 'image/gif'],
      ['a.htm', 'text/html'],
    ],
    ...[
      ['a.html', 'text/html'],
      ['a.jpeg', 'image/jpeg'],
      ['a.jpg', 'image/jpeg'],
      ['a.json', 'application/json'],
    ],
    ...[
      ['a.markdown', 'text/markdown'],
      ['a.md', 'text/markdown'],
      ['a.pdf', 'application/pdf'],
    ],
    ...[
      ['a.png', 'image/png'],
      ['a.svg', 'image/svg+xml'],
      ['a.text', 'text/plain'],
      ['a.txt', 'text/plain'],
    ],
    ...[
      ['a.webp', 'image/webp'],
      ['a.xml', 'application/xml'],
      ['A.B.PNG', 'image/png'],
    ],
    ...['a', 'png', 'a.', 'a.docx', 'a.toString', 'a.md.bak', '.hidden'].map((name) => [
      name,
      'application/octet-stream',
    ]),
  ])('[K1] %s is %s', async (name = '', mediaType = '') => {
    expect(await readUploads([`there/${name}`], read)).toEqual([
      { path: `uploads/${name}`, mediaType, base64: 'aGk=' },
    ]);
  });

  it('[K1, FS50] have names of their own: the second of a name has a number, before its ending', async () => {
    expect(await pathsOf('a/x.md', 'b\\x.md', 'x.md', 'x-2.md')).toEqual(
      ['x.md', 'x-2.md', 'x-3.md', 'x-2-2.md'].map((name) => `uploads/${name}`),
    );
    expect(await pathsOf('x', 'x', '.env', '.env', 'a.b.c', 'a.b.c')).toEqual(
      ['x', 'x-2', '.env', '.env-2', 'a.b.c', 'a.b-2.c'].map((name) => `uploads/${name}`),
    );
    expect(await pathsOf('there/')).toEqual(['uploads/file']);
  });

  it.each([
    ['ENOENT', 'a.md cannot be read: there is no such file.'],
    ['EACCES', 'a.md cannot be read: permission denied.'],
    ['EPERM', 'a.md cannot be read: permission denied.'],
    ['EISDIR', 'a.md cannot be read: it is a directory.'],
    ['EMFILE', 'a.md cannot be read: EMFILE.'],
    ['', 'a.md cannot be read: Error: It broke.'],
    ['It is gone.', 'a.md cannot be read: It is gone.'],
  ])('[K23] that cannot be read are told with why: %s', async (code, message) => {
    const error = Object.assign(new Error('It broke'), code === '' ? {} : { code });
    const failed = await readUploads(['a.md'], () => Promise.reject(error)).catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(CliError);
    expect(failed).toMatchObject({ message, exitCode: EXIT.usage });
  });

  it('[M13] of a question its pictures and PDF files are parts, in their order, behind its words', () => {
    const file = (path: string, mediaType: string) => ({ path, mediaType, base64: '' });
    expect(questionOf('Why?', [])).toBe('Why?');
    expect(questionOf('Why?', [file('a', 'text/plain'), file('b', 'image/svg+xml')])).toBe('Why?');
    const types = ['image/png', 'text/plain', 'application/pdf', 'image/jpeg', 'image/gif', 'image/webp'];
    expect(
      questionOf(
        'Why?',
        types.map((type) => file(type, type)),
      ),
    ).toEqual([
      { type: 'text', text: 'Why?' },
      ...types.filter((type) => type !== 'text/plain').map((path) => ({ type: 'file', path })),
    ]);
  });
});

describe('numbers in a terminal', () => {
  it.each([
    ...[
      [-5, '0s'],
      [0, '0s'],
      [999, '0s'],
      [59_999, '59s'],
      [60_000, '1m00s'],
      [185_000, '3m05s'],
    ],
    ...[
      [3_599_999, '59m59s'],
      [3_600_000, '1h00m'],
      [3_720_000, '1h02m'],
      [360_000_000, '100h00m'],
    ],
  ] as const)('[K3] %d ms are %s', (ms, text) => {
    expect(formatSpan(ms)).toBe(text);
  });

  it.each([
    ...[
      [0, '0'],
      [950, '950'],
      [999, '999'],
      [1_000, '1.0k'],
      [1_234, '1.2k'],
      [9_949, '9.9k'],
      [9_950, '10k'],
    ],
    ...[
      [34_400, '34k'],
      [999_499, '999k'],
      [999_500, '1.0M'],
      [5_600_000, '5.6M'],
      [12_000_000, '12M'],
    ],
  ] as const)('[K3] %d tokens are %s', (count, text) => {
    expect(formatCount(count)).toBe(text);
  });

  it('[K3] one of a thing has no s', () => {
    expect([0, 1, 2].map((count) => plural(count, 'step'))).toEqual(['0 steps', '1 step', '2 steps']);
  });
});

describe('the arguments of a call', () => {
  const textOf = (lines: ReturnType<typeof jsonLines>) =>
    lines.map((line) => line.map(({ text }) => text).join('')).join('\n');
  const REPORT = {
    title: 'The title',
    text: {
      kind: 'letter',
      audience: 'the board',
      body: 'Dear all',
      citations: [{ document: 'D0', quotation: 'Q0' }],
      more: 'M0',
    },
    summary: 'The summary',
    sections: [
      { heading: 'H1', text: 'T1', citations: [{ document: 'D1', passage: 'P1', quotation: 'Q1', page: 77 }, 'C1'] },
      { heading: 'H2', text: { odd: 'T2' }, citations: 'C2', extra: 'E2' },
      'S3',
    ],
    openQuestions: ['O1', { odd: 'O2' }],
    also: { deep: 'A1' },
  };

  it('[K15] of a report show each of its texts once, and all else of it as JSON', () => {
    expect(isReport(REPORT)).toBe(true);
    const shown = textOf(readableLines(REPORT, 80));
    const texts = [
      'The title',
      'letter',
      'the board',
      'Dear all',
      'D0',
      'Q0',
      'M0',
      'The summary',
      'H1',
      'T1',
      'D1',
      'P1',
    ];
    for (const text of [...texts, 'Q1', '77', 'C1', 'H2', 'T2', 'C2', 'E2', 'S3', 'O1', 'O2', 'A1'])
      expect(shown.split(text), text).toHaveLength(2);
  });

  it('[K15, K17] are a report only with a title, and a summary or sections, in texts that hide nothing', () => {
    const rows = [
      [{ title: 'T', summary: 'S' }, true],
      [{ title: 'T', sections: [] }, true],
      [{ title: 'T' }, false],
      [{ summary: 'S' }, false],
      [{ title: 7, summary: 'S' }, false],
      [{ title: 'T', summary: 7, sections: [] }, false],
      [{ title: 'T', summary: 'S', sections: {} }, false],
      [{ title: 'T', summary: 'S\u001b[2J' }, false],
      [{ title: 'T', summary: 'S\u202e' }, false],
      ['T', false],
      [[], false],
    ] as const;
    for (const [value, expected] of rows) expect(isReport(value), JSON.stringify(value)).toBe(expected);
    expect(textOf(jsonLines({ a: ['b\u001b'] }, 80))).toBe(JSON.stringify({ a: ['b\u001b'] }, null, 2));
    expect(
      textOf(jsonLines('x'.repeat(25), 10))
        .split('\n')
        .every((line) => line.length <= 10),
    ).toBe(true);
  });
});
