/** Lists of the server, asked again every 5 s while they are looked at. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { server } from './session';

/** Between two questions for the same list, in ms. */
const AGAIN_MS = 5_000;
/** Roots whose calls are looked through: those that were active last. */
const MOST_ROOTS = 50;

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
    queryFn: async ({ signal }) => {
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
