/** The text that a question asks for, as far as rules can tell, and how the coordinator has it written. English. */

import { beginningOf } from '../../protocol/content/cut';
import { collapse } from '../quotes';
import {
  MAX_TEXT_SOURCES,
  MAX_WORDS,
  MIN_WORDS,
  type Report,
  type ReportText,
  type TextKind,
  type TextRequest,
  textRequestSchema,
} from '../schemas';
import { cut, withLimitsOf } from './compose';
import type { OfflineReply } from './reply';
import { settled, type Turn } from './transcript';
import { topicWords } from './words';

/** The tool that hires a writer with its reviewer. */
const WRITER = 'subagent__writer';

/** The tool that puts a report forward. */
const PUBLISH = 'publish_report';

/** Open questions of a report at most. */
const MAX_OPEN = 12;

/** A text that is to be written. */
export interface Order extends Pick<TextRequest, 'kind' | 'audience' | 'maxWords' | 'wishes'> {
  /** The whole question. */
  readonly request: string;
}

/** The words of a text of which the question says no number. */
const WORDS: Readonly<Record<TextKind, number>> = {
  letter: 180,
  email: 150,
  memo: 150,
  announcement: 120,
  notice: 100,
  summary: 120,
};

const KIND = '(letter|e-?mail|notice|announcement|memo(?:randum)?|summary)';
const POLITE = '(?:please,? )?(?:(?:can|could|would|will) you (?:please )?)?';
const MAKE = '(?:write|draft|compose|prepare|formulate|produce|create|make|send|give)';
const WANT = "(?:i|we)(?:['’]d| would)? (?:need|want|like)(?: you to (?:write|draft|make))?";
const ASK = new RegExp(
  `^${POLITE}(?:${MAKE}|${WANT}) (?:me |us )?(?:an?|the|one) (?:[\\w-]+ ){0,3}?${KIND}\\b(.*)$`,
  'i',
);
const SUMMARISE = new RegExp(`^${POLITE}summari[sz]e (.+) for ([^.!?]{1,100})`, 'i');
const ABOUT =
  /^(?: (?:to|for) ([^,.:;?!]{1,100}?))?(?:[,:]? (?:about|on|of|regarding|concerning|to explain|(?:that|which) (?:says|tells|explains|describes|answers)|saying|telling|explaining|describing)\b(?: (?:them|him|her))?|[,.:;?!]|$)(.*)$/i;
const LENGTH =
  /,? ?\b(?:in |with |of )?(?:at most |up to |no more than |about |under |fewer than )?(\d{2,4})[ -]words?\b/i;

/** A text that a sentence asks for: what it is, for whom, and what it is about. */
function askedBy(sentence: string): { kind: TextKind; audience?: string; about: string } | undefined {
  const summary = SUMMARISE.exec(sentence);
  if (summary) return { kind: 'summary', audience: summary[2] ?? '', about: summary[1] ?? '' };
  const [, name, rest = ''] = ASK.exec(sentence) ?? [];
  if (name === undefined) return undefined;
  const [, audience, about = ''] = ABOUT.exec(rest) ?? ['', undefined, rest];
  const kind = KINDS[name.toLowerCase().replace('-', '').slice(0, 4)];
  return kind === undefined ? undefined : { kind, about, ...(audience === undefined ? {} : { audience }) };
}

const KINDS: Readonly<Record<string, TextKind>> = {
  lett: 'letter',
  emai: 'email',
  noti: 'notice',
  anno: 'announcement',
  memo: 'memo',
  summ: 'summary',
};

/** What a question is about, and the text that it asks for, if it asks for one. */
export function orderIn(question: string): { about: string; order?: Order } {
  const sentences = beginningOf(question, 8_000).split(/(?<=[.?!])\s+|\n+/);
  for (const [index, each] of sentences.entries()) {
    const sentence = collapse(each);
    const words = LENGTH.exec(sentence)?.[1];
    const asked = askedBy(sentence.replace(LENGTH, ''));
    if (asked === undefined) continue;
    const about = [...sentences.slice(0, index), asked.about, ...sentences.slice(index + 1)]
      .map(collapse)
      .join(' ')
      .trim();
    const audience = asked.audience?.trim() ?? '';
    const maxWords = Math.min(MAX_WORDS, Math.max(MIN_WORDS, words === undefined ? WORDS[asked.kind] : Number(words)));
    const request = cut(question, 8_000);
    const order = { kind: asked.kind, request, maxWords, ...(audience === '' ? {} : { audience }) };
    return { about: topicWords(about).length === 0 ? question : about, order };
  }
  return { about: question };
}

/** The order for a text that was put forward last, with what a person has asked for since. */
export function orderAgain(turn: Turn, text: ReportText, wishes: string, shorter: boolean): Order {
  const put = turn.uses.findLastIndex(({ toolName }) => toolName === PUBLISH);
  const before = settled({ uses: turn.uses.slice(0, put) }, WRITER).flatMap(({ input }) => {
    const request = textRequestSchema.safeParse(input);
    return request.success ? [request.data] : [];
  });
  const { request = text.kind, maxWords = WORDS[text.kind], wishes: earlier = '' } = before.at(-1) ?? {};
  const fewer = shorter ? Math.max(MIN_WORDS, Math.floor(maxWords / 2)) : maxWords;
  const { kind, audience } = text;
  const all = [earlier, wishes].filter((one) => one !== '').join('\n');
  return {
    kind,
    request,
    maxWords: fewer,
    ...(audience === undefined ? {} : { audience }),
    ...(all === '' ? {} : { wishes: cut(all, 1_000) }),
  };
}

function requestOf(order: Order, { sections, openQuestions }: Report): TextRequest {
  const sources = new Map<string, TextRequest['sources'][number]>();
  for (const { heading, citations } of sections)
    for (const citation of citations) {
      const key = JSON.stringify([citation.passage, collapse(citation.quotation)]);
      if (!sources.has(key)) sources.set(key, { part: heading, ...citation });
    }
  return textRequestSchema.parse({
    ...order,
    sources: [...sources.values()].slice(0, MAX_TEXT_SOURCES),
    open: openQuestions,
  });
}

/** A report that says why it has no text. */
function without(report: Report, { kind }: Order, why: string): Report {
  const line = cut(`The ${kind} that was asked for could not be written: ${collapse(why)}`, 400);
  return withLimitsOf(report, { ...report, openQuestions: [...report.openQuestions.slice(0, MAX_OPEN - 1), line] });
}

/**
 * The report with the text of its present sections, or the call that has it written: a text is as old as what it rests
 * on, so another report has another one.
 */
export function withOrdered(turn: Turn, given: Report, order: Order | undefined): Report | OfflineReply {
  const { text: _, ...report } = given;
  if (order === undefined) return report;
  const request = requestOf(order, report);
  if (request.sources.length === 0) return without(report, order, 'nothing was found to write about.');
  const wanted = JSON.stringify(request);
  const use = settled(turn, WRITER).find(
    ({ input }) => JSON.stringify(textRequestSchema.safeParse(input).data) === wanted,
  );
  if (use === undefined)
    return {
      text: `I ask the writer for the ${order.kind}, which a reviewer then checks.`,
      calls: [{ toolName: WRITER, input: { ...request } }],
    };
  const { value, failure } = use.result;
  if (failure !== undefined || typeof value !== 'string' || value.trim() === '')
    return without(report, order, failure ?? 'the answer of its writer could not be read.');
  const citations = request.sources.map(({ document, passage, quotation }) => ({ document, passage, quotation }));
  const { kind, audience } = order;
  return { ...report, text: { kind, ...(audience === undefined ? {} : { audience }), body: value, citations } };
}
