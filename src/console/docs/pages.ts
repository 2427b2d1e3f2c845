/** Pages of the documentation: how they are found, and where their links lead. */
import { beginningOf } from '../../protocol/content/cut';

/** One page. */
export interface Page {
  readonly section: string;
  readonly title: string;
  /** Its path from docs/, without `.md`. */
  readonly path: string;
  readonly text: string;
}

/** A page that holds all words of a search, and the line that shows it. */
export interface Found {
  readonly page: Page;
  readonly line: string;
}

/** Most characters of a line that a search shows. */
const MOST_SHOWN = 160;

/** Ids of headings as GitHub makes them, by which links name them. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/gu, '-');

/** The text of a page without its title. */
export const bodyOf = ({ text }: Page): string => text.replace(/^# .*\n+/u, '');

/** Pages with all words, those with the words in their title first. */
export function find(pages: readonly Page[], search: string): Found[] {
  const words = search.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return [];
  const hasAll = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const counted = (line: string) => words.filter((word) => line.toLowerCase().includes(word)).length;
  return pages
    .filter(({ text }) => hasAll(text))
    .map((page) => {
      const lines = bodyOf(page).split('\n');
      const most = Math.max(...lines.map(counted));
      return { page, line: beginningOf(lines.find((line) => counted(line) === most) ?? '', MOST_SHOWN) };
    })
    .sort((one, other) => Number(hasAll(other.page.title)) - Number(hasAll(one.page.title)));
}

/** The path, and the heading, of the page that a link of another page leads to; undefined for any other link. */
export function targetOf(pages: readonly Page[], from: string, href: string): string | undefined {
  if (URL.canParse(href)) return undefined;
  const { pathname, hash } = new URL(href, `http://docs.invalid/docs/${from}.md`);
  const path = /^\/docs\/(.+)\.md$/u.exec(pathname)?.[1];
  if (path === 'README') return '';
  return pages.some((page) => page.path === path) ? `${path}${hash}` : undefined;
}
