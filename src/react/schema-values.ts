/** The value that a form sends: a required box that was not ticked is false. */
import { isObject, type Json } from '../protocol/json';

/** The value of a keyword of a schema. */
export const of = (schema: Json | undefined, name: string): Json | undefined =>
  isObject(schema) ? schema[name] : undefined;

/** The names that an object has to have. */
export function requiredOf(schema: Json | undefined): ReadonlySet<Json> {
  const needed = of(schema, 'required');
  return new Set(Array.isArray(needed) ? needed : []);
}

/**
 * The value with `false` for each flag that its schema requires and that was not given. One that may be left out, or has
 * a default, stays as it is; so does everything in an object that was not given and may be left out.
 */
export function withFlags(schema: Json | undefined, value: Json): Json;
export function withFlags(schema: Json | undefined, value: Json | undefined): Json | undefined;
export function withFlags(schema: Json | undefined, value: Json | undefined): Json | undefined {
  const properties = of(schema, 'properties');
  // An object in the place of a flag is what every form begins with.
  if (of(schema, 'type') === 'boolean' && (value === undefined || isObject(value)))
    return of(schema, 'default') === undefined ? false : value;
  if (Array.isArray(value)) return value.map((item) => withFlags(of(schema, 'items'), item));
  if (!isObject(properties) || (value !== undefined && !isObject(value))) return value;
  const required = requiredOf(schema);
  const filled: Record<string, Json> = { ...value };
  for (const [name, property] of Object.entries(properties)) {
    const given = required.has(name) || value?.[name] !== undefined ? withFlags(property, value?.[name]) : undefined;
    if (given !== undefined) filled[name] = given;
  }
  return value === undefined && Object.keys(filled).length === 0 ? undefined : filled;
}
