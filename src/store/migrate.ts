/**
 * Schema ladders: each step is applied once, in order, in one transaction with the note that it was.
 *
 * Keeps SO3.
 */
import type { ObjectStorage } from './storage';
import { transact } from './storage';

/** One step of a ladder, as the generated module lists them. */
export interface Migration {
  readonly tag: string;
  readonly statements: readonly string[];
}

const TABLE = 'offshoot_schema';

/** How many steps of a ladder this storage has. Reads only, so asking leaves nothing behind. */
export function schemaLevel(storage: ObjectStorage, ladder: string): number {
  const exists =
    storage.sql.exec(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`, TABLE).toArray().length > 0;
  if (!exists) return 0;
  const [row] = storage.sql.exec(`SELECT level FROM ${TABLE} WHERE ladder = ?`, ladder).toArray();
  return Number(row?.level ?? 0);
}

/**
 * Brings a storage to the top of a ladder. Doing it again changes nothing.
 * @throws when the storage was written by a newer release, whose steps this one does not know.
 */
export function migrate(
  storage: ObjectStorage,
  ladder: string,
  steps: readonly Migration[],
  level = schemaLevel(storage, ladder),
): void {
  if (level === steps.length) return;
  if (level > steps.length) {
    throw new Error(
      `This storage is at step ${level} of the ladder "${ladder}", this release knows ${steps.length}: it was written by a newer release. Deploy that one again.`,
    );
  }
  transact(storage, () => {
    storage.sql.exec(
      `CREATE TABLE IF NOT EXISTS ${TABLE} (ladder TEXT PRIMARY KEY NOT NULL, level INTEGER NOT NULL) WITHOUT ROWID`,
    );
    for (const step of steps.slice(level)) for (const statement of step.statements) storage.sql.exec(statement);
    storage.sql.exec(`INSERT OR REPLACE INTO ${TABLE} (ladder, level) VALUES (?, ?)`, ladder, steps.length);
    return undefined;
  });
}
