// The site of docs/. Its navigation is the list of docs/README.md, so that the place of a page is written once.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { docsSections } from '../../scripts/lib/site/pages.mjs';

const docs = fileURLToPath(new URL('../../docs', import.meta.url));

/** Where the repository is read in a browser (`https://…/blob/main`); without it, links to its sources are plain text. */
const SOURCES = process.env.OFFSHOOT_SOURCES;

const sidebar = docsSections(docs).map(({ title, pages }) => ({
  text: title,
  collapsed: false,
  items: pages.map(({ title: text, path }) => ({ text, link: `/${path}` })),
}));

/** Ids of headings as GitHub makes them, so that one link works in both. @param {string} text */
const slugify = (text) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/gu, '-');

/**
 * Leads links that leave docs/ to the sources, or makes them plain text.
 * @param {import('vitepress').MarkdownRenderer} md
 */
function sourceLinks(md) {
  md.core.ruler.push('offshoot-sources', ({ tokens, env }) => {
    const page = join(docs, env.relativePath);
    for (const { children } of tokens) {
      let open;
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null;
        if (href !== null && /^\.\.?\//.test(href)) {
          const target = resolve(dirname(page), href);
          if (target.startsWith(`${docs}/`)) continue;
          open = token;
          const path = target.slice(dirname(docs).length);
          if (SOURCES !== undefined) token.attrSet('href', `${SOURCES}${path}`);
        }
        if (open === undefined || SOURCES !== undefined) continue;
        if (token === open || token.type === 'link_close') {
          token.tag = 'span';
          token.attrs = null;
          if (token !== open) open = undefined;
        }
      }
    }
  });
}

export default defineConfig({
  title: 'Offshoot',
  description: 'Durable trees of AI agents on Cloudflare Durable Objects',
  base: process.env.OFFSHOOT_SITE_BASE ?? '/',
  srcDir: 'pages',
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: false,
  markdown: { anchor: { slugify }, config: sourceLinks },
  themeConfig: { search: { provider: 'local' }, sidebar, outline: 'deep' },
});
