/**
 * The next version of these sources: a copy of them with changes that such a version may have. Each store has a step more,
 * a type of chunk has a name that this version does not know, and one that it knows has a field more.
 */
import { cpSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';
import { plantedIn } from '../../../scripts/lib/planted/bugs.mjs';

/** The configuration of the Worker, in either version. */
export const CONFIG = join('test', 'e2e', 'builds', 'wrangler.jsonc');
const SOURCES = ['package.json', 'src', join('test', 'e2e', 'builds'), join('test', 'support', 'told.ts')];

/** A type of chunk that the next version alone writes. */
export const NEXT_CHUNK = 'custom_of_next';
/** A field of a chunk that it alone writes. */
export const NEXT_FIELD = 'build';

const CHANGES = [
  [
    'src/protocol/chunks.ts',
    '  custom: loud({',
    `  ${NEXT_CHUNK}: loud({ name: word, data: json }),\n  custom: loud({`,
  ],
  ['src/engine/perform/body-context.ts', `chunk: { type: 'custom', name,`, `chunk: { type: '${NEXT_CHUNK}', name,`],
  ['src/protocol/chunks.ts', '  run_started: loud({', `  run_started: loud({ ${NEXT_FIELD}: optional(word),`],
  [
    'src/core/agent/runs/run.ts',
    `'run_started', turn, chainTurn: turn,`,
    `'run_started', ${NEXT_FIELD}: 'next', turn, chainTurn: turn,`,
  ],
] as const;

/** The ladders with a step more. */
const MIGRATIONS = ['agent', 'root', 'directory']
  .map((store) => {
    const [name, table] = [`${store.toUpperCase()}_MIGRATIONS`, `next_of_${store}`];
    const statement = `CREATE TABLE ${table} (id INTEGER PRIMARY KEY NOT NULL)`;
    return `import { ${name} as ${table} } from './migrations-of-this';
export const ${name} = [...${table}, { tag: 'next', statements: ['${statement}', 'INSERT INTO ${table} VALUES (7)'] }];
`;
  })
  .join('');

/**
 * Makes the next version in a folder.
 * @returns the path of its configuration
 */
export function makeNext(folder: string): string {
  for (const source of SOURCES) cpSync(join(root, source), join(folder, source), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  for (const [file, find, replace] of CHANGES) {
    const changed = plantedIn(readFileSync(join(folder, file), 'utf8'), { id: file, file, find, replace, breaks: '' });
    if ('problem' in changed) throw new Error(changed.problem);
    writeFileSync(join(folder, file), changed.text);
  }
  const store = join(folder, 'src', 'store');
  renameSync(join(store, 'migrations.ts'), join(store, 'migrations-of-this.ts'));
  writeFileSync(join(store, 'migrations.ts'), MIGRATIONS);
  return join(folder, CONFIG);
}
