/**
 * Schemas that authors give, checked when they are given.
 *
 * Decides: what is a schema here; which types no JSON can hold, and what to write in their place.
 * Keeps DF18, DF19.
 */
import * as z from 'zod';
import { invalidDefinition } from '../invalid';
import { jsonSchemaOf } from './schema';

/** Advice for each type that no JSON can hold. */
const INSTEAD: Readonly<Record<string, string>> = {
  date: '`z.iso.datetime()`, or `z.iso.datetime().pipe(z.coerce.date())` if `execute` needs a `Date`',
  bigint: '`z.string().regex(/^\\d+$/)`, with `.transform(BigInt)` if `execute` needs a `bigint`',
  map: '`z.record(z.string(), …)`, with a `.transform` if `execute` needs a `Map`',
  set: '`z.array(…)`, with `.transform((items) => new Set(items))` if `execute` needs a `Set`',
  undefined: '`.optional()` at the property',
  void: '`.optional()` at the property',
  nan: '`z.number()`',
  file: 'the path of a file, as `z.string()`',
  custom: 'a schema of zod for it, or add what the model should read: `.meta({ type: "string" })`',
  literal: 'literals of texts, numbers, true, false or null',
  transform: 'a schema before the transformation: `z.string().transform(…)`',
};

/** True for a schema of zod 4, also of zod/mini and of another copy of the package. */
export const isSchema = (given: unknown): given is z.core.$ZodType =>
  typeof given === 'object' && given !== null && '_zod' in given;

/** True for a schema of zod 3, or of another library with the same interface. */
export const isOtherSchema = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && !isSchema(given) && ('_def' in given || '~standard' in given);

/** @throws OffshootError `invalid_definition` for anything but a zod 4 schema */
export function checkSchema(where: string, field: string, given: unknown): asserts given is z.core.$ZodType {
  if (isSchema(given)) return;
  if (given === undefined)
    invalidDefinition(`${where}: \`${field}\` is missing. For an empty object, write \`${field}: z.object({})\`.`);
  const isZod3 = typeof given === 'object' && given !== null && '_def' in given && 'safeParse' in given;
  const what = isZod3 ? 'is a schema of zod 3' : 'is not a zod schema';
  invalidDefinition(
    `${where}: \`${field}\` ${what}. Make it with zod 4: \`import { z } from 'zod'\`, version 4 or newer.`,
  );
}

/** Schemas that were looked through. */
const fine = new WeakSet<z.core.$ZodType>();

/**
 * The same for a schema that a model reads: it has to say each of its values in JSON.
 * @throws OffshootError `invalid_definition` that names the place and says what to write
 */
export function checkModelSchema(where: string, field: string, given: unknown): void {
  checkSchema(where, field, given);
  if (fine.has(given)) return;
  const problem = problemOf(given);
  if (problem !== undefined) invalidDefinition(`${where}: \`${field}\` ${problem}.`);
  fine.add(given);
}

function problemOf(schema: z.core.$ZodType): string | undefined {
  /** By their places: what a schema says of itself counts for the one that it was made of, too. */
  const problems = new Map<string, string>();
  const excused = new Set<string>();
  try {
    z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable({ zodSchema, path }) {
        const type: string = zodSchema._zod.def.type;
        const at = path.filter((part) => part !== 'properties').join('.');
        const said = z.globalRegistry.get(zodSchema) ?? {};
        if ('type' in said || 'anyOf' in said) excused.add(at);
        const problem = `holds ${at === '' ? '' : `at ${at} `}a ${type}, which JSON has no value for. Write ${INSTEAD[type] ?? 'another schema'}`;
        problems.set(at, problem);
        return 'any';
      },
    });
    jsonSchemaOf(schema);
  } catch (error) {
    // A schema that names one which is defined below it is read once all are defined.
    if (error instanceof ReferenceError) return undefined;
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  return [...problems].find(([at]) => !excused.has(at))?.[1];
}
