/** Everything else that reads texts that others wrote, whatever their length. */
import { describe, expect, it } from 'vitest';
import { renumberMarks } from '../../../src/desk/citations';
import { inertMarkdown } from '../../../src/desk/inert';
import { planQuestions } from '../../../src/desk/offline/plan';
import { readReason } from '../../../src/desk/offline/reason';
import {
  furtherWords,
  isStatement,
  sentencesOf,
  stemsOf,
  topicOf,
  topicWords,
  withoutLinks,
} from '../../../src/desk/offline/words';
import { splitPassages } from '../../../src/desk/passages';
import { searchTerms, wordsOf } from '../../../src/desk/query';
import { collapse, locateQuotation } from '../../../src/desk/quotes';
import { renderReport } from '../../../src/desk/report';
import { documentName } from '../../../src/desk/uploads';
import { redact } from '../../../src/model/redact';
import { headingOf } from '../../../src/protocol/content/lines';
import { kebabCase } from '../../../src/protocol/ids';
import { SseParser } from '../../../src/protocol/wire/sse';
import { DEADLINE_MS, growths, MOST } from '../../support/growth';

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
  'a stream of events': (text) => {
    const parser = new SseParser();
    const bytes = new TextEncoder().encode(`data: ${text}`);
    for (let at = 0; at < bytes.length; at += 64) parser.push(bytes.subarray(at, at + 64));
  },
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
