/** The coordinator, played by rules. */

import type { Json } from '../../core/json';
import { isObject } from '../../core/json';
import { collapse } from '../quotes';
import type { Finding, Report, ResearchResult } from '../schemas';
import { reportSchema, researchResultSchema } from '../schemas';
import { planQuestions } from './plan';
import type { OfflineReply } from './reply';
import { WRITTEN_BY_RULES } from './reply';
import type { ToolUse, Turn } from './transcript';
import { parsed, settled } from './transcript';

const RESEARCHER = 'subagent__researcher';
const DELIVER = 'deliver_report';

/** A report that was refused so often is not mended any more. */
const MAX_DELIVERIES = 3;

const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

interface Asked {
  readonly question: string;
  readonly depth?: string;
}

function askedIn(request: string): Asked {
  const value: Json = request.startsWith('{') ? parsed(request) : request;
  const question = isObject(value) ? value.question : undefined;
  if (!isObject(value) || typeof question !== 'string') return { question: request };
  return typeof value.depth === 'string' ? { question, depth: value.depth } : { question };
}

/** The statement of a finding as a line of Markdown that has no emphasis, no open code and no brackets like a mark's. */
function statement(finding: Finding): string {
  const claim = collapse(finding.claim.replaceAll('*', '')).replaceAll(/\[(\d{1,3})\]/g, '($1)');
  return claim.split('`').length % 2 === 1 ? claim : claim.replaceAll('`', '');
}

interface Answered {
  readonly question: string;
  readonly result?: ResearchResult;
  readonly failure?: string;
}

function answeredBy(use: Required<ToolUse>): Answered {
  const question = typeof use.input.question === 'string' ? use.input.question : '';
  if (use.result.failure !== undefined) return { question, failure: use.result.failure };
  const result = researchResultSchema.safeParse(use.result.value);
  return result.success ? { question, result: result.data } : { question, failure: 'its answer could not be read' };
}

function sectionsOf(answers: readonly Answered[]): Report['sections'] {
  const used = new Set<string>();
  const sections: Report['sections'] = [];
  for (const { question, result } of answers) {
    const fresh = (result?.findings ?? []).filter(({ quotation }) => !used.has(collapse(quotation)));
    for (const { quotation } of fresh) used.add(collapse(quotation));
    if (fresh.length === 0) continue;
    sections.push({
      heading: cut(question, 200),
      text: fresh.map((finding, index) => `- ${statement(finding)} [${index + 1}]`).join('\n'),
      citations: fresh.map(({ document, passage, quotation }) => ({ document, passage, quotation })),
    });
  }
  return sections.slice(0, 8);
}

const UNKNOWN = /^No passage of the library holds /;

/** All that stays open; the words that the library does not know come last, in one line. */
function openQuestionsOf(answers: readonly Answered[]): string[] {
  const open = answers.flatMap(({ question, result, failure }) => {
    if (failure !== undefined) return [`${cut(question, 200)} (the researcher failed: ${cut(collapse(failure), 150)})`];
    const gaps = (result?.gaps ?? []).filter((gap) => !UNKNOWN.test(gap));
    return result?.findings.length === 0 ? [`${cut(question, 300)} (nothing found in the library)`, ...gaps] : gaps;
  });
  const gaps = answers.flatMap(({ result }) => result?.gaps ?? []).filter((gap) => UNKNOWN.test(gap));
  const unknown = [...new Set(gaps.flatMap((gap) => gap.match(/“[^”]+”/g) ?? []))];
  const last = unknown.length === 0 ? [] : [`No passage of the library holds ${unknown.join(', ')}.`];
  return [...[...new Set(open)].slice(0, 11), ...last].map((line) => cut(line, 400));
}

function reportOf(question: string, answers: readonly Answered[]): Report {
  const sections = sectionsOf(answers);
  const lead = sections.flatMap(({ text }) => text.split('\n').slice(0, 2)).slice(0, 2);
  const failed = answers.length > 0 && answers.every(({ failure }) => failure !== undefined);
  const nothing = failed
    ? 'No researcher could finish, so this question is unanswered.'
    : 'The library holds nothing that answers this question.';
  const found = lead.map((line) => line.replace(/^- /, '').replace(/ \[\d+\]$/, '')).join(' ');
  return {
    title: cut(collapse(question), 200),
    summary: cut(`${found === '' ? nothing : found} (${WRITTEN_BY_RULES})`, 2_000),
    sections,
    openQuestions: openQuestionsOf(answers),
  };
}

/** Takes out of a refused report what the refusal names; a section that loses all its citations goes. */
function mended(report: Report, refusal: string): Report {
  const bad = new Set<string>();
  for (const [, section, citation] of refusal.matchAll(/section (\d+), citation (\d+)/g))
    bad.add(`${section}/${citation}`);
  const lost: string[] = [];
  const sections = report.sections.flatMap((section, at) => {
    const kept = section.citations.map((_, index) => index).filter((index) => !bad.has(`${at + 1}/${index + 1}`));
    if (kept.length === 0) lost.push(`${cut(section.heading, 200)} (no quotation could be verified)`);
    if (kept.length === 0) return [];
    const lines = section.text.split('\n');
    const text = kept.map((index, place) => (lines[index] ?? '').replace(/\[\d+\]$/, `[${place + 1}]`)).join('\n');
    return [{ ...section, text, citations: section.citations.filter((_, index) => kept.includes(index)) }];
  });
  return { ...report, sections, openQuestions: [...report.openQuestions, ...lost].slice(0, 12) };
}

function deliver(report: Report, text: string): OfflineReply {
  return { text, calls: [{ toolName: DELIVER, input: { ...report } }] };
}

/** A report that only says why there is none. */
function nothing(why: string): OfflineReply {
  const summary = `I am the offline model of this research desk. ${why}`;
  return deliver({ title: 'No report', summary, sections: [], openQuestions: [] }, summary);
}

/** The coordinator's next reply. */
export function playCoordinator(turn: Turn): OfflineReply {
  const asked = turn.requests.map(askedIn);
  const plans = asked.map(({ question, depth }) => ({ question, parts: planQuestions(question, depth) }));
  if (plans.every(({ parts }) => parts.length === 0)) {
    return nothing('I found no word in your message that I could search the library for: please ask a question.');
  }
  if (!turn.uses.some(({ toolName }) => toolName === 'add_to_library')) {
    return { text: 'I look at what the library holds first.', calls: [{ toolName: 'add_to_library', input: {} }] };
  }
  const sent = new Set(turn.uses.filter(({ toolName }) => toolName === RESEARCHER).map(({ input }) => input.question));
  const due = new Map(
    plans.flatMap(({ question, parts }) => parts.map((part) => [part, cut(question, 8_000)] as const)),
  );
  const unsent = [...due]
    .map(([part, context]) => ({ question: part, context }))
    .filter(({ question }) => !sent.has(question));
  if (unsent.length > 0 && sent.size < 12) {
    const text = `I split the question into ${unsent.length} and send a researcher out for each:\n${unsent.map(({ question }) => `- ${question}`).join('\n')}`;
    return { text, calls: unsent.map((input) => ({ toolName: RESEARCHER, input })) };
  }
  const deliveries = settled(turn, DELIVER);
  const last = deliveries.at(-1);
  if (last === undefined) {
    const question = asked.map((one) => one.question).join(' ');
    return deliver(
      reportOf(question, settled(turn, RESEARCHER).map(answeredBy)),
      'All researchers have answered; I write the report.',
    );
  }
  const refused = reportSchema.safeParse(last.input);
  const refusal = last.result.failure ?? '';
  if (!refused.success || deliveries.length >= MAX_DELIVERIES || !/section \d+, citation \d+/.test(refusal)) {
    return nothing(`The report could not be delivered: ${cut(collapse(refusal), 1_000)}`);
  }
  return deliver(mended(refused.data, refusal), 'I take out what could not be verified.');
}
