/**
 * One run that is followed for as long as somebody looks at it.
 *
 * RH1. All readers of one address share one connection; the last one to leave closes it.
 * RH2. A connection that is lost is opened again from where it was, at once when the network is back.
 * RH3. Readers hear of changes at most once in a frame, however many events come.
 */
import type { Client, ClientFollowOptions } from '../client/client';
import { ClientError } from '../client/errors';
import { type FollowEvent, viewAfter } from '../client/follow';
import { PartialOutput } from '../client/partial-output';
import type { Json } from '../protocol/json';
import { type AgentView, agentAt, currentRun, type TreeView, viewFrom } from '../protocol/view/view';

/** The known state of a run: a new object after each change. */
export interface RunSnapshot {
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
export type Schedule = (notify: () => void) => void;

const FRAME_MS = 16;
const inAFrame: Schedule = (notify) => void setTimeout(notify, FRAME_MS);

const scope: unknown = globalThis;
/** The window of a page, which says when the network is back. Node has none. */
const network = typeof EventTarget === 'function' && scope instanceof EventTarget ? scope : undefined;

/** Before anything is known; also what a server renders. */
export const OPENING: RunSnapshot = {
  connection: 'connecting',
  problem: undefined,
  error: undefined,
  isUpToDate: false,
  view: viewFrom(1),
  agent: undefined,
  output: undefined,
};

/** Options of a store. */
export interface RunStoreOptions {
  /**
   * `socket` uses none of the few HTTP connections that a page has to one host. Default: `socket` if the page has
   * `WebSocket`.
   */
  readonly over?: ClientFollowOptions['over'];
  /** Default: once in 16 ms. */
  readonly schedule?: Schedule;
}

/** The store of one run, for `useSyncExternalStore`. */
export class RunStore {
  readonly #listeners = new Set<() => void>();
  #snapshot = OPENING;
  #draft = OPENING;
  #output: PartialOutput;
  #scheduled = false;
  #reading: AbortController | undefined;

  /** @param onIdle called when nobody has looked at it for a moment */
  constructor(
    readonly client: Pick<Client, 'follow'>,
    readonly address: string,
    readonly options: RunStoreOptions = {},
    readonly onIdle: () => void = () => undefined,
  ) {
    this.#output = new PartialOutput(address);
  }

  readonly getSnapshot = (): RunSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#reading === undefined) this.#open();
    return () => {
      this.#listeners.delete(listener);
      // Who leaves and comes back at once, as Strict Mode and a change of pages do, finds the connection open.
      setTimeout(() => {
        if (this.#listeners.size > 0) return;
        this.#close();
        this.onIdle();
      }, 0);
    };
  };

  /** Opens the connection anew, from where it was: after a start of what was not there, or with a new token. */
  readonly reconnect = (): void => {
    if (this.#reading === undefined) return;
    this.#close();
    this.#open();
  };

  /** Opens a connection that the server has refused: what was not there may be there now. */
  readonly reopen = (): void => {
    if (this.#draft.connection === 'closed') this.reconnect();
  };

  #open(): void {
    const reading = new AbortController();
    this.#reading = reading;
    network?.addEventListener('online', this.#isBack);
    void this.#read(reading.signal);
  }

  #close(): void {
    network?.removeEventListener('online', this.#isBack);
    this.#reading?.abort();
    this.#reading = undefined;
  }

  readonly #isBack = (): void => {
    if (this.#draft.connection === 'lost') this.reconnect();
  };

  async #read(signal: AbortSignal): Promise<void> {
    const { over = typeof globalThis.WebSocket === 'function' ? 'socket' : 'sse' } = this.options;
    const from = this.#draft.view.lastSequence + 1;
    this.#change({ ...this.#draft, connection: 'connecting', error: undefined });
    try {
      const events = this.client.follow(this.address, {
        ...{ from, signal, over },
        stay: true,
        giveUpMs: Number.POSITIVE_INFINITY,
      });
      for await (const event of events) {
        if (signal.aborted) return;
        this.#take(event);
      }
    } catch (thrown) {
      if (signal.aborted) return;
      const error = thrown instanceof ClientError ? thrown : new ClientError(String(thrown));
      this.#change({ ...this.#draft, connection: 'closed', problem: undefined, error });
    }
  }

  #take(event: FollowEvent): void {
    const before = this.#draft;
    this.#output.take(event);
    switch (event.type) {
      case 'connection':
        return this.#change({
          ...before,
          connection: event.problem === undefined ? 'open' : 'lost',
          problem: event.problem,
        });
      case 'up-to-date':
        return this.#change({ ...before, isUpToDate: true });
      case 'reset':
        return this.#change(this.#shown({ ...before, view: viewFrom(event.from) }));
      case 'chunk':
        return this.#change(this.#shown({ ...before, view: viewAfter(before.view, event) }));
      case 'rest':
        return undefined;
    }
  }

  #shown(next: RunSnapshot): RunSnapshot {
    const agent = agentAt(next.view, this.address);
    const end = agent && currentRun(agent)?.end;
    return { ...next, agent, output: end?.status === 'completed' ? end.output : this.#output.value };
  }

  #change(next: RunSnapshot): void {
    this.#draft = next;
    if (this.#scheduled) return;
    this.#scheduled = true;
    (this.options.schedule ?? inAFrame)(() => {
      this.#scheduled = false;
      this.#snapshot = this.#draft;
      for (const listener of this.#listeners) listener();
    });
  }
}

const stores = new WeakMap<object, Map<string, RunStore>>();

/** The store of an address that all readers share. */
export function runStoreOf(client: Pick<Client, 'follow'>, address: string, over?: RunStoreOptions['over']): RunStore {
  const own = stores.get(client) ?? new Map<string, RunStore>();
  stores.set(client, own);
  const key = `${over ?? ''} ${address}`;
  const found = own.get(key) ?? new RunStore(client, address, over && { over }, () => own.delete(key));
  own.set(key, found);
  return found;
}
