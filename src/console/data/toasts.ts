/** Short words about what a person has just done here. Nothing that others do makes one. */
import { useSyncExternalStore } from 'react';
import { Refused } from '../../client';
import type { LeftRequest } from '../../react/use-request';
import { pathSaid } from './names';
import { HOME, pathOf } from './place';

/** One of them. */
export interface Toast {
  readonly id: number;
  readonly says: string;
  /** One that went wrong stays until it is closed. */
  readonly wrong: boolean;
  /** Where what it is about is looked at, as a path of the console. */
  readonly to?: { readonly says: string; readonly path: string };
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
export function toast(says: string, { wrong = false, to }: Partial<Pick<Toast, 'wrong' | 'to'>> = {}): void {
  last += 1;
  const id = last;
  show([...shown, { id, says, wrong, ...(to === undefined ? {} : { to }) }].slice(-MOST));
  if (!wrong) setTimeout(() => dismiss(id), STAYS_MS);
}

/**
 * Says of a press without an answer whose view was left what became of it.
 */
export function toastLeft(what: string, address: string | undefined, { isUnsent, error }: LeftRequest): void {
  const at = address === undefined ? '' : ` at ${pathSaid(address)}`;
  const says =
    error instanceof Refused
      ? `${what}${at} refused: ${error.title}`
      : isUnsent
        ? `${what}${at} was not sent.`
        : `${what}${at} got no response. Retries have ended; it may or may not have arrived.`;
  toast(says, { wrong: true, to: { says: 'Open', path: address === undefined ? HOME : pathOf(address) } });
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
