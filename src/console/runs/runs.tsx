/** Runs: find one of many. What is asked for stands in the page's address. */
import { useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useAgents, useRoots } from '../data/lists';
import { Popover } from '../parts/popover';
import { Trouble } from '../parts/trouble';
import { Waits } from '../parts/waits';
import { KNOWN_STATUSES, said } from '../parts/words';
import { RootRows } from './rows';

/** How long one writes before what was written is looked for, in ms. */
const WRITTEN_MS = 250;

type Name = 'q' | 'status' | 'agent' | 'tag' | 'sort';

/** What is asked for, and how it changes: the address with it. */
function useAsked() {
  const search = useSearch();
  const [path, go] = useLocation();
  const query = new URLSearchParams(search);
  const of = (name: Name) => query.get(name) ?? '';
  const set = (name: Name, value: string) => {
    // As it is by then: what was written a moment ago is looked for after other choices.
    const next = new URLSearchParams(location.search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    go(next.size === 0 ? path : `${path}?${next}`, { replace: true });
  };
  return { of, set };
}

function Find({ given, onFind }: { given: string; onFind: (text: string) => void }) {
  const [text, setText] = useState(given);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is written is looked for, once it stands
  useEffect(() => {
    if (text === given) return undefined;
    const timer = setTimeout(() => onFind(text), WRITTEN_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label="Find a run"
      placeholder="Find by name, question or tag"
      value={text}
      maxLength={200}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

function Statuses({ chosen, onChange }: { chosen: readonly string[]; onChange: (chosen: readonly string[]) => void }) {
  const names = chosen.map((status) => said(status).says).join(', ');
  return (
    <Popover className="statuses" says={names || 'Any status'}>
      <div className="choices">
        {KNOWN_STATUSES.map((status) => (
          <label key={status}>
            <input
              type="checkbox"
              checked={chosen.includes(status)}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, status] : chosen.filter((each) => each !== status))
              }
            />
            {said(status).says}
          </label>
        ))}
      </div>
    </Popover>
  );
}

/** The view. */
export function Runs() {
  const agents = useAgents();
  const { of, set } = useAsked();
  const [q, status, agent, tag, sort] = [of('q'), of('status'), of('agent'), of('tag'), of('sort')];
  const roots = useRoots({ q, status, agent, tag, sort: sort === 'createdAt' ? sort : 'lastActivity' });
  const items = roots.data?.pages.flatMap((page) => page.items);
  const isAll = `${q}${status}${agent}${tag}` === '';
  return (
    <main className="page">
      <h1>Runs</h1>
      <div className="filters runs-filters">
        <Find given={q} onFind={(text) => set('q', text)} />
        <Statuses
          chosen={status === '' ? [] : status.split(',')}
          onChange={(chosen) => set('status', chosen.join(','))}
        />
        <select aria-label="Agent" value={agent} onChange={(event) => set('agent', event.target.value)}>
          <option value="">Any agent</option>
          {(agents.data?.items ?? [])
            .filter(({ root }) => root)
            .map(({ addressClass, agentType }) => (
              <option key={addressClass} value={addressClass}>
                {agentType}
              </option>
            ))}
        </select>
        <select aria-label="Sort by" value={sort} onChange={(event) => set('sort', event.target.value)}>
          <option value="">Last active first</option>
          <option value="createdAt">Newest first</option>
        </select>
        {tag !== '' && (
          <button type="button" onClick={() => set('tag', '')}>
            Tag {tag} ×
          </button>
        )}
      </div>
      {roots.error !== null && <Trouble error={roots.error} onRetry={() => void roots.refetch()} />}
      {items === undefined && roots.error === null && <Waits />}
      {items?.length === 0 && (
        <p className="muted">{isAll ? 'No runs yet. Ask a question on Home.' : 'No matching runs'}</p>
      )}
      {items !== undefined && items.length > 0 && (
        <RootRows roots={items} onEnd={roots.hasNextPage ? () => void roots.fetchNextPage() : undefined} />
      )}
    </main>
  );
}
