/**
 * The stores that are kept for each format, in `test/fixtures/formats`: a folder for the three numbers of a version, and in
 * it a text of SQL for each tree (`format-trees.ts`, and the list of capabilities), and one for a directory.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DirectoryStore } from '../../src/store/directory-store';
import { formatsOf } from '../../src/store/migrate';
import { AGENT_MIGRATIONS, DIRECTORY_MIGRATIONS, ROOT_MIGRATIONS } from '../../src/store/migrations';
import { type NodeStorage, nodeStorage } from '../../src/testing/node-storage';
import { dump, load, tablesOf } from './dump';
import { type Tree, type TreeParts, withTree } from './harness';
import { present } from './present';

/** A tree that is kept. */
export interface KeptTree {
  readonly name: string;
  parts(tree: Tree): TreeParts;
  /** Brings it to where it is kept. */
  fill(tree: Tree): Promise<void>;
  /** Takes it from there to its end, and looks whether that is the right one. */
  finish(tree: Tree): Promise<void>;
}

const FOLDER = join('test', 'fixtures', 'formats');
/** The name of a directory among storages. */
const DIRECTORY = 'directory';
/** When the directory was told, in ms since 1970. */
export const TOLD_AT = 1_800_000_000_000;

/** The formats of this version, by store. */
export const FORMATS = {
  agent: AGENT_MIGRATIONS.length,
  root: ROOT_MIGRATIONS.length,
  directory: DIRECTORY_MIGRATIONS.length,
} as const;

/** The folder of the formats of a version. */
export const folderOf = ({ agent, root, directory }: { readonly [store in keyof typeof FORMATS]: number }): string =>
  `agent-${agent}.root-${root}.directory-${directory}`;

/** The folders that are kept. */
export const keptFolders = (): string[] => (existsSync(FOLDER) ? readdirSync(FOLDER).sort() : []);

const textOf = (folder: string, name: string): string => readFileSync(join(FOLDER, folder, `${name}.sql`), 'utf8');

/** The formats that stores of a kept folder have, as the stores say. */
export function formatsIn(folder: string): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>();
  for (const storage of storagesIn(folder))
    for (const [store, format] of formatsOf(storage)) found.set(store, (found.get(store) ?? new Set()).add(format));
  return found;
}

/** All stores of a kept folder. */
export const storagesIn = (folder: string): NodeStorage[] =>
  readdirSync(join(FOLDER, folder)).flatMap((file) => [...loaded(textOf(folder, file.replace(/\.sql$/, ''))).values()]);

function loaded(text: string): Map<string, NodeStorage> {
  const storages = new Map<string, NodeStorage>();
  load(text, (name) => {
    const storage = nodeStorage();
    storages.set(name, storage);
    return storage;
  });
  return storages;
}

/** The objects of a tree, by address. */
export const storagesOf = (tree: Tree): Map<string, NodeStorage> =>
  new Map(tree.held.map((address) => [address, present(tree.world.storage(address))]));

/** What this version leaves of a tree, and of a directory where no tree is given. */
async function stores(made?: KeptTree): Promise<Map<string, NodeStorage>> {
  if (made === undefined) return new Map([[DIRECTORY, filledDirectory()]]);
  return withTree(made.parts, {}, async (tree) => {
    await made.fill(tree);
    if (tree.time.problems.length > 0) throw new Error(`${made.name} had problems: ${tree.time.problems.join(' ')}`);
    return loaded(dump(storagesOf(tree)));
  });
}

function filledDirectory(): NodeStorage {
  const storage = nodeStorage();
  const directory = new DirectoryStore(storage, () => TOLD_AT);
  const item = { agentType: 'top', address: '/agents/top/one' };
  for (const name of ['one', 'two', 'gone'])
    directory.report({
      name,
      sessionId: `s_${name}`,
      createdAt: TOLD_AT,
      lastActivity: TOLD_AT + 1,
      status: 'running',
      displayName: `The ${name}`,
      tags: ['red', name],
      title: `The ${name}`,
      pending: [{ ...item, toolCallId: 'c_1', kind: 'approval', toolName: 'pay', preview: '{}', requestedAt: TOLD_AT }],
      failures: [{ ...item, runId: 'r_1', at: TOLD_AT, code: 'aborted', message: 'No 7.', pattern: 'No ….' }],
      children: [],
    });
  directory.recordDeletion({ name: 'gone', sessionId: 's_gone', key: 'k', begun: ['b'] });
  return storage;
}

/** Keeps what this version leaves. @throws where its formats are kept, unless they are kept anew */
export async function keepFormats(trees: readonly KeptTree[], again: boolean): Promise<void> {
  const folder = join(FOLDER, folderOf(FORMATS));
  mkdirSync(folder, { recursive: true });
  for (const made of [...trees, undefined])
    writeFileSync(join(folder, `${made?.name ?? DIRECTORY}.sql`), dump(await stores(made)), {
      flag: again ? 'w' : 'wx',
    });
}

/** A kept directory. */
export const keptDirectory = (folder: string): NodeStorage => present(loaded(textOf(folder, DIRECTORY)).get(DIRECTORY));

/** Puts what is kept of a tree into its world, in memory no more. */
export function openKept(tree: Tree, folder: string, name: string): void {
  load(textOf(folder, name), (address) => {
    tree.world.object(address);
    return present(tree.world.storage(address));
  });
  tree.crash();
  // Ids that are minted from here on are others than those that are in the stores.
  for (let token = 0; token < 10_000; token++) tree.time.environment.token();
}

/** How many rows the tables of storages have, by table. */
export function rowsIn(storages: Iterable<NodeStorage>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const storage of storages)
    for (const { name } of tablesOf(storage)) {
      const [row] = storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM \`${name}\``).toArray();
      counts.set(name, (counts.get(name) ?? 0) + (row?.n ?? 0));
    }
  return counts;
}

/** The shape of what rows hold: of each column the paths in its JSON, with the kind of each value. */
function shapeOf(storages: Iterable<NodeStorage>): string[] {
  const shape = new Set<string>();
  for (const storage of storages)
    for (const { name } of tablesOf(storage))
      for (const row of storage.sql.exec(`SELECT * FROM \`${name}\``).toArray())
        for (const [column, value] of Object.entries(row)) addShape(shape, `${name}.${column}`, parsed(value));
  return [...shape].sort();
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    // The part of a text that goes on in another row.
    return value;
  }
}

function addShape(shape: Set<string>, path: string, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) addShape(shape, `${path}[]`, item);
  else if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    shape.add(`${path}: ${value === null ? 'null' : typeof value}`);
  else for (const [key, inner] of Object.entries(value)) addShape(shape, `${path}.${idLess(key)}`, inner);
}

/** A key that is minted is the same as any other. */
const idLess = (key: string): string => key.replace(/^[a-z]+_[0-9a-f]{6,}$/, '*');

/** The shapes of a kept folder, and of what this version leaves, by name. */
export async function shapes(trees: readonly KeptTree[], folder: string): Promise<[kept: string[][], now: string[][]]> {
  const names = [...trees.map(({ name }) => name), DIRECTORY];
  const now = await Promise.all([...trees, undefined].map((made) => stores(made)));
  return [
    names.map((name) => shapeOf(loaded(textOf(folder, name)).values())),
    now.map((storages) => shapeOf(storages.values())),
  ];
}
