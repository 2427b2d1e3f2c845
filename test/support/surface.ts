/** The public types as they are recorded in `api/`: what the entries export, and what those types refer to. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from '../../scripts/lib/paths.mjs';
import { asNode, type Node, walk } from '../../scripts/lib/source.mjs';

interface Declared {
  readonly kind: string;
  readonly refers: Set<string>;
}

interface Module {
  readonly declared: Map<string, Declared>;
  readonly imported: Map<string, readonly [from: string, name: string]>;
  readonly exported: Map<string, readonly [from: string | undefined, name: string]>;
}

const text = (value: unknown, ...path: string[]): string => {
  const end = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
  return typeof end === 'string' ? end : '';
};

const listOf = (value: unknown): Node[] => (Array.isArray(value) ? value.map(asNode) : []);

/** The names that a declaration mentions as types. */
function referred(declaration: Node): Set<string> {
  const found = new Set<string>();
  walk(declaration, (node) => {
    if (node.type === 'TSTypeReference')
      found.add(text(node, 'typeName', 'name') || text(node, 'typeName', 'left', 'name'));
    if (node.type === 'TSInterfaceHeritage' || node.type === 'TSClassImplements')
      found.add(text(node, 'expression', 'name'));
    if (node.type === 'TSTypeQuery') found.add(text(node, 'exprName', 'name'));
    if (node.type === 'ClassDeclaration') found.add(text(node, 'superClass', 'name'));
  });
  return found;
}

function moduleOf(path: string): Module {
  const { program } = parseSync(path, readFileSync(join(root, 'api', path), 'utf8'));
  const made: Module = { declared: new Map(), imported: new Map(), exported: new Map() };
  for (const statement of listOf(program.body)) {
    const inner = statement.declaration ? asNode(statement.declaration) : statement;
    const from = text(statement, 'source', 'value');
    for (const each of listOf(statement.specifiers)) {
      if (statement.type === 'ImportDeclaration')
        made.imported.set(text(each, 'local', 'name'), [from, text(each, 'imported', 'name')]);
      else made.exported.set(text(each, 'exported', 'name'), [from || undefined, text(each, 'local', 'name')]);
    }
    const names = [text(inner, 'id', 'name'), ...listOf(inner.declarations).map((one) => text(one, 'id', 'name'))];
    for (const name of names.filter(Boolean)) {
      const refers = new Set([...(made.declared.get(name)?.refers ?? []), ...referred(inner)]);
      made.declared.set(name, { kind: inner.type, refers });
      if (statement.declaration) made.exported.set(name, [undefined, name]);
    }
  }
  return made;
}

/**
 * The interfaces that somebody can have a value of and nobody can name: what exported types refer to, directly or not.
 * @param closed exported names whose insides nobody reads, so that what they refer to is not looked at
 */
export function unnamed(closed: ReadonlySet<string>): string[] {
  const paths = readdirSync(join(root, 'api'), { recursive: true, encoding: 'utf8' }).map((path) =>
    path.replaceAll('\\', '/'),
  );
  const modules = new Map(paths.filter((path) => path.endsWith('.d.ts')).map((path) => [path, moduleOf(path)]));
  type Found = readonly [path: string, name: string];
  const exportedBy = (path: string, name: string): Found | undefined => {
    const [from, local] = modules.get(path)?.exported.get(name) ?? [undefined, ''];
    if (from === undefined) return at(path, local);
    return from.startsWith('.') ? exportedBy(fileOf(path, from), local) : undefined;
  };
  const at = (path: string, name: string): Found | undefined => {
    const known = modules.get(path);
    if (known?.declared.has(name)) return [path, name];
    const [from = '', imported = ''] = known?.imported.get(name) ?? [];
    return from.startsWith('.') ? exportedBy(fileOf(path, from), imported) : undefined;
  };
  const seen = new Map<string, Found>();
  const open: Found[] = [];
  const take = (found: Found | undefined): void => {
    if (found === undefined || seen.has(found.join(' '))) return;
    seen.set(found.join(' '), found);
    open.push(found);
  };
  for (const [path, { exported }] of modules)
    if (!path.startsWith('shared/')) for (const name of exported.keys()) take(exportedBy(path, name));
  const named = new Set(seen.keys());
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, name] = next;
    if (closed.has(name)) continue;
    for (const refers of modules.get(path)?.declared.get(name)?.refers ?? []) take(at(path, refers));
  }
  const hidden = [...seen].filter(([key, [path, name]]) => {
    return !named.has(key) && modules.get(path)?.declared.get(name)?.kind === 'TSInterfaceDeclaration';
  });
  return [...new Set(hidden.map(([, [, name]]) => name))].sort();
}

const fileOf = (path: string, from: string): string => posix.join(posix.dirname(path), from).replace(/\.js$/, '.d.ts');
