/**
 * Hooks about one run.
 *
 * RH4. What a hook returns stays the same object until it changes; its actions stay the same for an address.
 * RH14. A hook with a `source` reads that, and opens no connection.
 */
import { useMemo, useSyncExternalStore } from 'react';
import type { ChangeOptions, Client } from '../client/client';
import type { DeepPartial } from '../client/partial-output';
import type { InputOf, JsonOf, OutputOf } from '../core/definition/types';
import type { Json } from '../protocol/json';
import { agentAt, type PendingView, pendingOf, treeUsage } from '../protocol/view/view';
import type { Acceptances, Bodies } from '../protocol/wire/wire-types';
import { useClient } from './client-context';
import { OPENING, type RunSnapshot, type RunStore, type RunStoreOptions, runStoreOf } from './run-store';

/** Options of the hooks about one run. */
export interface RunOptions {
  /** Default: the client of `OffshootProvider`. */
  readonly client?: Client;
  /**
   * `socket` uses none of the few HTTP connections that a page has to one host. Default: `socket` if the page has
   * `WebSocket`.
   */
  readonly over?: RunStoreOptions['over'];
}

/** A run that the page already follows, such as the value of `useRun`. */
export type RunSource = Pick<RunSnapshot, 'view' | 'connection'>;

/** Options of the hooks that only read. */
export interface ViewOptions extends RunOptions {
  /** A view to read, so that this hook opens no connection: a value of `useRun`, or a view from another source. */
  readonly source?: RunSource | undefined;
}

/** Actions on a run. Each throws like the client's method. */
export interface RunActions<Agent = unknown> {
  /** Starts a run, and follows it. */
  start(body: StartOf<Agent>, options?: ChangeOptions): Promise<unknown>;
  /** Sends a message. The first message to a root starts it, and the hook then follows it. */
  send(message: Bodies['send'] | string, options?: ChangeOptions): Promise<unknown>;
  interrupt(reason?: string): Promise<Acceptances['stop']>;
  abort(reason?: string): Promise<Acceptances['stop']>;
  terminate(reason?: string): Promise<Acceptances['stop']>;
  resume(body?: Bodies['resume']): Promise<Acceptances['resume']>;
  retry(body?: Bodies['resume']): Promise<Acceptances['resume']>;
  answer(body: Bodies['answer'], options?: ChangeOptions): Promise<Acceptances['answer']>;
  /** Reopens the connection, and resumes after the last event. */
  reconnect(): void;
}

/** The body of a start, with the input of the agent's `inputSchema`. */
export type StartOf<Agent> =
  unknown extends InputOf<Agent>
    ? Bodies['start']
    : Omit<Bodies['start'], 'input'> & { readonly input?: InputOf<Agent> };

/** A run, and what can be done with it. */
export interface UsedRun<Agent = unknown> extends Omit<RunSnapshot, 'output'> {
  readonly address: string;
  /** The status of the session, as in the status document; undefined until it is known. */
  readonly status: string | undefined;
  /** The output of the newest run so far; complete once `status` is `completed`. */
  readonly output: DeepPartial<Carried<Agent>> | undefined;
  /** The pending calls at any depth, the oldest first. */
  readonly pending: readonly PendingView[];
  readonly actions: RunActions<Agent>;
}

type Carried<Agent> = unknown extends OutputOf<Agent> ? Json : JsonOf<OutputOf<Agent>>;

const nothing = (): (() => void) => () => undefined;
const opening = (): RunSnapshot => OPENING;

function snapshotOf(address: string, source: RunSource): RunSnapshot {
  const { view, connection } = source;
  const agent = agentAt(view, address);
  return { ...OPENING, view, connection, agent, isUpToDate: connection === 'open' };
}

/** The snapshot of a run, for hooks that need no more of it. */
export function useSnapshot(
  address: string,
  { client: given, over, source }: ViewOptions,
): { client: Client; snapshot: RunSnapshot } {
  const client = useClient(given);
  const isGiven = source !== undefined;
  const store = useMemo(
    () => (isGiven ? undefined : runStoreOf(client, address, over)),
    [isGiven, client, address, over],
  );
  const followed = useSyncExternalStore(store?.subscribe ?? nothing, store?.getSnapshot ?? opening, opening);
  const snapshot = useMemo(
    () => (source === undefined ? followed : snapshotOf(address, source)),
    [source, followed, address],
  );
  return { client, snapshot };
}

/**
 * Follows a run: its status, its tree, its output while the model writes it, and actions on it.
 * @param address of a root or of an agent below it, such as `/agents/planner/one`
 * @example
 * const run = useRun<typeof planner>('/agents/planner/one');
 * <button onClick={() => run.actions.send('Plan a call.')}>{run.status ?? 'Start'}</button>
 */
export function useRun<Agent = unknown>(address: string, options: RunOptions = {}): UsedRun<Agent> {
  const { client, snapshot } = useSnapshot(address, options);
  const { over } = options;
  const actions = useMemo(
    () => actionsOf<Agent>(client, address, runStoreOf(client, address, over)),
    [client, address, over],
  );
  return useMemo(() => {
    const { view, agent, output } = snapshot;
    return {
      ...snapshot,
      ...{ address, actions, status: agent?.status, pending: pendingOf(view) },
      // The server has checked a whole output by its schema; of a part no more than its place is promised.
      output: output as DeepPartial<Carried<Agent>> | undefined,
    };
  }, [snapshot, address, actions]);
}

function actionsOf<Agent>(client: Client, address: string, store: RunStore): RunActions<Agent> {
  const why = (reason: string | undefined) => (reason === undefined ? {} : { reason });
  const thenFollowed = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const given = await answer;
    store.reopen();
    return given;
  };
  return {
    start: (body, options) => thenFollowed(client.start(address, body as Bodies['start'], options)),
    send(message, options) {
      const body = typeof message === 'string' ? { content: message } : message;
      return thenFollowed(client.send(address, body, options));
    },
    interrupt: (reason) => client.interrupt(address, why(reason)),
    abort: (reason) => client.abort(address, why(reason)),
    terminate: (reason) => client.terminate(address, why(reason)),
    resume: (body) => client.resume(address, body),
    retry: (body) => client.retry(address, body),
    answer: (body, options) => client.answer(address, body, options),
    reconnect: store.reconnect,
  };
}

/**
 * The usage of all agents of a run, and of the agent itself as `own`.
 * @example
 * const { total } = useUsage('/agents/planner/one');
 */
export function useUsage(address: string, options: ViewOptions = {}) {
  const { snapshot } = useSnapshot(address, options);
  const { view, agent } = snapshot;
  return useMemo(() => ({ total: treeUsage(view), own: agent?.usage }), [view, agent]);
}
