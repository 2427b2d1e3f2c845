/** What the caller may do, as the server tells it: a control that it would refuse says so instead of failing. */
import { useQuery } from '@tanstack/react-query';
import type { Document } from '../../client';
import { server } from './session';

type Action = Document<'me'>['actions'][number];

const SAYS: Readonly<Record<Action, string>> = {
  read: 'read',
  write: 'start agents or send messages',
  answer: 'answer pending calls',
  stop: 'stop agents',
  share: 'share documents',
  admin: 'delete agents',
};

/** Who asks, and what they may do at an address; without one at the whole server, or where their token is for. */
function useMe(address?: string) {
  return useQuery({
    queryKey: ['me', address],
    queryFn: ({ signal }) => server().me({ ...(address === undefined ? {} : { address }), signal }),
    // Whoever had a right keeps it for a while; the server has the last word at each request.
    staleTime: 30_000,
  });
}

/** Why the caller may not do something; undefined where they may, or where that is not known yet. */
export function useForbidden(action: Action, address?: string): string | undefined {
  const { data } = useMe(address);
  if (data === undefined || data.actions.includes(action)) return undefined;
  return `Your token does not permit you to ${SAYS[action]}. Its permissions: ${data.actions.join(', ') || 'none'}.`;
}
