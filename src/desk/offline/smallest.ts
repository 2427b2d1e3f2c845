/** The smallest value that a JSON Schema takes, for schemas that say what they want in plain words. */
import type { Json } from '../../protocol/json';
import { isObject } from '../../protocol/json';

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '1970-01-01T00:00:00Z',
  date: '1970-01-01',
  time: '00:00:00Z',
  email: 'offline@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '127.0.0.1',
  ipv6: '::1',
};
const TEXT = '(offline model)';
const DEEPEST = 24;

type Schema = { readonly [key: string]: Json };

const schemaOf = (value: Json | undefined): Schema => (isObject(value) ? value : {});
const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

function smallestString(schema: Schema): string {
  const format = FORMATS[String(schema.format)];
  if (format !== undefined) return format;
  const min = numberOf(schema.minLength) ?? 0;
  const max = numberOf(schema.maxLength) ?? Number.POSITIVE_INFINITY;
  return TEXT.length > max ? 'x'.repeat(min) : TEXT.padEnd(min, '.');
}

function smallestNumber(schema: Schema, integer: boolean): number {
  const above = numberOf(schema.exclusiveMinimum);
  const low = numberOf(schema.minimum) ?? (above === undefined ? undefined : above + (integer ? 1 : 1e-6));
  const below = numberOf(schema.exclusiveMaximum);
  const high = numberOf(schema.maximum) ?? (below === undefined ? undefined : below - (integer ? 1 : 1e-6));
  const step = numberOf(schema.multipleOf);
  const start = Math.max(low ?? Math.min(0, high ?? 0), Number.MIN_SAFE_INTEGER);
  const value = step === undefined ? start : Math.ceil(start / step) * step;
  return integer ? Math.ceil(value) : value;
}

function smallestObject(schema: Schema, root: Schema, depth: number): Json {
  const properties = schemaOf(schema.properties);
  const entries = listOf(schema.required).map(
    (key) => [String(key), smallest(schemaOf(properties[String(key)]), root, depth + 1)] as const,
  );
  return Object.fromEntries(entries);
}

function resolved(schema: Schema, root: Schema): Schema {
  const path = String(schema.$ref ?? '');
  if (!path.startsWith('#')) return schema;
  const parts = path.slice(1).split('/').filter(Boolean);
  return parts.reduce<Schema>((at, part) => schemaOf(at[part.replaceAll('~1', '/').replaceAll('~0', '~')]), root);
}

function smallest(wanted: Schema, root: Schema, depth: number): Json {
  if (depth > DEEPEST) return null;
  const schema = resolved(wanted, root);
  for (const key of ['const', 'default'] as const) if (schema[key] !== undefined) return schema[key];
  const named = listOf(schema.enum)[0];
  if (named !== undefined) return named;
  const option = listOf(schema.anyOf)[0] ?? listOf(schema.oneOf)[0];
  if (option !== undefined) return smallest(schemaOf(option), root, depth + 1);
  const parts = listOf(schema.allOf).map((part) => resolved(schemaOf(part), root));
  if (parts.length > 0) return Object.assign({}, ...parts.map((part) => smallest(part, root, depth + 1)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return smallestString(schema);
    case 'number':
    case 'integer':
      return smallestNumber(schema, type === 'integer');
    case 'boolean':
      return false;
    case 'array': {
      const fixed = listOf(schema.prefixItems).map((item) => smallest(schemaOf(item), root, depth + 1));
      const more = Math.min(numberOf(schema.minItems) ?? 0, 100) - fixed.length;
      const items = Array.from({ length: Math.max(0, more) }, () => smallest(schemaOf(schema.items), root, depth + 1));
      return [...fixed, ...items];
    }
    case 'object':
      return smallestObject(schema, root, depth);
    default:
      return type === 'null' || schema.properties === undefined ? null : smallestObject(schema, root, depth);
  }
}

/**
 * The smallest value of a schema: required properties alone, first options, lowest numbers. Texts without a format read
 * `(offline model)`. Patterns and conditions between properties are not understood; such a value may be refused.
 */
export function smallestValue(schema: Json): Json {
  const root = schemaOf(schema);
  return smallest(root, root, 0);
}
