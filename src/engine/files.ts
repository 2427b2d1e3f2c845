/** The files of an agent, as its tools see them. */
import type { ToolFiles } from '../core/definition';
import type { FileInfo, FileStore } from '../store/files';

/** The tools' view of a file store. */
export function toolFiles(store: FileStore): ToolFiles {
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
    async readText(path) {
      return new Response(await store.read(path)).text();
    },
    async write(path, content, options) {
      await store.write(path, content, options);
    },
    async remove(path) {
      await store.remove(path);
    },
  };
}
