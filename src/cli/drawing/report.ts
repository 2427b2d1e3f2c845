/** What is printed when a run has ended: its report, or what became of it. */
import { isObject, type Json, type JsonObject } from '../../protocol/json';
import { stepSources } from '../../protocol/replies/sources';
import { isSuspended } from '../../protocol/status';
import { textOfOutput } from '../../protocol/view/output-text';
import { type AgentView, currentRun, type TreeView, topAgents } from '../../protocol/view/view';
import { renderMarkdown } from '../terminal/markdown';
import { type Line, span, wrapLine } from '../terminal/style';
import { cleanLines } from '../terminal/text';

/** How a run ended, from the status document, or from the view where there is none. */
export interface Outcome {
  readonly status: string;
  readonly output?: Json;
  /** What went wrong or why it was stopped. */
  readonly trouble?: string;
  /** The pages and documents that its replies refer to, a line each. */
  readonly sources?: readonly string[];
}

/** The outcome that a status document tells, filled up from the view. */
export function outcomeOf(status: string, document: JsonObject | undefined, view: TreeView): Outcome {
  const run = document !== undefined && isObject(document.run) ? document.run : {};
  const [top] = topAgents(view);
  const end = top === undefined ? undefined : currentRun(top)?.end;
  const output = run.output ?? (end?.status === 'completed' ? end.output : undefined);
  const trouble = troubleIn(run.error) ?? (end === undefined ? undefined : troubleOfEnd(end));
  const sources = top === undefined ? [] : sourceLines(top);
  return {
    status,
    ...(sources.length === 0 ? {} : { sources }),
    ...(output === undefined ? {} : { output }),
    ...(trouble === undefined ? {} : { trouble }),
  };
}

/** The most sources that are printed. */
const MAX_SOURCES = 20;

/** The sources of the newest run of an agent. */
function sourceLines(agent: AgentView): string[] {
  const sources = stepSources(currentRun(agent)?.steps ?? []);
  const more = sources.length > MAX_SOURCES ? [`and ${sources.length - MAX_SOURCES} more`] : [];
  const lines = sources.slice(0, MAX_SOURCES).map((source) => {
    const name = source.title ?? (source.sourceType === 'document' ? source.filename : undefined);
    const place = source.sourceType === 'url' ? source.url : source.mediaType;
    return name === undefined ? place : `${name}: ${place}`;
  });
  return [...lines, ...more];
}

function troubleIn(error: Json | undefined): string | undefined {
  if (error === undefined || !isObject(error)) return undefined;
  const code = typeof error.code === 'string' ? ` (${error.code})` : '';
  return typeof error.message === 'string' ? `${error.message}${code}` : undefined;
}

function troubleOfEnd(end: NonNullable<ReturnType<typeof currentRun>>['end'] & object): string | undefined {
  if (end.status === 'completed') return undefined;
  return end.status === 'failed' ? `${end.error.message} (${end.error.code})` : end.reason;
}

/** The report of an output as Markdown: its text, or all of it as JSON when it has none. */
export const markdownOf = (output: Json): string =>
  textOfOutput(output) ?? `\`\`\`json\n${JSON.stringify(output, null, 2)}\n\`\`\``;

/** The longest line of a report, in columns: longer ones are hard to read. */
const MAX_WIDTH = 100;

/**
 * The end of a run as lines.
 * @param width the columns of the terminal; undefined where there is none: the Markdown stays as it is, to be kept
 */
export function reportLines({ status, output, trouble, sources = [] }: Outcome, width: number | undefined): Line[] {
  if (status === 'completed' && output !== undefined) {
    const list = sources.map((line) => `- ${cleanLines(line).join(' ')}`).join('\n');
    const markdown = `${markdownOf(output).trimEnd()}${list === '' ? '' : `\n\nSources:\n\n${list}`}`;
    if (width === undefined) return cleanLines(markdown.trimEnd()).map((text) => [span(text)]);
    return renderMarkdown(markdown, Math.max(20, Math.min(width, MAX_WIDTH)));
  }
  const [text, style] = verdict(status, trouble);
  const lines = cleanLines(text);
  return lines.flatMap((each) => (width === undefined ? [[span(each)]] : wrapLine([span(each, style)], width)));
}

function verdict(status: string, trouble: string | undefined): [string, 'good' | 'bad' | 'warn'] {
  const why = trouble === undefined || trouble === '' ? '.' : `: ${trouble}`;
  if (status === 'completed') return ['The run completed without an output.', 'good'];
  if (status === 'failed') return [`The run failed${why}`, 'bad'];
  if (isSuspended(status)) return [`The run is waiting for an answer (${status}).`, 'warn'];
  if (status === 'idle') return ['There is no run at this address yet.', 'warn'];
  return [`The run was ${status}${why}`, 'warn'];
}
