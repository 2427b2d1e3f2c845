/**
 * Listing and reading: `workspace_list_files` and `workspace_read_file`.
 *
 * Keeps WS3, WS4, WS8, WS17.
 */
import type { WorkspaceArguments } from '../../core/agent/built-in/workspace';
import type { FileInfo } from '../../core/ports/file-store';
import { OffshootError } from '../../protocol/errors';
import type { JsonObject } from '../../protocol/json';
import { allOf, base64Of, factsOf, firstWhole, joined, LINE_FEED, lastWhole, piecesOf, textOf } from './bytes';
import { Room, type Work } from './work';

/** A character of UTF-8 has at most so many bytes: less is never read at once. */
const CHARACTER = 4;

/** The files, a page at a time. */
export async function listFiles(
  { prefix, cursor, limit }: WorkspaceArguments<'workspace_list_files'>,
  work: Work,
): Promise<JsonObject> {
  const page = await work.files.list({
    limit,
    ...(prefix === undefined ? {} : { prefix }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const room = new Room(work);
  const all = page.items.map((file) => ({ ...factsOf(file), updatedAt: file.updatedAt }));
  const full = all.findIndex((item) => !room.takes(item));
  const items = full === -1 ? all : all.slice(0, full);
  // A cursor is the last path of its page.
  const next = full === -1 ? page.cursor : items.at(-1)?.path;
  return { items, ...(next === undefined ? {} : { cursor: next }) };
}

type ReadArguments = WorkspaceArguments<'workspace_read_file'>;

/** A part of a file. */
export function readFile(wanted: ReadArguments, work: Work): Promise<JsonObject> {
  if (wanted.encoding === 'base64') return readBytes(wanted, work);
  return wanted.offset === undefined ? readLines(wanted, work) : readFrom(wanted.offset, wanted, work);
}

/** How many bytes are given at once. */
function bytesAtOnce({ length }: ReadArguments, { limits }: Work): number {
  return Math.min(length ?? limits.maxWorkspaceReadBytes, limits.maxWorkspaceReadBytes);
}

/** Where to go on, if there is more. */
const next = ({ size }: FileInfo, end: number): JsonObject => (end < size ? { nextOffset: end } : {});

async function readBytes(wanted: ReadArguments, work: Work): Promise<JsonObject> {
  const { offset = 0 } = wanted;
  const { file, body } = await work.files.open(wanted.path, { offset, length: bytesAtOnce(wanted, work) });
  const bytes = await allOf(body);
  return { ...factsOf(file), base64: base64Of(bytes), offset, ...next(file, offset + bytes.length) };
}

/** Text from a byte on, in whole characters. */
async function readFrom(offset: number, wanted: ReadArguments, work: Work): Promise<JsonObject> {
  const length = Math.max(CHARACTER, bytesAtOnce(wanted, work));
  const { file, body } = await work.files.open(wanted.path, { offset, length });
  const bytes = await allOf(body);
  const from = offset === 0 ? 0 : firstWhole(bytes);
  const to = offset + bytes.length < file.size ? lastWhole(bytes) : bytes.length;
  const text = textOf(bytes.subarray(from, to));
  if (text === undefined) return noText(file, offset);
  return { ...factsOf(file), text, offset: offset + from, ...next(file, offset + to) };
}

/** What is told of bytes that are no text. */
function noText(file: FileInfo, offset: number): JsonObject {
  const note = `These bytes are no text. Read them with \`encoding: "base64"\` and \`offset: ${offset}\`, if you need them.`;
  return { ...factsOf(file), binary: true, note };
}

/** Lines, as many as were asked for and fit. */
async function readLines(wanted: ReadArguments, work: Work): Promise<JsonObject> {
  const { path, line: first = 1, lines } = wanted;
  const most = Math.max(CHARACTER, bytesAtOnce(wanted, work));
  // From the first line on it is known how much can be needed.
  const { file, body } = await work.files.open(path, first === 1 ? { length: most } : {});
  const found = new Lines(first, lines, most);
  for await (const piece of piecesOf(body, work.signal)) if (found.take(piece)) break;
  const { offset } = found;
  if (offset === undefined) {
    if (file.size > 0 || first > 1)
      throw new OffshootError(
        'invalid_arguments',
        `The file ${file.path} has ${found.count} lines: give an earlier \`line\`.`,
      );
    return { ...factsOf(file), text: '', line: 1 };
  }
  const bytes = found.bytes();
  const isCut = found.isCut || offset + bytes.length < file.size;
  const kept = isCut && bytes.at(-1) !== LINE_FEED ? bytes.subarray(0, lastWhole(bytes)) : bytes;
  const text = textOf(kept);
  if (text === undefined) return noText(file, offset);
  const end = offset + kept.length;
  const goesOn = end < file.size && kept.at(-1) === LINE_FEED ? { nextLine: first + found.taken } : {};
  return { ...factsOf(file), text, line: first, ...goesOn, ...next(file, end) };
}

/** The lines of a file from one on, of bytes that come in pieces. */
class Lines {
  /** Where the first of them begins, in bytes; undefined where the file has no such line. */
  offset: number | undefined;
  /** Line ends that were taken. */
  taken = 0;
  /** Whether there was more than fits. */
  isCut = false;
  #line = 1;
  #seen = 0;
  #last = LINE_FEED;
  #size = 0;
  readonly #parts: Uint8Array[] = [];

  constructor(
    readonly first: number,
    readonly lines: number,
    readonly most: number,
  ) {}

  /** Lines of what was seen. */
  get count(): number {
    return this.#last === LINE_FEED ? this.#line - 1 : this.#line;
  }

  bytes(): Uint8Array {
    return joined(this.#parts);
  }

  /** Takes the next piece; true where no more is needed. */
  take(piece: Uint8Array): boolean {
    const from = this.#skipped(piece);
    if (from < piece.length) {
      this.offset ??= this.#seen + from;
      if (this.#gathered(piece, from)) return true;
    }
    this.#seen += piece.length;
    this.#last = piece.at(-1) ?? this.#last;
    return false;
  }

  /** Where the wanted lines begin in a piece, or its end. */
  #skipped(piece: Uint8Array): number {
    let at = 0;
    while (this.#line < this.first && at < piece.length) {
      const end = piece.indexOf(LINE_FEED, at);
      if (end === -1) return piece.length;
      at = end + 1;
      this.#line++;
    }
    return at;
  }

  #gathered(piece: Uint8Array, from: number): boolean {
    const room = piece.subarray(from, from + this.most - this.#size);
    let end = 0;
    while (this.taken < this.lines && end < room.length) {
      const feed = room.indexOf(LINE_FEED, end);
      end = feed === -1 ? room.length : feed + 1;
      if (feed !== -1) this.taken++;
    }
    this.#parts.push(room.subarray(0, end));
    this.#size += end;
    this.isCut = from + end < piece.length;
    return this.taken === this.lines || this.#size === this.most;
  }
}
