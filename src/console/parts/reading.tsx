/** A value as a person reads it: fields under their names, texts in Markdown, lists as lists; nothing of it is left out. */
import type { Json } from '../../client';
import { Markdown } from './markdown';
import { escaped } from './words';

/** Texts from so many characters on make a value worth reading as a report. */
const LONG = 80;

/** What Markdown would not show: targets of links, definitions, words behind a fence. */
const HIDES = /\](?:\(|\[|:)|^ {0,3}(?:`{3}|~{3})[`~]*[ \t]*[\w+#-]*[ \t]+\S/mu;
const TABLE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$/mu;

/** True where Markdown shows all of a text. Of a table it drops cells beyond its heads. */
export function showsWhole(text: string): boolean {
  if (HIDES.test(text)) return false;
  if (!TABLE.test(text)) return true;
  const pipes = text.split('\n').flatMap((line) => (line.includes('|') ? [line.split('|').length] : []));
  return new Set(pipes).size === 1;
}

/** True for a value that has a text of several lines, or a long one. */
export function isReport(value: Json): boolean {
  if (typeof value === 'string') return value.length > LONG || value.includes('\n');
  return value !== null && typeof value === 'object' && Object.values(value).some(isReport);
}

function Text({ text }: { text: string }) {
  if (text === '') return <span className="muted">(empty)</span>;
  return isReport(text) && showsWhole(text) ? <Markdown text={text} /> : <p className="as-is">{escaped(text)}</p>;
}

const isPlain = (value: Json): boolean => value === null || typeof value !== 'object';

/** The value. */
export function Reading({ value }: { value: Json }) {
  if (typeof value === 'string') return <Text text={value} />;
  if (value === null || typeof value !== 'object') return <code>{String(value)}</code>;
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className="muted">(none)</span>;
  if (Array.isArray(value))
    return (
      <ol className="read-list">
        {value.map((item, index) => (
          <li key={`${index}`}>
            <Reading value={item} />
          </li>
        ))}
      </ol>
    );
  return (
    <dl className="read-fields">
      {entries.map(([name, each]) => (
        <div key={name} className={isPlain(each) && !isReport(each) ? 'short' : undefined}>
          <dt>{escaped(name)}</dt>
          <dd>
            <Reading value={each} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
