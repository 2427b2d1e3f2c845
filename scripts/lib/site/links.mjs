// Links of the built site that lead nowhere. The generator looks for pages only; this looks for headings too.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {{ size: number, text?: string }} BuiltFile `text` of pages alone
 * @param {string} folder
 * @returns {Map<string, BuiltFile>} by their paths from the folder
 */
export function builtFiles(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  return new Map(
    paths.map((path) => {
      const { size } = statSync(join(folder, path));
      const own = path.replaceAll('\\', '/');
      return [own, path.endsWith('.html') ? { size, text: readFileSync(join(folder, path), 'utf8') } : { size }];
    }),
  );
}

/**
 * @param {ReadonlyMap<string, BuiltFile>} files
 * @param {string} base the path of the site
 * @returns {{ page: string, href: string }[]}
 */
export function deadLinks(files, base) {
  const ids = new Map(
    [...files].map(([path, { text = '' }]) => [
      path,
      new Set([...text.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id)),
    ]),
  );
  return [...files].flatMap(([page, { text = '' }]) => {
    const hrefs = new Set([...text.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/g)].map(([, href = '']) => href));
    const isDead = (/** @type {string} */ href) => {
      const { origin, pathname, hash } = new URL(href.replaceAll('&amp;', '&'), `http://site.invalid${base}${page}`);
      if (origin !== 'http://site.invalid') return false;
      const path = decodeURIComponent(pathname);
      if (!path.startsWith(base)) return true;
      const own = path.slice(base.length);
      const target = ids.get(own === '' || own.endsWith('/') ? `${own}index.html` : own);
      return target === undefined || (hash !== '' && !target.has(decodeURIComponent(hash.slice(1))));
    };
    return [...hrefs].filter(isDead).map((href) => ({ page, href }));
  });
}
