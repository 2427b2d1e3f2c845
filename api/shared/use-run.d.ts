import "./index.js";
import { a as ChangeOptions, g as ClientError, o as Client, s as ClientFollowOptions, t as DeepPartial } from "./partial-output.js";
import { Bt as OutputOf, Rt as InputOf, zt as JsonOf } from "./definition.js";
import { E as Json, g as Usage } from "./chunks.js";
import { S as TreeView, p as PendingView, t as AgentView } from "./view.js";
import { n as Bodies, t as Acceptances } from "./wire-types.js";
/** The known state of a run: a new object after each change. */
interface RunSnapshot {
  /** `closed`: the server refuses the connection, with `error`; nothing follows until `reconnect`. */
  readonly connection: 'connecting' | 'open' | 'lost' | 'closed';
  /** The reason of a lost connection. */
  readonly problem: string | undefined;
  /** The refusal of the server, such as `Refused` with `not_found` before the first start. */
  readonly error: ClientError | undefined;
  /** True once all events from before the connection was opened have been read. */
  readonly isUpToDate: boolean;
  /** The agent and all below it. */
  readonly view: TreeView;
  /** The agent itself, once its first event is known. */
  readonly agent: AgentView | undefined;
  /** The output of the newest run so far; complete once the run has completed. */
  readonly output: Json | undefined;
}
/** Calls `notify` later, once. */
type Schedule = (notify: () => void) => void;
/** Options of a store. */
interface RunStoreOptions {
  /**
   * `socket` uses none of the few HTTP connections that a page has to one host. Default: `socket` if the page has
   * `WebSocket`.
   */
  readonly over?: ClientFollowOptions['over'];
  /** Default: once in 16 ms. */
  readonly schedule?: Schedule;
}
/** Options of the hooks about one run. */
interface RunOptions {
  /** Default: the client of `OffshootProvider`. */
  readonly client?: Client;
  /**
   * `socket` uses none of the few HTTP connections that a page has to one host. Default: `socket` if the page has
   * `WebSocket`.
   */
  readonly over?: RunStoreOptions['over'];
}
/** A run that the page already follows, such as the value of `useRun`. */
type RunSource = Pick<RunSnapshot, 'view' | 'connection'>;
/** Options of the hooks that only read. */
interface ViewOptions extends RunOptions {
  /** A view to read, so that this hook opens no connection: a value of `useRun`, or a view from another source. */
  readonly source?: RunSource | undefined;
}
/** Actions on a run. Each throws like the client's method. */
interface RunActions<Agent = unknown> {
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
type StartOf<Agent> = unknown extends InputOf<Agent> ? Bodies['start'] : Omit<Bodies['start'], 'input'> & {
  readonly input?: InputOf<Agent>;
};
/** A run, and what can be done with it. */
interface UsedRun<Agent = unknown> extends Omit<RunSnapshot, 'output'> {
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
/**
 * Follows a run: its status, its tree, its output while the model writes it, and actions on it.
 * @param address of a root or of an agent below it, such as `/agents/planner/one`
 * @example
 * const run = useRun<typeof planner>('/agents/planner/one');
 * <button onClick={() => run.actions.send('Plan a call.')}>{run.status ?? 'Start'}</button>
 */
declare function useRun<Agent = unknown>(address: string, options?: RunOptions): UsedRun<Agent>;
/**
 * The usage of all agents of a run, and of the agent itself as `own`.
 * @example
 * const { total } = useUsage('/agents/planner/one');
 */
declare function useUsage(address: string, options?: ViewOptions): {
  total: Usage;
  own: Usage | undefined;
};
export { UsedRun as a, useUsage as c, StartOf as i, RunSnapshot as l, RunOptions as n, ViewOptions as o, RunSource as r, useRun as s, RunActions as t, RunStoreOptions as u };