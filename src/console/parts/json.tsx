/** JSON as lines that can be read: real newlines, JSON in texts opened, hidden characters written out, long texts folded. */
import { useMemo, useState } from 'react';
import type { Json } from '../../client';
import { beginningOf } from '../../protocol/content/cut';
import { escaped } from './words';

/** Longer texts, in characters, are folded. */
const LONG = 2_048;
/** Items of a list or object that are shown before the rest is asked for. */
const SOME = 200;

/** A text of more characters is not tried as JSON. */
const MOST_INNER = 4 * 1_048_576;

/** The list or object that a text holds as JSON; undefined where it is any other text. */
export function innerOf(text: string): Json | undefined {
  if (text.length > MOST_INNER || !/^\s*[[{]/u.test(text)) return undefined;
  try {
    const inner: Json = JSON.parse(text);
    return inner;
  } catch {
    return undefined;
  }
}

/** A text; one that holds JSON is opened as such by a press, for it may say the same thing twice or in another order. */
function Text({ value, whole }: { value: string; whole: boolean }) {
  const inner = useMemo(() => (whole ? undefined : innerOf(value)), [value, whole]);
  const [asJson, setAsJson] = useState(false);
  if (inner === undefined) return <Plain value={value} whole={whole} />;
  return (
    <>
      <button type="button" className="linkish" aria-pressed={asJson} onClick={() => setAsJson(!asJson)}>
        {asJson ? 'as text' : 'as JSON'}
      </button>{' '}
      {asJson ? <Value value={inner} whole={false} /> : <Plain value={value} whole={false} />}
    </>
  );
}

function Plain({ value, whole }: { value: string; whole: boolean }) {
  const [open, setOpen] = useState(whole);
  const shown = escaped(open ? value : beginningOf(value, LONG));
  return (
    <span className="json-text">
      "{shown}"
      {!open && value.length > LONG && (
        <button type="button" className="linkish" onClick={() => setOpen(true)}>
          … all {value.length.toLocaleString()} characters
        </button>
      )}
    </span>
  );
}

function Many({
  entries,
  ends,
  whole,
}: {
  entries: readonly (readonly [string, Json])[];
  ends: string;
  whole: boolean;
}) {
  const [open, setOpen] = useState(true);
  const [all, setAll] = useState(whole);
  const shown = all ? entries : entries.slice(0, SOME);
  if (entries.length === 0) return <span>{ends}</span>;
  return (
    <>
      {whole ? (
        ends[0]
      ) : (
        <button type="button" className="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? ends[0] : `${ends[0]} ${entries.length} … ${ends[1]}`}
        </button>
      )}
      {open && (
        <>
          <div className="json-in">
            {shown.map(([name, value], index) => (
              <div key={`${index}:${name}`}>
                {ends === '{}' && <span className="json-name">{escaped(name)}: </span>}
                <Value value={value} whole={whole} />
              </div>
            ))}
            {shown.length < entries.length && (
              <button type="button" className="linkish" onClick={() => setAll(true)}>
                {entries.length - shown.length} more
              </button>
            )}
          </div>
          {ends[1]}
        </>
      )}
    </>
  );
}

function Value({ value, whole }: { value: Json; whole: boolean }) {
  if (typeof value === 'string') return <Text value={value} whole={whole} />;
  if (Array.isArray(value))
    return <Many entries={value.map((item, index) => [String(index), item] as const)} ends="[]" whole={whole} />;
  if (value !== null && typeof value === 'object')
    return <Many entries={Object.entries(value)} ends="{}" whole={whole} />;
  return <span className="json-plain">{String(value)}</span>;
}

/** A value. `whole`: nothing of it is folded, for who decides by it. */
export function JsonView({ value, whole = false }: { value: Json; whole?: boolean }) {
  return (
    <div className="json" translate="no">
      <Value value={value} whole={whole} />
    </div>
  );
}
