/** What is looked for among the agents, and the filters that are looked for most. */
import { presetsOf } from '../../data/tree/filter';
import type { Row } from '../../data/tree/outline';

interface FilterProps {
  readonly rows: readonly Row[];
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

/** The bar. */
export function FilterBar({ rows, filter, onFilter }: FilterProps) {
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
      {presetsOf(rows).map(({ says, text, count }) => (
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
