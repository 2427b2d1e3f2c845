/** The critic, played by rules: what can be told of a draft without understanding it. The check of quotations is the tool's. */

import { beginningOf } from '../../protocol/content/cut';
import { isObject, type Json, type JsonObject } from '../../protocol/json';
import { FINISH_TOOL } from '../../protocol/messages';
import { isMarked } from '../citations';
import { collapse } from '../quotes';
import {
  type Citation,
  type Critique,
  type CritiquePoint,
  critiqueRequestSchema,
  critiqueSchema,
  type Report,
} from '../schemas';
import { cut, hasLimits, plainStatement } from './compose';
import type { OfflineReply } from './reply';
import { parsed, settled, type ToolUse, type Turn } from './transcript';
import { isStatement, sentencesOf, stemsOf, topicOf } from './words';

/** Sentences of a summary, and statements of a section, at most. */
const MAX_SENTENCES = 5;
const MAX_STATEMENTS = 5;

/** Points of one verdict at most. */
const MAX_POINTS = 24;

const point = (kind: CritiquePoint['kind'], sentence: string, problem: string): CritiquePoint => ({
  kind,
  sentence: cut(collapse(sentence), 1_000),
  problem: cut(collapse(problem), 400),
});

const keyOf = ({ document, passage, quotation }: JsonObject | Citation): string =>
  JSON.stringify([document, passage, quotation]);

/** The lines of a section that state something. */
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

/** Whether a text names a sub-question, by its words or by all that it is about. */
function names(text: string, question: string): boolean {
  if (collapse(text).includes(beginningOf(collapse(question), 150))) return true;
  const wanted = [...topicOf(question).keys()];
  const stems = stemsOf(text);
  return wanted.length > 0 && wanted.every((key) => stems.has(key));
}

function misquoted({ sections }: Report, checks: ReadonlyMap<string, Json>): CritiquePoint[] {
  return sections.flatMap(({ citations }) =>
    citations.flatMap((citation) => {
      const check = checks.get(keyOf(citation));
      if (!isObject(check) || check.found !== false) return [];
      return [
        point('misquoted', citation.quotation, String(check.reason ?? 'Its passage does not contain these words.')),
      ];
    }),
  );
}

function uncited({ sections }: Report): CritiquePoint[] {
  const lines = sections.flatMap(({ text }) => linesOf(text)).filter((line) => !isMarked(line));
  return lines.map((line) =>
    point('uncited', plainStatement(line), 'It has no citation: cite what supports it, or remove it.'),
  );
}

/** Points on statements that are no sentences: a row of a table, a heading, links or code alone. */
function noSentence({ sections }: Report): CritiquePoint[] {
  const lines = sections.flatMap(({ text }) => linesOf(text)).map(plainStatement);
  return lines
    .filter((line) => !isStatement(line))
    .map((line) => point('no_sentence', line, 'It says nothing by itself: remove it, or write a sentence.'));
}

/** A statement that shares no word with the question or with its heading, nor does its passage. */
function offTopic({ sections }: Report, question: string, checks: ReadonlyMap<string, Json>): CritiquePoint[] {
  return sections.flatMap(({ heading, text, citations }) => {
    const topic = [...topicOf(`${question} ${heading}`).keys()];
    if (topic.length === 0) return [];
    return linesOf(text).flatMap((line, index) => {
      const citation = citations[index];
      const check = citation && checks.get(keyOf(citation));
      // Of a passage that was not read nothing is known.
      if (!isObject(check) || check.found !== true) return [];
      const stems = stemsOf(`${plainStatement(line)} ${String(check.text)} ${citation?.document.replaceAll('-', ' ')}`);
      if (topic.some((key) => stems.has(key))) return [];
      return [point('off_topic', plainStatement(line), 'It has nothing to do with the question: remove it.')];
    });
  });
}

function repeated({ sections }: Report): CritiquePoint[] {
  const seen = new Set<string>();
  const points: CritiquePoint[] = [];
  for (const line of sections.flatMap(({ text }) => linesOf(text)).map(plainStatement)) {
    const key = collapse(line).toLowerCase();
    if (seen.has(key)) points.push(point('repeated', line, 'It is in the report twice: remove the later one.'));
    seen.add(key);
  }
  return points;
}

function tooLong({ summary, sections }: Report): CritiquePoint[] {
  const count = sentencesOf(summary).length;
  const long = sections.filter(({ text }) => linesOf(text).length > MAX_STATEMENTS);
  return [
    ...(count > MAX_SENTENCES
      ? [point('too_long', summary, `The summary has ${count} sentences, more than ${MAX_SENTENCES}.`)]
      : []),
    ...long.map(({ heading, text }) =>
      point('too_long', heading, `This section has ${linesOf(text).length} statements, more than ${MAX_STATEMENTS}.`),
    ),
  ];
}

function unanswered({ sections, openQuestions }: Report, subQuestions: readonly string[]): CritiquePoint[] {
  const told = [...sections.map(({ heading }) => heading), ...openQuestions];
  return subQuestions
    .filter((question) => !told.some((text) => names(text, question)))
    .map((question) =>
      point('unanswered', question, 'No section answers it, and it is not listed as an open question: add it there.'),
    );
}

function limits({ summary }: Report): CritiquePoint[] {
  if (hasLimits(summary)) return [];
  return [
    point(
      'limits',
      summary,
      'It does not say how far the report goes: add how many documents it rests on, and how much stays open.',
    ),
  ];
}

/** The verdicts of the rounds before, oldest first. */
function verdictsBefore({ before }: Turn): Critique[] {
  return before.flatMap(({ toolName, input }) => {
    const verdict = toolName === FINISH_TOOL ? critiqueSchema.safeParse(input) : undefined;
    return verdict?.success ? [verdict.data] : [];
  });
}

const isSame = (one: CritiquePoint, other: CritiquePoint): boolean =>
  one.kind === other.kind && (one.kind === 'limits' || one.sentence === other.sentence);

/** What became of the points of the round before. */
function lookBack(round: number, points: readonly CritiquePoint[], before: Critique | undefined): string {
  if (round === 1 || before === undefined) return '';
  const mended = before.points.filter((old) => !points.some((now) => isSame(now, old))).length;
  return ` Of ${before.points.length} point${before.points.length === 1 ? '' : 's'} in the previous round, ${mended} ${mended === 1 ? 'is' : 'are'} fixed.`;
}

function finish(critique: Critique): OfflineReply {
  return { text: critique.note, calls: [{ toolName: FINISH_TOOL, input: { ...critique } }] };
}

const NO_DRAFT: Critique = {
  verdict: 'fix',
  points: [
    point('other', 'The message', 'This is not a draft: send JSON with question, subQuestions, round and report.'),
  ],
  note: 'I was given no draft that I could read.',
};

/** What the tool said of each citation; of a check that failed nothing is known. */
function checked(uses: readonly Required<ToolUse>[]): Map<string, Json> {
  const known = uses.filter(({ result }) => result.failure === undefined);
  return new Map(known.map(({ input, result }) => [keyOf(input), result.value]));
}

/** The critic's next reply. What it checked in an earlier round it knows. */
export function playCritic(turn: Turn): OfflineReply {
  const request = critiqueRequestSchema.safeParse(parsed(turn.requests.at(-1) ?? ''));
  if (!request.success) return finish(NO_DRAFT);
  const { question, report, subQuestions, round } = request.data;
  const now = settled(turn, 'check_quotation');
  const known = checked([...settled({ uses: turn.before }, 'check_quotation'), ...now]);
  const citations = new Map(report.sections.flatMap((section) => section.citations.map((one) => [keyOf(one), one])));
  const due = [...citations].filter(([key]) => !known.has(key)).map(([, citation]) => citation);
  if (due.length > 0 && now.length === 0) {
    const calls = due.map((citation) => ({ toolName: 'check_quotation', input: { ...citation } }));
    return { text: `I check ${due.length} quotation${due.length === 1 ? '' : 's'} of the draft.`, calls };
  }
  const points = [
    ...misquoted(report, known),
    ...uncited(report),
    ...noSentence(report),
    ...offTopic(report, question, known),
    ...unanswered(report, subQuestions),
    ...repeated(report),
    ...tooLong(report),
    ...limits(report),
  ].slice(0, MAX_POINTS);
  const back = lookBack(round, points, verdictsBefore(turn).at(-1));
  const blind = due.length === 0 ? '' : ` ${due.length} quotation${due.length === 1 ? '' : 's'} could not be checked.`;
  const verdict = points.length === 0 ? 'pass' : 'fix';
  const what =
    verdict === 'pass'
      ? 'My rules find nothing to fix'
      : `${points.length} point${points.length === 1 ? '' : 's'} to fix: ${[...new Set(points.map(({ kind }) => kind))].join(', ')}`;
  return finish({ verdict, points, note: `Round ${round}. ${what}.${back}${blind}` });
}
