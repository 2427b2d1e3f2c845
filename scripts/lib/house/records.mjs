// Fields of records and of messages, read from their types: `extends`, intersections, unions and the usual utility types
// are followed wherever they are declared in the project.
import { posix } from 'node:path';
import { UserError } from '../fail.mjs';
import { asNode } from '../source.mjs';

/**
 * @typedef {import('../source.mjs').Node} Node
 * @typedef {import('../source.mjs').Source} Source
 * @typedef {{ optional: boolean, flag: boolean, literals: string[] }} Field `flag`: optional, and true or false
 * @typedef {Map<string, Field>} Case the fields of an object type, or of one case of a union
 * @typedef {{ source: Source, node: Node }} Declared
 * @typedef {{ source: Source, bound: ReadonlyMap<string, () => Case[]> }} Scope where a type is written
 * @typedef {{ source: Source, types: Map<string, Node>, imported: Map<string, { name: string, from: string }> }} File
 * @typedef {(paths: string[]) => File | undefined} FileAt
 */

const DECLARATIONS = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration']);

/** @param {unknown} value @returns {Node[]} */
const nodes = (value) => (Array.isArray(value) ? value.map(asNode) : []);

/** @param {unknown} node an identifier or a literal */
const nameOf = (node) => {
  const { name, value } = asNode(node);
  return String(name ?? value);
};

/** @param {Source} source @returns {File} */
function fileOf(source) {
  /** @type {File} */
  const file = { source, types: new Map(), imported: new Map() };
  for (const statement of nodes(source.program.body)) {
    const declaration = statement.declaration ? asNode(statement.declaration) : statement;
    if (DECLARATIONS.has(declaration.type)) file.types.set(nameOf(declaration.id), declaration);
    if (!statement.source) continue;
    const from = nameOf(statement.source);
    for (const specifier of nodes(statement.specifiers)) {
      const { local, imported, exported } = specifier;
      const name = nameOf(statement.type === 'ExportNamedDeclaration' ? local : (imported ?? local));
      file.imported.set(nameOf(exported ?? local), { name, from });
    }
  }
  return file;
}

/**
 * The types of a project.
 * @param {Source[]} sources
 */
export function readTypes(sources) {
  const files = new Map(sources.map((source) => [source.path, fileOf(source)]));

  /** @param {string} from @param {string} name @returns {Declared | undefined} */
  function lookUp(from, name) {
    const file = files.get(from);
    const node = file?.types.get(name);
    if (file && node) return { source: file.source, node };
    const imported = file?.imported.get(name);
    if (!imported?.from.startsWith('.')) return undefined;
    const base = posix.join(posix.dirname(from), imported.from);
    const target = [`${base}.ts`, `${base}.tsx`, `${base}/index.ts`, base].find((path) => files.has(path));
    return target === undefined ? undefined : lookUp(target, imported.name);
  }

  /** @param {string} name @returns {Declared} the one type of that name in the project */
  function find(name) {
    const found = [...files.values()].flatMap(({ source, types }) => {
      const node = types.get(name);
      return node ? [{ source, node }] : [];
    });
    const [only, ...others] = found;
    if (only && others.length === 0) return only;
    const places = found.map(({ source }) => source.path).join(', ');
    const problem = only ? `${found.length} types have this name (${places})` : 'no type has this name';
    throw new UserError(
      `The record ${name} is not counted: ${problem}. Edit the list in scripts/lib/house/figures.mjs.`,
    );
  }

  /** @param {string} name @returns {Case[]} its cases; a record that is no union has one */
  const cases = (name) => declaredCases(find(name), [], lookUp);
  return { cases };
}

/**
 * @typedef {(from: string, name: string) => Declared | undefined} LookUp
 * @param {Declared} declared
 * @param {(() => Case[])[]} given what its type parameters stand for
 * @param {LookUp} lookUp
 * @returns {Case[]}
 */
function declaredCases({ source, node }, given, lookUp) {
  const parameters = nodes(asNode(node.typeParameters ?? {}).params).map(({ name }) => nameOf(name));
  const bound = new Map(parameters.flatMap((name, at) => (given[at] ? [[name, given[at]]] : [])));
  const scope = { source, bound };
  if (node.type === 'TSTypeAliasDeclaration') return typeCases(asNode(node.typeAnnotation), scope, lookUp);
  const bases = nodes(node.extends).map((base) => referenceCases(asNode(base.expression), base, scope, lookUp));
  return [...bases, [membersOf(asNode(node.body).body)]].reduce(product);
}

/** @param {unknown} members @returns {Case} */
function membersOf(members) {
  return new Map(
    nodes(members)
      .filter(({ key }) => key !== undefined)
      .map(({ key, optional, typeAnnotation }) => {
        const type = asNode(asNode(typeAnnotation ?? {}).typeAnnotation ?? {});
        const isFlag = type.type === 'TSBooleanKeyword' || /^(true|false)$/.test(literalsOf(type).join());
        return [
          nameOf(key),
          { optional: optional === true, flag: optional === true && isFlag, literals: literalsOf(type) },
        ];
      }),
  );
}

/** @param {Node} type @returns {string[]} its values where it is a literal or a union of them, else none */
function literalsOf(type) {
  if (type.type === 'TSLiteralType') return [nameOf(type.literal)];
  if (type.type !== 'TSUnionType') return [];
  const each = nodes(type.types).map(literalsOf);
  return each.some((values) => values.length === 0) ? [] : each.flat();
}

/** @param {Case[]} one @param {Case[]} other @returns {Case[]} each case of the one with each of the other */
const product = (one, other) => one.flatMap((a) => other.map((b) => new Map([...a, ...b])));

/** @param {Node} type @param {Scope} scope @param {LookUp} lookUp @returns {Case[]} */
function typeCases(type, scope, lookUp) {
  const inner = (/** @type {unknown} */ node) => typeCases(asNode(node), scope, lookUp);
  switch (type.type) {
    case 'TSTypeLiteral':
      return [membersOf(type.members)];
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
      return inner(type.typeAnnotation);
    case 'TSUnionType':
      return nodes(type.types).flatMap(inner);
    case 'TSIntersectionType':
      return nodes(type.types).map(inner).reduce(product);
    case 'TSConditionalType':
      // `T extends unknown ? … : never`, which asks for the cases of T one by one: they are anyway.
      return inner(type.trueType);
    case 'TSTypeReference':
      return referenceCases(asNode(type.typeName), type, scope, lookUp);
    default:
      throw unread(type, scope);
  }
}

/** @param {Node} node @param {Scope} scope */
function unread(node, { source }) {
  const place = `${source.path}:${source.lineOf(node.start)}`;
  return new UserError(
    `${place}: the house counts no fields of such a type: ${source.text.slice(node.start, node.end)}`,
  );
}

/** @param {Node} name @param {Node} reference that has the arguments @param {Scope} scope @param {LookUp} lookUp @returns {Case[]} */
function referenceCases(name, reference, scope, lookUp) {
  const called = nameOf(name);
  const own = scope.bound.get(called);
  if (own) return own();
  const given = nodes(asNode(reference.typeArguments ?? {}).params);
  const declared = lookUp(scope.source.path, called);
  if (declared) {
    const bound = given.map((type) => () => typeCases(type, scope, lookUp));
    return declaredCases(declared, bound, lookUp);
  }
  const [first, second] = given;
  if (!first) throw unread(reference, scope);
  const cases = () => typeCases(first, scope, lookUp);
  if (called === 'Readonly') return cases();
  if (called === 'Partial') return cases().map((each) => changed(each, { optional: true }));
  if (called === 'Required') return cases().map((each) => changed(each, { optional: false, flag: false }));
  if (!second) throw unread(reference, scope);
  if (called === 'Pick' || called === 'Omit') {
    const keys = new Set(literalsOf(second));
    if (keys.size === 0) throw unread(second, scope);
    const kept = (/** @type {[string, Field]} */ [key]) => keys.has(key) === (called === 'Pick');
    return cases().map((each) => new Map([...each].filter(kept)));
  }
  if (called === 'Extract' || called === 'Exclude') {
    const patterns = typeCases(second, scope, lookUp);
    return cases().filter((each) => patterns.some((pattern) => fits(each, pattern)) === (called === 'Extract'));
  }
  throw unread(reference, scope);
}

/** @param {Case} fields @param {Partial<Field>} change @returns {Case} */
const changed = (fields, change) => new Map([...fields].map(([key, field]) => [key, { ...field, ...change }]));

/** @param {Case} fields @param {Case} pattern */
function fits(fields, pattern) {
  return [...pattern].every(([key, { literals }]) => {
    const own = fields.get(key)?.literals ?? [];
    return own.length > 0 && own.every((value) => literals.includes(value));
  });
}

/**
 * The size of a record; of a union it is that of its largest case, for each of the counts.
 * @param {Case[]} cases
 */
export function sizeOf(cases) {
  /** @param {(field: Field) => boolean} counts */
  const most = (counts) => Math.max(0, ...cases.map((fields) => [...fields.values()].filter(counts).length));
  return {
    cases: cases.length,
    fields: most(() => true),
    optional: most(({ optional }) => optional),
    flags: most(({ flag }) => flag),
  };
}
