/** Short words about what a person has just done here. Nothing that others do makes one. */
import { useSyncExternalStore } from 'react';

/** One of them. */
export interface Toast {
  readonly id: number;
  readonly says: string;
  /** One that went wrong stays until it is closed. */
  readonly wrong: boolean;
  /** What takes it back, where something does. */
  readonly undo?: { readonly says: string; readonly act: () => void };
}

/** As many are shown at once. */
const MOST = 3;
/** How long one stays, in ms. */
const STAYS_MS = 6_000;

let shown: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function show(next: readonly Toast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Takes one away. */
export function dismiss(id: number): void {
  show(shown.filter((toast) => toast.id !== id));
}

/** Says something for a while; of more than three the oldest goes. */
export function toast(says: string, { wrong = false, undo }: Partial<Pick<Toast, 'wrong' | 'undo'>> = {}): void {
  last += 1;
  const id = last;
  show([...shown, { id, says, wrong, ...(undo === undefined ? {} : { undo }) }].slice(-MOST));
  if (!wrong) setTimeout(() => dismiss(id), STAYS_MS);
}

/** Those that are shown now. */
export const useToasts = (): readonly Toast[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
