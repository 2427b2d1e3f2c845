/** The report as Markdown, with its citations numbered through and listed at the end. */
import type { Source } from './citations';
import { renumberMarks } from './citations';
import { inertMarkdown, plainText } from './inert';
import type { Report } from './schemas';

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

/** Renders a checked report. `sources[i]` are the sources of the citations of section `i`, in order. */
export function renderReport(report: Report, sources: readonly (readonly Source[])[]): string {
  const numbers = new Map<string, number>();
  const list: string[] = [];
  const numberOf = ({ citation, title, heading }: Source): number => {
    const key = JSON.stringify([citation.passage, citation.quotation]);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size + 1);
    const place = heading === '' ? plainText(title) : `${plainText(title)}, ${plainText(heading)}`;
    list.push(`${numbers.size}. “${plainText(citation.quotation)}” (${place}; ${plainText(citation.passage)})`);
    return numbers.size;
  };
  const sections = report.sections.map((section, index) => {
    const own = (sources[index] ?? []).map(numberOf);
    const used = new Set<number>();
    const text = renumberMarks(section.text, (mark) => {
      const number = own[mark - 1];
      if (number !== undefined) used.add(number);
      return number;
    });
    const unused = [...new Set(own.filter((number) => !used.has(number)))].map((number) => ` [${number}]`).join('');
    return `## ${plainText(section.heading)}\n\n${inertMarkdown(text)}${unused}`;
  });
  const open = report.openQuestions.map((question) => `- ${plainText(question)}`).join('\n');
  return [
    `# ${plainText(report.title)}`,
    inertMarkdown(report.summary),
    ...sections,
    ...(open === '' ? [] : [`## Open questions\n\n${open}`]),
    ...renderCritique(report.critique),
    ...(list.length === 0 ? [] : [`## Sources\n\n${list.join('\n')}`]),
  ]
    .join('\n\n')
    .concat('\n');
}
