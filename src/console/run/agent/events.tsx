/** The chunks of an agent and of all below it as they are: in pages, the newest as they come, and all of them as a file. */
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { Document, SequencedChunk } from '../../../client';
import { server } from '../../data/session';
import { JsonView } from '../../parts/json';
import { Time } from '../../parts/time';
import { Trouble } from '../../parts/trouble';
import type { RunPlace } from '../place';
import { saveAs } from './call';

/** Chunks that are held on the page: the newest. */
const MOST = 2_000;
/** Chunks of one page of what was, and with which the newest begin. */
const PAGE = 200;
/** Between two looks of the page at what has come, in ms. */
const SHOWN_MS = 250;

/** All chunks as lines of JSON, read anew from the first one on. */
async function download(address: string, tell: (count: number) => void): Promise<void> {
  const parts: string[] = [];
  for await (const event of server().follow(address, { stay: true })) {
    if (event.type === 'chunk') {
      const { sequence, chunk } = event.entry;
      parts.push(`${JSON.stringify({ sequence, chunk })}\n`);
      if (parts.length % 1_000 === 0) tell(parts.length);
    } else if (event.type === 'up-to-date' || event.type === 'rest') break;
  }
  saveAs(`${address.slice(1).replaceAll('/', '_')}.ndjson`, parts, 'application/x-ndjson');
  tell(parts.length);
}

/** Where a page of the log is; without one it is what comes. */
type At = { readonly from: number } | { readonly before: number } | undefined;

/** The newest chunks and what comes; `older` is where the page before them ends. */
function useNewest(address: string, isShown: boolean): Shown {
  const [shown, setShown] = useState<Shown>({ items: [] });
  useEffect(() => {
    if (!isShown) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    const held: SequencedChunk[] = [];
    let older: number | undefined;
    const timer = setInterval(
      () => setShown((before) => (before.items.at(-1) === held.at(-1) ? before : { items: [...held], older })),
      SHOWN_MS,
    );
    const read = async () => {
      const page = await server().chunks(address, { before: Number.MAX_SAFE_INTEGER, limit: PAGE, signal });
      held.push(...page.items);
      older = page.previous;
      for await (const event of server().follow(address, { from: page.last + 1, stay: true, signal })) {
        if (event.type !== 'chunk') continue;
        held.push(event.entry);
        if (held.length <= MOST) continue;
        held.splice(0, held.length - MOST);
        older = held[0]?.sequence;
      }
    };
    // What ends it is said by the badge of the run.
    read().catch(() => undefined);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [address, isShown]);
  return shown;
}

/** Chunks in their order, and where those before and behind them are. */
interface Shown {
  readonly items: readonly SequencedChunk[];
  readonly older?: number | undefined;
  readonly newer?: number | undefined;
}

const pageOf = ({ items, previous, next }: Document<'chunks'>): Shown => ({
  items,
  older: previous,
  newer: next,
});

interface PagerProps {
  readonly shown: Shown;
  readonly isNewest: boolean;
  readonly onGo: (at: At) => void;
}

function Pager({ shown: { older, newer }, isNewest, onGo }: PagerProps) {
  return (
    <span className="row">
      <button
        type="button"
        disabled={older === undefined}
        title={older === undefined ? 'You are at the oldest event.' : undefined}
        onClick={() => older !== undefined && onGo({ before: older })}
      >
        Older
      </button>
      <button
        type="button"
        disabled={newer === undefined}
        title={newer === undefined ? 'You are at the newest event.' : undefined}
        onClick={() => newer !== undefined && onGo({ from: newer })}
      >
        Newer
      </button>
      <button
        type="button"
        disabled={isNewest}
        title={isNewest ? 'These are the newest events.' : undefined}
        onClick={() => onGo(undefined)}
      >
        Newest
      </button>
    </span>
  );
}

/** Which of the log are shown. */
const range = (chunks: readonly SequencedChunk[]): string =>
  chunks.length === 0 ? '' : `${chunks[0]?.sequence.toLocaleString()} to ${chunks.at(-1)?.sequence.toLocaleString()}`;

/** The tab. */
export function Events({ address, place }: { address: string; place: RunPlace }) {
  // An address that names an event opens at it.
  const [at, setAt] = useState<At>(place.seq === undefined ? undefined : { from: place.seq });
  const newest = useNewest(address, at === undefined);
  const page = useQuery({
    queryKey: ['chunks', address, at],
    queryFn: ({ signal }) => server().chunks(address, { ...at, limit: PAGE, signal }),
    enabled: at !== undefined,
  });
  const shown = at === undefined ? newest : page.data === undefined ? { items: [] } : pageOf(page.data);
  const chunks = shown.items;
  const [saved, setSaved] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const [opened, setOpened] = useState<number | undefined>(place.seq);
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: chunks.length,
    getScrollElement: () => box.current,
    estimateSize: () => 28,
    overscan: 10,
    getItemKey: (index) => chunks[index]?.sequence ?? index,
  });
  return (
    <>
      <p className="row">
        <button
          type="button"
          onClick={() => {
            setProblem(undefined);
            download(address, setSaved).catch((error: unknown) => setProblem(String(error)));
          }}
        >
          Download all events
        </button>
        <Pager shown={shown} isNewest={at === undefined} onGo={setAt} />
        <span role="status" className="muted">
          {problem ?? (saved === undefined ? range(chunks) : `${saved.toLocaleString()} events saved`)}
        </span>
      </p>
      {at !== undefined && page.error !== null && <Trouble error={page.error} onRetry={() => void page.refetch()} />}
      <div ref={box} className="events">
        <ul style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const entry = chunks[index];
            if (entry === undefined) return null;
            const { sequence, chunk } = entry;
            const isOpen = opened === sequence;
            return (
              <li
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                style={{ transform: `translateY(${start}px)` }}
              >
                <button
                  type="button"
                  className="event-line"
                  aria-expanded={isOpen}
                  onClick={() => setOpened(isOpen ? undefined : sequence)}
                >
                  <span className="muted">{sequence}</span> <Time at={chunk.timestamp} /> <b>{chunk.type}</b>{' '}
                  <span className="muted">{chunk.agentType}</span>
                </button>
                {isOpen && <JsonView value={JSON.parse(JSON.stringify(chunk))} />}
              </li>
            );
          })}
        </ul>
      </div>
    </>
  );
}
