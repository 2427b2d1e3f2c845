/**
 * Writing, editing and deleting: `workspace_write_file`, `workspace_edit_file`, `workspace_delete_file`. Each is done
 * once for its call, over the version that it names or has read: what others changed meanwhile is never written over.
 *
 * Decides: when a change is refused because another came before it, and what its model is told of that.
 * Keeps WS2, WS5, WS6, WS7.
 */
import type { WorkspaceArguments } from '../../core/agent/built-in/workspace';
import type { FileInfo } from '../../core/ports/file-store';
import type { WorkFiles } from '../../core/ports/work-files';
import { OffshootError } from '../../protocol/errors';
import type { JsonObject } from '../../protocol/json';
import { bytesOfBase64, bytesOfText, factsOf, LINE_FEED, piecesOf, versionOf } from './bytes';
import { Finder } from './finder';
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
  const body = encoding === 'base64' ? bytesOfBase64(content) : bytesOfText(content);
  const ifMatch = replaced(path, await files.stat(path), version);
  const written = await files.write(path, body, {
    key,
    ifMatch,
    size: body.length,
    ...(mediaType === undefined ? typeOf(encoding) : { mediaType }),
  });
  return factsOf(written);
}

const typeOf = (encoding: 'text' | 'base64') => (encoding === 'text' ? { mediaType: 'text/plain; charset=utf-8' } : {});

/** What is to be replaced: nothing, or the version that was named. @throws `superseded` where that is not what is there */
function replaced(path: string, file: FileInfo | undefined, version: string | undefined): string | null {
  if (file === undefined) {
    if (version === undefined) return null;
    throw new OffshootError('superseded', `The file ${path} was deleted. Leave out \`version\` to write it anew.`);
  }
  if (version === undefined)
    throw new OffshootError(
      'superseded',
      `There is a file ${file.path} already, with ${file.size} bytes. Read it, and give its \`version\` to replace it; or choose another path.`,
    );
  return sameVersion(file, version);
}

/** The whole of a version that was named. @throws `superseded` where the file has another one */
function sameVersion(file: FileInfo, version: string): string {
  if (file.etag.startsWith(version)) return file.etag;
  throw new OffshootError(
    'superseded',
    `The file ${file.path} has changed: you name version ${version}, and it is now ${versionOf(file)}. Read it again, and change what is there now.`,
  );
}

/** Deletes the version that was named. */
export async function deleteFile(
  { path, version }: WorkspaceArguments<'workspace_delete_file'>,
  { files, key }: Work,
): Promise<JsonObject> {
  if ((await files.done(key)) === undefined) {
    const file = await files.stat(path);
    if (file === undefined) throw new OffshootError('not_found', `There is no file ${path}.`);
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
  const [old, made] = [bytesOfText(wanted.oldText), bytesOfText(wanted.newText)];
  for (let tries = 1; ; tries++) {
    const { file, body } = await files.open(wanted.path);
    if (wanted.version !== undefined) await keepOrCancel(body, () => sameVersion(file, wanted.version ?? ''));
    const at = await onlyPlace(file, body, old, work.signal);
    try {
      const edited = new Splice(files, file, at, old.length, made).stream();
      const size = file.size - old.length + made.length;
      return factsOf(
        await files.write(file.path, edited, { key, ifMatch: file.etag, size, mediaType: file.mediaType }),
      );
    } catch (error) {
      if (!(error instanceof OffshootError && error.code === 'superseded') || tries === EDIT_TRIES) throw error;
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

/** Where a text stands in a file, in bytes. @throws `invalid_arguments` where it does not, or more than once */
async function onlyPlace(
  { path }: FileInfo,
  body: ReadableStream<Uint8Array>,
  text: Uint8Array,
  signal: AbortSignal,
): Promise<number> {
  const finder = new Finder(text);
  const lines: number[] = [];
  let [count, first, at, line] = [0, 0, 0, 1];
  // A text of several lines is told by the line that it begins on.
  const inside = text.filter((byte) => byte === LINE_FEED).length;
  for await (const piece of piecesOf(body, signal)) {
    // By index: iterators cost more than the search.
    for (let index = 0; index < piece.length; index++) {
      const byte = piece[index] ?? 0;
      at++;
      if (byte === LINE_FEED) line++;
      if (!finder.ends(byte)) continue;
      count++;
      if (count === 1) first = at - text.length;
      if (lines.length < PLACES_TOLD) lines.push(line - inside);
    }
  }
  if (count === 1) return first;
  const why =
    count === 0
      ? 'It must be exactly what the file holds, with its blanks and line ends: read the part again.'
      : `It stands there ${count} times (lines ${lines.join(', ')}${count > lines.length ? ', …' : ''}): give more of the text around the one that you mean.`;
  throw new OffshootError('invalid_arguments', `\`oldText\` does not stand in ${path} exactly once. ${why}`);
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
      throw new OffshootError('superseded', `The file ${path} has changed meanwhile.`);
    }
    yield* piecesOf(body);
  }
}
