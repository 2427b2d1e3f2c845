/**
 * The files of an agent, as its tools see them. Only how much is read at once is decided here: whose files they are in
 * `work-files.ts`, versions, room and sizes in `store/files.ts`.
 *
 * Keeps FS28, FS45.
 */
import type { ToolFileInfo, ToolFileRange, ToolFiles } from '../../core/definition/tool-context';
import type { FileInfo } from '../../core/ports/file-store';
import type { WorkFiles } from '../../core/ports/work-files';
import { OffshootError } from '../../protocol/errors';
import { versionOf } from '../workspace/bytes';

/** The tools' view of the files that an agent works on. `mostNow` says how many bytes of one may be read at once. */
export function toolFiles(store: Omit<WorkFiles, 'done'>, mostNow: () => number): ToolFiles {
  /** Bytes that fit into memory: refused before any of them is read. */
  async function whole(path: string, range?: ToolFileRange): Promise<Response> {
    const { length, body } = await store.open(path, range);
    const most = mostNow();
    if (length <= most) return new Response(body);
    await body.cancel();
    throw new OffshootError(
      'payload_too_large',
      `${path}: ${length} bytes were requested, but at most ${most} can be read at once. Give a range, or use \`stream\`.`,
    );
  }
  return {
    async list(prefix) {
      const found: FileInfo[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list({
          limit: 500,
          ...(prefix === undefined ? {} : { prefix }),
          ...(cursor === undefined ? {} : { cursor }),
        });
        found.push(...page.items);
        cursor = page.cursor;
      } while (cursor !== undefined);
      return found.map(shown);
    },
    async stat(path) {
      const found = await store.stat(path);
      return found && shown(found);
    },
    async read(path, range) {
      return new Uint8Array(await (await whole(path, range)).arrayBuffer());
    },
    async readText(path, range) {
      return (await whole(path, range)).text();
    },
    stream: async (path, range) => (await store.open(path, range)).body,
    async write(path, content, given = {}) {
      checkOptions('write', given, ['mediaType', 'ifVersion', 'size']);
      const { ifVersion, ...options } = given;
      return shown(
        await store.write(path, content, { ...options, ...(ifVersion === undefined ? {} : { ifMatch: ifVersion }) }),
      );
    },
    async remove(path, given = {}) {
      checkOptions('remove', given, ['ifVersion']);
      const { ifVersion } = given;
      await store.remove(path, ifVersion === undefined ? {} : { ifMatch: ifVersion });
    },
  };
}

/** Refuses an option that does nothing here: a version that is not looked at protects no file (CL11). */
function checkOptions(what: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const available = known.map((name) => `\`${name}\``).join(', ');
  throw new OffshootError(
    'invalid_input',
    `context.files.${what} has no option \`${unknown[0]}\`. Available options: ${available}.`,
  );
}

/** A file as a tool sees it, with the version that the model reads. */
function shown({ etag, ...file }: FileInfo): ToolFileInfo {
  return { ...file, version: versionOf({ etag }) };
}
