/** A form for a value that a JSON Schema describes: its fields and its value; the page draws them. */
import { useCallback, useMemo, useState } from 'react';
import type { Json } from '../protocol/json';
import { fieldOf, jsonIn, numberIn, type SchemaField, withValueAt } from './schema-fields';
import { withFlags } from './schema-values';

/** A form. */
export interface UsedSchemaForm {
  /** The field of the whole value, with the fields in it. */
  readonly field: SchemaField;
  /** The value to send, with `false` for each required flag that was not ticked. */
  readonly value: Json;
  /** Sets the value at a path; undefined removes it. An index past the end of a list adds an item. */
  set(path: string, value: Json | undefined): void;
  /** Sets a field from the text of its input element. */
  setText(field: SchemaField, text: string): void;
  /** Starts over. */
  reset(value?: Json): void;
}

/**
 * A form to edit arguments before an approval, or to enter the input of a start.
 * @param initial the first value; later ones are set by `reset`
 * @example
 * const { field, value, setText } = useSchemaForm(tool.inputSchema, item.input);
 * field.kind === 'object' && field.fields.map((each) => each.kind === 'text' && (
 *   <input key={each.path} value={each.value} onChange={(event) => setText(each, event.target.value)} />
 * ));
 */
export function useSchemaForm(schema: Json | undefined, initial: Json = {}): UsedSchemaForm {
  const [value, setValue] = useState<Json>(initial);
  const set = useCallback(
    (path: string, next: Json | undefined) => setValue((before) => withValueAt(schema, before, path, next) ?? {}),
    [schema],
  );
  const setText = useCallback((field: SchemaField, text: string) => set(field.path, readAs(field, text)), [set]);
  const reset = useCallback((next: Json = initial) => setValue(next), [initial]);
  const field = useMemo(() => fieldOf(schema, value), [schema, value]);
  const sent = useMemo(() => withFlags(schema, value), [schema, value]);
  return useMemo(() => ({ field, value: sent, set, setText, reset }), [field, sent, set, setText, reset]);
}

function readAs(field: SchemaField, text: string): Json | undefined {
  switch (field.kind) {
    case 'number':
      return numberIn(text);
    case 'json':
      return jsonIn(text);
    default:
      return text === '' && !field.isRequired ? undefined : text;
  }
}
