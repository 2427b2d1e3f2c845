/** The chunks of an agent and of all below it as they are: the newest on the page, all of them as a file. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { SequencedChunk } from '../../client';
import { server } from '../data/session';
import { JsonView } from '../parts/json';
import { Time } from '../parts/time';
import { saveAs } from './call';
import type { RunPlace } from './place';

/** Chunks that are held on the page: the newest. */
const MOST = 2_000;
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

function useChunks(address: string): readonly SequencedChunk[] {
  const [shown, setShown] = useState<readonly SequencedChunk[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    const held: SequencedChunk[] = [];
    const timer = setInterval(
      () => setShown((before) => (before.at(-1) === held.at(-1) ? before : [...held])),
      SHOWN_MS,
    );
    const read = async () => {
      for await (const event of server().follow(address, { stay: true, signal: stop.signal })) {
        if (event.type !== 'chunk') continue;
        held.push(event.entry);
        if (held.length > MOST) held.splice(0, held.length - MOST);
      }
    };
    // What ends it is said by the badge of the run.
    read().catch(() => undefined);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [address]);
  return shown;
}

/** The tab. */
export function Events({ address, place }: { address: string; place: RunPlace }) {
  const chunks = useChunks(address);
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
        <span role="status" className="muted">
          {problem ??
            (saved === undefined
              ? `the newest ${chunks.length.toLocaleString()}`
              : `${saved.toLocaleString()} events saved`)}
        </span>
      </p>
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
