/**
 * The fields of a form for a value that a JSON Schema describes.
 *
 * RH10. Texts, numbers, flags, choices, lists and objects three levels deep are fields; everything else is JSON as text.
 * RH11. A form checks nothing but that a number or JSON can be read: what cannot be goes to the server, which refuses it.
 */
import { exactJson } from '../protocol/content/exact-json';
import { isObject, type Json } from '../protocol/json';
import { of, requiredOf } from './schema-values';

/** A field. `path` joins names and indexes with dots (`to.0.name`), as the server's errors do; empty at the top. */
export type SchemaField = FieldFacts &
  (
    | { readonly kind: 'text'; readonly value: string }
    | { readonly kind: 'choice'; readonly value: string | undefined; readonly choices: readonly string[] }
    | { readonly kind: 'flag'; readonly value: boolean }
    | { readonly kind: 'number' | 'json'; readonly value: Json | undefined }
    | { readonly kind: 'list'; readonly items: readonly SchemaField[]; readonly empty: Json }
    | { readonly kind: 'object'; readonly fields: readonly SchemaField[] }
  );

/** Facts of every field. */
export interface FieldFacts {
  readonly path: string;
  readonly label: string;
  readonly description: string | undefined;
  /** True if the field must be filled in: not for a checkbox, which always has a value, or a field with a default. */
  readonly isRequired: boolean;
  /** The default value, as text. */
  readonly defaultText: string | undefined;
}

/** The kinds of fields. */
export type FieldKind = SchemaField['kind'];

/** Deeper than this, a value is edited as JSON. */
const MAX_DEPTH = 3;

/** The choices of a schema that names them all, as texts. */
export function choicesOf(schema: Json | undefined): readonly string[] | undefined {
  const named = of(schema, 'enum');
  if (!Array.isArray(named)) return undefined;
  const texts = named.filter((each): each is string => typeof each === 'string');
  return texts.length === named.length ? texts : undefined;
}

/** The kind of the field of a value that is there, or undefined, at a depth from 0. */
export function kindOf(schema: Json | undefined, value: Json | undefined, depth: number): FieldKind {
  if (choicesOf(schema) !== undefined) return 'choice';
  const type = of(schema, 'type');
  if (type === 'string' && (value === undefined || typeof value === 'string')) return 'text';
  if (type === 'boolean') return 'flag';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array' && depth < MAX_DEPTH && (value === undefined || Array.isArray(value))) return 'list';
  if (type === 'object' && isObject(of(schema, 'properties')) && depth < MAX_DEPTH) return 'object';
  return 'json';
}

/** True for a field that has to be filled in. */
export const isRequiredField = (schema: Json | undefined, required: boolean): boolean =>
  required && of(schema, 'default') === undefined && of(schema, 'type') !== 'boolean';

/** The default of a schema as text. */
export function defaultTextOf(schema: Json | undefined): string | undefined {
  const value = of(schema, 'default');
  return value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);
}

/** The names of an object's fields: those of its schema, then others that are given. */
export const namesOf = (schema: Json | undefined, value: Json | undefined): readonly string[] => {
  const properties = of(schema, 'properties');
  return [
    ...new Set([...Object.keys(isObject(properties) ? properties : {}), ...Object.keys(isObject(value) ? value : {})]),
  ];
};

/** The path of a field below another one. */
export const pathBelow = (path: string, name: string | number): string =>
  path === '' ? String(name) : `${path}.${name}`;

/** The field of a value, with the fields in it. */
export function fieldOf(schema: Json | undefined, value: Json | undefined, label = 'Value'): SchemaField {
  return fieldAt({ schema, value, label, path: '', depth: 0, required: true });
}

interface At {
  readonly schema: Json | undefined;
  readonly value: Json | undefined;
  readonly label: string;
  readonly path: string;
  readonly depth: number;
  readonly required: boolean;
}

function fieldAt(at: At): SchemaField {
  const { schema, value, label, path, depth, required } = at;
  const description = of(schema, 'description');
  const facts: FieldFacts = {
    ...{ path, label, defaultText: defaultTextOf(schema), isRequired: isRequiredField(schema, required) },
    description: typeof description === 'string' ? description : undefined,
  };
  const kind = kindOf(schema, value, depth);
  switch (kind) {
    case 'text':
      return { ...facts, kind, value: typeof value === 'string' ? value : '' };
    case 'choice':
      return { ...facts, kind, choices: choicesOf(schema) ?? [], value: typeof value === 'string' ? value : undefined };
    case 'flag':
      return { ...facts, kind, value: (value ?? of(schema, 'default')) === true };
    case 'number':
    case 'json':
      return { ...facts, kind, value };
    case 'list': {
      const items = (Array.isArray(value) ? value : []).map((item, index) =>
        fieldAt({ ...belowOf(at, index), schema: of(schema, 'items'), value: item, label: `${label} ${index + 1}` }),
      );
      return { ...facts, kind, items, empty: emptyOf(of(schema, 'items')) };
    }
    case 'object': {
      const needed = requiredOf(schema);
      const fields = namesOf(schema, value).map((name) =>
        fieldAt({
          ...{ ...belowOf(at, name), label: name, required: needed.has(name) },
          schema: propertyOf(schema, name),
          value: isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
        }),
      );
      return { ...facts, kind, fields };
    }
  }
}

const belowOf = ({ path, depth }: At, name: string | number) => ({
  path: pathBelow(path, name),
  depth: depth + 1,
  required: true,
});

/** The value of a new item of a list. */
export function emptyOf(schema: Json | undefined): Json {
  const type = of(schema, 'type');
  if (type === 'object') return {};
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  return type === 'number' || type === 'integer' ? 0 : '';
}

/** The number that a text is; the text itself where it is no number, undefined where it is blank. */
export function numberIn(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  const isRounded = /^\s*-?\d+\s*$/.test(text) && !Number.isSafeInteger(number);
  return Number.isFinite(number) && !isRounded ? number : text;
}

/** The JSON that a text is; the text itself where it is no JSON, undefined where it is blank. */
export function jsonIn(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  const read = exactJson(text);
  return read.ok ? read.json : text;
}

/**
 * A value with another one at a path; undefined removes what is there. Names that are not there yet are added, and the
 * place behind the end of a list adds an item.
 */
export function withValueAt(
  schema: Json | undefined,
  whole: Json | undefined,
  path: string,
  next: Json | undefined,
): Json | undefined {
  return path === '' ? next : putAt(schema, whole, path.split('.'), next);
}

function putAt(
  schema: Json | undefined,
  whole: Json | undefined,
  [name = '', ...rest]: readonly string[],
  next: Json | undefined,
): Json {
  const put = (inner: Json | undefined, of: Json | undefined) =>
    rest.length === 0 ? next : putAt(of, inner, rest, next);
  if (Array.isArray(whole) || (whole === undefined && of(schema, 'type') === 'array')) {
    const items = whole ?? [];
    const at = Math.min(Number(name), items.length);
    const item = put(items[at], of(schema, 'items'));
    return [...items.slice(0, at), ...(item === undefined ? [] : [item]), ...items.slice(at + 1)];
  }
  const given = isObject(whole) ? whole : {};
  const property = put(Object.hasOwn(given, name) ? given[name] : undefined, propertyOf(schema, name));
  if (property !== undefined) return { ...given, [name]: property };
  const { [name]: _removed, ...others } = given;
  return others;
}

/** The schema of a property. */
function propertyOf(schema: Json | undefined, name: string): Json | undefined {
  const properties = of(schema, 'properties');
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
