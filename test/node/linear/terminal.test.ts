/** What a terminal shows of texts that others wrote, whatever their length. */
import { describe, expect, it } from 'vitest';
import { readableLines } from '../../../src/cli/answering/arguments';
import { written } from '../../../src/cli/terminal/keys';
import { renderMarkdown } from '../../../src/cli/terminal/markdown';
import { span, wrapLine } from '../../../src/cli/terminal/style';
import { cleanJson, cleanLine, cleanLines, truncate, truncateFront } from '../../../src/cli/terminal/text';
import { DEADLINE_MS, growths, MOST } from '../../support/growth';

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  cleanLine,
  cleanLines,
  cleanJson,
  renderMarkdown: (text) => renderMarkdown(text, 80),
  readableLines: (text) => readableLines({ title: text, summary: text, sections: [] }, 80),
  wrapLine: (text) => wrapLine([span(text)], 80),
  truncate: (text) => [truncate(text, 80), truncateFront(text, 80)],
  'a line that is typed': (text) => written(text, { kind: 'erase-word' }),
};

describe('text that others wrote', () => {
  it.each(Object.entries(READERS))(
    '[D50] %s takes work in proportion to its length',
    (_, read) => {
      for (const [of, growth] of growths(read)) expect(growth, of).toBeLessThanOrEqual(MOST);
    },
    DEADLINE_MS,
  );
});
