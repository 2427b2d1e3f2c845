import { describe, expect, it } from 'vitest';
import { readableLines } from '../../src/cli/answering/arguments';
import { written } from '../../src/cli/terminal/keys';
import { renderMarkdown } from '../../src/cli/terminal/markdown';
import { span, wrapLine } from '../../src/cli/terminal/style';
import { cleanJson, cleanLine, cleanLines, truncate, truncateFront } from '../../src/cli/terminal/text';
import { renumberMarks } from '../../src/desk/citations';
import { inertMarkdown } from '../../src/desk/inert';
import { planQuestions } from '../../src/desk/offline/plan';
import { readReason } from '../../src/desk/offline/reason';
import {
  furtherWords,
  isStatement,
  sentencesOf,
  stemsOf,
  topicOf,
  topicWords,
  withoutLinks,
} from '../../src/desk/offline/words';
import { splitPassages } from '../../src/desk/passages';
import { searchTerms, wordsOf } from '../../src/desk/query';
import { collapse, locateQuotation } from '../../src/desk/quotes';
import { renderReport } from '../../src/desk/report';
import { documentName } from '../../src/desk/uploads';
import { redact } from '../../src/model/redact';
import { headingOf } from '../../src/protocol/content/lines';
import { kebabCase } from '../../src/protocol/ids';
import { SseParser } from '../../src/protocol/wire/sse';

/** Everything that reads a text which others wrote, whatever its length. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  headingOf,
  splitPassages: (text) => [splitPassages(text, true), splitPassages(text, false)],
  documentName,
  searchTerms,
  collapse,
  locateQuotation: (text) => locateQuotation(text, `${text.slice(0, 700)}?`),
  renumberMarks: (text) => renumberMarks(text, (mark) => mark + 1),
  inertMarkdown,
  renderReport: (text) => renderReport({ title: text, summary: text, sections: [], openQuestions: [text] }, []),
  planQuestions: (text) => planQuestions(text),
  readReason,
  isStatement,
  withoutLinks,
  furtherWords: (text) => furtherWords(wordsOf(text)),
  sentencesOf,
  topicOf,
  topicWords,
  stemsOf,
  kebabCase,
  redact: (text) => redact(text, ['a secret of ours']),
  cleanLine,
  cleanLines,
  cleanJson,
  renderMarkdown: (text) => renderMarkdown(text, 80),
  readableLines: (text) => readableLines({ title: text, summary: text, sections: [] }, 80),
  wrapLine: (text) => wrapLine([span(text)], 80),
  truncate: (text) => [truncate(text, 80), truncateFront(text, 80)],
  'a line that is typed': (text) => written(text, { kind: 'erase-word' }),
  'a stream of events': (text) => {
    const parser = new SseParser();
    const bytes = new TextEncoder().encode(`data: ${text}`);
    for (let at = 0; at < bytes.length; at += 64) parser.push(bytes.subarray(at, at + 64));
  },
};

/** What stands around the part that is repeated. */
const AROUND = [
  ['', ''],
  ['# ', 'a\u2028a'],
  ['a', '!\nx'],
  ['"[a](secret: //', '?'],
] as const;

const REPEATED = [
  ...' \t\naA1#-.*`[)!?_|,:/\u001b\u009d\u009b\u2028é',
  ...[
    '\u001bP',
    '\u001b[',
    ' a',
    '# ',
    '- ',
    ', ',
    'a:',
    '[a',
    '[1',
    'a.',
    'no ',
    'drop ',
    'and ',
    'leave ',
    'secret ',
  ],
];

/** Each eight times the one before. The last is for what took too long at the one before it. */
const SIZES = [500, 4_000, 32_000, 256_000];
/** Eight times the text may take so many times the work: 8 where it is linear, 64 where it is quadratic. */
const MOST = 28;
/** Generous: it decides nothing. */
const DEADLINE_MS = 180_000;
/** Less than this is not told from nothing. Unit: ms of the thread's own time. */
const LEAST_MS = 2;

function workOf(read: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage();
  read(text);
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(LEAST_MS, (user + system) / 1_000);
}

/**
 * The growth of the work from one size to the next, at the largest sizes that were needed. A short text takes less than
 * can be measured, so one that looks too slow beside it is compared with one that is eight times as long.
 */
function growth(read: (text: string) => unknown, textOf: (size: number) => string): number {
  let grown = 0;
  let last = LEAST_MS;
  for (const size of SIZES) {
    const isLast = size === SIZES.at(-1);
    if (isLast && grown <= MOST) break;
    const text = textOf(size);
    let work = workOf(read, text);
    // A collection of garbage may fall into one of them.
    for (let again = 0; again < 3 && !isLast && work > MOST * last; again++) work = Math.min(work, workOf(read, text));
    grown = work / last;
    last = work;
  }
  return grown;
}

describe('text that others wrote', () => {
  it.each(Object.entries(READERS))(
    '[D50] %s takes work in proportion to its length',
    (_, read) => {
      for (const repeated of REPEATED) {
        for (const [before, after] of AROUND) {
          const textOf = (size: number) => before + repeated.repeat(Math.ceil(size / repeated.length)) + after;
          expect(growth(read, textOf), JSON.stringify([before, repeated, after])).toBeLessThanOrEqual(MOST);
        }
      }
    },
    DEADLINE_MS,
  );
});
