/**
 * What of the output of a run is for people to read.
 *
 * Decides: which field of an output is its text.
 *
 * Keeps CN96.
 */
import { isObject, type Json, type JsonObject } from '../json';

/** The fields of an output that hold its text, the first that fits. */
const TEXT_KEYS = ['markdown', 'report', 'answer', 'text', 'content', 'summary'];

/** The text of an output as Markdown, with its title and its sources; undefined where it has none. */
export function textOfOutput(output: Json): string | undefined {
  if (typeof output === 'string') return output;
  if (isObject(output)) {
    for (const key of TEXT_KEYS) {
      const text = Object.hasOwn(output, key) ? output[key] : undefined;
      if (typeof text !== 'string') continue;
      const title = typeof output.title === 'string' && !/^\s*#/u.test(text) ? `# ${output.title}\n\n` : '';
      return `${title}${text}${sourcesOf(output, text)}`;
    }
  }
  return undefined;
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
