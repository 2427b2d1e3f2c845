/** The tabs of an agent: what each shows is asked for when it is opened. */
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import type { RunState } from '../../data/run';
import { classOf, countOf, countSays, type TabCounts } from '../../data/shown/tab-counts';
import { later } from '../../parts/later';
import { type RunPlace, TABS, type Tab } from '../place';
import { Transcript } from './transcript';

const { Part: Tables } = later(async () => (await import('./tables')).Tables, <p className="muted">Loading…</p>);

const SAYS: Readonly<Record<Tab, string>> = {
  transcript: 'Transcript',
  calls: 'Calls',
  logs: 'Logs',
  state: 'State',
  files: 'Files',
  checkpoints: 'Checkpoints',
  audit: 'Audit',
  limits: 'Limits',
  schedules: 'Schedules',
  events: 'Events',
};

/** The list of tabs. */
export function Tabs({ tab, counts, onTab }: { tab: Tab; counts: TabCounts; onTab: (tab: Tab) => void }) {
  const list = useRef<HTMLDivElement>(null);
  // Where they do not fit, the one that is shown is in sight, however it was come to.
  const widths = TABS.map((each) => countSays(counts, each)).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each tab, and again when counts make tabs wider
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab, widths]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length];
    if (next === undefined) return;
    onTab(next);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <div ref={list} className="tabs sideways" role="tablist" aria-label="Agent details" onKeyDown={onKeyDown}>
      {TABS.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={`tab-${each}`}
          data-tab={each}
          className={classOf(countOf(counts, each))}
          aria-selected={each === tab}
          aria-controls="tab-panel"
          tabIndex={each === tab ? 0 : -1}
          onClick={() => onTab(each)}
        >
          {SAYS[each]}
          {countOf(counts, each) !== undefined && <span className="tab-count"> {countSays(counts, each)}</span>}
        </button>
      ))}
    </div>
  );
}

/** Why what is older is not in the transcript's log. */
function edgeOf({ edge, cut }: RunState): string | undefined {
  if (edge !== undefined) return 'Older events were removed; above this line you see only the transcript.';
  return cut ? 'Older steps are not loaded; above this line you see only the transcript.' : undefined;
}

interface PanelProps {
  readonly address: string;
  readonly root: string;
  readonly run: RunState;
  readonly place: RunPlace;
  /** Changes with what the agent does. */
  readonly version: number;
}

/** What the tab shows. */
export function TabPanel({ address, root, run, place, version }: PanelProps) {
  const { tab } = place;
  const { detail } = run;
  return (
    <div className={`tab-panel ${tab}`} role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`}>
      {tab === 'transcript' ? (
        detail === undefined ? (
          <p className="muted">{run.loading ? 'Reloading…' : ''}</p>
        ) : (
          <Transcript
            {...{ agent: detail, connection: run.connection, edge: edgeOf(run) }}
            {...{ run: place.run, call: place.call, step: place.step }}
          />
        )
      ) : (
        <Tables {...{ tab, address, root, version, place }} />
      )}
    </div>
  );
}
