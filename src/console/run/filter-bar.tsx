/** What is looked for among the agents, and the filters that are looked for most. */
import { isEnded } from '../../client';
import type { Row } from '../data/outline';

interface FilterProps {
  readonly rows: readonly Row[];
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

/** The bar. */
export function FilterBar({ rows, filter, onFilter }: FilterProps) {
  const waiting = rows.filter((row) => row.waiting > 0 && !isEnded(row.status)).length;
  const failed = rows.filter(({ status }) => status === 'failed').length;
  const interrupted = rows.filter(({ status }) => status === 'interrupted').length;
  const presets = [
    { says: 'All', text: '', count: rows.length },
    { says: 'Waiting', text: 'is:waiting', count: waiting },
    { says: 'Failed', text: 'has:error', count: failed },
    { says: 'Interrupted', text: 'is:interrupted', count: interrupted },
  ];
  return (
    <div className="filter-bar" role="search">
      <input
        type="search"
        aria-label="Filter agents"
        placeholder="/ filter: words, status: type: tool: is:waiting has:error"
        value={filter}
        onChange={(event) => onFilter(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onFilter('');
          event.currentTarget.blur();
        }}
      />
      {presets.map(({ says, text, count }) => (
        <button
          key={says}
          type="button"
          className="preset"
          aria-pressed={filter === text}
          disabled={count === 0 && text !== '' && filter !== text}
          onClick={() => onFilter(text)}
        >
          {says} <span className="muted">{count}</span>
        </button>
      ))}
    </div>
  );
}
