/** The files of an agent, as its tools see them. */
import type { ToolFileRange, ToolFiles } from '../core/definition/tool-context';
import type { FileInfo, FileStore } from '../core/ports/file-store';
import { OffshootError } from '../protocol/errors';

/** The tools' view of a file store. `mostNow` says how many bytes of a file may be read at once. */
export function toolFiles(store: FileStore, mostNow: () => number): ToolFiles {
  /** Bytes that fit into memory: refused before any of them is read. */
  async function whole(path: string, range?: ToolFileRange): Promise<Response> {
    const { length, body } = await store.open(path, range);
    const most = mostNow();
    if (length <= most) return new Response(body);
    await body.cancel();
    throw new OffshootError(
      'payload_too_large',
      `${path}: ${length} bytes were asked for, and at most ${most} are read at once. Give a range, or use \`stream\`.`,
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
      return found;
    },
    stat: (path) => store.stat(path),
    async read(path, range) {
      return new Uint8Array(await (await whole(path, range)).arrayBuffer());
    },
    async readText(path, range) {
      return (await whole(path, range)).text();
    },
    stream: (path, range) => store.read(path, range),
    async write(path, content, options) {
      await store.write(path, content, options);
    },
    async remove(path) {
      await store.remove(path);
    },
  };
}
