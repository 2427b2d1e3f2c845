/** What can be asked of an agent now, as its status document says it: nothing is guessed here. */
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Document } from '../../../client';
import { server } from '../../data/session';

/** How often it is asked for again while the agent is looked at, in ms; a change of its status asks at once. */
const AGAIN_MS = 5_000;
/** The same until there is an answer that tells of the status which the log has, in ms. */
const SOON_MS = 1_000;

/** One and the same, so that nothing is drawn anew for it. */
const NOBODY: NonNullable<Document<'status'>['variableRequests']> = [];

/** A verb that a button is for. */
export type ControlVerb = keyof Document<'status'>['controls'];

/** Asks for the controls of an agent, and for what else it says that people can do. `against`: why a verb would be refused, undefined where it would not. */
export function useControls(address: string, { status }: { readonly status: string }) {
  const last = useRef<{ readonly said: Document<'status'>; readonly at: number }>(undefined);
  const asked = useQuery({
    queryKey: ['status', address, status],
    queryFn: ({ signal }) => server().status(address, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === status ? AGAIN_MS : SOON_MS),
    retry: false,
  });
  // A change of the status takes nothing away: what was said of the one before counts until the next answer, also where
  // none comes.
  const held = last.current?.said.address === address ? last.current : undefined;
  const { data: said, dataUpdatedAt: at } = asked;
  // Of a status that it had before, the answer from then is kept until the new one comes.
  last.current = said !== undefined && at >= (held?.at ?? 0) ? { said, at } : held;
  const { controls, variableRequests = NOBODY } = last.current?.said ?? {};
  return {
    against: (verb: ControlVerb): string | undefined => {
      if (controls === undefined) return 'Loading status…';
      const control = controls[verb];
      return control === true ? undefined : control.title;
    },
    again: () => void asked.refetch(),
    /** Its sub-agents that wait for variables; undefined until that is known. */
    waiting: controls && variableRequests,
  };
}
