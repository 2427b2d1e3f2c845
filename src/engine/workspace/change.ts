/**
 * Writing, editing and deleting: `workspace_write_file`, `workspace_edit_file`, `workspace_delete_file`. Each is done
 * once for its call, over the version that it names or has read: what others changed meanwhile is never written over.
 *
 * Decides: when a change is refused because another came before it, and what its model is told of that.
 * Keeps WS2, WS5, WS6, WS7, WS21, WS22.
 */
import type { WorkspaceArguments } from '../../core/agent/built-in/workspace';
import type { FileInfo } from '../../core/ports/file-store';
import type { WorkFiles } from '../../core/ports/work-files';
import { isBinary } from '../../protocol/content/file-bytes';
import { OffshootError } from '../../protocol/errors';
import type { JsonObject } from '../../protocol/json';
import {
  allOf,
  BYTE_ORDER_MARK,
  bytesOfBase64,
  bytesOfText,
  factsOf,
  LINE_FEED,
  noFile,
  opened,
  piecesOf,
  shownText,
  versionOf,
} from './bytes';
import { Compared, comparedText, type Run } from './compared';
import { Finder, type Place, RunFinder } from './finder';
import { lineEndOf, rewritten } from './line-ends';
import type { Work } from './work';

/** An edit that others came before is tried on what they made of the file, so often. */
const EDIT_TRIES = 5;

/** So many places are named where a text stands more than once. */
const PLACES_TOLD = 10;

/** Writes a file, or replaces the version that was named. */
export async function writeFile(
  { path, content, encoding, mediaType, version }: WorkspaceArguments<'workspace_write_file'>,
  { files, key }: Work,
): Promise<JsonObject> {
  const before = await files.done(key);
  if (before?.file) return factsOf(before.file);
  const old = await files.stat(path);
  const ifMatch = replaced(path, old, version);
  const body =
    encoding === 'base64' ? bytesOfBase64(content) : bytesOfText(old ? await like(old, content, files) : content);
  const written = await files.write(path, body, {
    key,
    ifMatch,
    size: body.length,
    ...(mediaType === undefined ? typeOf(encoding) : { mediaType }),
  });
  return factsOf(written);
}

/** So much of a file is looked at for its mark and its line ends. */
const BEGINNING = 65_536;

/** A text that replaces a file, with the mark and the line ends of that: a reader is not shown them, so none were meant. */
async function like({ path, size }: FileInfo, content: string, files: WorkFiles): Promise<string> {
  const { body } = await files.open(path, { length: Math.min(size, BEGINNING) });
  const bytes = await allOf(body);
  if (isBinary(bytes)) return content;
  const old = shownText(bytes);
  const ended = lineEndOf(old);
  const text = ended === undefined || content.includes('\r') ? content : content.replaceAll('\n', ended);
  return BYTE_ORDER_MARK.test(old) && !BYTE_ORDER_MARK.test(text) ? `\ufeff${text}` : text;
}

const typeOf = (encoding: 'text' | 'base64') => (encoding === 'text' ? { mediaType: 'text/plain; charset=utf-8' } : {});

/** What is to be replaced: nothing, or the version that was named. @throws `file_changed` where that is not what is there */
function replaced(path: string, file: FileInfo | undefined, version: string | undefined): string | null {
  if (file === undefined) {
    if (version === undefined) return null;
    throw new OffshootError('file_changed', `The file ${path} was deleted. Leave out \`version\` to write it again.`);
  }
  if (version === undefined)
    throw new OffshootError(
      'file_changed',
      `The file ${file.path} already exists, with ${file.size} bytes. Read it, and give its \`version\` to replace it; or choose another path.`,
    );
  return sameVersion(file, version);
}

/** The whole of a version that was named. @throws `file_changed` where the file has another one */
function sameVersion(file: FileInfo, version: string): string {
  if (file.etag.startsWith(version)) return file.etag;
  throw new OffshootError(
    'file_changed',
    `The file ${file.path} has changed: you named version ${version}, and it is now ${versionOf(file)}. Read it again, and change the current content.`,
  );
}

/** Deletes the version that was named. */
export async function deleteFile(
  { path, version }: WorkspaceArguments<'workspace_delete_file'>,
  { files, key }: Work,
): Promise<JsonObject> {
  if ((await files.done(key)) === undefined) {
    const file = await files.stat(path);
    if (file === undefined) throw noFile(path);
    await files.remove(path, { key, ifMatch: sameVersion(file, version) });
  }
  return { deleted: true };
}

type EditArguments = WorkspaceArguments<'workspace_edit_file'>;

/** Replaces a text that stands in a file once. */
export async function editFile(wanted: EditArguments, work: Work): Promise<JsonObject> {
  const { files, key } = work;
  const before = await files.done(key);
  if (before?.file) return factsOf(before.file);
  const [oldText, newText] = withoutMark(wanted);
  bytesOfText(newText);
  for (let tries = 1; ; tries++) {
    const { file, body } = await opened(files, wanted.path);
    if (wanted.version !== undefined) await keepOrCancel(body, () => sameVersion(file, wanted.version ?? ''));
    const { place, lineEnd } = await onlyPlace(file, body, oldText, work.signal);
    try {
      const length = place.to - place.from;
      const present = await textAt(files, file, place);
      const made = bytesOfText(rewritten({ present, oldText, newText, lineEnd }));
      const edited = new Splice(files, file, place.from, length, made).stream();
      const size = file.size - length + made.length;
      return factsOf(
        await files.write(file.path, edited, { key, ifMatch: file.etag, size, mediaType: file.mediaType }),
      );
    } catch (error) {
      if (!(error instanceof OffshootError && error.code === 'file_changed') || tries === EDIT_TRIES) throw error;
    }
  }
}

async function keepOrCancel(body: ReadableStream<Uint8Array>, check: () => void): Promise<void> {
  try {
    check();
  } catch (error) {
    await body.cancel();
    throw error;
  }
}

/** The texts without the mark at the beginning of a file: it is kept, and not shown. */
function withoutMark({ oldText, newText }: EditArguments): readonly [oldText: string, newText: string] {
  const bare = oldText.replace(BYTE_ORDER_MARK, '');
  return bare === oldText || bare === '' ? [oldText, newText] : [bare, newText.replace(BYTE_ORDER_MARK, '')];
}

/** The text at a place, of that version. */
async function textAt(files: WorkFiles, file: FileInfo, { from, to }: Place): Promise<string> {
  const now = await files.open(file.path, { offset: Math.min(from, file.size), length: to - from });
  if (now.file.etag === file.etag) return shownText(await allOf(now.body));
  await now.body.cancel();
  throw new OffshootError('file_changed', `The file ${file.path} has changed since it was read.`);
}

/** Where a text was found, and the line end that is nearest to it. */
interface Found {
  readonly place: Place;
  readonly lineEnd: string | undefined;
}

/** Where a text stands in a file. @throws `invalid_arguments` where it does not, or more than once */
async function onlyPlace(
  { path }: FileInfo,
  body: ReadableStream<Uint8Array>,
  text: string,
  signal: AbortSignal,
): Promise<Found> {
  const places = new Places(text);
  const compared = new Compared();
  let [first, noText] = [true, false];
  for await (const piece of piecesOf(body, signal)) {
    noText ||= first && isBinary(piece);
    first = false;
    places.bytes(piece);
    for (const run of compared.take(piece)) places.run(run);
  }
  for (const run of compared.end()) places.run(run);
  return places.only ?? places.refuse(path, noText);
}

/** The places of a text: in the form in which texts are compared, and byte for byte. */
class Places {
  readonly #finder: RunFinder;
  readonly #exact: Finder;
  readonly #lines: number[] = [];
  /** A text of several lines is told by the line that it begins on. */
  readonly #inside: number;
  #count = 0;
  #line = 1;
  #place: Place | undefined;
  #exactCount = 0;
  #exactEnd = 0;
  #at = 0;
  /** The line end before the end of the place, or else the first one behind it; never a lone CR. */
  #lineEnd: string | undefined;
  #hasLoneCr = false;
  /** A text that ends with half of a line end. */
  readonly #isCut: boolean;

  constructor(text: string) {
    const form = comparedText(text);
    this.#finder = new RunFinder(bytesOfText(form));
    this.#exact = new Finder(bytesOfText(text));
    this.#inside = form.split('\n').length - 1;
    this.#isCut = text.endsWith('\r');
  }

  bytes(piece: Uint8Array): void {
    // By index: iterators cost more than the search.
    for (let index = 0; index < piece.length; index++) {
      this.#at++;
      if (!this.#exact.ends(piece[index] ?? 0)) continue;
      this.#exactCount++;
      this.#exactEnd = this.#at;
    }
  }

  run(run: Run): void {
    const { bytes } = run;
    for (let index = 0; index < bytes.length; index++) {
      if (bytes[index] === LINE_FEED) this.#endLine(run);
      const place = this.#finder.ends(run, index);
      if (!place?.whole) continue;
      this.#count++;
      this.#place ??= place;
      if (this.#lines.length < PLACES_TOLD) this.#lines.push(this.#line - this.#inside);
    }
  }

  #endLine({ size }: Run): void {
    this.#line++;
    if (size === 1) this.#hasLoneCr = true;
    else if (this.#place === undefined || this.#lineEnd === undefined) this.#lineEnd = size === 2 ? '\r\n' : '\n';
  }

  /** The only place; one that is so byte for byte alone counts as well. */
  get only(): Found | undefined {
    const lineEnd = this.#lineEnd ?? (this.#hasLoneCr ? '\r' : undefined);
    const place = this.#place;
    if (this.#count === 1 && place) {
      const isHalf = this.#isCut && place.to - place.from !== this.#exact.length;
      return isHalf ? undefined : { place, lineEnd };
    }
    // A letter without its marks is none of the letters that are compared.
    if (this.#exactCount !== 1 || this.#count === 0) return undefined;
    const to = this.#exactEnd;
    return { place: { from: to - this.#exact.length, to, whole: true }, lineEnd };
  }

  refuse(path: string, noText: boolean): never {
    const [count, lines] = [this.#count, this.#lines];
    const why = noText
      ? 'The file is not UTF-8 text: read it as base64, and write it as a whole.'
      : count === 0
        ? 'It must match the file exactly, blanks included: read that part again.'
        : `It occurs ${count} times (lines ${lines.join(', ')}${count > lines.length ? ', …' : ''}): include more of the text around the right one.`;
    throw new OffshootError('invalid_arguments', `\`oldText\` does not occur in ${path} exactly once. ${why}`);
  }
}

/** One version of a file with some of its bytes replaced, as a stream: a part of it in memory at a time. */
class Splice {
  constructor(
    readonly files: WorkFiles,
    readonly file: FileInfo,
    readonly at: number,
    readonly length: number,
    readonly bytes: Uint8Array,
  ) {}

  stream(): ReadableStream<Uint8Array> {
    const pieces = this.#pieces();
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await pieces.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        async cancel() {
          await pieces.return();
        },
      },
      { highWaterMark: 0 },
    );
  }

  async *#pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* this.#part(0, this.at);
    if (this.bytes.length > 0) yield this.bytes;
    yield* this.#part(this.at + this.length, this.file.size);
  }

  async *#part(from: number, to: number): AsyncGenerator<Uint8Array, void, undefined> {
    if (from === to) return;
    const { path, etag } = this.file;
    const { file, body } = await this.files.open(path, { offset: Math.min(from, to), length: to - from });
    if (file.etag !== etag) {
      await body.cancel();
      throw new OffshootError('file_changed', `The file ${path} has changed since it was read.`);
    }
    yield* piecesOf(body);
  }
}
