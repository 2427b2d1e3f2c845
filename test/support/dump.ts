/** Storages as texts of SQL, a statement a line, small also where they hold long runs of one character or of zeros. */
import type { NodeStorage, SqlValue } from '../../src/testing/node-storage';

/** Several storages by name. */
export type Storages = ReadonlyMap<string, NodeStorage>;

const NAME = '-- storage ';
/** So many times the same character is written as a number. */
const LONG = /([^'\n])\1{499,}/g;

/** The tables of a storage, by name. */
export function tablesOf(storage: NodeStorage): { name: string; sql: string }[] {
  return storage.sql
    .exec<{ name: string; sql: string }>("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .toArray();
}

/** All of it, for `load`. */
export function dump(storages: Storages): string {
  const lines = [...storages].flatMap(([name, storage]) => [
    `${NAME}${name}`,
    ...tablesOf(storage).flatMap((table) => [`${table.sql.replaceAll(/\s+/g, ' ')};`, ...rowsOf(storage, table.name)]),
  ]);
  return `${lines.join('\n')}\n`;
}

function rowsOf(storage: NodeStorage, table: string): string[] {
  const rows = [...storage.sql.exec(`SELECT * FROM \`${table}\``).raw()];
  return rows.map((row) => `INSERT INTO \`${table}\` VALUES (${row.map(literal).join(', ')});`);
}

function literal(value: SqlValue): string {
  if (value === null || typeof value === 'number') return `${value}`;
  if (typeof value === 'string') {
    if (value.includes('\n')) throw new Error('A line of a dump holds one statement.');
    const whole = `'${value.replaceAll("'", "''")}'`;
    return whole.replaceAll(LONG, (run, [one]: string) => `' || printf('%.*c', ${run.length}, '${one}') || '`);
  }
  const bytes = Buffer.from(value);
  return bytes.every((byte) => byte === 0) ? `zeroblob(${bytes.length})` : `X'${bytes.toString('hex')}'`;
}

/** Brings each storage to what a dump has of it; `open` gives an empty one by its name. */
export function load(text: string, open: (name: string) => NodeStorage): void {
  let storage: NodeStorage | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith(NAME)) storage = open(line.slice(NAME.length));
    else if (line !== '') storage?.sql.exec(line);
  }
}
