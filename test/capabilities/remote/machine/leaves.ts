/** The fields at the ends of a wire schema: where a number, a text or JSON of an author may stand. */
import * as z from 'zod';

/** One such field, by the names that lead to it; `*` for the keys of a record. */
export interface Leaf {
  readonly path: readonly string[];
  readonly kind: 'number' | 'text' | 'json' | 'other';
}

/** All of them. A schema that holds itself is followed once. */
export function leavesOf(schema: z.ZodType, path: readonly string[] = [], open: readonly z.ZodType[] = []): Leaf[] {
  // Any JSON, also with a description of its own: nothing else of the wire is lazy.
  if (schema instanceof z.ZodLazy) return [{ path, kind: 'json' }];
  if (open.includes(schema)) return [];
  const inner = (each: unknown, name?: string): Leaf[] => {
    if (!(each instanceof z.ZodType)) throw new Error(`There is no schema at ${path.join('.')}.`);
    return leavesOf(each, name === undefined ? path : [...path, name], [...open, schema]);
  };
  if (schema instanceof z.ZodObject) return Object.entries(schema.shape).flatMap(([name, each]) => inner(each, name));
  if (schema instanceof z.ZodArray) return inner(schema.element);
  if (schema instanceof z.ZodRecord) return inner(schema.valueType, '*');
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((each) => inner(each));
  if (schema instanceof z.ZodPipe) return inner(schema.out);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodNullable
  )
    return inner(schema.unwrap());
  if (schema instanceof z.ZodNumber) return [{ path, kind: 'number' }];
  if (schema instanceof z.ZodString) return [{ path, kind: 'text' }];
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral || schema instanceof z.ZodBoolean)
    return [{ path, kind: 'other' }];
  throw new Error(`What is at ${path.join('.')} (${schema.def.type}) is not known.`);
}
