/**
 * Reads one run's log and reduces it in two tiers; what has changed is taken from it when somebody asks.
 *
 * Decides: when a page turns from a socket to server-sent events, and back.
 *
 * Keeps CN20.
 */
import { type AgentView, type Client, createClient, type FollowEvent, Refused } from '../../client';
import { Reconnects } from './reconnect';
import type { Connection, DetailChange, FromWorker } from './run-messages';
import { detailPatch } from './tree/detail-patch';
import { Details } from './tree/details';
import { Outline } from './tree/outline';

type Way = 'socket' | 'sse';
const OTHER: Readonly<Record<Way, Way>> = { socket: 'sse', sse: 'socket' };
/** A way that never had a word gives way to the other one after so many failures in a row, */
const MOST_UNTRIED = 2;
/** and one that had: a server that is away fails both, and a page should have its socket again when it is back. */
const MOST_TRIED = 8;
/** Between two patches of the selected agent, in ms: text grows 10 times a second. */
const DETAIL_MS = 100;

/** One run. */
export class Reading {
  #outline = new Outline();
  #details = new Details();
  #connection: Connection = { kind: 'opening' };
  #over: Way = 'socket';
  readonly #worked = new Set<Way>();
  #sequence = 0;
  #edge: number | undefined;
  #end = 0;
  #anew = true;
  #wasLive = false;
  /** Failures in a row: of this way, and of all. */
  #failures = 0;
  #tries = 0;
  #lostAt = 0;
  #selected = '';
  readonly #byAddress = new Map<string, string>();
  #told: AgentView | undefined;
  #toldCut = false;
  #toldLoading: boolean | undefined;
  #toldAt = 0;
  readonly #client: Client;
  readonly #address: string;
  readonly #changed: () => void;
  readonly #clock: Reconnects;

  constructor(server: string, address: string, token: string | undefined, changed: () => void) {
    this.#address = address;
    this.#changed = changed;
    this.#clock = new Reconnects((nextAt) => {
      if (this.#connection.kind === 'reconnecting') this.#connection = { ...this.#connection, nextAt };
      changed();
    });
    this.#client = createClient({ baseUrl: server, clock: this.#clock, ...(token === undefined ? {} : { token }) });
  }

  /** Follows the log until it is refused. */
  async follow(): Promise<void> {
    try {
      while (!(await this.#followOver())) {
        this.#over = OTHER[this.#over];
        this.#failures = 0;
      }
    } catch (error) {
      const { status, code, title } =
        error instanceof Refused ? error : { status: 0, code: 'unreadable', title: String(error) };
      this.#connection = status === 401 ? { kind: 'signed out' } : { kind: 'refused', status, code, title };
      this.#changed();
    }
  }

  /** Tries at once what waits for its next try. */
  tryNow(): void {
    this.#clock.skip();
  }

  /** Another agent is looked at. */
  select(address: string): void {
    this.#selected = address;
    this.#told = undefined;
    this.#toldLoading = undefined;
    this.#toldAt = 0;
    this.#changed();
  }

  /** About where the log ends. */
  expect(sequence: number): void {
    this.#end = Math.max(this.#end, sequence);
  }

  /** What has changed since the last time; and whether more of the selected agent waits for its turn. */
  changes(now: number): { readonly message: FromWorker; readonly more: boolean } {
    const due = now - this.#toldAt >= DETAIL_MS;
    const detail = due ? this.#detail() : undefined;
    if (detail !== undefined) this.#toldAt = now;
    const message: FromWorker = {
      ...{ connection: this.#connection, over: this.#over, sequence: this.#sequence, anew: this.#anew },
      ...(this.#edge === undefined ? {} : { edge: this.#edge }),
      outline: this.#outline.changes(),
      ...(detail === undefined ? {} : { detail }),
    };
    this.#anew = false;
    return { message, more: !due };
  }

  #detail(): DetailChange | undefined {
    const agentId = this.#byAddress.get(this.#selected);
    if (agentId === undefined) return undefined;
    const { view, cut, read, loading } = this.#details.show(agentId);
    if (read) void this.#readAgain(agentId);
    const isNews = view !== this.#told || cut !== this.#toldCut || loading !== this.#toldLoading;
    if (!isNews) return undefined;
    const patch = view === undefined || view === this.#told ? undefined : detailPatch(this.#told, view);
    this.#told = view;
    this.#toldCut = cut;
    this.#toldLoading = loading;
    return { patch, cut, loading };
  }

  async #followOver(): Promise<boolean> {
    const options = { over: this.#over, stay: true, giveUpMs: Number.POSITIVE_INFINITY } as const;
    for await (const event of this.#client.follow(this.#address, { ...options, from: this.#sequence + 1 })) {
      this.#take(event);
      this.#changed();
      if (this.#failures >= (this.#worked.has(this.#over) ? MOST_TRIED : MOST_UNTRIED)) return false;
    }
    return true;
  }

  #take(event: FollowEvent): void {
    switch (event.type) {
      case 'chunk': {
        const { sequence, chunk } = event.entry;
        this.#sequence = sequence;
        this.#byAddress.set(chunk.address, chunk.agentId);
        if (chunk.type === 'subagent_start') this.#byAddress.set(chunk.subAddress, chunk.subSessionId);
        this.#outline.take(event.entry);
        this.#details.take(event.entry);
        if (this.#connection.kind === 'replaying') this.#replaying();
        return;
      }
      case 'reset':
        this.#outline = new Outline();
        this.#details = new Details(event.from);
        this.#byAddress.clear();
        this.#sequence = event.from - 1;
        this.#edge = event.from;
        this.#told = undefined;
        this.#anew = true;
        return;
      case 'up-to-date':
        this.#wasLive = true;
        this.#connection = { kind: 'live' };
        return;
      case 'connection':
        if (event.problem !== undefined) {
          this.#failures += 1;
          this.#tries += 1;
          if (this.#tries === 1) this.#lostAt = Date.now();
          const { problem } = event;
          this.#connection = { kind: 'reconnecting', problem, tries: this.#tries, lostAt: this.#lostAt, nextAt: 0 };
          return;
        }
        this.#clock.reset();
        this.#worked.add(this.#over);
        this.#failures = 0;
        this.#tries = 0;
        if (this.#wasLive) this.#connection = { kind: 'catching up' };
        else this.#replaying();
        return;
      case 'rest':
        return;
    }
  }

  #replaying(): void {
    this.#connection = { kind: 'replaying', at: this.#sequence, of: Math.max(this.#end, this.#sequence) };
  }

  /** What of an agent was forgotten is read once more, up to where the log is now. */
  async #readAgain(agentId: string): Promise<void> {
    const details = this.#details;
    const until = this.#sequence;
    const address = this.#selected;
    try {
      const events = this.#client.follow(address, { from: this.#edge ?? 1, stay: true, over: 'sse' });
      for await (const event of events) {
        if (event.type === 'chunk') details.again(agentId, event.entry);
        if (event.type === 'up-to-date' || (event.type === 'chunk' && event.entry.sequence >= until)) break;
      }
      details.caughtUp(agentId);
    } catch {
      details.failed(agentId);
    }
    this.#changed();
  }
}
