/**
 * Values checked by a JSON Schema that somebody else wrote. Unknown words are not checked: the model reads the schema
 * word for word, and its author checks the value again. Nor is a pattern that may run for long: nothing could stop it.
 * A value whose check takes too long is refused: otherwise a caller could fill one up until nothing of it was checked.
 *
 * Decides: which words of JSON Schema are checked; how long a check may take.
 * Keeps DF22, DF48, DF51.
 */
import * as z from 'zod';
import { beginningOf } from '../../../protocol/content/cut';
import { canonical, isObject, type Json, type JsonObject } from '../../../protocol/json';
import { costOf } from './pattern-cost';
import { replacing } from './schema';

/** A problem of a value, and its place. */
interface Misfit {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Schemas inside each other, references among them, are followed so far. */
const MAX_DEPTH = 256;

/**
 * Parts of a schema at values, and values that are compared, are looked at so often for one value: some references
 * double that at each level.
 */
const MAX_STEPS = 100_000;

/** Characters of a text, or names and items of a list, that are looked at in the time of one step. */
const [CHARACTERS_PER_STEP, ITEMS_PER_STEP] = [100, 10];

/** Characters that patterns may look at for one value. Their bound is separate, because most look at far fewer. */
const MAX_LOOKS = 10_000_000;

/** Looks at characters in the time that it takes to read a class of Unicode of a pattern, such as `\p{L}`. */
const LOOKS_PER_CLASS = 2_000;

/** Problems of one value that are reported: the first ones. */
const MAX_MISFITS = 50;

/** Problems within one that are said with it. */
const MAX_WITHIN = 10;

/** The longest message of a problem, in characters. Models have the schema itself. */
const MAX_SAID = 1_000;

/** Thrown within a check that takes too long. */
const TOO_LONG = new Error('The check of a value takes too long.');

/** A schema of zod that checks by a JSON Schema, changes nothing, and is read by models as that JSON Schema. */
export function fromJsonSchema(schema: JsonObject): z.ZodType {
  const checked = z.any().superRefine((value, context) => {
    for (const { path, message } of misfitsOf(schema, value).slice(0, MAX_MISFITS))
      context.addIssue({ code: 'custom', path: [...path], message: beginningOf(message, MAX_SAID) });
  });
  return replacing(checked, schema);
}

/** The problems of a value. */
function misfitsOf(schema: JsonObject, value: Json): Misfit[] {
  try {
    return new Checker(schema).misfits(schema, value, [], 0);
  } catch (error) {
    if (error === TOO_LONG) return [{ path: [], message: 'takes too long to check: send less of it' }];
    throw error;
  }
}

type Path = Misfit['path'];

/** Words whose names are looked at one by one, whatever those of the value are. */
const ONE_BY_ONE: ReadonlySet<string> = new Set([
  ...['patternProperties', 'dependentRequired', 'dependentSchemas', 'dependencies'],
]);

const says = (isWrong: boolean, message: string): string | undefined => (isWrong ? message : undefined);
const length = (text: string): number => [...text].length;

/** Words about numbers, texts, lists and objects that need nothing but the value. */
const NUMBERS: Readonly<Record<string, (value: number, word: number) => string | undefined>> = {
  minimum: (value, least) => says(value < least, `must be ${least} or more`),
  maximum: (value, most) => says(value > most, `must be ${most} or less`),
  exclusiveMinimum: (value, least) => says(value <= least, `must be more than ${least}`),
  exclusiveMaximum: (value, most) => says(value >= most, `must be less than ${most}`),
  multipleOf: (value, part) => says(part > 0 && !isMultiple(value / part), `must be a multiple of ${part}`),
};
const TEXTS: Readonly<Record<string, (value: string, word: number) => string | undefined>> = {
  minLength: (value, least) => says(length(value) < least, `must have ${least} characters or more`),
  maxLength: (value, most) => says(length(value) > most, `must have ${most} characters or less`),
};
const LISTS: Readonly<Record<string, (value: readonly Json[], word: number) => string | undefined>> = {
  minItems: (value, least) => says(value.length < least, `must have ${least} items or more`),
  maxItems: (value, most) => says(value.length > most, `must have ${most} items or less`),
};
const OBJECTS: Readonly<Record<string, (value: JsonObject, word: number) => string | undefined>> = {
  minProperties: (value, least) => says(Object.keys(value).length < least, `must have ${least} properties or more`),
  maxProperties: (value, most) => says(Object.keys(value).length > most, `must have ${most} properties or less`),
};

const isMultiple = (times: number): boolean =>
  Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));

const typeOf = (value: Json): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'object' ? 'object' : typeof value;

/** The steps that a look at the parts of a value takes. */
function stepsOf(value: Json): number {
  if (typeof value === 'string') return Math.floor(value.length / CHARACTERS_PER_STEP);
  if (typeof value !== 'object' || value === null) return 0;
  return Math.floor((Array.isArray(value) ? value : Object.keys(value)).length / ITEMS_PER_STEP);
}

const isOfType = (value: Json, type: Json): boolean =>
  type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;

/** A pattern as JavaScript reads it, with flags that stand at its beginning; undefined where it cannot. */
function patternOf(text: string): RegExp | undefined {
  const [, flags = '', rest = text] = /^\(\?([ims]+)\)(.*)$/s.exec(text) ?? [];
  for (const mode of ['u', ''])
    try {
      return new RegExp(rest, flags + mode);
    } catch {
      // Another dialect of regular expressions.
    }
  return undefined;
}

/** Checks values by the parts of one JSON Schema. */
class Checker {
  #rest = MAX_STEPS;
  /** The number of unchecked parts: neither `not` nor `oneOf` refuses a value that is not known to fit. */
  #unchecked = 0;
  #looks = MAX_LOOKS;
  /** The patterns that were read; undefined for those of another dialect. */
  readonly #matchers = new Map<string, RegExp | undefined>();

  constructor(readonly root: JsonObject) {}

  #step(steps = 1): void {
    this.#rest -= steps;
    if (this.#rest < 0) throw TOO_LONG;
  }

  misfits(schema: Json | undefined, value: Json, path: Path, depth: number): Misfit[] {
    this.#step(1 + stepsOf(value));
    if (schema === false) return [{ path, message: 'is not allowed' }];
    if (depth > MAX_DEPTH) this.#unchecked += 1;
    if (!isObject(schema) || depth > MAX_DEPTH) return [];
    this.#step(stepsOf(schema));
    for (const [name, word] of Object.entries(schema))
      if (Array.isArray(word) || ONE_BY_ONE.has(name)) this.#step(stepsOf(word));
    const types = schema.type === undefined ? [] : [schema.type].flat();
    if (types.length > 0 && !types.some((type) => isOfType(value, type)))
      return [{ path, message: `must be ${types.join(' or ')}, and is ${typeOf(value)}` }];
    const alone = this.#alone(schema, value).map((message) => ({ path, message }));
    const inner = (part: Json | undefined, at: Path = path, of = value) => this.misfits(part, of, at, depth + 1);
    const list = Array.isArray(value) ? this.#inList(schema, value, path, inner) : [];
    const object = isObject(value) ? this.#inObject(schema, value, path, inner) : [];
    return [...alone, ...list, ...object, ...this.#joined(schema, path, (part) => inner(part))];
  }

  /** The problems of a value by itself. */
  #alone(schema: JsonObject, value: Json): string[] {
    const { enum: values, pattern } = schema;
    const isSame = (one: Json): boolean => this.#isSame(one, value);
    const found = [
      Array.isArray(values) && !values.some(isSame) ? `must be one of ${this.#text(values)}` : undefined,
      schema.const !== undefined && !isSame(schema.const) ? `must be ${this.#text(schema.const)}` : undefined,
      typeof value === 'number' ? first(NUMBERS, schema, value) : undefined,
      typeof value === 'string' ? first(TEXTS, schema, value) : undefined,
      Array.isArray(value) ? first(LISTS, schema, value) : undefined,
      isObject(value) ? first(OBJECTS, schema, value) : undefined,
      typeof value === 'string' && typeof pattern === 'string' && this.#matches(pattern, value) === false
        ? `must match ${pattern}`
        : undefined,
    ];
    return found.filter((one) => one !== undefined);
  }

  /** True if a text matches a pattern; undefined if that is not known: it is another dialect's, or takes long. */
  #matches(pattern: string, text: string): boolean | undefined {
    this.#step(1 + stepsOf(pattern));
    const isRead = this.#matchers.has(pattern);
    const reading = isRead ? 0 : LOOKS_PER_CLASS * pattern.split(/\\p/i).length;
    const looks = reading + costOf(pattern, text.length);
    const isTried = looks <= this.#looks;
    if (isTried) this.#looks -= looks;
    if (isTried && !isRead) this.#matchers.set(pattern, patternOf(pattern));
    const matches = isTried ? this.#matchers.get(pattern)?.test(text) : undefined;
    if (matches === undefined) this.#unchecked += 1;
    return matches;
  }

  /** True if two values are equal: the first difference ends the comparison. */
  #isSame(one: Json, other: Json): boolean {
    this.#step();
    if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return one === other;
    if (Array.isArray(one))
      return (
        Array.isArray(other) && one.length === other.length && one.every((each, at) => this.#isSame(each, other[at]))
      );
    if (!isObject(one) || !isObject(other)) return false;
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && this.#isSame(one[name] ?? null, other[name] ?? null))
    );
  }

  /** A part of the schema as a message says it. */
  #text(value: Json): string {
    const text = JSON.stringify(value);
    this.#step(stepsOf(text));
    return beginningOf(text, MAX_SAID);
  }

  #canonical(value: Json): string {
    const text = canonical(value);
    this.#step(stepsOf(text));
    return text;
  }

  #inList(schema: JsonObject, value: readonly Json[], path: Path, inner: Inner): Misfit[] {
    const { items, prefixItems = Array.isArray(items) ? items : [], contains, uniqueItems } = schema;
    const first = Array.isArray(prefixItems) ? prefixItems : [];
    const rest = Array.isArray(items) ? schema.additionalItems : items;
    const found = value.flatMap((one, at) => inner(at < first.length ? first[at] : rest, [...path, at], one));
    if (contains !== undefined) {
      const { minContains = 1 } = schema;
      const count = value.filter((one) => inner(contains, path, one).length === 0).length;
      if (count < Number(minContains)) found.push({ path, message: 'lacks an item that it must contain' });
    }
    if (uniqueItems === true && new Set(value.map((one) => this.#canonical(one))).size < value.length)
      found.push({ path, message: 'must not have an item twice' });
    return found;
  }

  #inObject(schema: JsonObject, value: JsonObject, path: Path, inner: Inner): Misfit[] {
    const properties = isObject(schema.properties) ? schema.properties : {};
    const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
    const found: Misfit[] = lacking(schema.required, value).map((name) => ({
      path: [...path, name],
      message: 'is missing',
    }));
    for (const [name, one] of Object.entries(value)) {
      const at = [...path, name];
      const own = Object.hasOwn(properties, name) ? [properties[name]] : [];
      const matching = patterns.filter(([pattern]) => this.#matches(pattern, name) ?? true).map(([, part]) => part);
      const parts = [...own, ...matching];
      for (const part of parts.length > 0 ? parts : [schema.additionalProperties]) found.push(...inner(part, at, one));
      if (schema.propertyNames !== undefined) found.push(...inner(schema.propertyNames, at, name));
    }
    for (const word of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
      const rules = schema[word];
      for (const [name, rule] of isObject(rules) ? Object.entries(rules) : []) {
        if (!Object.hasOwn(value, name)) continue;
        if (Array.isArray(rule))
          for (const needed of lacking(rule, value))
            found.push({ path: [...path, needed], message: `is missing, because ${name} is there` });
        else found.push(...inner(rule));
      }
    }
    return found;
  }

  /** The problems by the schemas that are joined to it. */
  #joined(schema: JsonObject, path: Path, of: (part: Json | undefined) => Misfit[]): Misfit[] {
    const { $ref, allOf, anyOf, oneOf, not } = schema;
    const found: Misfit[] = [];
    if (typeof $ref === 'string') found.push(...of(this.#referred($ref)));
    if (Array.isArray(allOf)) found.push(...allOf.flatMap((part) => of(part)));
    for (const [word, parts] of Object.entries({ anyOf, oneOf })) {
      if (!Array.isArray(parts)) continue;
      const tried = parts.map((part) => this.#tried(() => of(part)));
      if (tried.every(({ misfits }) => misfits.length > 0))
        found.push({ path, message: `matches none of \`${word}\`: ${inWords(tried.map(({ misfits }) => misfits))}` });
      if (word === 'oneOf' && tried.filter(({ fits }) => fits).length > 1)
        found.push({ path, message: 'fits more than one of `oneOf`' });
    }
    if (not !== undefined && this.#tried(() => of(not)).fits)
      found.push({ path, message: `must not fit ${this.#text(not)}` });
    if (schema.if !== undefined) {
      const { fits, misfits } = this.#tried(() => of(schema.if));
      if (fits || misfits.length > 0) found.push(...of(fits ? schema.then : schema.else));
    }
    return found;
  }

  /** The misfits of a part, and whether all of it is known to fit. */
  #tried(check: () => Misfit[]): { readonly misfits: readonly Misfit[]; readonly fits: boolean } {
    const before = this.#unchecked;
    const misfits = check();
    return { misfits, fits: misfits.length === 0 && this.#unchecked === before };
  }

  /** The target of a reference within the schema. */
  #referred(reference: string): Json | undefined {
    let found: Json | undefined = reference.startsWith('#') ? this.root : undefined;
    for (const part of reference.slice(1).split('/').slice(1)) {
      const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
      found =
        isObject(found) && Object.hasOwn(found, name)
          ? found[name]
          : Array.isArray(found)
            ? found[Number(name)]
            : undefined;
    }
    if (found === undefined) this.#unchecked += 1;
    return found;
  }
}

/** A part of a reference; one that is encoded wrongly stays unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

type Inner = (part: Json | undefined, at?: Path, of?: Json) => Misfit[];

/** The first of some words that a value is against. */
function first<Value>(
  words: Readonly<Record<string, (value: Value, word: number) => string | undefined>>,
  schema: JsonObject,
  value: Value,
): string | undefined {
  for (const [word, check] of Object.entries(words)) {
    const limit = schema[word];
    const wrong = typeof limit === 'number' ? check(value, limit) : undefined;
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

const lacking = (names: Json | undefined, value: JsonObject): string[] =>
  Array.isArray(names)
    ? names.filter((name) => typeof name === 'string' && !Object.hasOwn(value, name)).map(String)
    : [];

/** The fewest problems by one of several schemas, in words. */
function inWords(tried: readonly (readonly Misfit[])[]): string {
  const [least = []] = [...tried].sort((one, other) => one.length - other.length);
  const said = least.slice(0, MAX_WITHIN);
  return beginningOf(
    said.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' ')).join(', '),
    MAX_SAID,
  );
}
