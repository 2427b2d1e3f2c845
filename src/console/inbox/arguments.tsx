/** The arguments of a call, whole. Where something in them hides or turns text, they are shown as JSON alone. */
import { useState } from 'react';
import type { Json } from '../../client';
import { JsonView } from '../parts/json';
import { Markdown } from '../parts/markdown';
import { isDeceptive } from '../parts/words';

/** The longest text among the arguments, where one is worth reading as a text. */
function readableOf(input: Json): string | undefined {
  if (input === null || typeof input !== 'object') return undefined;
  const texts = Object.values(input).filter((value) => typeof value === 'string' && value.includes('\n'));
  return texts.length === 1 ? String(texts[0]) : undefined;
}

/** Whether a value has characters that deceive, in its texts or their names. */
function hasHidden(value: Json): boolean {
  if (typeof value === 'string') return isDeceptive(value);
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, each]) => isDeceptive(name) || hasHidden(each));
}

/** All of them. */
export function Arguments({ input }: { input: Json }) {
  const deceptive = hasHidden(input);
  const readable = deceptive ? undefined : readableOf(input);
  const [read, setRead] = useState(false);
  return (
    <div className="arguments">
      {deceptive && (
        <p className="warning" role="alert">
          These arguments have characters that hide or turn text. They are written out below as \u{'{…}'}.
        </p>
      )}
      {readable !== undefined && (
        <p>
          <button type="button" aria-pressed={read} onClick={() => setRead(!read)}>
            Read the text
          </button>
        </p>
      )}
      {read && readable !== undefined && <Markdown text={readable} />}
      {/* Also below what is read: the end of the arguments is that of all of them. */}
      <JsonView value={input} whole />
    </div>
  );
}
