/** The tables that objects of a server that has ended hold on disk, by file. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Tables of the runtime itself, as that of alarms, begin so. */
const OF_RUNTIME = '_cf_';

/** All rows, and the statements that made their tables. */
export function stored(folder: string): ReadonlyMap<string, string> {
  const files = globSync('**/*.sqlite', { cwd: join(folder, 'v3', 'do') }).sort();
  return new Map(files.map((file) => [file, rowsOf(join(folder, 'v3', 'do', file))]));
}

function rowsOf(file: string): string {
  const database = new DatabaseSync(file);
  try {
    const tables = database.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
    const own = tables.filter(({ name }) => !String(name).startsWith(OF_RUNTIME));
    return JSON.stringify(
      own.map(({ name, sql }) => [sql, database.prepare(`SELECT * FROM "${name}"`).all()]),
      (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value),
    );
  } finally {
    database.close();
  }
}
