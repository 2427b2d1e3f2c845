/** The store of a top-level object: the record of its tree and the log. */
import { asc, desc, eq, gte, inArray, lt, lte, max, sum } from 'drizzle-orm';
import type { Chunk } from '../core/chunks';
import type { TreeNode } from '../core/tree';
import { Packer } from './pack';
import * as table from './schema/root';
import { type Database, databaseOf, type ObjectStorage } from './storage';

/** One row of the log: chunks of one agent that follow each other. */
export interface LogRow {
  /** The sequence of its first chunk. */
  readonly first: number;
  readonly node: number;
  /** The agent's own number of its first chunk. */
  readonly number: number;
  readonly chunks: readonly Chunk[];
}

/** Reads and writes the tables of a top-level object. Call the writing methods inside a transaction. */
export class TreeStore {
  readonly #database: Database;
  readonly #packer: Packer;

  constructor(storage: ObjectStorage) {
    this.#database = databaseOf(storage);
    this.#packer = new Packer(this.#database);
  }

  nodes(): TreeNode[] {
    const rows = this.#database.select().from(table.tree).orderBy(asc(table.tree.id)).all();
    return rows.map((row) => JSON.parse(this.#packer.unpack(row.data)) as TreeNode);
  }

  put(node: TreeNode): void {
    const data = this.#packer.pack(`tree ${node.id}`, JSON.stringify(node));
    this.#database.insert(table.tree).values({ id: node.id, data }).onConflictDoUpdate({ target: table.tree.id, set: { data } }).run();
  }

  removeNodes(ids: readonly number[]): void {
    for (let from = 0; from < ids.length; from += 50) {
      this.#database.delete(table.tree).where(inArray(table.tree.id, ids.slice(from, from + 50))).run();
    }
  }

  append(row: LogRow): void {
    const text = JSON.stringify(row.chunks);
    const data = this.#packer.pack(`log ${row.first}`, text);
    const { first, node, number } = row;
    this.#database.insert(table.log).values({ first, count: row.chunks.length, node, number, size: text.length, data }).run();
  }

  /** Rows from the one that holds the sequence on, at most so many. */
  read(sequence: number, limit: number): LogRow[] {
    const [start] = this.#database.select({ first: max(table.log.first) }).from(table.log).where(lte(table.log.first, sequence)).all();
    const from = start?.first ?? sequence;
    const rows = this.#database.select().from(table.log).where(gte(table.log.first, from)).orderBy(asc(table.log.first)).limit(limit).all();
    return rows.map((row) => ({
      first: row.first,
      node: row.node,
      number: row.number,
      chunks: JSON.parse(this.#packer.unpack(row.data)) as Chunk[],
    }));
  }

  /** The sequence of an agent's own chunk number; 0 when the log does not hold it. */
  sequenceOf(node: number, number: number): number {
    const rows = this.#database
      .select({ first: table.log.first, number: table.log.number, count: table.log.count })
      .from(table.log)
      .where(eq(table.log.node, node))
      .orderBy(desc(table.log.first))
      .all();
    const row = rows.find((candidate) => candidate.number <= number);
    return row === undefined || number >= row.number + row.count ? 0 : row.first + number - row.number;
  }

  /** The sequences that the log holds, and its size in characters. An empty log begins at 1 and ends at 0. */
  extent(): { first: number; last: number } {
    const [oldest] = this.#database.select({ first: table.log.first }).from(table.log).orderBy(asc(table.log.first)).limit(1).all();
    const [newest] = this.#database.select().from(table.log).orderBy(desc(table.log.first)).limit(1).all();
    return { first: oldest?.first ?? 1, last: newest === undefined ? 0 : newest.first + newest.count - 1 };
  }

  beginTurn(turn: number, first: number): void {
    this.#database.insert(table.turns).values({ turn, first }).onConflictDoNothing().run();
  }

  turns(): { turn: number; first: number }[] {
    return this.#database.select().from(table.turns).orderBy(asc(table.turns.turn)).all();
  }

  /** Removes the log before a sequence, and the turns before a turn. */
  compact(sequence: number, turn: number): void {
    this.#database.delete(table.log).where(lt(table.log.first, sequence)).run();
    this.#database.delete(table.turns).where(lt(table.turns.turn, turn)).run();
  }

  /** Characters of log from a sequence on. */
  size(from: number): number {
    const [row] = this.#database.select({ size: sum(table.log.size) }).from(table.log).where(gte(table.log.first, from)).all();
    return Number(row?.size ?? 0);
  }
}
