/** Keys of a run's view, wherever the focus is on the page. None decides anything, and all are dead where a person writes. */
import { useEffect, useRef } from 'react';
import { isEnded } from '../../client';
import { preferences } from '../data/preferences';
import type { Scale } from '../data/timeline/scale';
import { toast } from '../data/toasts';
import type { Row } from '../data/tree/outline';
import type { RunPlace } from './place';
import { zoomByKey } from './tree/axis';

const WRITES = 'input, textarea, select, [contenteditable], [role="dialog"]';

interface ViewKeys {
  readonly address: string;
  readonly rows: readonly Row[];
  readonly place: RunPlace;
  readonly scale: Scale;
  readonly open: (address: string) => void;
  readonly hide: () => void;
}

/** The address of the agent that waits for a person after or before one. */
function waitingBeside({ rows, address }: ViewKeys, by: 1 | -1): string | undefined {
  const waits = rows.filter((row) => row.waiting > 0 && !isEnded(row.status));
  const at = waits.findIndex((row) => row.address === address);
  const first = by > 0 ? 0 : waits.length - 1;
  return waits[at < 0 ? first : (at + by + waits.length) % waits.length]?.address;
}

function copyLink(): void {
  void navigator.clipboard?.writeText(location.href);
  toast('The link was copied.');
}

/** Does what a key is for; false for one that is none of the view's. */
function act(key: string, view: ViewKeys): boolean {
  const { place, scale, open } = view;
  const next = { ']': 1, '[': -1 }[key];
  if (next === 1 || next === -1) {
    const address = waitingBeside(view, next);
    if (address !== undefined) open(address);
    return true;
  }
  if (key === 'f') {
    if (place.zoom.kind === 'held') place.setZoom({ kind: 'live', ms: scale.width });
    return true;
  }
  if (key === 'y') {
    copyLink();
    return true;
  }
  const zoom = zoomByKey(key, scale, place.zoom.kind !== 'held');
  if (zoom !== undefined) place.setZoom(zoom);
  return zoom !== undefined;
}

/** Listens while the view is there. */
export function useViewKeys(view: ViewKeys): void {
  const now = useRef(view);
  now.current = view;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const writes = event.target instanceof Element && event.target.closest(WRITES) !== null;
      if (event.defaultPrevented || writes || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Escape') now.current.hide();
      else if (preferences().shortcuts === 'on' && act(event.key, now.current)) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
