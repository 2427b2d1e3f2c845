/**
 * Searching: `workspace_search_files`. What one call looks through is bounded, and the next goes on where it ended.
 *
 * Keeps WS9, WS20.
 */
import { VERSION_DIGITS, type WorkspaceArguments } from '../../core/agent/built-in/workspace';
import type { FileInfo } from '../../core/ports/file-store';
import { isBinary } from '../../protocol/content/file-bytes';
import { OffshootError } from '../../protocol/errors';
import { filePath, filePrefix } from '../../protocol/file-rules';
import type { JsonObject } from '../../protocol/json';
import { bytesOfText, LINE_FEED, piecesOf, shownText, versionOf } from './bytes';
import { Compared, comparedText, type Run } from './compared';
import { RunFinder } from './finder';
import { Room, type Work } from './work';

/** Files that one call opens. */
const MAX_FILES = 1_000;

/** Files of a page of the listing. */
const PAGE = 100;

/** The least that a call looks through, in bytes: a text in another form has at most three times its bytes. */
const leastOf = (text: number): number => 4 * text + 16;

/** Bytes of a line that are shown around a match: before its end, which is more than a text has, and after. */
const BEFORE = 1_024;
const BEFORE_MATCH = 100;
const AFTER = 150;

/** Where a search is in a file: what comes before this byte, on this line, has been looked through. */
interface Place {
  readonly offset: number;
  readonly line: number;
  /** The line has been told: what is left of it is passed over. */
  readonly told?: boolean;
}

const BEGINNING: Place = { offset: 0, line: 1 };

/** A line that holds the text. `offset`: where the text begins, in bytes of the file. */
type Match = { path: string; line: number; offset: number; text: string };

/** Whether a match is in the answer, and whether more are wanted. */
type Taken = 'more' | 'last' | 'not';

/** Where a search goes on: `offset.line.version.path`, with `!` behind the number of a line that has been told. */
const cursorOf = (file: FileInfo, { offset, line, told }: Place): string =>
  `${offset}.${line}${told ? '!' : ''}.${versionOf(file)}.${file.path}`;

const CURSOR = new RegExp(`^(\\d{1,15})\\.([1-9]\\d{0,14})(!?)\\.([0-9a-f]{${VERSION_DIGITS}})\\.([^]+)$`);

function placeOf(cursor: string): Place & { readonly version: string; readonly path: string } {
  const [, offset, line, told, version = '', path = ''] = CURSOR.exec(cursor) ?? [];
  try {
    return { offset: Number(offset), line: Number(line), told: told === '!', version, path: filePath(path) };
  } catch (cause) {
    throw new OffshootError('invalid_cursor', 'The cursor is not from a search.', { cause });
  }
}

/** The lines that hold a text, of all files in the order of their paths. */
export async function searchFiles(
  wanted: WorkspaceArguments<'workspace_search_files'>,
  work: Work,
): Promise<JsonObject> {
  const search = new Search(wanted, work);
  let files = 0;
  for await (const { file, from } of filesFrom(wanted, work)) {
    if (files === MAX_FILES || search.isFull) return search.answer(files, cursorOf(file, from));
    files++;
    const stopped = await search.through(file, from);
    if (stopped) return search.answer(files, cursorOf(stopped.file, stopped.place));
  }
  return search.answer(files);
}

/** The files to look through, and where in them: from the cursor on, where there is one. */
async function* filesFrom(
  { cursor, prefix }: WorkspaceArguments<'workspace_search_files'>,
  { files }: Work,
): AsyncGenerator<{ file: FileInfo; from: Place }, void, undefined> {
  const place = cursor === undefined ? undefined : placeOf(cursor);
  if (place) {
    const file = await files.stat(place.path);
    // A file that has changed since is looked through again.
    if (file && isWithin(file, prefix)) yield { file, from: versionOf(file) === place.version ? place : BEGINNING };
  }
  for (let after = place?.path, more = true; more; more = after !== undefined) {
    const page = await files.list({
      limit: PAGE,
      ...(prefix === undefined ? {} : { prefix }),
      ...(after === undefined ? {} : { cursor: after }),
    });
    for (const file of page.items) yield { file, from: BEGINNING };
    after = page.cursor;
  }
}

/** Whether a listing with that prefix has a file: a cursor may be of a search with another one. */
const isWithin = ({ path }: FileInfo, prefix = ''): boolean => path.startsWith(filePrefix(prefix));

/** One search: what it has found, and what it may still look through. */
class Search {
  readonly #matches: Match[] = [];
  readonly #most: number;
  #bytesLeft: number;
  #bytes = 0;
  #skipped = 0;
  #noRoom = false;
  readonly #room: Room;
  readonly #finder: RunFinder;

  constructor(
    { text, ignoreCase, limit }: WorkspaceArguments<'workspace_search_files'>,
    readonly work: Work,
  ) {
    this.#finder = new RunFinder(bytesOfText(comparedText(text)), ignoreCase);
    this.#most = limit;
    this.#room = new Room(work);
    this.#bytesLeft = work.limits.maxWorkspaceSearchBytes;
  }

  get isFull(): boolean {
    return this.#noRoom || this.#matches.length >= this.#most || this.#bytesLeft <= 0;
  }

  #take(match: Match): Taken {
    this.#noRoom = !this.#room.takes(match);
    if (this.#noRoom) return 'not';
    return this.#matches.push(match) < this.#most ? 'more' : 'last';
  }

  answer(files: number, cursor?: string): JsonObject {
    return {
      matches: this.#matches,
      looked: { files, bytes: this.#bytes },
      ...(this.#skipped === 0 ? {} : { binaryFilesLeftOut: this.#skipped }),
      ...(cursor === undefined ? {} : { cursor }),
    };
  }

  /** Looks through a file; gives where it stopped, if that is not the end. */
  async through({ path, size }: FileInfo, from: Place): Promise<{ file: FileInfo; place: Place } | undefined> {
    if (from.offset >= size) return undefined;
    // A text longer than what is left would never be found.
    const length = Math.max(this.#bytesLeft, leastOf(this.#finder.length));
    const { file, body } = await this.work.files.open(path, { offset: from.offset, length });
    const scan = new Scan(file, from, this.#finder, (match) => this.#take(match));
    let first = from.offset === 0;
    for await (const piece of piecesOf(body, this.work.signal)) {
      if (first && isBinary(piece)) {
        this.#skipped++;
        return undefined;
      }
      first = false;
      this.#bytes += piece.length;
      this.#bytesLeft -= piece.length;
      if (!scan.take(piece)) break;
    }
    const place = scan.end(from.offset + Math.min(length, size - from.offset) === size);
    return place.offset < file.size ? { file, place } : undefined;
  }
}

/** Looks through the bytes of one file, line by line. */
class Scan {
  #at: number;
  readonly #from: number;
  readonly #compared: Compared;
  #line: number;
  /** Where this line begins, or what of it is looked through. */
  #lineAt: number;
  /** Where the next call goes on that finds what was not taken. */
  #again: Place | undefined;
  /** The last bytes of the line, for what is shown of it. */
  readonly #ring = new Uint8Array(BEFORE);
  #inLine = 0;
  /** The match of this line, to which what follows is added. */
  #open: { readonly match: Omit<Match, 'text'>; readonly before: Uint8Array; readonly after: number[] } | undefined;
  /** This line was told before: the rest of it is passed over. */
  #isTold: boolean;
  #wanted = true;

  constructor(
    readonly file: FileInfo,
    from: Place,
    readonly finder: RunFinder,
    readonly found: (match: Match) => Taken,
  ) {
    this.#at = from.offset;
    this.#from = from.offset;
    this.#compared = new Compared(from.offset);
    this.#lineAt = from.offset;
    this.#line = from.line;
    this.#isTold = from.told === true;
    finder.reset();
  }

  /** Takes the next bytes; false once no more matches are wanted. */
  take(piece: Uint8Array): boolean {
    for (const run of this.#compared.take(piece)) if (!this.#takes(run)) return false;
    return true;
  }

  #takes(run: Run): boolean {
    const { bytes, at, size } = run;
    // By index: iterators cost more than the search.
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0;
      this.#at = size === undefined ? at + index + 1 : at + size;
      if (byte === LINE_FEED) {
        this.#close();
        if (!this.#wanted) return false;
      } else if (this.#open) {
        if (this.#open.after.length < AFTER) this.#open.after.push(byte);
      } else if (!this.#isTold) {
        this.#ring[this.#inLine++ % BEFORE] = byte;
        const place = this.finder.ends(run, index);
        if (place) this.#begin(place.from);
      }
    }
    return true;
  }

  /** The end of the bytes, also of the file if `isWhole`; gives what has been looked through. */
  end(isWhole: boolean): Place {
    // What is held back is looked at by the next call, unless that would begin where this one did.
    const rest = this.#wanted && (isWhole || this.#at === this.#from) ? this.#compared.end() : [];
    for (const run of rest) if (!this.#takes(run)) break;
    const { begunAt } = this.finder;
    const told = this.#isTold || this.#open !== undefined;
    this.#tell();
    if (this.#again) return this.#again;
    // The beginning of a match is looked at again; it holds no end of a line.
    const again = told || this.#at >= this.file.size ? undefined : begunAt;
    return { offset: again ?? this.#at, line: this.#line, told };
  }

  #begin(offset: number): void {
    const { length } = this.finder;
    const shown = Math.min(this.#inLine, length + BEFORE_MATCH, BEFORE);
    const before = new Uint8Array(shown);
    for (let at = 0; at < shown; at++) before[at] = this.#ring[(this.#inLine - shown + at) % BEFORE] ?? 0;
    const match = { path: this.file.path, line: this.#line, offset };
    this.#open = { match, before, after: [] };
  }

  #tell(): void {
    if (this.#open === undefined) return;
    const { match, before, after } = this.#open;
    this.#open = undefined;
    const taken = this.found({ ...match, text: shownText(Uint8Array.of(...before, ...after)) });
    this.#wanted = taken === 'more';
    if (taken === 'not') this.#again = { offset: this.#lineAt, line: this.#line };
  }

  /** The end of a line. */
  #close(): void {
    this.#tell();
    this.#line++;
    this.#lineAt = this.#at;
    this.#isTold = false;
    this.#inLine = 0;
    this.finder.reset();
  }
}
