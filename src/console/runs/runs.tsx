/** Runs: find one of many. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Document } from '../../client';
import { useRoots } from '../data/lists';
import { pathOf } from '../data/place';
import { useRowHeight } from '../data/preferences';
import { Glyph } from '../parts/status';
import { Time } from '../parts/time';
import { Trouble } from '../parts/trouble';
import { said } from '../parts/words';

type Root = Document<'root'>;

/** Rows of roots, of which only those on screen are there. */
export function RootRows({ roots }: { roots: readonly Root[] }) {
  const box = useRef<HTMLDivElement>(null);
  const height = useRowHeight();
  const rows = useVirtualizer({
    count: roots.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 12,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another density has another height
  useEffect(() => rows.measure(), [height]);
  return (
    <div ref={box} className="root-rows">
      <ul style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const root = roots[index];
          if (root === undefined) return null;
          return (
            <li key={root.address} style={{ transform: `translateY(${start}px)`, height }}>
              <Link href={pathOf(root.address)} className="root-row">
                <Glyph status={root.status} />
                <span className="title">{root.displayName ?? root.name}</span>
                <span className="muted">{said(root.status).says}</span>
                <span className="muted">
                  <Time at={root.lastActivity} />
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The view. */
export function Runs() {
  const roots = useRoots();
  const [word, setWord] = useState(new URLSearchParams(location.search).get('q') ?? '');
  const fits = ({ displayName = '', name, agentType, status, tags }: Root) =>
    `${displayName} ${name} ${agentType} ${status} ${tags.join(' ')}`.toLowerCase().includes(word.toLowerCase());
  const items = (roots.data?.items ?? []).filter(fits);
  const find = (text: string) => {
    setWord(text);
    history.replaceState(null, '', text === '' ? location.pathname : `?q=${encodeURIComponent(text)}`);
  };
  return (
    <main className="page">
      <h1>Runs</h1>
      <input
        type="search"
        aria-label="Find a run"
        placeholder="Find"
        value={word}
        onChange={(e) => find(e.target.value)}
      />
      {roots.error !== null && <Trouble error={roots.error} />}
      {roots.data !== undefined && items.length === 0 && <p className="muted">No run is called so.</p>}
      {roots.data?.cursor !== undefined && <p className="muted">The newest {roots.data.items.length} are searched.</p>}
      <RootRows roots={items} />
    </main>
  );
}
