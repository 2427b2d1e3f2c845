import { describe, expect, it } from 'vitest';
import { CORPUS } from '../../../src/desk/corpus/corpus';
import { MAX_HEADING, MAX_PASSAGE, MAX_PATH, splitPassages } from '../../../src/desk/passages';
import { collapse } from '../../../src/desk/quotes';

const long = (text: string) => text.padEnd(90, ' and so on');

describe('passages', () => {
  it('[D1] are paragraphs under their headings, without the title', () => {
    const text = `# Title\n\n${long('Opening')}\n\n## One\n\n${long('First')}\n\n### Deep\n\n${long('Second')}\n\n## Two\n\n${long('Third')}\n\n# Other\n\n${long('Last')}`;
    const { title, passages } = splitPassages(text, true);
    expect(title).toBe('Title');
    expect(passages.map(({ heading }) => heading)).toEqual(['', 'One', 'One › Deep', 'Two', 'Other']);
  });

  it('[D1] keep a code block whole, and take no heading from it', () => {
    const code = '```sh\n# a comment\n\nnpm start\n```';
    const { passages } = splitPassages(`## Run\n\n${code}\n`, true);
    expect(passages).toEqual([{ heading: 'Run', text: code }]);
  });

  it('[D1] join a lead-in to its list and a very short paragraph to the next', () => {
    const { passages } = splitPassages(
      `It has three parts, which are told apart by their colour and by nothing else:\n\n- red\n- blue\n\nNote:\n\n${long('Colours fade')}`,
      true,
    );
    expect(passages.map(({ text }) => text.split('\n')[0])).toEqual([expect.stringMatching(/^It has/), 'Note:']);
  });

  it('[D1] are never longer than their limit, and lose no word', () => {
    const words = Array.from({ length: 3_000 }, (_, index) => `w${index}`);
    const { passages } = splitPassages(words.join(' '), false);
    expect(passages.length).toBeGreaterThan(8);
    expect(
      passages
        .map(({ text }) => text)
        .join(' ')
        .split(' '),
    ).toEqual(words);
    for (const text of ['x'.repeat(10_000), '𝒳'.repeat(5_000)]) {
      const pieces = splitPassages(text, false).passages.map((passage) => passage.text);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(MAX_PASSAGE);
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }
  });

  it('[D1] of every shipped document stand in it word for word', () => {
    for (const { text } of CORPUS.documents) {
      const { passages } = splitPassages(text, true);
      expect(passages.length).toBeGreaterThan(2);
      for (const passage of passages) expect(collapse(text)).toContain(collapse(passage.text));
      expect(splitPassages(text.replaceAll('\n', '\r\n'), true).passages).toEqual(passages);
    }
  });

  it('[D51] a heading of 200 characters is one, a longer line is text', () => {
    const at = 'h'.repeat(MAX_HEADING);
    expect(splitPassages(`# ${at}\n\n${long('Text')}`, true).title).toBe(at);
    expect(splitPassages(`## ${at}\n\n${long('Text')}`, true).passages[0]?.heading).toBe(at);
    const past = splitPassages(`# ${at}h\n\n${long('Text')}`, true);
    expect(past).toEqual({
      passages: [
        { heading: '', text: `# ${at}h` },
        { heading: '', text: long('Text') },
      ],
    });
  });

  it('[D51] of headings that are too long together the innermost stay', () => {
    const [one = '', two = '', three = ''] = ['1', '2', '3'].map((digit) => digit.repeat(100));
    const headingOf = (first: string) =>
      splitPassages(`## ${first}\n### ${two}\n#### ${three}\n\n${long('Text')}`, true).passages[0]?.heading;
    expect(headingOf(one.slice(6))).toHaveLength(MAX_PATH);
    expect(headingOf(one.slice(6))).toBe(`${one.slice(6)} › ${two} › ${three}`);
    expect(headingOf(one.slice(5))).toBe(`… › ${two} › ${three}`);
  });

  it('[D51] a document of headings costs no more than a bounded part for each passage', () => {
    const text = Array.from({ length: 900 }, (_, index) => `###### ${'x'.repeat(190)}${index}\n${long('Text')}\n`).join(
      '\n',
    );
    const { passages } = splitPassages(text, true);
    expect(passages).toHaveLength(900);
    const kept = passages.reduce((sum, passage) => sum + passage.heading.length + passage.text.length, 0);
    expect(kept).toBeLessThan(2 * text.length);
  });

  it('[D1] headings are read as Markdown writes them', () => {
    const headings = ['## Plain', '##   Closed  ##', '## C#', '##\tTab', '###### Six', '## a\u2028b'];
    const read: [line: string, heading: string][] = [
      ...headings.map((line): [string, string] => [
        line,
        line
          .replace(/^#+\s+/, '')
          .replace(/\s+##$/, '')
          .replace('\u2028', ' '),
      ]),
      ...['####### Seven', '##None', '## ##', '##'].map((line): [string, string] => [line, '']),
    ];
    for (const [line, heading] of read) {
      expect(splitPassages(`${line}\n\n${long('Text')}`, true).passages.at(-1)?.heading, line).toBe(heading);
    }
  });

  it('[D1] need no headings: plain text and an empty text split as well', () => {
    expect(splitPassages('# no heading\nin plain text', false).passages).toEqual([
      { heading: '', text: '# no heading\nin plain text' },
    ]);
    expect(splitPassages(' \n\n', true).passages).toEqual([]);
  });
});
