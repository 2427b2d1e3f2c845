/** Pages of the documentation in the console. */
import { describe, expect, it } from 'vitest';
import { bodyOf, find, type Page, slugOf, targetOf } from '../../../src/console/docs/pages';

const page = (path: string, title: string, text: string): Page => ({
  section: 'Guides',
  title,
  path,
  text: `# ${title}\n\n${text}`,
});
const PAGES = [
  page('guides/deploy', 'Deploy', 'A key.\nPut the secret key there.'),
  page('guides/secure', 'Secure', 'Nothing about it.'),
  page('reference/keys', 'Secret keys', 'Keys of a server, which are secret.'),
];

describe('the documentation', () => {
  it('[CN115] is searched by all words, titles first, and shows the line that has most of them', () => {
    expect(find(PAGES, ' Secret KEY ').map(({ page, line }) => [page.path, line])).toEqual([
      ['reference/keys', 'Keys of a server, which are secret.'],
      ['guides/deploy', 'Put the secret key there.'],
    ]);
    expect(find(PAGES, 'secret missing')).toEqual([]);
    expect(find(PAGES, '  ')).toEqual([]);
  });

  it('[CN115] has links between its pages, and none to anything else', () => {
    const target = (href: string) => targetOf(PAGES, 'guides/deploy', href);
    expect(target('secure.md')).toBe('guides/secure');
    expect(target('../reference/keys.md#a-key')).toBe('reference/keys#a-key');
    expect(target('#the-console')).toBe('guides/deploy#the-console');
    expect(target('../README.md')).toBe('');
    for (const href of [
      'missing.md',
      '../../test/a.test.ts',
      'https://x.example/guides/secure.md',
      'javascript:alert(1)',
    ])
      expect(target(href)).toBeUndefined();
  });

  it('[CN115] has the ids of headings that its links name, and a page without its title', () => {
    expect(slugOf('How `main` is found, and by whom?')).toBe('how-main-is-found-and-by-whom');
    expect(bodyOf(page('a', 'A', 'Text\n# Not a title'))).toBe('Text\n# Not a title');
  });
});
