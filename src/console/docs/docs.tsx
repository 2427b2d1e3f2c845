/** The documentation: its list with a search, and one page. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useLocationProperty } from 'wouter/use-browser-location';
import { AT } from '../data/place';
import { InnerLinks, Markdown } from '../parts/markdown';
import { Trouble } from '../parts/trouble';
import { Waits } from '../parts/waits';
import { bodyOf, find, type Page, slugOf, targetOf } from './pages';

const hrefOf = (path: string): string => (path === '' ? `${AT}/docs` : `${AT}/docs/${path}`);

async function load(signal: AbortSignal): Promise<Page[]> {
  const answer = await fetch(`${AT}/docs.json`, { signal });
  if (!answer.ok) throw new Error('The documentation was not deployed with this Worker.');
  return answer.json();
}

function List({ pages }: { pages: readonly Page[] }) {
  const [search, setSearch] = useState('');
  const found = find(pages, search);
  return (
    <main className="page">
      <h1>Docs</h1>
      <input
        type="search"
        aria-label="Search the docs"
        placeholder="Search the docs"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {search.trim() === '' ? (
        [...Map.groupBy(pages, ({ section }) => section)].map(([section, own]) => (
          <section key={section}>
            <h2>{section}</h2>
            <ul>
              {own.map(({ path, title }) => (
                <li key={path}>
                  <Link href={hrefOf(path)}>{title}</Link>
                </li>
              ))}
            </ul>
          </section>
        ))
      ) : (
        <ul aria-label="Results">
          {found.map(({ page, line }) => (
            <li key={page.path}>
              <Link href={hrefOf(page.path)}>{page.title}</Link> <span className="muted">{line}</span>
            </li>
          ))}
        </ul>
      )}
      {search.trim() !== '' && found.length === 0 && <p className="muted">No results</p>}
    </main>
  );
}

/** Scrolls to the heading that the address names, else to the beginning. */
function showHeading(article: HTMLElement | null, hash: string): void {
  const headings = [...(article?.querySelectorAll('h3, h4, h5, h6') ?? [])];
  const shown = hash === '' ? article : headings.find(({ textContent }) => `#${slugOf(textContent ?? '')}` === hash);
  shown?.scrollIntoView();
}

function Article({ pages, page }: { pages: readonly Page[]; page: Page }) {
  const article = useRef<HTMLElement>(null);
  const hash = useLocationProperty(() => location.hash);
  useEffect(() => showHeading(article.current, hash), [hash]);
  const inner = (href: string) => {
    const target = targetOf(pages, page.path, href);
    return target === undefined ? undefined : hrefOf(target);
  };
  return (
    <main className="page" ref={article}>
      <p>
        <Link href={hrefOf('')}>All docs</Link> <span className="muted">{page.section}</span>
      </p>
      <h1>{page.title}</h1>
      <InnerLinks value={inner}>
        <Markdown text={bodyOf(page)} />
      </InnerLinks>
    </main>
  );
}

/** The page of a path; the list for any other. */
export function Docs({ path }: { path: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['docs'],
    queryFn: ({ signal }) => load(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Waits />;
  const page = data.find((each) => each.path === path);
  return page === undefined ? <List pages={data} /> : <Article key={page.path} pages={data} page={page} />;
}
