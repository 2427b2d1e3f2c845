/** The researcher, played by rules: search, read, extract, have it checked, hand it back. */

import { beginningOf } from '../../protocol/content/cut';
import type { Json } from '../../protocol/json';
import { isObject } from '../../protocol/json';
import { FINISH_TOOL } from '../../protocol/messages';
import { collapse, MAX_QUOTATION, MIN_QUOTATION } from '../quotes';
import type { CheckResult, Finding, ResearchResult } from '../schemas';
import { checkResultSchema, researchRequestSchema } from '../schemas';
import type { ReadPassage, Weights } from './extract';
import { extractFindings, passagesIn, rankPassages, weightsFrom } from './extract';
import type { OfflineReply } from './reply';
import type { Turn } from './transcript';
import { parsed, settled } from './transcript';
import { furtherWords, topicOf } from './words';

const FACT_CHECKER = 'subagent__fact-checker';

/** Passages of a search: as many as it may return. */
const MOST_FOUND = 20;

/** Passages that are read whole after a search. */
const READ = 3;

interface Asked {
  readonly question: string;
  readonly context: string;
}

function askedIn(turn: Turn): Asked {
  const request = turn.requests.at(-1) ?? '';
  const asked = researchRequestSchema.safeParse(parsed(request));
  if (!asked.success) return { question: request, context: request };
  return { question: asked.data.question, context: asked.data.context ?? asked.data.question };
}

function finish(result: ResearchResult): OfflineReply {
  return { text: result.answer, calls: [{ toolName: FINISH_TOOL, input: { ...result } }] };
}

const nothing = (gaps: string[]): OfflineReply =>
  finish({
    answer: 'The library says nothing about this.',
    findings: [],
    gaps: gaps.slice(0, 8).map((gap) => beginningOf(gap, 400)),
  });

const queryOf = (question: string): string => [...topicOf(question).values()].slice(0, 12).join(' ');

function search(asked: Asked): OfflineReply {
  const further = furtherWords(topicOf(asked.question).values()).join(' ');
  const queries = [...new Set([queryOf(asked.question), queryOf(asked.context), further])].filter(
    (query) => query !== '',
  );
  if (queries.length === 0) return nothing([`“${beginningOf(asked.question, 200)}” contains no word to search for.`]);
  return {
    text: `I search the library for ${queries.map((query) => `“${query}”`).join(' and ')}.`,
    calls: queries.map((query) => ({
      toolName: 'search_library',
      input: { query: beginningOf(query, 1_000), limit: MOST_FOUND },
    })),
  };
}

function unknownWords(asked: Asked, weights: Weights): string[] {
  const unknown = [...topicOf(asked.question)]
    .filter(([stem]) => weights.passagesWith(stem) === 0)
    .map(([, word]) => `“${word}”`);
  return unknown.length === 0 ? [] : [`No passage of the library contains ${unknown.join(', ')}.`];
}

function verdictsOf(value: Json | undefined): CheckResult['verdicts'] | undefined {
  const result = checkResultSchema.safeParse(value);
  return result.success ? result.data.verdicts : undefined;
}

function findingsIn(value: Json | undefined): (Finding & { id: string })[] {
  const list = isObject(value) ? value.findings : undefined;
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((finding) => ({
    id: String(finding.id),
    claim: String(finding.claim),
    document: String(finding.document),
    passage: String(finding.passage),
    quotation: String(finding.quotation),
  }));
}

/** Keeps what the fact-checker confirmed, at the place that it names, and drops the rest. */
function conclude(turn: Turn, gaps: readonly string[]): OfflineReply {
  const check = settled(turn, FACT_CHECKER).at(-1);
  const sent = findingsIn(check?.input);
  const verdicts = check?.result.failure === undefined ? verdictsOf(check?.result.value) : undefined;
  const kept: Finding[] = [];
  let dropped = 0;
  for (const { id, ...finding } of sent) {
    const verdict = verdicts?.find((one) => one.id === id);
    if (verdicts === undefined || verdict?.verdict === 'confirmed') kept.push(finding);
    else if (verdict?.verdict === 'misplaced' && verdict.passage !== undefined) {
      kept.push({ ...finding, passage: verdict.passage, document: verdict.passage.replace(/#\d+$/, '') });
    } else dropped++;
  }
  const open = [...gaps];
  if (verdicts === undefined)
    open.push(`The fact-checker failed: ${beginningOf(collapse(check?.result.failure ?? 'it gave no verdicts'), 200)}`);
  if (dropped > 0)
    open.push(
      `${dropped} quotation${dropped === 1 ? '' : 's'} could not be verified and ${dropped === 1 ? 'was' : 'were'} left out.`,
    );
  if (kept.length === 0) return nothing(open);
  const answer = kept
    .slice(0, 2)
    .map(({ claim }) => claim)
    .join(' ');
  return finish({
    answer: beginningOf(answer, 2_000),
    findings: kept,
    gaps: open.slice(0, 8).map((gap) => beginningOf(gap, 400)),
  });
}

/** The researcher's next reply. */
export function playResearcher(turn: Turn): OfflineReply {
  const asked = askedIn(turn);
  const searches = settled(turn, 'search_library');
  if (searches.length === 0) return search(asked);
  const answers = searches.filter(({ result }) => result.failure === undefined);
  if (answers.length === 0)
    return nothing([`The search failed: ${beginningOf(collapse(searches[0]?.result.failure ?? ''), 300)}`]);
  const weights = weightsFrom(answers.map(({ result }) => result.value));
  const gaps = unknownWords(asked, weights);
  if (settled(turn, FACT_CHECKER).length > 0) return conclude(turn, gaps);
  const found = rankPassages(
    asked,
    answers.flatMap(({ result }) => passagesIn(result.value)),
    weights,
  );
  if (found.length === 0) return nothing(gaps);
  const reads = settled(turn, 'read_passage');
  if (reads.length === 0) {
    const calls = found
      .slice(0, READ)
      .map(({ document, passage }) => ({ toolName: 'read_passage', input: { document, passage } }));
    return {
      text: `I read ${found
        .slice(0, READ)
        .map(({ passage }) => passage)
        .join(', ')}.`,
      calls,
    };
  }
  const read: ReadPassage[] = reads
    .filter(({ result }) => result.failure === undefined)
    .flatMap(({ result }) => passagesIn(result.value));
  const findings = extractFindings(asked, [...read, ...found], weights).filter(
    ({ quotation }) => quotation.length >= MIN_QUOTATION && quotation.length <= MAX_QUOTATION,
  );
  if (findings.length === 0) return nothing(gaps);
  const numbered = findings.map((finding, index) => ({ id: `f${index + 1}`, ...finding }));
  return {
    text: `I have ${numbered.length} finding${numbered.length === 1 ? '' : 's'}, and ask the fact-checker to check the quotations.`,
    calls: [{ toolName: FACT_CHECKER, input: { findings: numbered } }],
  };
}
