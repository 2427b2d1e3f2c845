/** The rounds with the critic, from the coordinator's side: what it sends, what it mends, and how it ended. */
import { isObject, type JsonObject } from '../../protocol/json';
import { collapse } from '../quotes';
import {
  type Critique,
  type CritiquePoint,
  critiqueRequestSchema,
  critiqueSchema,
  MAX_CRITIQUE_ROUNDS,
  type Report,
} from '../schemas';
import { contentOf, cut, keepStatements, plainStatement, statementsOf, withLimits, withSections } from './compose';
import type { OfflineReply } from './reply';
import { parsed, settled, type Turn } from './transcript';

/** The tool that begins the critic, and gives it the next draft. */
export const CONSULT = 'companion__spawnAgent';

/** The critic's name: the same in all rounds. */
const CRITIC = 'critic';

/** Open questions and sections of a report at most. */
const MAX_OPEN = 12;

type Section = Report['sections'][number];

/** A round that has ended: the draft that was sent, and what came of it. */
export interface Round {
  readonly draft: Report;
  readonly critique?: Critique;
}

/** The rounds of this turn that have ended, oldest first. */
export function roundsOf(turn: Pick<Turn, 'uses'>): Round[] {
  return settled(turn, CONSULT).flatMap(({ input, result }) => {
    const sent = critiqueRequestSchema.safeParse(parsed(String(input.initialMessage)));
    if (!sent.success) return [];
    const value: JsonObject = isObject(result.value) ? result.value : {};
    const critique = critiqueSchema.safeParse(value.output);
    return [{ draft: sent.data.report, ...(critique.success ? { critique: critique.data } : {}) }];
  });
}

/** Sends a draft to the critic. */
export function consult(
  question: string,
  subQuestions: readonly string[],
  report: Report,
  round: number,
): OfflineReply {
  const { critique: _, ...draft } = report;
  const initialMessage = JSON.stringify({
    question: cut(question, 8_000),
    subQuestions: subQuestions.slice(0, 24).map((one) => cut(one, 2_000)),
    round,
    report: draft,
  });
  const text =
    round === 1
      ? 'I send my draft to the critic.'
      : `I have revised the draft, and send it to the critic again (round ${round} of at most ${MAX_CRITIQUE_ROUNDS}).`;
  return { text, calls: [{ toolName: CONSULT, input: { agent: 'critic', name: CRITIC, initialMessage } }] };
}

/** A report that tells how its critique ended; as it is where no critic answered. */
export function withCritique(report: Report, critique: Critique | undefined, rounds: number): Report {
  if (critique === undefined) return report;
  const open = critique.points.map(({ sentence, problem }) => cut(`“${cut(sentence, 150)}”: ${problem}`, 400));
  return { ...report, critique: { verdict: critique.verdict, rounds, open } };
}

/** A section without what a point is about, if it is about one of its statements; none where nothing is left. */
function withoutSentence(section: Section, { kind, sentence }: CritiquePoint): Section | undefined {
  if (kind === 'misquoted')
    return keepStatements(section, (index) => collapse(section.citations[index]?.quotation ?? '') !== sentence);
  const lines = section.text.split('\n').filter((line) => collapse(plainStatement(line)) !== sentence);
  return lines.length === 0 ? undefined : { ...section, text: lines.join('\n') };
}

/** A report without the later one of two statements that are the same. */
function withoutRepeated(sections: readonly Section[], sentence: string): Section[] {
  let seen = false;
  return sections.flatMap((section) => {
    const statements = statementsOf(section).map((one) => collapse(one));
    const kept = keepStatements(section, (index) => {
      if (statements[index] !== sentence) return true;
      const isFirst = !seen;
      seen = true;
      return isFirst;
    });
    return kept ?? [];
  });
}

function mendedFor(report: Report, one: CritiquePoint): Report {
  switch (one.kind) {
    case 'misquoted':
    case 'uncited':
    case 'no_sentence':
    case 'off_topic':
      return withSections(
        report,
        report.sections.flatMap((section) => withoutSentence(section, one) ?? []),
      );
    case 'repeated':
      return withSections(report, withoutRepeated(report.sections, one.sentence));
    case 'unanswered': {
      if (report.openQuestions.length >= MAX_OPEN) return report;
      const line = `${cut(one.sentence, 300)} (no separate section answers it)`;
      return { ...report, openQuestions: [...report.openQuestions, line] };
    }
    case 'too_long': {
      const sections = report.sections.map((section) =>
        collapse(section.heading) === one.sentence
          ? (keepStatements(section, (index) => index < 5) ?? section)
          : section,
      );
      return withSections(report, sections);
    }
    case 'limits':
      return withLimits(report);
    case 'other':
      return report;
  }
}

/**
 * A draft with each point mended that a rule can mend. The sentence of limits is written last, of what is left.
 * @returns `undefined` where nothing would change
 */
export function mendedDraft(report: Report, { points }: Critique): Report | undefined {
  const byRules = points.reduce(mendedFor, report);
  const next =
    points.some(({ kind }) => kind === 'limits') || byRules.summary !== report.summary ? withLimits(byRules) : byRules;
  return contentOf(next) === contentOf(report) && next.summary === report.summary ? undefined : next;
}
