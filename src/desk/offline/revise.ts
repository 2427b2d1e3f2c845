/** A report that a person denied, changed as the reason asks. */
import type { Report } from '../schemas';
import type { Answered } from './compose';
import { contentOf, keepStatements, statementsOf, withAnswers, withSections } from './compose';
import type { Unwanted, Wish } from './reason';
import { LAST } from './reason';
import { stemsOf, topicOf } from './words';

/** Whether some words name the text of a report and nothing else. */
function namesText({ text }: Report, words: string): boolean {
  const name = text?.kind === 'email' ? 'e-?mail' : text?.kind;
  return name !== undefined && new RegExp(`^${name}$`, 'i').test(words.trim());
}

/** A report without its text, or what speaks of some words: the sections that have them in the heading, else the statements. */
function withoutWords(report: Report, words: string): Report {
  if (namesText(report, words)) {
    const { text: _, ...others } = report;
    return others;
  }
  const wanted = [...topicOf(words).keys()];
  const speaks = (text: string): boolean => {
    const stems = stemsOf(text);
    return wanted.length > 0 && wanted.every((key) => stems.has(key));
  };
  const others = report.sections.filter(({ heading }) => !speaks(heading));
  if (others.length < report.sections.length) return withSections(report, others);
  const sections = report.sections.flatMap((section) => {
    const statements = statementsOf(section);
    return keepStatements(section, (index) => !speaks(statements[index] ?? '')) ?? [];
  });
  return withSections(report, sections);
}

function without(report: Report, unwanted: Unwanted): Report {
  switch (unwanted.kind) {
    case 'open_questions':
      return { ...report, openQuestions: [] };
    case 'words':
      return withoutWords(report, unwanted.words);
    case 'sections': {
      const numbers = new Set(unwanted.numbers.map((number) => (number === LAST ? report.sections.length : number)));
      return withSections(
        report,
        report.sections.filter((_, index) => !numbers.has(index + 1)),
      );
    }
  }
}

/** Half of the statements of each section, else half of the sections; the first ones stay. */
function shortened(report: Report): Report {
  const half = report.sections.flatMap(
    (section) => keepStatements(section, (index) => index < Math.ceil(section.citations.length / 2)) ?? [],
  );
  const fewer = half.some((section, index) => section !== report.sections[index]);
  return withSections(report, fewer ? half : half.slice(0, Math.ceil(half.length / 2)), 1);
}

/**
 * Changes a report as a wish says, with what researchers have answered since.
 * @returns `undefined` where nothing would change, or nothing would be left.
 */
export function revised(report: Report, wish: Wish, answers: readonly Answered[]): Report | undefined {
  // All numbers at once and first, so that they mean the sections that the person saw.
  const numbers = wish.unwanted.flatMap((one) => (one.kind === 'sections' ? one.numbers : []));
  const others = wish.unwanted.filter(({ kind }) => kind !== 'sections');
  const unwanted: Unwanted[] = numbers.length === 0 ? others : [{ kind: 'sections', numbers }, ...others];
  const left = unwanted.reduce(without, report);
  if (left.sections.length === 0 && report.sections.length > 0) return undefined;
  const next = withAnswers(wish.shorter ? shortened(left) : left, answers);
  return contentOf(next) === contentOf(report) ? undefined : next;
}
