/**
 * Formats: each store has one number, which is how many steps of its ladder it has had. A step changes tables, or says
 * that what rows hold as JSON has changed. Steps are applied once, in order, in one transaction with the number.
 *
 * Keeps SO3, SO6.
 */
import { newerFormat, type OffshootError } from '../protocol/errors';
import type { ObjectStorage } from './storage';
import { transact } from './storage';

/** One step of a ladder, as the generated module lists them. */
export interface Migration {
  readonly tag: string;
  readonly statements: readonly string[];
  /** The statements that make an empty store as it is after this step: the way for a new store, however long the ladder. */
  readonly fresh?: readonly string[];
}

/** The ladders of stores, by the names of the stores. */
export type Ladders = Readonly<Record<string, readonly Migration[]>>;

/** The formats of the stores in one storage, by the names of the stores. */
export type Formats = ReadonlyMap<string, number>;

/** Never changed: each version has to read the numbers of every other. */
const TABLE = 'offshoot_format';

/** The formats that a storage has. Reads only, so asking leaves nothing behind. */
export function formatsOf({ sql }: ObjectStorage): Formats {
  const exists = sql.exec(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`, TABLE).toArray().length > 0;
  const rows = exists ? sql.exec(`SELECT store, format FROM ${TABLE}`).toArray() : [];
  return new Map(rows.map(({ store, format }) => [String(store), Number(format)]));
}

/** Why a storage of these formats is neither read nor written; undefined where these ladders reach all of it. */
export function newerThan(formats: Formats, ladders: Ladders): OffshootError | undefined {
  for (const [store, format] of formats) {
    const known = ladders[store]?.length ?? 0;
    if (format > known)
      return newerFormat(
        `the store "${store}" has format ${format}, and this version knows ${known}. Deploy the newer version again.`,
      );
  }
  return undefined;
}

/**
 * Migrates the stores of a storage to the top of their ladders. Doing it again changes nothing.
 * @throws OffshootError `newer_format`, before anything is written
 */
export function migrate(storage: ObjectStorage, ladders: Ladders, formats = formatsOf(storage)): void {
  const newer = newerThan(formats, ladders);
  if (newer) throw newer;
  const due = Object.entries(ladders).filter(([store, { length }]) => length > (formats.get(store) ?? 0));
  if (due.length === 0) return;
  transact(storage, () => {
    storage.sql.exec(
      `CREATE TABLE IF NOT EXISTS ${TABLE} (store TEXT PRIMARY KEY NOT NULL, format INTEGER NOT NULL) WITHOUT ROWID`,
    );
    for (const [store, steps] of due) {
      for (const statement of statementsFrom(steps, formats.get(store) ?? 0)) storage.sql.exec(statement);
      storage.sql.exec(`INSERT OR REPLACE INTO ${TABLE} (store, format) VALUES (?, ?)`, store, steps.length);
    }
    return undefined;
  });
}

/** The statements that bring a store of a format to the top. */
function statementsFrom(steps: readonly Migration[], format: number): readonly string[] {
  const whole = format === 0 ? steps.findLastIndex(({ fresh }) => fresh !== undefined) : -1;
  const fresh = steps[whole]?.fresh ?? [];
  return [...fresh, ...steps.slice(Math.max(format, whole + 1)).flatMap(({ statements }) => statements)];
}
