/** What of a run's view is in its address: which agent, which tab, run, call and event, the filter and the zoom. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { pathOf } from '../data/place';
import { type Zoom, zoomOf, zoomText } from '../data/timeline/scale';

/** The tabs of an agent. */
export const TABS = [
  'transcript',
  'calls',
  'logs',
  'state',
  'files',
  'checkpoints',
  'audit',
  'limits',
  'schedules',
  'events',
] as const;

/** One of them. */
export type Tab = (typeof TABS)[number];

/** How long what changes quickly rests before it is written into the address, in ms. */
const WRITE_MS = 250;

/** The place, and how it is changed. */
export interface RunPlace {
  readonly tab: Tab;
  readonly run: string | undefined;
  /** A step of that run. */
  readonly step: number | undefined;
  readonly call: string | undefined;
  readonly seq: number | undefined;
  readonly filter: string;
  readonly zoom: Zoom;
  /** Another agent: moving to it takes the place of the entry of before, opening it makes one. */
  readonly select: (address: string, how: 'move' | 'open') => void;
  readonly openTab: (tab: Tab) => void;
  /** A step or call of an agent, such as an event names it. */
  readonly point: (address: string, at: { run?: string; step?: number; call?: string; seq?: number }) => void;
  readonly setFilter: (filter: string) => void;
  readonly setZoom: (zoom: Zoom) => void;
}

/** The parts that say where in an agent. */
const NOWHERE = { run: undefined, step: undefined, call: undefined, seq: undefined };

const isTab = (text: string | null): text is Tab => TABS.some((tab) => tab === text);

function withPart(search: string, parts: { readonly [name: string]: string | undefined }): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(parts)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** A value that is changed often: at once here, a moment later in the address; back and forward bring it along. */
function useOften(name: string, address: string): readonly [string, (value: string) => void] {
  const [, go] = useLocation();
  const search = useSearch();
  const told = new URLSearchParams(search).get(name) ?? '';
  const [value, setValue] = useState(told);
  const written = useRef(told);
  useEffect(() => {
    // Somebody else changed it: back, forward or a link.
    if (told !== written.current) setValue(told);
    written.current = told;
  }, [told]);
  useEffect(() => {
    if (value === written.current) return undefined;
    const timer = setTimeout(() => {
      written.current = value;
      go(`${pathOf(address)}${withPart(location.search, { [name]: value })}`, { replace: true });
    }, WRITE_MS);
    return () => clearTimeout(timer);
  }, [value, name, address, go]);
  return [value, setValue];
}

/** The place of a run's view at an address. */
export function useRunPlace(address: string): RunPlace {
  const [, go] = useLocation();
  const search = useSearch();
  const query = new URLSearchParams(search);
  const [filter, setFilter] = useOften('q', address);
  const [zoom, setZoom] = useOften('t', address);
  const tab = query.get('tab');
  const whole = (name: string): number | undefined => {
    const value = Number(query.get(name));
    return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  };
  const to = useCallback(
    (next: string, parts: { readonly [name: string]: string | undefined }, replace: boolean) =>
      go(`${pathOf(next)}${withPart(location.search, parts)}`, { replace }),
    [go],
  );
  return {
    tab: isTab(tab) ? tab : 'transcript',
    run: query.get('run') ?? undefined,
    call: query.get('call') ?? undefined,
    step: whole('step'),
    seq: whole('seq'),
    filter,
    zoom: zoomOf(zoom),
    select: useCallback(
      (next, how) => {
        if (next !== address) to(next, NOWHERE, how === 'move');
      },
      [address, to],
    ),
    openTab: useCallback(
      (next) => to(address, { tab: next === 'transcript' ? undefined : next }, false),
      [address, to],
    ),
    point: useCallback(
      (next, { run, step, call, seq }) =>
        to(next, { tab: undefined, run, step: step?.toString(), call, seq: seq?.toString() }, true),
      [to],
    ),
    setFilter,
    setZoom: useCallback((next: Zoom) => setZoom(zoomText(next) ?? ''), [setZoom]),
  };
}
