/**
 * The library: documents split into passages, with full-text search. Synchronous and free of any platform; it runs over
 * a Durable Object's storage and over any other SQLite with FTS5.
 */
import { createHash } from 'node:crypto';
import { beginningOf } from '../protocol/content/cut';
import type { Failure } from '../protocol/errors';
import { failure, OffshootError } from '../protocol/errors';
import type { LibraryStorage, SqlValue } from './library-schema';
import { migrateLibrary, readMeta, writeMeta } from './library-schema';
import type {
  AddAnswer,
  DocumentCopy,
  DocumentInfo,
  FoundPassage,
  LibraryAnswer,
  LibraryDocument,
  LibraryPassage,
  SearchAnswer,
  Upload,
} from './library-types';
import { SHARED_PREFIX } from './library-types';
import type { SplitPassage } from './passages';
import { splitPassages, splitting } from './passages';
import { atOnce } from './portions';
import { matchExpression, searchTerms } from './query';
import type { LibraryRoom } from './uploads';
import { byteLength, documentName, isMarkdown, LIBRARY_LIMITS, numberedName, uploadProblem } from './uploads';

type Row = Record<string, SqlValue>;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const text = (value: SqlValue | undefined): string => (typeof value === 'string' ? value : '');
const clamp = (value: number | undefined, low: number, high: number, fallback: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(high, Math.max(low, Math.trunc(value))) : fallback;

function infoOf(row: Row): DocumentInfo {
  return {
    name: text(row.name),
    title: text(row.title),
    source: text(row.source),
    origin: row.origin === 'upload' || row.origin === 'shared' ? row.origin : 'shipped',
    bytes: Number(row.bytes),
    passages: Number(row.passages),
  };
}

function passageOf(row: Row): LibraryPassage {
  const document = text(row.document);
  return {
    document,
    title: text(row.title),
    heading: text(row.heading),
    passage: `${document}#${Number(row.ordinal)}`,
    text: text(row.text),
  };
}

interface NewDocument {
  readonly name: string;
  readonly requested: string;
  readonly origin: DocumentInfo['origin'];
  readonly title: string;
  readonly source: string;
  readonly hash: string;
  readonly bytes: number;
}

/** Passages that are kept before others have their turn. */
const PORTION = 100;

/** The document of passages that are kept while the document itself is not there yet: nothing finds them. */
const STAGED = '';

/** A document that may not be stored, by its size; `undefined` when it may. */
function passagesProblem(name: string, passages: readonly SplitPassage[]): Failure | undefined {
  const { maxDocumentPassages } = LIBRARY_LIMITS;
  if (passages.length <= maxDocumentPassages) return undefined;
  return failure(
    'payload_too_large',
    `"${name}" has ${passages.length} paragraphs; a document may have ${maxDocumentPassages}. Split it.`,
  );
}

/** The library over a store. Every method is one synchronous transaction or a read. */
export class LibraryStore {
  readonly #storage: LibraryStorage;
  readonly #room: LibraryRoom;

  /** Opens the store, brings its schema up to date, and drops what a crash left half kept. */
  constructor(storage: LibraryStorage, room: LibraryRoom = LIBRARY_LIMITS.own) {
    this.#storage = storage;
    this.#room = room;
    migrateLibrary(storage);
    if (this.#staged() !== undefined) storage.transactionSync(() => this.#dropStaged());
  }

  /** The version that was seeded last. */
  get version(): string | undefined {
    return readMeta(this.#storage, 'version');
  }

  /**
   * Replaces all documents that were seeded before, at once; uploads stay. Does nothing when `version` was seeded last.
   * @throws OffshootError `invalid_request` for a name that is not lower-case letters, digits and `-`, or given twice,
   * and `payload_too_large` for a document over its limits. Nothing is changed then.
   */
  seed(
    version: string,
    documents: readonly LibraryDocument[],
  ): { seeded: boolean; version: string; documents: number } {
    if (this.version === version) return { seeded: false, version, documents: documents.length };
    this.#storage.transactionSync(() => {
      for (const { name } of this.#documents().filter(({ origin }) => origin === 'shipped')) this.#remove(name);
      for (const document of documents) this.#seedOne(document);
      writeMeta(this.#storage, 'version', version);
    });
    return { seeded: true, version, documents: documents.length };
  }

  /**
   * Adds a text. The same text under the same name is kept once. Another text under a name that is taken gets the next
   * free name, unless `replace` is set: what others cite does not change under them.
   * @returns the document as it is kept, or `invalid_request`, `unsupported_media_type` or `payload_too_large`.
   */
  add(upload: Upload): AddAnswer {
    return atOnce(this.adding(upload));
  }

  /**
   * Adds a text, a bounded portion of the work at a time: it yields wherever others may have their turn. Until the last
   * portion nothing of the document is found; work that is given up leaves nothing. One addition at a time.
   */
  *adding(upload: Upload): Generator<void, AddAnswer> {
    const problem = uploadProblem(upload);
    if (problem) return { ok: false, error: problem };
    const requested = documentName(upload.name);
    const { title = requested, passages } = yield* splitting(upload.text, isMarkdown(requested, upload.mediaType));
    const document = {
      requested,
      title,
      origin: 'upload' as const,
      source: `upload: ${beginningOf(upload.name, 200)}`,
      hash: hashOf(upload.text),
      bytes: byteLength(upload.text),
    };
    return yield* this.#keeping(document, passages, upload.replace === true);
  }

  /** Adds a copy of another library's document, under its name behind `shared/`; like `adding`. */
  *copying({ name, passages, ...facts }: DocumentCopy): Generator<void, AddAnswer> {
    const document = { ...facts, requested: `${SHARED_PREFIX}${name}`, origin: 'shared' as const };
    return yield* this.#keeping(document, passages, false);
  }

  /** A document with all of its passages, for another library. */
  copyOf(name: string): DocumentCopy | undefined {
    const row = this.#row("SELECT * FROM documents WHERE name = ? AND origin = 'upload'", String(name));
    if (row === undefined) return undefined;
    const passages = this.#rows(
      'SELECT heading, text FROM passages WHERE document = ? ORDER BY ordinal',
      text(row.name),
    );
    return {
      name: text(row.name),
      title: text(row.title),
      source: text(row.source),
      hash: text(row.hash),
      bytes: Number(row.bytes),
      passages: passages.map((passage) => ({ heading: text(passage.heading), text: text(passage.text) })),
    };
  }

  /** Removes an upload or a copy. Seeded documents stay (`not_found`): they come back with their version anyway. */
  remove(name: string): LibraryAnswer<{ removed: string }> {
    return this.#storage.transactionSync(() => {
      const document = this.#document(String(name));
      if (document === undefined || document.origin === 'shipped') {
        return {
          ok: false as const,
          error: failure('not_found', `There is no uploaded document "${beginningOf(String(name), 200)}".`),
        };
      }
      this.#remove(document.name);
      return { ok: true as const, removed: document.name };
    });
  }

  /** All documents, seeded ones first, by name. */
  list(): { documents: readonly DocumentInfo[] } {
    return { documents: this.#documents() };
  }

  /** Finds passages. Whatever the query holds is taken as words; a query without words finds nothing. */
  search(search: { query: string; limit?: number }): SearchAnswer {
    const limit = clamp(search.limit, 1, LIBRARY_LIMITS.maxSearchLimit, LIBRARY_LIMITS.searchLimit);
    const terms = searchTerms(String(search.query));
    const passagesInLibrary = Number(this.#row('SELECT sum(passages) AS n FROM documents')?.n ?? 0);
    if (terms.length === 0) return { passages: [], whole: 0, terms: [], passagesInLibrary };
    const all = this.#match(matchExpression(terms, 'AND'), limit);
    const seen = new Set(all.map(({ passage }) => passage));
    const any =
      terms.length > 1 && all.length < limit ? this.#match(matchExpression(terms, 'OR'), limit + all.length) : [];
    const passages = [...all, ...any.filter(({ passage }) => !seen.has(passage))].slice(0, limit);
    const whole = Math.min(all.length, limit);
    return { passages, whole, terms: terms.map((term) => ({ term, passages: this.#count(term) })), passagesInLibrary };
  }

  /**
   * Reads a document, or one passage of it with up to 3 before and after it (`around`).
   * @param passage an id (`guarantees#3`) or its number (`3`); without it, the document from its start.
   * @returns the passages in order, or `not_found`.
   */
  read(
    document: string,
    passage?: string,
    around?: number,
  ): LibraryAnswer<{ document: DocumentInfo; passages: readonly LibraryPassage[]; truncated: boolean }> {
    const info = this.#document(String(document));
    if (!info)
      return {
        ok: false,
        error: failure('not_found', `There is no document "${beginningOf(String(document), 200)}" in the library.`),
      };
    const ordinal =
      passage === undefined ? undefined : Number(/^(?:.*#)?(\d{1,9})$/s.exec(String(passage))?.[1] ?? '0');
    if (
      ordinal !== undefined &&
      (ordinal < 1 || ordinal > info.passages || (passage?.includes('#') && !passage.startsWith(`${info.name}#`)))
    ) {
      const what = `There is no passage "${beginningOf(String(passage), 200)}" in "${info.name}": it has the passages ${info.name}#1 to ${info.name}#${info.passages}.`;
      return { ok: false, error: failure('not_found', what) };
    }
    const beside = clamp(around, 0, LIBRARY_LIMITS.maxAround, 0);
    const from = ordinal === undefined ? 1 : ordinal - beside;
    const to = ordinal === undefined ? LIBRARY_LIMITS.maxReadPassages : ordinal + beside;
    const rows = this.#rows(
      `SELECT p.document, d.title, p.heading, p.ordinal, p.text FROM passages p JOIN documents d ON d.name = p.document
       WHERE p.document = ? AND p.ordinal BETWEEN ? AND ? ORDER BY p.ordinal`,
      info.name,
      from,
      to,
    );
    return {
      ok: true,
      document: info,
      passages: rows.map(passageOf),
      truncated: ordinal === undefined && info.passages > rows.length,
    };
  }

  #rows(query: string, ...bindings: SqlValue[]): Row[] {
    return this.#storage.sql.exec(query, ...bindings).toArray();
  }

  #row(query: string, ...bindings: SqlValue[]): Row | undefined {
    return this.#rows(query, ...bindings)[0];
  }

  #documents(): DocumentInfo[] {
    return this.#rows("SELECT * FROM documents ORDER BY origin = 'upload', name").map(infoOf);
  }

  #document(name: string): DocumentInfo | undefined {
    const row = this.#row('SELECT * FROM documents WHERE name = ?', name);
    return row && infoOf(row);
  }

  #seedOne(document: LibraryDocument): void {
    const { name } = document;
    if (!/^[a-z0-9][a-z0-9-]{0,99}$/.test(name) || this.#document(name)) {
      throw new OffshootError(
        'invalid_request',
        `Seeded document "${beginningOf(name, 200)}": use lower-case letters, digits and "-", each name once.`,
      );
    }
    const { passages } = splitPassages(document.text, true);
    const oversized = passagesProblem(name, passages);
    if (oversized) throw new OffshootError(oversized.code, oversized.message);
    const facts = { hash: hashOf(document.text), bytes: byteLength(document.text) };
    this.#insertPassages(passages, 0, passages.length, document.title, name);
    this.#insert({ ...document, ...facts, requested: name, origin: 'shipped' }, passages.length);
  }

  #insert(document: NewDocument, passages: number): DocumentInfo {
    const { name, requested, origin, title, source, hash, bytes } = document;
    this.#rows(
      'INSERT INTO documents (name, requested, origin, title, source, hash, bytes, passages) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[name, requested, origin, title, source, hash, bytes, passages],
    );
    return { name, title, source, origin, bytes, passages };
  }

  #insertPassages(passages: readonly SplitPassage[], from: number, to: number, title: string, document: string): void {
    for (const [index, passage] of passages.slice(from, to).entries()) {
      const row = this.#row(
        'INSERT INTO passages (document, ordinal, heading, text) VALUES (?, ?, ?, ?) RETURNING id',
        ...[document, from + index + 1, passage.heading, passage.text],
      );
      this.#rows(
        'INSERT INTO passage_index (rowid, title, heading, text) VALUES (?, ?, ?, ?)',
        ...[row?.id ?? null, title, passage.heading, passage.text],
      );
    }
  }

  /** The first passage of a document that is being added; nothing from it on is there yet. */
  #staged(): SqlValue | undefined {
    return this.#row('SELECT id FROM passages WHERE document = ? AND ordinal = 1', STAGED)?.id;
  }

  #dropStaged(): void {
    this.#rows('DELETE FROM passage_index WHERE rowid IN (SELECT id FROM passages WHERE document = ?)', STAGED);
    this.#rows('DELETE FROM passages WHERE document = ?', STAGED);
  }

  *#keeping(
    document: Omit<NewDocument, 'name'>,
    passages: readonly SplitPassage[],
    replace: boolean,
  ): Generator<void, AddAnswer> {
    const { requested, hash, title } = document;
    const same = this.#row(
      `SELECT * FROM documents WHERE ${replace ? 'name' : 'requested'} = ? AND hash = ?`,
      requested,
      hash,
    );
    if (same) return { ok: true, document: infoOf(same), status: 'unchanged' };
    const replaced = (): DocumentInfo | undefined => (replace ? this.#document(requested) : undefined);
    const problem =
      passagesProblem(requested, passages) ?? this.#capacityProblem(document.bytes, passages.length, replaced());
    if (problem) return { ok: false, error: problem };
    this.#storage.transactionSync(() => this.#dropStaged());
    for (let from = 0; from < passages.length; from += PORTION) {
      const to = from + PORTION;
      this.#storage.transactionSync(() => this.#insertPassages(passages, from, to, title, STAGED));
      yield;
    }
    return this.#storage.transactionSync(() => {
      const old = replaced();
      if (old) this.#remove(requested);
      const name = this.#freeName(requested);
      this.#rows('UPDATE passages SET document = ? WHERE document = ?', name, STAGED);
      const kept = this.#insert({ ...document, name }, passages.length);
      return { ok: true as const, document: kept, status: old ? ('replaced' as const) : ('added' as const) };
    });
  }

  #capacityProblem(bytes: number, passages: number, replaced: DocumentInfo | undefined): Failure | undefined {
    const row = this.#row(
      `SELECT count(*) AS n, coalesce(sum(bytes), 0) AS bytes, coalesce(sum(passages), 0) AS passages
       FROM documents WHERE origin <> 'shipped'`,
    );
    const { maxDocuments, maxBytes, maxPassages } = this.#room;
    const count = Number(row?.n ?? 0) + (replaced ? 0 : 1);
    const allBytes = Number(row?.bytes ?? 0) - (replaced?.bytes ?? 0) + bytes;
    const allPassages = Number(row?.passages ?? 0) - (replaced?.passages ?? 0) + passages;
    if (count <= maxDocuments && allBytes <= maxBytes && allPassages <= maxPassages) return undefined;
    return failure(
      'payload_too_large',
      `The library is full: at most ${maxDocuments} documents, ${maxBytes} bytes of text and ${maxPassages} passages can be added to it. Remove some.`,
    );
  }

  #remove(name: string): void {
    this.#rows('DELETE FROM passage_index WHERE rowid IN (SELECT id FROM passages WHERE document = ?)', name);
    this.#rows('DELETE FROM passages WHERE document = ?', name);
    this.#rows('DELETE FROM documents WHERE name = ?', name);
  }

  #freeName(requested: string): string {
    let name = requested;
    for (let number = 2; this.#document(name); number++) name = numberedName(requested, number);
    return name;
  }

  #match(expression: string, limit: number): FoundPassage[] {
    const rows = this.#rows(
      `SELECT p.document, d.title, p.heading, p.ordinal, p.text, bm25(passage_index, 2.0, 2.0, 1.0) AS rank
       FROM passage_index JOIN passages p ON p.id = passage_index.rowid JOIN documents d ON d.name = p.document
       WHERE passage_index MATCH ? ORDER BY rank, p.id LIMIT ?`,
      expression,
      limit,
    );
    return rows.map((row) => ({ ...passageOf(row), score: Number((-Number(row.rank)).toPrecision(4)) }));
  }

  #count(term: string): number {
    const row = this.#row(
      'SELECT count(*) AS n FROM passage_index WHERE passage_index MATCH ? AND rowid < ?',
      matchExpression([term], 'OR'),
      this.#staged() ?? Number.MAX_SAFE_INTEGER,
    );
    return Number(row?.n ?? 0);
  }
}

/** What a library holds from the start. The `version` of a shipped corpus begins with `shipped-`. */
export interface Corpus {
  readonly version: string;
  readonly documents: readonly LibraryDocument[];
}

/**
 * Opens a library and makes sure that it holds the shipped corpus in its newest version: one read where it does.
 * A library that was seeded with documents of another's choice keeps those.
 */
export function openLibrary(storage: LibraryStorage, shipped: Corpus): LibraryStore {
  const store = new LibraryStore(storage, LIBRARY_LIMITS.shared);
  if (store.version?.startsWith('shipped-') ?? true) store.seed(shipped.version, shipped.documents);
  return store;
}
