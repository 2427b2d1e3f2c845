/**
 * Schemas as models and clients read them. Whether a value fits one is checked in `engine/perform/check-calls.ts`.
 *
 * Decides: what carries the arguments of a tool whose schema is no object.
 * Keeps CL4, DF18, DF21.
 */
import * as z from 'zod';
import { isObject, type Json, type JsonObject } from '../../../protocol/json';

/** JSON Schemas that schemas of zod stand for. */
const originals = new WeakMap<z.core.$ZodType, JsonObject>();

/** A schema that replaces a JSON Schema: read as JSON Schema, it is that one, word for word. */
export function replacing<Schema extends z.core.$ZodType>(schema: Schema, original: JsonObject): Schema {
  originals.set(schema, original);
  return schema;
}

/** JSON Schemas that were made: an agent needs them whenever it wakes, and to make one takes longer than a step. */
const made = { input: new WeakMap<z.core.$ZodType, JsonObject>(), output: new WeakMap<z.core.$ZodType, JsonObject>() };

/** JSON Schema of what a zod schema takes, or of what it makes of it (`output`). It is shared: nobody changes it. */
export function jsonSchemaOf(schema: z.core.$ZodType, io: 'input' | 'output' = 'input'): JsonObject {
  const original = originals.get(schema);
  if (original) return original;
  const known = made[io].get(schema);
  if (known) return known;
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  const json = rest as JsonObject;
  made[io].set(schema, json);
  return json;
}

/** Words that providers refuse at the root of a tool's schema. */
const NOT_AT_ROOT = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref'];

/** True for a schema that providers take for the arguments of a tool: an object, with no choice at its root. */
export const isOfArguments = (schema: JsonObject): boolean =>
  schema.type === 'object' && !NOT_AT_ROOT.some((word) => Object.hasOwn(schema, word));

/** The property that carries arguments whose schema is not one of arguments. */
export const CARRIER = 'value';

const asArguments = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/**
 * The schema of a tool's arguments: its own, or an object that carries what its own takes. Either makes of arguments what
 * the tool's own schema makes of them.
 */
export function argumentsSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const known = asArguments.get(schema);
  if (known) return known;
  const made = isOfArguments(jsonSchemaOf(schema)) ? schema : carrying(schema);
  asArguments.set(schema, made);
  return made;
}

function carrying(schema: z.core.$ZodType): z.core.$ZodType {
  const carrier = z.strictObject({ [CARRIER]: schema }).transform((given) => given[CARRIER]);
  const original = originals.get(schema);
  return original ? replacing(carrier, carriedOriginal(original)) : carrier;
}

/** An object around a JSON Schema, whose references point to where it is now. */
function carriedOriginal(original: JsonObject): JsonObject {
  const { $schema, ...rest } = original;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { [CARRIER]: moved(rest) },
    required: [CARRIER],
    additionalProperties: false,
  };
}

/** Words whose values are data, and no schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

function moved(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(moved);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([word, value]): [string, Json] => {
    if (word === '$ref' && typeof value === 'string' && /^#(\/|$)/.test(value))
      return [word, `#/properties/${CARRIER}${value.slice(1)}`];
    return [word, DATA.has(word) ? value : moved(value)];
  });
  return Object.fromEntries(entries);
}

/** Why a provider could not decode exactly as a schema says: it then needs each property, and no others. */
export function strictProblem(schema: Json, at = ''): string | undefined {
  if (Array.isArray(schema)) return firstOf(schema.map((one) => strictProblem(one, at)));
  if (!isObject(schema)) return undefined;
  const { properties, required, additionalProperties = false } = schema;
  if (schema.type === 'object' && additionalProperties !== false)
    return `${at === '' ? 'it' : at} allows arbitrary property names; list each property`;
  if (schema.type === 'object' && isObject(properties)) {
    const optional = Object.keys(properties).find((name) => !(Array.isArray(required) && required.includes(name)));
    if (optional !== undefined)
      return `${place(at, optional)} may be missing; write \`.nullable()\` in place of \`.optional()\``;
  }
  return firstOf(
    Object.entries(schema).flatMap(([word, value]) => {
      if (DATA.has(word)) return [];
      if (word !== 'properties' || !isObject(value)) return [strictProblem(value, at)];
      return Object.entries(value).map(([name, one]) => strictProblem(one, place(at, name)));
    }),
  );
}

const place = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`);
const firstOf = (problems: readonly (string | undefined)[]) => problems.find((one) => one !== undefined);

/** A schema as providers want it that decode exactly: it says that an object has no further properties. */
export function strictForm<Schema extends Json>(schema: Schema): Schema;
export function strictForm(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((one: Json) => strictForm(one));
  if (!isObject(schema)) return schema;
  const inner = Object.entries(schema).map(([word, value]): [string, Json] => [
    word,
    DATA.has(word) ? value : strictForm(value),
  ]);
  return { ...Object.fromEntries(inner), ...(schema.type === 'object' ? { additionalProperties: false } : {}) };
}
