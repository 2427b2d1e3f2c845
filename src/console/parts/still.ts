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

addEventListener('pointerdown', () => changed(true), { capture: true });
// The click comes after the pointer is up, and in the same task.
for (const type of ['pointerup', 'pointercancel', 'contextmenu', 'blur'])
  addEventListener(type, () => setTimeout(changed, 0, false), { capture: true });

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
