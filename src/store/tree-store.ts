/**
 * The store of a top-level object: the record of its tree and the log.
 *
 * Keeps LG1, SO4, B2.
 */
import type { GivenToken, LogRow, TreeStore } from '../core/ports/tree-store';
import type { TreeRow } from '../core/tree/node';
import type { PendingRow } from '../core/tree/pending';
import { beginningsIn } from '../core/tree/run-starts';
import type { Chunk } from '../protocol/chunks';
import { MARK, MAX_TEXT, Packer } from './long-rows';
import { nodeOf } from './older/node';
import { Statements } from './statements';
import type { ObjectStorage } from './storage';
import * as statement from './tree-statements';

/** Reads and writes the tables of a top-level object. What each method promises is said at the port. */
export class SqlTreeStore implements TreeStore {
  readonly #statements: Statements;
  readonly #packer: Packer;

  constructor(storage: ObjectStorage) {
    this.#statements = new Statements(storage);
    this.#packer = new Packer(this.#statements);
  }

  nodes(): TreeRow[] {
    const rows = this.#statements.all<{ data: string }>(statement.NODES);
    return rows.map(({ data }) => nodeOf(this.#packer.read(data)));
  }

  put(node: TreeRow): void {
    this.#statements.run(statement.PUT_NODE, node.id, this.#packer.pack(`tree ${node.id}`, JSON.stringify(node)));
  }

  removeNodes(ids: readonly number[]): void {
    for (const id of ids) {
      this.#statements.run(statement.DROP_NODE, id);
      this.#packer.drop(`tree ${id}`);
    }
  }

  putToken(token: GivenToken): void {
    this.#statements.run(statement.PUT_TOKEN, token.id, JSON.stringify(token));
  }

  token(id: string): GivenToken | undefined {
    const [row] = this.#statements.all<{ data: string }>(statement.GET_TOKEN, id);
    return row && this.#packer.read<GivenToken>(row.data);
  }

  tokens(): GivenToken[] {
    return this.#statements
      .all<{ data: string }>(statement.TOKENS)
      .map((row) => this.#packer.read<GivenToken>(row.data));
  }

  dropTokens(ids: readonly string[]): void {
    for (const id of ids) this.#statements.run(statement.DROP_TOKEN, id);
  }

  putPending({ toolCallId, node, open, item }: PendingRow): void {
    const data = this.#packer.pack(`pending ${node} ${toolCallId}`, JSON.stringify(item));
    this.#statements.run(statement.PUT_PENDING, toolCallId, node, open ? OPEN : CLOSED, data);
  }

  openPending(): PendingRow[] {
    return this.#statements.all<RowOfPending>(statement.OPEN_PENDING, OPEN).map((row) => this.#pending(row));
  }

  pending(callId: string): PendingRow[] {
    return this.#statements.all<RowOfPending>(statement.GET_PENDING, callId).map((row) => this.#pending(row));
  }

  dropPending(node: number): void {
    this.#statements.run(statement.DROP_PENDING, node);
    this.#packer.dropAll(`pending ${node}`);
  }

  #pending({ call_id, node, open, data }: RowOfPending): PendingRow {
    return { toolCallId: call_id, node, open: open === OPEN, item: this.#packer.read(data) };
  }

  append({ first, node, number, chunks }: LogRow): void {
    const text = JSON.stringify(chunks);
    this.#statements.run(
      statement.APPEND,
      first,
      chunks.length,
      node,
      number,
      text.length,
      this.#packer.pack(`log ${first}`, text),
    );
  }

  read(sequence: number, limit: number, characters: number): LogRow[] {
    const [start] = this.#statements.all<{ first: number | null }>(statement.ROW_OF, sequence);
    const from = start?.first ?? sequence;
    let size = 0;
    const sizes = this.#statements.all<{ first: number; size: number }>(statement.SIZES, from, limit);
    const fitting = sizes.findIndex((row, index) => {
      size += row.size;
      return index > 0 && size > characters;
    });
    return this.#statements
      .all<RowOfLog>(statement.ROWS, from, fitting < 0 ? limit : fitting)
      .map((row) => this.#row(row));
  }

  #row({ first, node, number, data }: RowOfLog): LogRow {
    return { first, node, number, chunks: this.#packer.read<Chunk[]>(data) };
  }

  readBack(node: number, before: number, limit: number): LogRow[] {
    return this.#statements
      .all<RowOfLog>(statement.ROWS_OF_NODE_BEFORE, node, before, limit)
      .map((row) => this.#row(row));
  }

  sequenceOf(node: number, number: number): number {
    const [row] = this.#statements.all<Pick<RowOfLog, 'first' | 'number' | 'count'>>(
      statement.ROW_OF_NUMBER,
      node,
      number,
      1,
    );
    return row === undefined || number >= row.number + row.count ? 0 : row.first + number - row.number;
  }

  beginnings(node: number, from: number): Map<string, number> {
    const found = new Map<string, number>();
    const rows = this.#statements.all<RowOfLog>(statement.BEGINNINGS, node, from, '%"run_started"%', `${MARK}%`);
    for (const row of rows) for (const [runId, sequence] of beginningsIn(this.#row(row))) found.set(runId, sequence);
    return found;
  }

  extent(): { first: number; last: number } {
    const [oldest] = this.#statements.all<Pick<RowOfLog, 'first' | 'count'>>(statement.OLDEST, 1);
    const [newest] = this.#statements.all<Pick<RowOfLog, 'first' | 'count'>>(statement.NEWEST, 1);
    return { first: oldest?.first ?? 1, last: newest === undefined ? 0 : newest.first + newest.count - 1 };
  }

  beginTurn(turn: number, first: number): void {
    this.#statements.run(statement.PUT_TURN, turn, first);
  }

  turns(): { turn: number; first: number }[] {
    return this.#statements.all(statement.TURNS);
  }

  compact(sequence: number, turn: number): void {
    for (const { first } of this.#statements.all<{ first: number }>(statement.LONG_ROWS_BEFORE, sequence, MAX_TEXT)) {
      this.#packer.drop(`log ${first}`);
    }
    this.#statements.run(statement.DROP_ROWS, sequence);
    this.#statements.run(statement.DROP_TURNS, turn);
  }

  size(from: number, to: number): number {
    const [row] = this.#statements.all<{ size: number | null }>(statement.SIZE_BETWEEN, from, to);
    return row?.size ?? 0;
  }
}

const OPEN = 1;
const CLOSED = 0;

type RowOfPending = { call_id: string; node: number; open: number; data: string };
type RowOfLog = { first: number; count: number; node: number; number: number; size: number; data: string };
