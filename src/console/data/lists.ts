/** Lists of the server, asked again every 5 s while they are looked at. */
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client, Document, Json, Page } from '../../client';
import { type Called, callOf } from './call-key';
import type { Item } from './decisions';
import { server } from './session';

/** Between two questions for the same list, in ms. */
const AGAIN_MS = 5_000;
/** Items of one page. */
const PAGE = 100;

/** A call that waits, as a list has it: its arguments are asked of its agent. */
export type Waiting = Document<'listedCall'>;

/** What of a list is asked for; an empty text is no condition. */
type Asked = Readonly<Record<string, string | number | undefined>>;

const given = <Given extends Asked>(asked: Given): Given => {
  const kept = { ...asked };
  for (const name of Object.keys(kept)) if (kept[name] === '') Reflect.deleteProperty(kept, name);
  return kept;
};

/** A list in pages: all that were asked for are asked for again, so that none is older than another. */
function useList<Listed extends Page<unknown>>(
  key: readonly unknown[],
  ask: (options: { limit: number; signal: AbortSignal; cursor?: string }) => Promise<Listed>,
) {
  return useInfiniteQuery({
    queryKey: key,
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      ask({ limit: PAGE, signal, ...(pageParam === '' ? {} : { cursor: pageParam }) }),
    getNextPageParam: ({ cursor }) => cursor,
    refetchInterval: AGAIN_MS,
  });
}

/** Which roots. */
export interface RootsAsked {
  readonly q?: string;
  /** One status, or several with commas between them. */
  readonly status?: string;
  readonly agent?: string;
  readonly tag?: string;
  readonly sort?: 'createdAt' | 'lastActivity';
}

/** The roots, the last active first by default. */
export function useRoots({ sort = 'lastActivity', ...asked }: RootsAsked) {
  return useList(['roots', sort, asked], (options) => server().roots({ ...given({ ...asked }), sort, ...options }));
}

/** The agents that the server has. */
export function useAgents() {
  return useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => server().agents({ limit: 500, signal }) });
}

/** What the tool of a call does, takes and gives; nothing of it where the server does not say so. */
export function useTool({ agentType, toolName }: Item): {
  readonly description?: string;
  readonly inputSchema?: Json;
  readonly outputSchema?: Json | undefined;
  /** Whether it is still asked for. */
  readonly loading: boolean;
} {
  const agents = useAgents();
  const agent = agents.data?.items.find((each) => each.agentType === agentType);
  return { ...agent?.tools.find(({ name }) => name === toolName), loading: agents.isPending };
}

/** Every call that waits for a person, the one asked first at the front. */
export function usePending() {
  return useQuery({
    queryKey: ['pending'],
    refetchInterval: AGAIN_MS,
    queryFn: async ({ signal }): Promise<readonly Waiting[]> => {
      const items: Waiting[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await server().allPending({ limit: 500, signal, ...(cursor === undefined ? {} : { cursor }) });
        items.push(...page.items);
        if (page.cursor === undefined) return items;
        cursor = page.cursor;
      }
    },
  });
}

/** Runs of one type of agent that failed with one code and messages that are alike. */
export type Cause = Awaited<ReturnType<Client['allErrors']>>['causes'][number];

/** What tells a cause from all others, in addresses too: no code has a space. */
export const causeKey = ({ code, agentType, pattern }: Pick<Cause, 'code' | 'agentType' | 'pattern'>): string =>
  `${code} ${agentType} ${pattern}`.trim();

/** Runs that failed, the newest first, with their causes. */
export function useFailures(asked: {
  readonly cause?: string;
  readonly type?: string;
  readonly pattern?: string;
  readonly since?: number;
}) {
  // An empty pattern is one, too: that of an empty message.
  const { pattern, ...rest } = asked;
  const alike = pattern === undefined ? {} : { pattern };
  return useList(['failures', asked], (options) => server().allErrors({ ...given(rest), ...alike, ...options }));
}

/** Sub-agents that stay, or live elsewhere, the one that was active last first. */
export function useListedChildren(asked: { readonly mode?: string; readonly placement?: string; readonly q?: string }) {
  return useList(['children', asked], (options) => server().allChildren({ ...asked, ...options }));
}

const queryOf = ({ toolCallId, address }: Called) => ({
  queryKey: ['call', address, toolCallId],
  // What was asked is what an answer is to: it is looked at again for as long as it stands there.
  refetchInterval: AGAIN_MS,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Item | null> => {
    for (let cursor: string | undefined; ; ) {
      const at = cursor === undefined ? {} : { cursor };
      const page = await server().pending(address, { limit: 500, signal, ...at });
      const found = callOf(page.items, { toolCallId, address });
      if (found !== undefined) return found;
      if (page.cursor === undefined) return null;
      cursor = page.cursor;
    }
  },
});

/** One call with its exact arguments; null where it does not wait any more. */
export function useCall(call: Called) {
  return useQuery(queryOf(call));
}

/** Several of them as they were when they were first asked for, once all are there. */
export function useCalls(calls: readonly Called[]): readonly Item[] | undefined {
  const [held, setHeld] = useState<readonly Item[]>();
  // Whoever reads them decides about them: one that is answered meanwhile stays, and its receipt says so.
  const found = useQueries({ queries: calls.map((call) => ({ ...queryOf(call), refetchInterval: false as const })) });
  if (held === undefined && found.every(({ data }) => data !== undefined))
    setHeld(found.flatMap(({ data }) => data ?? []));
  // What has changed is shown as it is now, and read again.
  const now = found.flatMap(({ data }) => data ?? []);
  return held?.map((item) => callOf(now, item) ?? item);
}
