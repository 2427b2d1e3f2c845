/** What one agent was told, said and did, as it happens: only what is seen is drawn, and the end is followed from the end. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type AgentView, emptyView } from '../../../client';
import type { TranscriptItem as Item } from '../../../react/transcript-items';
import { useTranscript } from '../../../react/use-transcript';
import type { Connection } from '../../data/run-messages';
import { server } from '../../data/session';
import { FindBar, useFind } from './find';
import { ItemView } from './item-view';

/** Nearer to the end than this, in px, new text is followed. */
const NEAR = 40;
/** What an item is taken for before it was drawn, in px. */
const GUESS = 56;
interface TranscriptProps {
  readonly agent: AgentView;
  readonly connection: Connection;
  /** Why what is older is not in the log; undefined where it reaches back to the beginning. */
  readonly edge: string | undefined;
  /** What an address points at. */
  readonly run: string | undefined;
  readonly call: string | undefined;
  /** The step that an event belongs to. */
  readonly step: number | undefined;
}

/** Follows the end of a box from the end alone, however it or what is in it grows. `total`: the height of what is in it. */
function useEnd(box: RefObject<HTMLDivElement | null>, total: number) {
  const sticks = useRef(true);
  const [follows, setFollows] = useState(true);
  const stick = useCallback((isAtEnd: boolean) => {
    sticks.current = isAtEnd;
    setFollows(isAtEnd);
  }, []);
  const toEnd = useCallback(() => {
    stick(true);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [box, stick]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end moves with the size of all
  useEffect(() => {
    if (sticks.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [total]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let before = element.scrollTop;
    const onScroll = () => {
      const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      // Only a way up lets go: what grows below moves the end and not the reader.
      if (near) stick(true);
      else if (element.scrollTop < before) stick(false);
      before = element.scrollTop;
    };
    const sizes = new ResizeObserver(() => {
      if (sticks.current) element.scrollTop = element.scrollHeight;
    });
    sizes.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [box, stick]);
  return { sticks, follows, stick, toEnd };
}

/** The item that an address points at; it is gone to once. */
function usePointed(
  items: readonly Item[],
  at: Pick<TranscriptProps, 'run' | 'call' | 'step'>,
  goTo: (index: number) => void,
) {
  const { run, call, step } = at;
  const pointed = items.findIndex((item) =>
    call !== undefined
      ? item.id === `call ${call}`
      : run !== undefined && item.runId === run && (step === undefined || item.step === step),
  );
  const been = useRef('');
  const place = `${run} ${step} ${call}`;
  useEffect(() => {
    if (pointed < 0 || been.current === place) return;
    been.current = place;
    goTo(pointed);
  }, [pointed, place, goTo]);
  return pointed;
}

/** The view. */
export function Transcript({ agent, connection, edge, run, call, step }: TranscriptProps) {
  const isLive = connection.kind === 'live';
  const source = useMemo(
    () => ({ view: { ...emptyView, agents: [agent] }, connection: isLive ? ('open' as const) : ('lost' as const) }),
    [agent, isLive],
  );
  const { items } = useTranscript(agent.address, { client: server(), source, edge });
  const box = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const open = useCallback((id: string, isOpen: boolean) => setOpened((before) => new Map(before).set(id, isOpen)), []);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => GUESS,
    overscan: 6,
    getItemKey: (index) => items[index]?.id ?? index,
    paddingStart: 12,
    paddingEnd: 16,
    gap: 8,
  });
  const total = virtual.getTotalSize();
  const { sticks, follows, stick, toEnd } = useEnd(box, total);
  // What stands above and changes its size moves nothing of what is read.
  virtual.shouldAdjustScrollPositionOnItemSizeChange = (item, _delta, { scrollOffset }) =>
    !sticks.current && item.start < (scrollOffset ?? 0);
  const goTo = useCallback(
    (index: number) => {
      stick(false);
      virtual.scrollToIndex(index, { align: 'center' });
    },
    [virtual, stick],
  );
  const pointed = usePointed(items, { run, call, step }, goTo);
  const find = useFind(items, goTo);
  return (
    <div className="transcript-box">
      <FindBar find={find} />
      <div
        className="transcript"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls takes the arrow keys
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Transcript"
        onKeyDown={find.onKeyDown}
      >
        <div className="entries" style={{ height: total }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const item = items[index];
            if (item === undefined) return null;
            const isFound = index === find.at || index === pointed;
            return (
              <div
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                className={`entry${isFound ? ' found' : ''}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                <ItemView item={item} address={agent.address} isOpen={opened.get(item.id)} onOpen={open} />
              </div>
            );
          })}
        </div>
        {items.length === 0 && <p className="muted">No messages yet</p>}
      </div>
      {!follows && (
        <button type="button" className="to-live" onClick={toEnd}>
          <ArrowDown size={16} aria-hidden /> Jump to latest
        </button>
      )}
    </div>
  );
}
