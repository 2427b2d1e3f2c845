/** The site of docs/: its order, and its links. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/lib/paths.mjs';
import { deadLinks } from '../../../scripts/lib/site/links.mjs';
import { docsSections } from '../../../scripts/lib/site/pages.mjs';
import { pagePaths } from '../../support/pages';

describe('the site', () => {
  it('[HS14] lists each page of docs/ once', () => {
    const listed = docsSections(join(root, 'docs')).flatMap(({ pages }) => pages.map(({ path }) => `docs/${path}.md`));
    const all = pagePaths().filter((path) => !path.endsWith('README.md'));
    expect(listed.sort()).toEqual(all.sort());
  });

  it('[HS14] names links to pages and headings that do not exist', () => {
    const page = (text: string) => ({ size: text.length, text });
    const links = [
      '../b.html',
      '../b.html#there',
      '#own',
      '/site/',
      'https://other.example/x',
      '../b.html#missing',
      '../c.html',
      '#none',
      '/b.html',
    ];
    const anchors = links.map((href) => `<a class="x" href="${href}">x</a>`).join('');
    const files = new Map([
      ['index.html', page('')],
      ['b.html', page('<h2 id="there"></h2>')],
      ['guides/a.html', page(`<h2 id="own"></h2>${anchors}`)],
    ]);
    const dead = ['../b.html#missing', '../c.html', '#none', '/b.html'];
    expect(deadLinks(files, '/site/')).toEqual(dead.map((href) => ({ page: 'guides/a.html', href })));
  });
});
