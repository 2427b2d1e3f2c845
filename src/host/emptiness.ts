/**
 * Whether an object holds anything but the empty tables that waking it makes.
 *
 * Keeps A21.
 */
import { SDK_KEYS } from './sdk-internals';

/** The note that our own tables are there. */
const LADDERS = 'offshoot_format';

/** Whether nothing was ever kept in this storage: neither by Offshoot, nor by the SDK, nor by an author's own code. */
export function holdsNothing(storage: DurableObjectStorage): boolean {
  for (const [key] of storage.kv.list()) if (!key.startsWith(SDK_KEYS)) return false;
  const tables = storage.sql.exec<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`).toArray();
  for (const { name } of tables) {
    // Tables with a leading underscore are the platform's.
    if (name.startsWith('_') || name.startsWith('sqlite_') || name === LADDERS) continue;
    const quoted = `"${name.replaceAll('"', '""')}"`;
    if (storage.sql.exec(`SELECT 1 FROM ${quoted} LIMIT 1`).toArray().length > 0) return false;
  }
  return true;
}
