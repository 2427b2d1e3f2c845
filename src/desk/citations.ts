/** Citations, held against the library: the one check that no report passes by. */

import { beginningOf } from '../protocol/content/cut';
import type { LibraryPort } from './library-types';
import { collapse, locateQuotation, MIN_QUOTATION } from './quotes';
import type { Citation, Report } from './schemas';

/** What became of a citation. `citation` holds the source's own words; `text` is the cited passage, where it exists. */
type CheckedCitation =
  | {
      readonly found: true;
      readonly citation: Citation;
      readonly title: string;
      readonly heading: string;
      readonly text: string;
    }
  | { readonly found: false; readonly reason: string; readonly elsewhere?: string; readonly text?: string };

/** Finds a quotation in the cited passage. Where it stands in a passage beside it or further away, it says where. */
export async function checkCitation(library: LibraryPort, wanted: Citation): Promise<CheckedCitation> {
  const read = await library.read(wanted.document, wanted.passage);
  if (!read.ok) return { found: false, reason: read.error.message };
  const passage = read.passages[0];
  if (passage === undefined) return { found: false, reason: `There is no passage "${wanted.passage}".` };
  const quotation = locateQuotation(passage.text, wanted.quotation);
  if (quotation !== undefined) {
    const { document, title, heading, text } = passage;
    return { found: true, citation: { document, passage: passage.passage, quotation }, title, heading, text };
  }
  if (wanted.quotation.trim().length < MIN_QUOTATION) {
    return { found: false, reason: `The quotation is shorter than ${MIN_QUOTATION} characters.`, text: passage.text };
  }
  const elsewhere = await findElsewhere(library, wanted);
  return elsewhere === undefined
    ? { found: false, reason: `${passage.passage} does not contain these words.`, text: passage.text }
    : {
        found: false,
        reason: `${passage.passage} does not contain these words, but ${elsewhere} does.`,
        elsewhere,
        text: passage.text,
      };
}

async function findElsewhere(library: LibraryPort, wanted: Citation): Promise<string | undefined> {
  const { passages } = await library.search({ query: wanted.quotation, limit: 10 });
  return passages.find(({ text }) => locateQuotation(text, wanted.quotation) !== undefined)?.passage;
}

/** A citation of a report that was checked, with where it stands in the library. */
export interface Source {
  readonly citation: Citation;
  readonly title: string;
  readonly heading: string;
}

/** Code, which may hold brackets of its own, or the mark of a citation; `[0]` is none. */
const MARK = /`[^`\n]*`|\[([1-9]\d{0,2})\]/g;

/** The numbers of the marks of a text, in order. */
export function marksOf(text: string): number[] {
  return [...text.matchAll(MARK)].flatMap(([, number]) => (number === undefined ? [] : [Number(number)]));
}

/** Whether a text has the mark of a citation. */
export const isMarked = (text: string): boolean => marksOf(text).length > 0;

/** Gives the marks of a section's text other numbers. A mark that `renumber` does not know stays as it is. */
export function renumberMarks(text: string, renumber: (mark: number) => number | undefined): string {
  return text.replaceAll(MARK, (mark, number: string | undefined) => {
    const other = number === undefined ? undefined : renumber(Number(number));
    return other === undefined ? mark : `[${other}]`;
  });
}

/** What is wrong with one place of a report. Sections and citations count from 1; `quotation` is the citation's. */
interface ReportProblem {
  readonly section: Place;
  readonly citation?: number;
  readonly quotation?: string;
  readonly reason: string;
}

/** A section by its number, or the text. */
type Place = number | 'text';

const placeName = (place: Place): string => (place === 'text' ? 'the text' : `section ${place}`);

/** As much of a quotation as a refusal repeats, in characters. */
const REPEATED = 60;

/**
 * How a refusal names a citation: by its place, and by the start of its quotation, because the report that was checked
 * may be one that a person edited, and not the one that the model wrote.
 */
export function citationLabel(section: Place, citation: number, quotation: string): string {
  return `${placeName(section)}, citation ${citation} (“${beginningOf(collapse(quotation), REPEATED)}”)`;
}

/** Checks the citations of a section or of the text, and that what it says refers to none that is missing. */
async function checkPlace(
  library: LibraryPort,
  place: Place,
  text: string,
  citations: readonly Citation[],
): Promise<{ sources: Source[]; problems: ReportProblem[] }> {
  const sources: Source[] = [];
  const problems: ReportProblem[] = [];
  const checked = await Promise.all(citations.map((citation) => checkCitation(library, citation)));
  for (const [index, result] of checked.entries()) {
    if (result.found) sources.push({ citation: result.citation, title: result.title, heading: result.heading });
    else {
      const quotation = citations[index]?.quotation ?? '';
      problems.push({ section: place, citation: index + 1, quotation, reason: result.reason });
    }
  }
  for (const number of marksOf(text)) {
    if (number <= citations.length) continue;
    problems.push({
      section: place,
      reason: `its text refers to [${number}], but it has ${citations.length} citations.`,
    });
  }
  return { sources, problems };
}

/**
 * Checks every citation of a report, and that its texts refer to citations that exist.
 * @returns the report with the sources' own words and the source of each citation by section, and of the text's, in
 *   order; or all that is wrong.
 */
export async function checkReport(
  library: LibraryPort,
  report: Report,
): Promise<
  | { ok: true; report: Report; sources: Source[][]; textSources: Source[] }
  | { ok: false; problems: readonly ReportProblem[] }
> {
  const checked: Awaited<ReturnType<typeof checkPlace>>[] = [];
  for (const [index, { text, citations }] of report.sections.entries())
    checked.push(await checkPlace(library, index + 1, text, citations));
  const { text } = report;
  const ofText = text === undefined ? undefined : await checkPlace(library, 'text', text.body, text.citations);
  const problems = [...checked, ...(ofText ? [ofText] : [])].flatMap((one) => one.problems);
  if (problems.length > 0) return { ok: false, problems };
  const own = (sources: readonly Source[] = []) => sources.map(({ citation }) => citation);
  const sections = report.sections.map((section, index) => ({ ...section, citations: own(checked[index]?.sources) }));
  const kept = text === undefined ? {} : { text: { ...text, citations: own(ofText?.sources) } };
  const sources = checked.map((one) => one.sources);
  return { ok: true, report: { ...report, sections, ...kept }, sources, textSources: ofText?.sources ?? [] };
}

/** The refusal of a report, for a model: what fails, one line each, and what to do. */
export function describeProblems(problems: readonly ReportProblem[]): string {
  const lines = problems.slice(0, 30).map(({ section, citation, quotation = '', reason }) => {
    const place = citation === undefined ? placeName(section) : citationLabel(section, citation, quotation);
    return `- ${place}: ${reason}`;
  });
  return [
    `The report was not published. ${problems.length} place${problems.length === 1 ? '' : 's'} to fix:`,
    ...lines,
    'Copy each quotation exactly from its passage, cite the passage that contains it, or remove the statement. Then call publish_report again with the whole report.',
  ].join('\n');
}
