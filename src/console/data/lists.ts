/** Lists of the server, asked again every 5 s while they are looked at. */
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Json } from '../../client';
import type { Item } from './decisions';
import { server } from './session';

/** Between two questions for the same list, in ms. */
const AGAIN_MS = 5_000;
/** Roots whose calls are looked through: those that were active last. */
const MOST_ROOTS = 50;

/** A call that waits, as a list has it: what it is about is asked of its agent. */
export type Waiting = Omit<Item, 'input' | 'inputHash'>;

/** Where a call is. */
export type Called = Pick<Item, 'toolCallId' | 'address'>;

/** The roots, newest first. */
export function useRoots() {
  return useQuery({
    queryKey: ['roots'],
    queryFn: ({ signal }) => server().roots({ limit: 500, signal }),
    refetchInterval: AGAIN_MS,
  });
}

/** The agents that the server has. */
export function useAgents() {
  return useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => server().agents({ signal }) });
}

/** What the tool of a call takes and gives; nothing of it where the server does not say so. */
export function useSchemas({ agentType, toolName }: Item): { inputSchema?: Json; outputSchema?: Json } {
  const agents = useAgents();
  const agent = agents.data?.items.find((each) => each.agentType === agentType);
  const tools: readonly { name: string; inputSchema?: Json; outputSchema?: Json }[] = agent?.tools ?? [];
  return tools.find(({ name }) => name === toolName) ?? {};
}

/** What a server says of itself at `/`. */
export function useWelcome(base: string) {
  return useQuery({
    queryKey: ['welcome'],
    queryFn: async ({ signal }): Promise<{ model?: string }> => {
      const answer = await fetch(`${base}/`, { headers: { accept: 'application/json' }, signal });
      return answer.ok ? await answer.json() : {};
    },
  });
}

const WAITS = new Set(['suspended_client_tool', 'suspended_step_partial', 'suspended_awaiting_children']);

/** Every call that waits for a person, the one asked first at the front. */
export function usePending() {
  const roots = useRoots();
  const waiting = (roots.data?.items ?? []).filter(({ status }) => WAITS.has(status)).slice(0, MOST_ROOTS);
  const addresses = waiting.map(({ address }) => address);
  return useQuery({
    queryKey: ['pending', addresses],
    enabled: roots.data !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS,
    queryFn: async ({ signal }): Promise<readonly Waiting[]> => {
      const pages = await Promise.all(
        // A root that was removed meanwhile has none.
        addresses.map(async (address) =>
          server()
            .pending(address, { signal })
            .catch(() => ({ items: [] })),
        ),
      );
      return pages.flatMap(({ items }) => items).sort((one, other) => one.requestedAt - other.requestedAt);
    },
  });
}

const callOf = ({ toolCallId, address }: Called) => ({
  queryKey: ['call', address, toolCallId],
  // What was asked is what an answer is to: it is looked at again for as long as it stands there.
  refetchInterval: AGAIN_MS,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Item | null> => {
    for (let cursor: string | undefined; ; ) {
      const at = cursor === undefined ? {} : { cursor };
      const page = await server().pending(address, { limit: 500, signal, ...at });
      const found = page.items.find((item) => item.toolCallId === toolCallId);
      if (found !== undefined) return found;
      if (page.cursor === undefined) return null;
      cursor = page.cursor;
    }
  },
});

/** One call with its exact arguments; null where it does not wait any more. */
export function useCall(call: Called) {
  return useQuery(callOf(call));
}

/** Several of them as they were when they were first asked for, once all are there. */
export function useCalls(calls: readonly Called[]): readonly Item[] | undefined {
  const [held, setHeld] = useState<readonly Item[]>();
  // Whoever reads them decides about them: one that is answered meanwhile stays, and its receipt says so.
  const found = useQueries({ queries: calls.map((call) => ({ ...callOf(call), refetchInterval: false as const })) });
  if (held === undefined && found.every(({ data }) => data !== undefined))
    setHeld(found.flatMap(({ data }) => data ?? []));
  // What has changed is shown as it is now, and read again.
  return held?.map((item) => found.find(({ data }) => data?.toolCallId === item.toolCallId)?.data ?? item);
}
