/**
 * Values that hold still while a pointer is down. A press counts where it ends on the button on which it began, so the
 * view must not move in between.
 */
import { useRef, useSyncExternalStore } from 'react';

let isDown = false;
const listeners = new Set<() => void>();

function changed(now: boolean): void {
  isDown = now;
  for (const listener of listeners) listener();
}

let ending: ReturnType<typeof setTimeout> | undefined;

/** A click comes after its pointer is up, and in the same task. */
function ends(): void {
  clearTimeout(ending);
  ending = setTimeout(changed, 0, false);
}

addEventListener(
  'pointerdown',
  () => {
    clearTimeout(ending);
    changed(true);
  },
  { capture: true },
);
for (const type of ['pointerup', 'pointercancel', 'contextmenu']) addEventListener(type, ends, { capture: true });
// Of the window alone: a press takes the focus from what had it.
addEventListener('blur', ends);

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The newest value, or the last one from before the pointer went down. */
export function useStill<Value>(value: Value): Value {
  const waits = useSyncExternalStore(listen, () => isDown);
  const kept = useRef(value);
  if (!waits) kept.current = value;
  return kept.current;
}
