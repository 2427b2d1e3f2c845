/** The report as Markdown, with its citations numbered through and listed at the end. */
import type { Source } from './citations';
import { renumberMarks } from './citations';
import { inertMarkdown, plainText } from './inert';
import type { Report, ReportText } from './schemas';

/** Where the coordinator writes the report. */
export const REPORT_FILE = 'report.md';

/** The end of a run that published nothing, as Markdown. */
export function renderWithdrawal(reason: string): string {
  return `# Nothing was published\n\n${inertMarkdown(reason)}\n`;
}

/** How the critique ended, in a paragraph; nothing where no critic answered. */
function renderCritique(critique: Report['critique']): string[] {
  if (critique === undefined) return [];
  const { verdict, rounds, open } = critique;
  const asked = rounds === 1 ? 'in the first round' : `after ${rounds} rounds`;
  if (verdict === 'pass') return [`## Critique\n\nThe critic passed the draft ${asked}.`];
  const left = open.map((problem) => `- ${plainText(problem)}`).join('\n');
  return [
    `## Critique\n\nThe critic did not pass the draft ${asked}.${left === '' ? '' : ` It still asked for:\n\n${left}`}`,
  ];
}

/** What a text is called above it: `Letter to the keepers`. */
function textHeading({ kind, audience }: Pick<ReportText, 'kind' | 'audience'>): string {
  const name = kind === 'email' ? 'E-mail' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return audience === undefined ? name : `${name} ${kind === 'summary' ? 'for' : 'to'} ${audience}`;
}

/** The citations of a whole report, numbered through in the order in which they are first cited. */
class SourceList {
  readonly #numbers = new Map<string, number>();
  readonly lines: string[] = [];

  numberOf({ citation, title, heading }: Source): number {
    const key = JSON.stringify([citation.passage, citation.quotation]);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size + 1;
    this.#numbers.set(key, number);
    const place = heading === '' ? plainText(title) : `${plainText(title)}, ${plainText(heading)}`;
    this.lines.push(`${number}. “${plainText(citation.quotation)}” (${place}; ${plainText(citation.passage)})`);
    return number;
  }
}

/** The text that was asked for; it stands first, and what it rests on follows. */
function renderText(text: Report['text'], sources: readonly Source[], list: SourceList): string[] {
  if (text === undefined) return [];
  const body = renumberMarks(text.body, (mark) => {
    const source = sources[mark - 1];
    return source === undefined ? undefined : list.numberOf(source);
  });
  return [`## ${plainText(textHeading(text))}\n\n${inertMarkdown(body)}`, '## What it rests on'];
}

/** Renders a checked report. `sources[i]` are the sources of the citations of section `i`, in order; `textSources` its text's. */
export function renderReport(
  report: Report,
  sources: readonly (readonly Source[])[],
  textSources: readonly Source[] = [],
): string {
  const list = new SourceList();
  const text = renderText(report.text, textSources, list);
  const sections = report.sections.map((section, index) => {
    const own = (sources[index] ?? []).map((source) => list.numberOf(source));
    const used = new Set<number>();
    const words = renumberMarks(section.text, (mark) => {
      const number = own[mark - 1];
      if (number !== undefined) used.add(number);
      return number;
    });
    const unused = [...new Set(own.filter((number) => !used.has(number)))].map((number) => ` [${number}]`).join('');
    return `## ${plainText(section.heading)}\n\n${inertMarkdown(words)}${unused}`;
  });
  const open = report.openQuestions.map((question) => `- ${plainText(question)}`).join('\n');
  return [
    `# ${plainText(report.title)}`,
    ...text,
    inertMarkdown(report.summary),
    ...sections,
    ...(open === '' ? [] : [`## Open questions\n\n${open}`]),
    ...renderCritique(report.critique),
    ...(list.lines.length === 0 ? [] : [`## Sources\n\n${list.lines.join('\n')}`]),
  ]
    .join('\n\n')
    .concat('\n');
}
