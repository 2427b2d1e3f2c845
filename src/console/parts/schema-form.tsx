/** A form for a value that a JSON Schema describes; the server checks the value, and its refusals are told at their fields. */
import { useId, useState } from 'react';
import type { Json } from '../../client';
import { isObject } from '../../protocol/json';
import {
  choicesOf,
  defaultTextOf,
  emptyOf,
  isRequiredField,
  jsonIn,
  kindOf,
  namesOf,
  numberIn,
  pathBelow,
} from '../../react/schema-fields';
import { of, requiredOf } from '../../react/schema-values';

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
    ...(isRequiredField(schema, required) ? ({ 'aria-required': true } as const) : {}),
  };
  return { id, aria, problem: <Problem id={`${id}-why`} says={says} /> };
}

/** The value and each item of a list are there as such: nothing is said of whether they have to be. */
const IN_PLACE = /(?:^|\.)\d*$/u;

/** What counts where nothing is given. */
function placeholderOf(schema: Json | undefined): string | undefined {
  const text = defaultTextOf(schema);
  return text === undefined ? undefined : `${text} (default)`;
}

function Label({ id, ...field }: { id: string } & Pick<FieldProps, 'label' | 'path' | 'required' | 'schema'>) {
  const { label, path, schema } = field;
  const about = of(schema, 'description');
  const isFlag = of(schema, 'type') === 'boolean' && field.required;
  return (
    <span className="field-label">
      <label htmlFor={id}>{label}</label>
      {IN_PLACE.test(path) || isFlag ? null : isRequiredField(schema, field.required) ? (
        <span className="needed"> required</span>
      ) : (
        <span className="muted"> optional</span>
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
  const unreadable = rows === 1 && typeof numberIn(text) === 'string' ? NO_NUMBER : undefined;
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
const NO_NUMBER = 'Enter a number, with a decimal point, such as 4.5.';

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
          <option value="">{placeholderOf(field.schema) ?? 'not set'}</option>
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
            path={pathBelow(path, at)}
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
      <button type="button" onClick={() => onChange([...items, emptyOf(of(schema, 'items'))])}>
        Add to {label}
      </button>
      {problem}
    </fieldset>
  );
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
  const fields = namesOf(schema, value).map((name) => (
    <Field
      key={name}
      schema={properties[name]}
      value={given[name]}
      path={pathBelow(path, name)}
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
  switch (kindOf(schema, value, depth)) {
    case 'choice':
      return <Choice {...field} choices={choicesOf(schema) ?? []} />;
    case 'text':
      return <Text {...field} />;
    case 'flag':
      return <Flag {...field} />;
    case 'number':
      return <Written field={field} rows={1} read={numberIn} />;
    case 'list':
      return <List {...field} items={Array.isArray(value) ? value : []} />;
    case 'object': {
      const properties = of(schema, 'properties');
      return <Fields {...field} properties={isObject(properties) ? properties : {}} />;
    }
    case 'json':
      return <Written field={field} rows={6} read={jsonIn} />;
  }
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
