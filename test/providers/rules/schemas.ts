/** Checks of the JSON Schema of a tool's arguments. */
import { isRecord } from './rule';

/** A place in a schema that breaks a rule: the path to it, and the rule. */
export interface SchemaFault {
  readonly path: readonly string[];
  readonly fault: string;
}

/** The words that make a union of a schema. */
const UNIONS = ['oneOf', 'anyOf', 'allOf'] as const;

/** True for a schema with a union at its root. */
export function hasUnionAtRoot(schema: unknown): boolean {
  return isRecord(schema) && UNIONS.some((word) => word in schema);
}

/** The first place of a schema, outermost first, where `check` finds a fault. */
export function schemaFault(
  schema: unknown,
  check: (schema: Record<string, unknown>) => string | undefined,
  path: readonly string[] = [],
): SchemaFault | undefined {
  if (!isRecord(schema)) return undefined;
  const fault = check(schema);
  if (fault !== undefined) return { path, fault };
  for (const [step, inner] of innerSchemas(schema)) {
    const found = schemaFault(inner, check, [...path, ...step]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function innerSchemas(schema: Record<string, unknown>): [readonly string[], unknown][] {
  const { properties, items, $defs } = schema;
  const named = (word: string, value: unknown): [readonly string[], unknown][] =>
    isRecord(value) ? Object.entries(value).map(([name, inner]) => [[word, name], inner]) : [];
  const unions = UNIONS.flatMap((word) => {
    const members = schema[word];
    return Array.isArray(members) ? members.map((inner, at): [string[], unknown] => [[word, String(at)], inner]) : [];
  });
  return [...named('properties', properties), [['items'], items], ...unions, ...named('$defs', $defs)];
}

/** True for the schema of an object. */
export function isObjectSchema(schema: Record<string, unknown>): boolean {
  return schema.type === 'object' || (Array.isArray(schema.type) && schema.type.includes('object'));
}

/** The fault of an object's schema that a strict tool must not have. */
export function strictFault(schema: Record<string, unknown>): string | undefined {
  if (!isObjectSchema(schema)) return undefined;
  if (schema.additionalProperties !== false)
    return "'additionalProperties' is required to be supplied and to be false.";
  const names = Object.keys(isRecord(schema.properties) ? schema.properties : {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = names.find((name) => !required.includes(name));
  if (missing === undefined) return undefined;
  return `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
}

/** The fault of a list's schema without a schema of its items. */
export function listFault(schema: Record<string, unknown>): string | undefined {
  return schema.type === 'array' && schema.items === undefined ? 'array schema missing items.' : undefined;
}
