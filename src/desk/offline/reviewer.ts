/** The reviewer, played by rules: what can be told of a draft by its sources alone. It changes no word of it. */
import { collapse, locateQuotation } from '../quotes';
import { MAX_REVIEWS, type TextRequest } from '../schemas';
import { cut } from './compose';
import type { OfflineReply } from './reply';
import { say } from './reply';
import {
  commissionOf,
  type Fault,
  faultLine,
  frameOf,
  type Statement,
  shortestOf,
  statementOf,
  statementsIn,
  wordCount,
} from './texts';
import type { Turn } from './transcript';

/** Faults of one review at most. */
const MAX_FAULTS = 24;

/** Whether one of the sources that a statement names says it, word for word: rules understand no other words. */
function isSupported({ words, marks }: Statement, { sources }: TextRequest): boolean {
  return marks.some((mark) => {
    const source = sources[mark - 1];
    if (source === undefined) return false;
    const said = statementOf(source);
    return said === words || locateQuotation(said, words) !== undefined;
  });
}

function statementFaults(draft: string, request: TextRequest): Fault[] {
  const seen = new Set<string>();
  return statementsIn(draft, request).flatMap((statement): Fault[] => {
    const { words, marks } = statement;
    const sentence = cut(words, 400);
    if (marks.length === 0) return [{ kind: 'unsourced', sentence, mend: 'It has no source: name one, or remove it.' }];
    if (!isSupported(statement, request))
      return [{ kind: 'unsupported', sentence, mend: 'Its source does not say it in these words.' }];
    const key = collapse(words).toLowerCase();
    if (seen.has(key)) return [{ kind: 'repeated', sentence: words, mend: 'It occurs twice.' }];
    seen.add(key);
    return [];
  });
}

/** The lines that a draft lacks, and the parts for which it has room. */
function missing(draft: string, request: TextRequest): Fault[] {
  const lines = new Set(draft.split('\n').map(collapse));
  const { opening, open, closing, note } = frameOf(request);
  const frame = [opening, open, closing, note].filter((line) => line !== undefined && !lines.has(collapse(line)));
  const stated = statementsIn(draft, request);
  const room = request.maxWords - wordCount(draft);
  const fits = (part: string): boolean => {
    const source = shortestOf(request, part);
    return source !== undefined && wordCount(statementOf(source)) <= room;
  };
  const parts = [...new Set(request.sources.map(({ part }) => part))].filter(
    (part) =>
      fits(part) &&
      !request.sources.some(
        (source) => source.part === part && stated.some(({ words }) => statementOf(source).includes(words)),
      ),
  );
  return [
    ...frame.map((line): Fault => ({ kind: 'missing', sentence: line ?? '', mend: 'Add this line.' })),
    ...parts.map((part): Fault => ({ kind: 'missing', sentence: part, mend: 'Say something about this part.' })),
  ];
}

function tooLong(draft: string, { maxWords }: TextRequest): Fault[] {
  const words = wordCount(draft);
  if (words <= maxWords) return [];
  return [{ kind: 'too_long', sentence: 'The draft', mend: `It has ${words} words, more than ${maxWords}.` }];
}

function refuse(reason: string): OfflineReply {
  return { text: reason, calls: [{ toolName: 'refuse_text', input: { reason: cut(reason, 600) } }] };
}

/** The reviewer's next reply. */
export function playReviewer(turn: Turn): OfflineReply {
  const commission = commissionOf(turn);
  if (commission === undefined)
    return refuse('No text was written: I cannot read the request. It must be JSON with kind, request and sources.');
  const { request, since } = commission;
  const draft = since.at(-1) ?? '';
  if (request.sources.length === 0) return refuse('No text was written: there are no sources to write it from.');
  const faults = [...statementFaults(draft, request), ...missing(draft, request), ...tooLong(draft, request)].slice(
    0,
    MAX_FAULTS,
  );
  if (faults.length === 0)
    return {
      text: `My rules find nothing to fix, in review ${since.length}.`,
      calls: [{ toolName: 'approve_text', input: { text: draft } }],
    };
  const told = faults.map(faultLine).join('\n');
  if (since.length >= MAX_REVIEWS || draft === since.at(-2))
    return refuse(
      `No text was written: review ${since.length} still finds problems that my writer cannot fix.\n${told}`,
    );
  return say(`Review ${since.length}: please fix the following.\n${told}`);
}
