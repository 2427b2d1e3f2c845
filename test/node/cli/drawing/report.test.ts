import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownOf, outcomeOf, reportLines } from '../../../../src/cli/drawing/report';
import { renderMarkdown } from '../../../../src/cli/terminal/markdown';
import { lineWidth, paint } from '../../../../src/cli/terminal/style';
import { failure } from '../../../../src/protocol/errors';
import { reduceAll } from '../../../../src/protocol/view/reduce';
import { emptyView } from '../../../../src/protocol/view/view';
import { deskLog, newLog } from '../../../support/log';
import { HOSTILE, UNSAFE } from '../surroundings';

const shown = (markdown: string, width = 40) => renderMarkdown(markdown, width).map((line) => paint(line, false));

const MARKDOWN = `# A *title*
Two lines of one paragraph, with **bold**, __bold__, \`code\` and *more* [1, 2].
Then a [link](https://x.test/a), <https://y.test> and snake_case_words, 2 * 3 * 4, \\*stars\\*.


## Lists ##
1. first, which is a long item that goes on in the next line
2) second
   - nested
* star
+ plus
---
> A quotation that is too long for one line of this width.

\`\`\`ts
const indented = 1;
    deeper('a line of code that is longer than the terminal is wide');
# no heading
\`\`\`
| a | b |
| - | - |
`;

describe('the report', () => {
  it('[K14] shows headings, paragraphs, lists, quotations, code, links and citations within the width', () => {
    expect(shown(MARKDOWN)).toMatchInlineSnapshot(`
      [
        "A title",
        "Two lines of one paragraph, with bold,",
        "bold, code and more [1, 2]. Then a link",
        "(https://x.test/a), https://y.test and",
        "snake_case_words, 2 * 3 * 4, *stars*.",
        "",
        "Lists",
        "1. first, which is a long item that goes",
        "   on in the next line",
        "2) second",
        "   • nested",
        "• star",
        "• plus",
        "────────────────────────────────────────",
        "│ A quotation that is too long for one",
        "│ line of this width.",
        "",
        "  const indented = 1;",
        "      deeper('a line of code that is lon",
        "  ger than the terminal is wide');",
        "  # no heading",
        "| a | b |",
        "| - | - |",
      ]
    `);
  });

  it('[K14] marks headings, bold text, code and citations by their look', () => {
    const painted = renderMarkdown('# T\n**b** `c` [1]', 40).map((line) => paint(line, true));
    expect(painted).toEqual([
      '\u001b[1;4mT\u001b[0m',
      '\u001b[1mb\u001b[0m \u001b[36mc\u001b[0m \u001b[36m[1]\u001b[0m',
    ]);
  });

  it('[K14] any text becomes safe lines that fit, and no word is lost', () => {
    const pieces = fc.constantFrom(
      '# ',
      '- ',
      '> ',
      '```',
      '\n',
      ' ',
      '**',
      '`',
      '[',
      '](',
      ')',
      '|',
      'word',
      '日本',
      ...HOSTILE,
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), fc.integer({ min: 4, max: 100 }), (all, width) => {
        const lines = renderMarkdown(all.join(''), width);
        for (const line of lines) {
          expect(lineWidth(line)).toBeLessThanOrEqual(width);
          expect(paint(line, false)).not.toMatch(UNSAFE);
        }
      }),
      { numRuns: 500, examples: [[[' ', '- ', '日本'], 4]] },
    );
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/u), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(words, (all) => {
        expect(shown(all.join(' ')).join(' ').split(/\s+/u)).toEqual(all);
      }),
    );
  });

  it('[K14] a text made to be slow is shown in time that grows with its length alone', () => {
    for (const unit of ['*', '`', '[', '**a', '__', '[a](', '<https://', '> ', '[1,', '\\']) {
      const began = process.cpuUsage();
      renderMarkdown(unit.repeat(200_000), 80);
      const { user, system } = process.cpuUsage(began);
      expect([unit, user + system < 5_000_000]).toEqual([unit, true]);
    }
  });

  it('[K14] finds the text of an output, adds a title and sources that it lacks, and shows all else as JSON', () => {
    expect(markdownOf('# Plain')).toBe('# Plain');
    expect(markdownOf({ title: 'T', markdown: '# T\n\nx', summary: 's', sections: [] })).toBe('# T\n\nx');
    expect(markdownOf({ title: 'T', report: 'x [1]', sources: [{ document: 'd', passage: 'd#1' }, 'e'] })).toBe(
      '# T\n\nx [1]\n\n## Sources\n\n1. d · d#1\n2. e',
    );
    expect(markdownOf({ answer: 'x\n## Sources\n1. d', sources: ['d'] })).toBe('x\n## Sources\n1. d');
    expect(markdownOf({ total: 3 })).toBe('```json\n{\n  "total": 3\n}\n```');
    expect(markdownOf(null)).toBe('```json\nnull\n```');
  });

  it('[K14] the status document tells the outcome; the view fills in what it does not tell', () => {
    const view = reduceAll(deskLog().entries);
    const document = { status: 'completed', run: { output: 'from the document' } };
    expect(outcomeOf('completed', document, view)).toEqual({ status: 'completed', output: 'from the document' });
    expect(outcomeOf('completed', undefined, view)).toEqual({
      status: 'completed',
      output: '# Report\n\nIts parent tells it.',
    });
    const failed = { status: 'failed', run: { error: { code: 'max_steps', message: 'Too many.' } } };
    expect(outcomeOf('failed', failed, emptyView)).toEqual({ status: 'failed', trouble: 'Too many. (max_steps)' });
    const log = newLog();
    log.root('solo', 'a').run('r').failed(failure('model_error', 'No.'));
    expect(outcomeOf('failed', {}, reduceAll(log.entries))).toEqual({ status: 'failed', trouble: 'No. (model_error)' });
  });

  it('[K14] every end has its words', () => {
    const words = (status: string, trouble?: string) =>
      reportLines({ status, ...(trouble === undefined ? {} : { trouble }) }, undefined).map((line) =>
        paint(line, false),
      );
    expect(words('completed')).toEqual(['The run completed without an output.']);
    expect(words('failed', 'Why.')).toEqual(['The run failed: Why.']);
    expect(words('interrupted', 'by me')).toEqual(['The run was interrupted: by me']);
    expect(words('terminated')).toEqual(['The run was terminated.']);
    expect(words('suspended_client_tool')).toEqual(['The run is waiting for an answer (suspended_client_tool).']);
    expect(words('idle')).toEqual(['There is no run at this address yet.']);
  });

  it('[K14] without a terminal the Markdown stays as it is, line by line', () => {
    const lines = reportLines({ status: 'completed', output: MARKDOWN }, undefined);
    expect(lines.map((line) => paint(line, false)).join('\n')).toBe(MARKDOWN.trimEnd());
  });
});
