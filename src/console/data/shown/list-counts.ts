/** Counts of an agent's lists that its log does not have: requested when it is opened, and again while it works. */
import { useQueries, useQueryClient } from '@tanstack/react-query';
import type { Client } from '../../../client';
import { useRecount } from './recount';
import { COUNTED_LISTS, MOST_COUNTED, type TabCounts } from './tab-counts';

/** Between two questions about an agent that works, in ms. */
const AGAIN_MS = 15_000;

/** The part of the client that reads the lists. */
type Lists = Pick<Client, (typeof COUNTED_LISTS)[number]>;

/** The counts; a list that may not be read has none. `version`: the time of the agent's last event. */
export function useListCounts(address: string, version: number, server: () => Lists): TabCounts {
  const queries = useQueryClient();
  const found = useQueries({
    queries: COUNTED_LISTS.map((name) => ({
      queryKey: ['count', address, name],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const { items, cursor } = await server()[name](address, { limit: MOST_COUNTED, signal });
        return items.length + (cursor === undefined ? 0 : 1);
      },
      enabled: version > 0,
      retry: false,
    })),
  });
  useRecount(version, () => void queries.invalidateQueries({ queryKey: ['count', address] }), AGAIN_MS);
  return Object.fromEntries(
    found.flatMap(({ data }, index) => (data === undefined ? [] : [[COUNTED_LISTS[index], data]])),
  );
}
