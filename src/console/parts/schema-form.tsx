/**
 * A form for a value that a JSON Schema describes: texts, numbers, yes or no, choices, lists and objects three levels
 * deep, and JSON for all else. It checks nothing but that a
 * number can be read as one: the server does, and what it refuses is told at its field.
 */
import { useId, useState } from 'react';
import type { Json } from '../../client';
import { exactJson } from '../../protocol/content/exact-json';
import { isObject } from '../../protocol/json';
import { of, requiredOf } from './given';

/** What does not fit, by the path of its field (`to.0.name`). */
export type Problems = ReadonlyMap<string, string>;

interface FieldProps {
  readonly schema: Json | undefined;
  /** undefined where it is not given. */
  readonly value: Json | undefined;
  readonly path: string;
  readonly label: string;
  readonly required: boolean;
  readonly depth: number;
  readonly problems: Problems;
  readonly onChange: (value: Json | undefined) => void;
}

/** Deeper than this, a value is edited as JSON. */
const DEEPEST = 3;

/** The choices of a schema that names them all, as texts. */
function choicesOf(schema: Json | undefined): readonly string[] | undefined {
  const named = of(schema, 'enum');
  if (!Array.isArray(named)) return undefined;
  const texts = named.filter((each): each is string => typeof each === 'string');
  return texts.length === named.length ? texts : undefined;
}

const below = (path: string, name: string | number): string => (path === '' ? String(name) : `${path}.${name}`);

function Problem({ id, says }: { id: string; says: string | undefined }) {
  if (says === undefined) return null;
  return (
    <span id={id} className="trouble">
      {says}
    </span>
  );
}

/** What a field of one line or of several has in common with all others. */
function useField(
  { path, problems, required, schema }: Pick<FieldProps, 'path' | 'problems' | 'required' | 'schema'>,
  unreadable?: string,
) {
  const id = useId();
  const says = unreadable ?? problems.get(path);
  const aria = {
    ...(says === undefined ? {} : ({ 'aria-invalid': true, 'aria-describedby': `${id}-why` } as const)),
    ...(isNeeded({ required, schema }) ? ({ 'aria-required': true } as const) : {}),
  };
  return { id, aria, problem: <Problem id={`${id}-why`} says={says} /> };
}

/** Whether it has to be filled in: a flag always says something, a default stands in for what is not given. */
const isNeeded = ({ required, schema }: Pick<FieldProps, 'required' | 'schema'>): boolean =>
  required && of(schema, 'default') === undefined && of(schema, 'type') !== 'boolean';

/** The value and each item of a list are there as such: nothing is said of whether they have to be. */
const IN_PLACE = /(?:^|\.)\d*$/u;

/** What counts where nothing is given. */
function placeholderOf(schema: Json | undefined): string | undefined {
  const value = of(schema, 'default');
  return value === undefined ? undefined : `${typeof value === 'string' ? value : JSON.stringify(value)} (default)`;
}

function Label({ id, ...field }: { id: string } & Pick<FieldProps, 'label' | 'path' | 'required' | 'schema'>) {
  const { label, path, schema } = field;
  const about = of(schema, 'description');
  const isFlag = of(schema, 'type') === 'boolean' && field.required;
  return (
    <span className="field-label">
      <label htmlFor={id}>{label}</label>
      {IN_PLACE.test(path) || isFlag ? null : isNeeded(field) ? (
        <span className="needed"> required</span>
      ) : (
        <span className="muted"> may be left out</span>
      )}
      {typeof about === 'string' && <span className="muted"> {about}</span>}
    </span>
  );
}

/** Text that stands for a value: of a number, or of JSON. What it cannot be read as goes to the server as it is. */
function Written({ field, rows, read }: { field: FieldProps; rows: number; read: (text: string) => Json | undefined }) {
  const { value, onChange } = field;
  const [text, setText] = useState(() => {
    if (value === undefined) return '';
    return typeof value === 'string' && rows === 1 ? value : JSON.stringify(value, null, 2);
  });
  const unreadable = rows === 1 && typeof asNumber(text) === 'string' ? NO_NUMBER : undefined;
  const { id, aria, problem } = useField(field, unreadable);
  const change = (next: string) => {
    setText(next);
    onChange(read(next));
  };
  const props = { id, ...aria, value: text };
  return (
    <div className="field">
      <Label id={id} {...field} />
      {rows === 1 ? (
        <input
          {...props}
          inputMode="decimal"
          placeholder={placeholderOf(field.schema)}
          onChange={(event) => change(event.target.value)}
        />
      ) : (
        <textarea {...props} className="code" rows={rows} onChange={(event) => change(event.target.value)} />
      )}
      {problem}
    </div>
  );
}

/** A comma is not taken for a point: in `1,234` it may part thousands. */
const NO_NUMBER = 'This is no number: write it in digits, with a point and no comma, as in 4.5.';

function asNumber(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  const isRounded = /^\s*-?\d+\s*$/.test(text) && !Number.isSafeInteger(number);
  return Number.isFinite(number) && !isRounded ? number : text;
}

function asJson(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  const read = exactJson(text);
  return read.ok ? read.json : text;
}

function Text(field: FieldProps) {
  const { value, required, onChange } = field;
  const { id, aria, problem } = useField(field);
  const text = typeof value === 'string' ? value : '';
  const change = (next: string) => onChange(next === '' && !required ? undefined : next);
  return (
    <div className="field">
      <Label id={id} {...field} />
      {text.includes('\n') || text.length > 80 ? (
        <textarea id={id} {...aria} rows={8} value={text} onChange={(event) => change(event.target.value)} />
      ) : (
        <input
          id={id}
          {...aria}
          placeholder={placeholderOf(field.schema)}
          value={text}
          onChange={(event) => change(event.target.value)}
        />
      )}
      {problem}
    </div>
  );
}

function Choice({ choices, ...field }: FieldProps & { choices: readonly string[] }) {
  const { id, aria, problem } = useField(field);
  return (
    <div className="field">
      <Label id={id} {...field} />
      <select
        id={id}
        {...aria}
        value={typeof field.value === 'string' ? field.value : ''}
        onChange={(event) => field.onChange(event.target.value === '' ? undefined : event.target.value)}
      >
        {(!field.required || field.value === undefined) && (
          <option value="">{placeholderOf(field.schema) ?? 'not given'}</option>
        )}
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
      {problem}
    </div>
  );
}

function Flag(field: FieldProps) {
  const { id, aria, problem } = useField(field);
  return (
    <div className="field">
      <span className="field-flag">
        <input
          id={id}
          {...aria}
          type="checkbox"
          checked={(field.value ?? of(field.schema, 'default')) === true}
          onChange={(event) => field.onChange(event.target.checked)}
        />
        <Label id={id} {...field} />
      </span>
      {problem}
    </div>
  );
}

function List({ items, ...field }: FieldProps & { items: readonly Json[] }) {
  const { label, path, schema, depth, problems, onChange } = field;
  const { problem } = useField(field);
  const put = (at: number, value: Json | undefined) =>
    onChange(items.map((item, i) => (i === at ? (value ?? null) : item)));
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      {items.map((item, at) => (
        <div key={at} className="field-item">
          <Field
            schema={of(schema, 'items')}
            value={item}
            path={below(path, at)}
            label={`${label} ${at + 1}`}
            required
            depth={depth + 1}
            problems={problems}
            onChange={(value) => put(at, value)}
          />
          <button
            type="button"
            aria-label={`Remove ${label} ${at + 1}`}
            onClick={() => onChange(items.filter((_, i) => i !== at))}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...items, firstOf(of(schema, 'items'))])}>
        Add to {label}
      </button>
      {problem}
    </fieldset>
  );
}

/** What a new item begins as. */
function firstOf(schema: Json | undefined): Json {
  const type = of(schema, 'type');
  if (type === 'object') return {};
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  return type === 'number' || type === 'integer' ? 0 : '';
}

function Fields({ properties, ...field }: FieldProps & { properties: { readonly [name: string]: Json } }) {
  const { value, path, schema, depth, problems, onChange, label } = field;
  const { problem } = useField(field);
  const given = isObject(value) ? value : {};
  const required = requiredOf(schema);
  const put = (name: string, next: Json | undefined) => {
    const { [name]: _before, ...others } = given;
    // In its place, so that what stays the same stays where it was.
    if (next === undefined) onChange(others);
    else onChange({ ...given, [name]: next });
  };
  const fields = [...new Set([...Object.keys(properties), ...Object.keys(given)])].map((name) => (
    <Field
      key={name}
      schema={properties[name]}
      value={given[name]}
      path={below(path, name)}
      label={name}
      required={required.has(name)}
      depth={depth + 1}
      problems={problems}
      onChange={(next) => put(name, next)}
    />
  ));
  if (depth === 0)
    return (
      <div className="fields">
        {fields}
        {problem}
      </div>
    );
  return (
    <fieldset className="field">
      <legend>{label}</legend>
      {fields}
      {problem}
    </fieldset>
  );
}

function Field(field: FieldProps) {
  const { schema, value, depth } = field;
  const choices = choicesOf(schema);
  if (choices !== undefined) return <Choice {...field} choices={choices} />;
  const type = of(schema, 'type');
  const properties = of(schema, 'properties');
  if (type === 'string' && (value === undefined || typeof value === 'string')) return <Text {...field} />;
  if (type === 'boolean') return <Flag {...field} />;
  if (type === 'number' || type === 'integer') return <Written field={field} rows={1} read={asNumber} />;
  if (type === 'array' && depth < DEEPEST && (value === undefined || Array.isArray(value)))
    return <List {...field} items={Array.isArray(value) ? value : []} />;
  if (type === 'object' && isObject(properties) && depth < DEEPEST)
    return <Fields {...field} properties={properties} />;
  return <Written field={field} rows={6} read={asJson} />;
}

/** The form. Its value is the caller's; `problems` are what the server said of it last. */
export function SchemaForm({
  schema,
  value,
  problems,
  onChange,
}: Pick<FieldProps, 'schema' | 'problems'> & { value: Json; onChange: (value: Json) => void }) {
  return (
    <Field
      schema={schema}
      value={value}
      path=""
      label="JSON"
      required
      depth={0}
      problems={problems}
      onChange={(next) => onChange(next ?? {})}
    />
  );
}
