/** What is printed when a run has ended: its report, or what became of it. */
import { isObject, type Json, type JsonObject } from '../protocol/json';
import { isSuspended } from '../protocol/status';
import { currentRun, type TreeView, topAgents } from '../protocol/view';
import { renderMarkdown } from './markdown';
import { type Line, span, wrapLine } from './style';
import { cleanLines } from './text';

/** How a run ended, from the status document, or from the view where there is none. */
export interface Outcome {
  readonly status: string;
  readonly output?: Json;
  /** What went wrong or why it was stopped. */
  readonly trouble?: string;
}

/** The outcome that a status document tells, filled up from the view. */
export function outcomeOf(status: string, document: JsonObject | undefined, view: TreeView): Outcome {
  const run = document !== undefined && isObject(document.run) ? document.run : {};
  const [top] = topAgents(view);
  const end = top === undefined ? undefined : currentRun(top)?.end;
  const output = run.output ?? (end?.status === 'completed' ? end.output : undefined);
  const trouble = troubleIn(run.error) ?? (end === undefined ? undefined : troubleOfEnd(end));
  return {
    status,
    ...(output === undefined ? {} : { output }),
    ...(trouble === undefined ? {} : { trouble }),
  };
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

/** The fields of an output that hold its text, the first that fits. */
const TEXT_KEYS = ['markdown', 'report', 'answer', 'text', 'content', 'summary'];

/** The report of an output as Markdown: its text, or all of it as JSON when it has none. */
export function markdownOf(output: Json): string {
  if (typeof output === 'string') return output;
  if (isObject(output)) {
    for (const key of TEXT_KEYS) {
      const text = Object.hasOwn(output, key) ? output[key] : undefined;
      if (typeof text !== 'string') continue;
      const title = typeof output.title === 'string' && !/^\s*#/u.test(text) ? `# ${output.title}\n\n` : '';
      return `${title}${text}${sourcesOf(output, text)}`;
    }
  }
  return `\`\`\`json\n${JSON.stringify(output, null, 2)}\n\`\`\``;
}

/** The list of sources beside a text that does not list them itself. */
function sourcesOf(output: JsonObject, text: string): string {
  const list = ['citations', 'sources', 'references'].map((key) => output[key]).find(Array.isArray);
  if (list === undefined || list.length === 0 || /^#+\s*(sources|citations|references)/imu.test(text)) return '';
  const lines = list.map((item: Json, index) => `${index + 1}. ${sourceText(item)}`);
  return `\n\n## Sources\n\n${lines.join('\n')}`;
}

function sourceText(source: Json): string {
  if (typeof source === 'string') return source;
  if (!isObject(source)) return JSON.stringify(source);
  return Object.values(source)
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .join(' · ');
}

/** The longest line of a report, in columns: longer ones are hard to read. */
const MAX_WIDTH = 100;

/**
 * The end of a run as lines.
 * @param width the columns of the terminal; undefined where there is none: the Markdown stays as it is, to be kept
 */
export function reportLines({ status, output, trouble }: Outcome, width: number | undefined): Line[] {
  if (status === 'completed' && output !== undefined) {
    const markdown = markdownOf(output);
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
  if (isSuspended(status)) return [`The run waits for an answer (${status}).`, 'warn'];
  if (status === 'idle') return ['There is no run at this address yet.', 'warn'];
  return [`The run was ${status}${why}`, 'warn'];
}
