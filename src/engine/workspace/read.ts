/**
 * Listing and reading: `workspace_list_files` and `workspace_read_file`.
 *
 * Keeps WS3, WS4, WS8, WS17, WS20, WS22.
 */
import type { WorkspaceArguments } from '../../core/agent/built-in/workspace';
import type { FileInfo } from '../../core/ports/file-store';
import { base64Of } from '../../protocol/content/file-bytes';
import { OffshootError } from '../../protocol/errors';
import type { JsonObject } from '../../protocol/json';
import {
  allOf,
  BYTE_ORDER_MARK,
  factsOf,
  firstWhole,
  joined,
  LINE_FEED,
  lastWhole,
  opened,
  piecesOf,
  textOf,
} from './bytes';
import { CARRIAGE_RETURN } from './compared';
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
  const { file, body } = await opened(work.files, wanted.path, { offset, length: bytesAtOnce(wanted, work) });
  const bytes = await allOf(body);
  return { ...factsOf(file), base64: base64Of(bytes), offset, ...next(file, offset + bytes.length) };
}

/** Text from a byte on, in whole characters. */
async function readFrom(offset: number, wanted: ReadArguments, work: Work): Promise<JsonObject> {
  const length = Math.max(CHARACTER, bytesAtOnce(wanted, work));
  const { file, body } = await opened(work.files, wanted.path, { offset, length });
  const bytes = await allOf(body);
  const from = offset === 0 ? 0 : firstWhole(bytes);
  const to = offset + bytes.length < file.size ? lastWhole(bytes) : bytes.length;
  const text = textOf(bytes.subarray(from, to));
  if (text === undefined) return noText(file, offset);
  return { ...factsOf(file), text: shown(text, offset + from), offset: offset + from, ...next(file, offset + to) };
}

/** A text without the mark at the beginning of its file, which is no letter of it. An edit leaves the mark where it is. */
const shown = (text: string, offset: number): string => (offset === 0 ? text.replace(BYTE_ORDER_MARK, '') : text);

/** What is told of bytes that are no text. */
function noText(file: FileInfo, offset: number): JsonObject {
  const note = `These bytes are not text. Read them with \`encoding: "base64"\` and \`offset: ${offset}\`, if you need them.`;
  return { ...factsOf(file), binary: true, note };
}

/** Lines, as many as were asked for and fit. */
async function readLines(wanted: ReadArguments, work: Work): Promise<JsonObject> {
  const { path, line: first = 1, lines } = wanted;
  const most = Math.max(CHARACTER, bytesAtOnce(wanted, work));
  // From the first line on it is known how much can be needed.
  const { file, body } = await opened(work.files, path, first === 1 ? { length: most } : {});
  const found = new Lines(first, lines, most);
  for await (const piece of piecesOf(body, work.signal)) if (found.take(piece)) break;
  found.end(file.size);
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
  const kept = found.endsLine || offset + bytes.length === file.size ? bytes : bytes.subarray(0, cutAt(bytes));
  const text = textOf(kept);
  if (text === undefined) return noText(file, offset);
  const end = offset + kept.length;
  const goesOn = end < file.size && found.endsLine ? { nextLine: first + found.taken } : {};
  return { ...factsOf(file), text: shown(text, offset), line: first, ...goesOn, ...next(file, end) };
}

/** Where bytes end that are cut: before half a character, and before half a line end. */
function cutAt(bytes: Uint8Array): number {
  const whole = lastWhole(bytes);
  return whole > 1 && bytes[whole - 1] === CARRIAGE_RETURN ? whole - 1 : whole;
}

/** The lines of a file from one on, of bytes that come in pieces. A line ends with LF, CRLF or a lone CR. */
class Lines {
  /** Where the first of them begins, in bytes; undefined where the file has no such line. */
  offset: number | undefined;
  /** Line ends that were taken. */
  taken = 0;
  #line = 1;
  #seen = 0;
  #size = 0;
  /** The last byte was a CR: the next one says whether the line has ended with it. */
  #isOpen = false;
  readonly #parts: Uint8Array[] = [];

  constructor(
    readonly first: number,
    readonly lines: number,
    readonly most: number,
  ) {}

  /** True if what was taken ends with a line. */
  endsLine = false;

  /** Lines of what was seen. */
  get count(): number {
    return this.#atStart ? this.#line - 1 : this.#line;
  }

  /** True if the next byte would begin a line. */
  #atStart = true;

  bytes(): Uint8Array {
    return joined(this.#parts);
  }

  /** Takes the next piece; true where no more is needed. */
  take(piece: Uint8Array): boolean {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      if (this.#isOpen && byte !== LINE_FEED) this.#endLine();
      this.#isOpen = false;
      if (this.#isFull || (this.offset !== undefined && this.#size + at - from === this.most)) {
        this.#keep(piece.subarray(from, at));
        return true;
      }
      if (this.offset === undefined && this.#line >= this.first) {
        this.offset = this.#seen + at;
        from = at;
      }
      this.#atStart = false;
      this.endsLine = false;
      if (byte === LINE_FEED) this.#endLine();
      else this.#isOpen = byte === CARRIAGE_RETURN;
    }
    if (this.offset !== undefined) this.#keep(piece.subarray(from));
    this.#seen += piece.length;
    return this.#isFull;
  }

  /** The end of what was read: a CR is the end of its line where the file ends with it. */
  end(size: number): void {
    if (this.#isOpen && this.#seen === size) this.#endLine();
  }

  get #isFull(): boolean {
    return this.taken >= this.lines;
  }

  #keep(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#size += bytes.length;
  }

  #endLine(): void {
    this.#line++;
    this.#atStart = true;
    if (this.offset === undefined) return;
    this.taken++;
    this.endsLine = true;
  }
}
