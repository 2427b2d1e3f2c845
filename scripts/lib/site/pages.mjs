// The pages of docs/ in the order of docs/README.md, for the site and for the console.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @typedef {{ title: string, path: string }} DocsLink `path` from docs/, without `.md`
 * @param {string} docs the folder
 * @returns {{ title: string, pages: DocsLink[] }[]} the headings of docs/README.md, each with the pages below it
 */
export function docsSections(docs) {
  const [, ...sections] = readFileSync(join(docs, 'README.md'), 'utf8').split(/^## /m);
  return sections.map((section) => ({
    title: section.split('\n', 1)[0] ?? '',
    pages: [...section.matchAll(/\[([^\]]+)\]\(([^)#]+)\.md\)/g)].map(([, title = '', path = '']) => ({ title, path })),
  }));
}

/**
 * Writes all pages into one file of the console.
 * @param {string} docs @param {string} file
 */
export function writeDocs(docs, file) {
  const pages = docsSections(docs).flatMap(({ title, pages }) =>
    pages.map((page) => ({ section: title, ...page, text: readFileSync(join(docs, `${page.path}.md`), 'utf8') })),
  );
  writeFileSync(file, JSON.stringify(pages));
}
