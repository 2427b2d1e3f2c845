/** Counts rows written, by SQLite's own figure (`rowsWritten`, entries of indexes included), and objects made. */

/** Rows of one object class: ours by table, the schema's, the SDK's and the development server's. */
export interface RowCounts {
  tables: { [table: string]: number };
  schema: number;
  sdk: number;
  server: number;
}

let on = false;
const counts: { [className: string]: RowCounts } = {};
const made: { [className: string]: number } = {};
const wrapped = new WeakSet<object>();

/** Begins to count, from zero. Objects that are in memory already are not counted. */
export function startCounting(): void {
  on = true;
  for (const key of Object.keys(counts)) delete counts[key];
}

/** What was counted since. */
export function rowCounts(): typeof counts {
  return counts;
}

/** How often an object of each class was made, since the Worker started. */
export function objectsMade(): typeof made {
  return made;
}

function add(counted: RowCounts, query: string, rows: number): void {
  if (rows === 0) return;
  if (query.includes('__miniflare')) counted.server += rows;
  else if (query.includes('cf_agent')) counted.sdk += rows;
  else if (/^\s*(create|alter)/i.test(query) || query.includes('offshoot_format')) counted.schema += rows;
  else {
    const table = /^\s*(?:insert into|update|delete from) "?(\w+)/i.exec(query)?.[1] ?? query;
    counted.tables[table] = (counted.tables[table] ?? 0) + rows;
  }
}

/** Call it in the constructor of a class, before anything else uses the storage. */
export function observe(ctx: DurableObjectState, className: string): void {
  made[className] = (made[className] ?? 0) + 1;
  // Looking at the storage costs something already, which the floor does not pay.
  if (!on) return;
  const { storage } = ctx;
  if (wrapped.has(storage)) return;
  wrapped.add(storage);
  counts[className] ??= { tables: {}, schema: 0, sdk: 0, server: 0 };
  const counted = counts[className];
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  const counting = (query: string, ...bindings: unknown[]) => {
    const cursor = exec(query, ...bindings);
    add(counted, query, cursor.rowsWritten);
    return cursor;
  };
  Object.defineProperty(sql, 'exec', { value: counting });
  for (const store of [storage, storage.kv]) {
    const put = store.put.bind(store);
    const countingPut = (key: string, value: unknown) => {
      counted.sdk += 1;
      return put(key, value);
    };
    Object.defineProperty(store, 'put', { value: countingPut });
  }
}
