/**
 * Calls that wait for a person.
 *
 * RH8. Below one address the inbox is live and asks nothing; over all roots it asks while its page is visible.
 */

import { useEffect, useMemo, useState } from 'react';
import type { Client } from '../client/client';
import type { Json } from '../protocol/json';
import type { PendingView } from '../protocol/view/view';
import type { PendingKind } from '../protocol/view/waiting';
import type { Document } from '../protocol/wire/wire-types';
import { useClient } from './client-context';
import { member } from './member';
import { type RunOptions, useRun } from './use-run';

/** A pending call. */
export interface InboxItem {
  readonly toolCallId: string;
  readonly kind: PendingKind;
  readonly toolName: string;
  readonly address: string;
  readonly agentType: string;
  /** In ms since 1970. */
  readonly requestedAt: number;
  /** The deadline for an answer, in ms since 1970; absent if there is none. */
  readonly expiresAt?: number;
  readonly input: Json;
  /** Binds an answer to these arguments. */
  readonly inputHash?: string;
}

/** An inbox. */
export interface Inbox<Item = InboxItem> {
  /** The pending calls, the oldest first. */
  readonly items: readonly Item[];
  readonly isLoading: boolean;
  readonly error: Error | undefined;
}

/** The time between two readings of a list over all roots, in ms. */
const INBOX_INTERVAL_MS = 10_000;

/** Options of `useInboxOfAll`. */
export interface InboxOfAllOptions extends Pick<RunOptions, 'client'> {
  /** Default: 10,000 ms. */
  readonly intervalMs?: number;
}

/**
 * The pending calls at and below an address, live.
 * @example
 * const { items } = useInbox('/agents/planner/one');
 * items.map((item) => <Card key={`${item.address} ${item.toolCallId}`} item={item} />);
 */
export function useInbox(address: string, options: RunOptions = {}): Inbox {
  const { pending, isUpToDate, error } = useRun(address, options);
  return useMemo(
    () => ({ items: pending.map(itemOf), isLoading: !isUpToDate && error === undefined, error }),
    [pending, isUpToDate, error],
  );
}

function itemOf({ address, agentType, call }: PendingView): InboxItem {
  const { toolCallId, kind, toolName, requestedAt, expiresAt, inputHash } = call;
  return {
    ...{ toolCallId, kind, toolName, address, agentType, requestedAt, input: call.arguments },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(inputHash === undefined ? {} : { inputHash }),
  };
}

type ListedInbox = Inbox<Document<'listedCall'>>;

const LOADING: ListedInbox = { items: [], isLoading: true, error: undefined };

/** The pages of a hidden page are not read. */
const isHidden = (): boolean => member(Reflect.get(globalThis, 'document'), 'visibilityState') === 'hidden';

/**
 * The pending calls of all roots, read again every `intervalMs` while the page is visible. The arguments of one are in
 * `client.pending(item.address)`.
 * @example
 * const { items } = useInboxOfAll();
 */
export function useInboxOfAll({ client: given, intervalMs = INBOX_INTERVAL_MS }: InboxOfAllOptions = {}): ListedInbox {
  const client = useClient(given);
  const [inbox, setInbox] = useState(LOADING);
  useEffect(() => {
    const unmounting = new AbortController();
    const { signal } = unmounting;
    const read = async (): Promise<void> => {
      const next = isHidden() ? undefined : await readAll(client, signal);
      if (next && !signal.aborted)
        setInbox((before) => (next.error ? { ...before, ...next, items: before.items } : next));
    };
    void read();
    const timer = setInterval(() => void read(), intervalMs);
    return () => {
      unmounting.abort();
      clearInterval(timer);
    };
  }, [client, intervalMs]);
  return inbox;
}

async function readAll(client: Client, signal: AbortSignal): Promise<ListedInbox> {
  try {
    const { items } = await client.allPending({ limit: 500, signal });
    return { items, isLoading: false, error: undefined };
  } catch (error) {
    return { items: [], isLoading: false, error: error instanceof Error ? error : new Error(String(error)) };
  }
}
