// Files in each folder of the project.
import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '../paths.mjs';
import { GENERATED } from '../source.mjs';

/** The most files that a folder may have. */
export const MAX_FILES = 20;

/**
 * All files below some folders of the project, without generated ones. A folder that is missing has none.
 * @param {string[]} folders
 * @returns {string[]} their paths, in order
 */
export function filesBelow(folders) {
  const paths = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) =>
          join(entry.parentPath, entry.name)
            .slice(root.length + 1)
            .replaceAll('\\', '/'),
        ),
    );
  return paths.filter((path) => !GENERATED.has(path) && !/(^|\/)(node_modules|\.[^/]+)\//.test(path)).sort();
}

/** The pages that promise: SPEC.md, and RULES.md of each capability. */
export function promisePages() {
  return ['design/SPEC.md', ...filesBelow(['src']).filter((path) => path.endsWith('/RULES.md'))];
}

/**
 * The folders with more files than a folder may have, largest first.
 * @param {string[]} paths of files
 */
export function crowdedFolders(paths) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const path of paths) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const folders = [...counts].map(([folder, files]) => ({ folder, files })).sort((a, b) => b.files - a.files);
  const over = folders.filter(({ files }) => files > MAX_FILES);
  return {
    over,
    largest: folders[0]?.files ?? 0,
    /** Files that have to leave such folders. */
    beyond: over.reduce((sum, { files }) => sum + files - MAX_FILES, 0),
  };
}
