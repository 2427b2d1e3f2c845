/** The offline model's report: composed of findings, and changed a statement or a section at a time. */

import { beginningOf } from '../../protocol/content/cut';
import { citationLabel } from '../citations';
import { collapse } from '../quotes';
import type { Report, ResearchResult } from '../schemas';
import { researchResultSchema } from '../schemas';
import { WRITTEN_BY_RULES } from './reply';
import type { ToolUse } from './transcript';
import { withoutLinks } from './words';

type Section = Report['sections'][number];

/** As many sections and open questions a report may have. */
const MAX_SECTIONS = 8;
const MAX_OPEN = 12;

/** Statements that the summary repeats. */
const LEAD = 2;

/** A text of at most `max` characters. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${beginningOf(text, max - 1)}…`;

/** What a researcher made of its sub-question. */
export interface Answered {
  readonly question: string;
  readonly result?: ResearchResult;
  readonly failure?: string;
}

/** Reads the result of a researcher's call. */
export function answeredBy(use: Required<ToolUse>): Answered {
  const question = typeof use.input.question === 'string' ? use.input.question : '';
  if (use.result.failure !== undefined) return { question, failure: use.result.failure };
  const result = researchResultSchema.safeParse(use.result.value);
  return result.success ? { question, result: result.data } : { question, failure: 'its answer could not be read' };
}

/** A sentence as a line of Markdown that has no emphasis, no links, no open code and no brackets like a mark's. */
export function asStatement(text: string): string {
  const claim = collapse(withoutLinks(text).replaceAll('*', '')).replaceAll(/\[(\d{1,3})\]/g, '($1)');
  return claim.split('`').length % 2 === 1 ? claim : claim.replaceAll('`', '');
}

/** A section for each answer that has something which `known` sections do not quote. One line for each citation. */
function sectionsOf(answers: readonly Answered[], known: readonly Section[] = []): Section[] {
  const used = new Set(known.flatMap(({ citations }) => citations.map(({ quotation }) => collapse(quotation))));
  const sections: Section[] = [];
  for (const { question, result } of answers) {
    const fresh = (result?.findings ?? []).filter(({ quotation }) => !used.has(collapse(quotation)));
    for (const { quotation } of fresh) used.add(collapse(quotation));
    if (fresh.length === 0) continue;
    sections.push({
      heading: cut(question, 200),
      text: fresh.map((finding, index) => `- ${asStatement(finding.claim)} [${index + 1}]`).join('\n'),
      citations: fresh.map(({ document, passage, quotation }) => ({ document, passage, quotation })),
    });
  }
  return sections.slice(0, MAX_SECTIONS - known.length);
}

const UNKNOWN = /^No passage of the library contains /;

/** All that stays open; the words that the library does not know come last, in one line. */
function openQuestionsOf(answers: readonly Answered[]): string[] {
  const open = answers.flatMap(({ question, result, failure }) => {
    if (failure !== undefined) return [`${cut(question, 200)} (the researcher failed: ${cut(collapse(failure), 150)})`];
    const gaps = (result?.gaps ?? []).filter((gap) => !UNKNOWN.test(gap));
    return result?.findings.length === 0 ? [`${cut(question, 300)} (nothing found in the library)`, ...gaps] : gaps;
  });
  const gaps = answers.flatMap(({ result }) => result?.gaps ?? []).filter((gap) => UNKNOWN.test(gap));
  const unknown = [...new Set(gaps.flatMap((gap) => gap.match(/“[^”]+”/g) ?? []))];
  const last = unknown.length === 0 ? [] : [`No passage of the library contains ${unknown.join(', ')}.`];
  return [...[...new Set(open)].slice(0, MAX_OPEN - 1), ...last].map((line) => cut(line, 400));
}

/** A line of a section without the mark of its citation. */
export const plainStatement = (line: string): string => line.replace(/^- /, '').replace(/ \[\d+\]$/, '');

/** The statements of a section, without the marks of their citations. */
export function statementsOf(section: Section): string[] {
  return section.text.split('\n').map(plainStatement);
}

const leadOf = (sections: readonly Section[], most: number): string[] =>
  sections.flatMap((section) => statementsOf(section).slice(0, LEAD)).slice(0, most);

const summaryOf = (lead: string): string => cut(`${lead} (${WRITTEN_BY_RULES})`, 2_000);

const LIMITS = 'Limits:';

/** Whether a summary says how far its report goes. */
export const hasLimits = (summary: string): boolean => summary.includes(LIMITS);

/** A report whose summary says on how many documents it rests, and how much stays open. */
export function withLimits(report: Report): Report {
  const documents = new Set(report.sections.flatMap(({ citations }) => citations.map(({ document }) => document)));
  const said = report.summary.replace(` (${WRITTEN_BY_RULES})`, '');
  const at = said.lastIndexOf(LIMITS);
  const lead = (at < 0 ? said : said.slice(0, at)).trim();
  const rests = `${documents.size} document${documents.size === 1 ? '' : 's'} of the library`;
  const open = report.openQuestions.length;
  const limits = `${LIMITS} this rests on ${rests}, and ${open === 0 ? 'nothing that was asked' : open} ${open > 1 ? 'questions stay' : open === 1 ? 'question stays' : 'stays'} open.`;
  return { ...report, summary: summaryOf(`${cut(lead, 1_500)} ${limits}`) };
}

/** A later version of a report, whose summary says how far it goes where the earlier one did. */
export const withLimitsOf = (earlier: Report, report: Report): Report =>
  hasLimits(earlier.summary) ? withLimits(report) : report;

/** The report of what the researchers found. */
export function reportOf(question: string, answers: readonly Answered[]): Report {
  const sections = sectionsOf(answers);
  const failed = answers.length > 0 && answers.every(({ failure }) => failure !== undefined);
  const nothing = failed
    ? 'No researcher could finish, so this question is unanswered.'
    : 'The library contains nothing that answers this question.';
  return {
    title: cut(collapse(question), 200),
    summary: summaryOf(leadOf(sections, LEAD).join(' ') || nothing),
    sections,
    openQuestions: openQuestionsOf(answers),
  };
}

/** A report with other sections and a summary that repeats them; the summary does not grow. */
export function withSections(report: Report, sections: Section[], most: number = LEAD): Report {
  const repeated = leadOf(report.sections, LEAD).filter((line) => report.summary.includes(line)).length || LEAD;
  const lead = leadOf(sections, Math.min(most, repeated)).join(' ');
  return { ...report, sections, summary: lead === '' ? report.summary : summaryOf(lead) };
}

/** A report with what further researchers have found. */
export function withAnswers(report: Report, answers: readonly Answered[]): Report {
  const sections = sectionsOf(answers, report.sections);
  const open = openQuestionsOf(answers).filter((line) => !report.openQuestions.includes(line));
  const joined = sections.length === 0 ? report : withSections(report, [...report.sections, ...sections]);
  return { ...joined, openQuestions: [...report.openQuestions.slice(0, MAX_OPEN - open.length), ...open] };
}

/** A section with only the statements that `keep` takes, and their citations; none where nothing is left. */
export function keepStatements(section: Section, keep: (index: number) => boolean): Section | undefined {
  const kept = section.citations.map((_, index) => index).filter(keep);
  if (kept.length === 0) return undefined;
  if (kept.length === section.citations.length) return section;
  const lines = section.text.split('\n');
  const text = kept.map((index, place) => (lines[index] ?? '').replace(/\[\d+\]$/, `[${place + 1}]`)).join('\n');
  return { ...section, text, citations: section.citations.filter((_, index) => kept.includes(index)) };
}

const UNVERIFIED = `No quotation of this report could be verified, so nothing is stated. (${WRITTEN_BY_RULES})`;

/** What a report says, to compare it: sections, open questions, and its text. */
export const contentOf = ({ sections, openQuestions, text }: Report): string =>
  JSON.stringify([sections, openQuestions, text]);

/** Takes out of a refused report what the refusal names; a section that loses all its citations goes. */
export function mended(report: Report, refusal: string): Report {
  const lost: string[] = [];
  const sections = report.sections.flatMap((section, at) => {
    const isRefused = (index: number): boolean =>
      refusal.includes(citationLabel(at + 1, index + 1, section.citations[index]?.quotation ?? ''));
    const kept = keepStatements(section, (index) => !isRefused(index));
    if (kept === undefined) lost.push(`${cut(section.heading, 200)} (no quotation could be verified)`);
    return kept === undefined ? [] : [kept];
  });
  const next = sections.length > 0 ? withSections(report, sections) : { ...report, sections, summary: UNVERIFIED };
  return lost.length === 0 && contentOf(next) === contentOf(report)
    ? report
    : { ...next, openQuestions: [...report.openQuestions, ...lost].slice(0, MAX_OPEN) };
}
