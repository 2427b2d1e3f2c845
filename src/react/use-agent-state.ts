/**
 * The custom state of an agent, live.
 *
 * RH19. The state is read once, and then changed by the patches of the log in their order: none of them asks the server
 *       for anything. Where the log has a gap the state is read again; the last one stays until then.
 * RH26. Where the same request may succeed later it is sent again after `AGAIN_MS`, over an open connection.
 */
import { useEffect, useMemo, useState } from 'react';
import type { Client } from '../client/client';
import { ProtocolError, Refused } from '../client/errors';
import { hasState, LiveState, stretchOf } from '../client/live-state';
import type { JsonOf, StateOf } from '../core/definition/types';
import type { Json } from '../protocol/json';
import { type AgentView, findAgent } from '../protocol/view/view';
import { useSnapshot, type ViewOptions } from './use-run';

/** A custom state and its loading state. */
export interface UsedAgentState<Agent = unknown> {
  /** The custom state; undefined until the agent has begun and its state was read. */
  readonly state: (unknown extends StateOf<Agent> ? Json : JsonOf<StateOf<Agent>>) | undefined;
  /** True while the state is read from the server. */
  readonly isLoading: boolean;
  /** The error, if the state could not be read. */
  readonly error: Error | undefined;
}

/** Options of a custom state. */
export interface AgentStateOptions extends ViewOptions {
  /** An agent below the address; default: the agent at the address. */
  readonly agentId?: string;
}

interface Read {
  /** Another client may read for another person. */
  readonly client: Client;
  readonly agentId: string;
  readonly stretch: string;
  /** The sequence of the patch that had no place in the state before; 0 for the first reading. */
  readonly readFor: number;
  /** The number of the agent's runs then. */
  readonly runs: number;
  readonly live: LiveState | undefined;
  readonly error: Error | undefined;
}

/** The time after a failure until the state is read again. Unit: ms. */
const AGAIN_MS = 5_000;

type Settle = (change: (before: Read | undefined) => Read) => void;

/**
 * The custom state of an agent, after each change. It needs no further connection and no request for each change.
 * @param address of a root or of an agent below it, such as `/agents/planner/one`
 * @example
 * const { state } = useAgentState<typeof planner>('/agents/planner/one');
 * state?.todos.map(({ text }) => <li key={text}>{text}</li>);
 */
export function useAgentState<Agent = unknown>(
  address: string,
  options: AgentStateOptions = {},
): UsedAgentState<Agent> {
  const { client, snapshot } = useSnapshot(address, options);
  const { view, connection } = snapshot;
  const agent = options.agentId === undefined ? snapshot.agent : findAgent(view, options.agentId);
  const begun = agent !== undefined && hasState(agent) ? agent : undefined;
  const hasBegun = begun !== undefined;
  const [read, setRead] = useState<Read>();
  const own = read?.client === client && read.agentId === begun?.agentId ? read : undefined;
  const stretch = begun && stretchOf(begun, view);
  const isCurrent = own !== undefined && own.stretch === stretch;
  // These patches do not continue a state that was read for another stretch.
  const isContinued = isCurrent && own.error === undefined;
  const state = own?.live?.after(isContinued ? (begun?.statePatches ?? []) : []);
  const broken = Math.max(isCurrent ? own.readFor : 0, (isContinued && own.live?.brokenAt) || 0);
  const isRead = isCurrent && own.readFor === broken;
  const isOpen = connection === 'open';
  const error = isRead ? own.error : undefined;
  const again = error instanceof Refused && own?.runs !== begun?.runs.length;
  useReading({ client, agent: begun, stretch, broken, isNeeded: !isRead || again }, setRead);
  const mayPass = isOpen && error !== undefined && !(error instanceof Refused && !error.retryable);
  useEffect(() => {
    if (!mayPass) return undefined;
    // What was read for no stretch is read again.
    const timer = setTimeout(() => setRead((before) => before && { ...before, stretch: '' }), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [mayPass]);
  const unfit = isContinued && isRead && own.live?.brokenAt !== undefined ? UNFIT : undefined;
  return useMemo(
    () => ({
      // The agent's schema has checked it.
      state: state as UsedAgentState<Agent>['state'],
      isLoading: hasBegun && !isRead,
      error: error ?? unfit,
    }),
    [state, hasBegun, isRead, error, unfit],
  );
}

const UNFIT = new ProtocolError('a change of the custom state does not fit the state.');

interface Reading {
  readonly client: Client;
  readonly agent: AgentView | undefined;
  readonly stretch: string | undefined;
  readonly broken: number;
  readonly isNeeded: boolean;
}

/** Reads the state where that is needed, once. */
function useReading({ client, agent, stretch, broken, isNeeded }: Reading, settle: Settle): void {
  const { address, agentId } = agent ?? {};
  const runs = agent?.runs.length ?? 0;
  useEffect(() => {
    if (!isNeeded || address === undefined || agentId === undefined || stretch === undefined) return undefined;
    const unmounting = new AbortController();
    const { signal } = unmounting;
    const keep = (live: LiveState | undefined, error?: Error) => {
      if (signal.aborted) return;
      const facts = { client, agentId, stretch, readFor: broken, runs, error };
      settle((before) => {
        const known = before?.client === client && before.agentId === agentId ? before.live : undefined;
        return { ...facts, live: live ?? known };
      });
    };
    client.state(address, { signal }).then(
      (read) => keep(new LiveState(read)),
      (error: Error) => keep(undefined, error),
    );
    return () => unmounting.abort();
  }, [client, address, agentId, stretch, broken, isNeeded, runs, settle]);
}
