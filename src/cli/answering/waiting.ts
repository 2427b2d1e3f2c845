/**
 * The list of what waits for a person, kept in step with the view. The stream tells that something has changed; the
 * server's list tells what may be answered, and its hash.
 */

import { mayPass, untilAnswered } from '../../client/again';
import { Refused } from '../../client/errors';
import type { Api } from '../../client/http';
import { fetchPending, type PendingItem } from '../../client/pending';
import { personOf } from '../../protocol/shown/people';
import { emptyView, findAgent, pendingOf, type TreeView } from '../../protocol/view/view';
import type { CliIo } from '../io';
import { type Reception, saidWord } from './answer';

/** Waits before the server is asked again, while its list and the stream do not agree, in ms. */
const AGAIN_MS = [150, 300, 600, 1_200, 2_500, 5_000, 5_000, 5_000, 5_000];

/** What a list tells. */
export interface WaitingEvents {
  /** What waits now. `news` says what became of each call that waits no longer, by its id. */
  onItems(items: readonly PendingItem[], news: ReadonlyMap<string, string>): void;
  /** The server does not give its list. Told once. */
  onProblem(problem: string): void;
}

/** Keeps the list. Nothing here throws but `refresh`. */
export class WaitingList {
  readonly #io: Pick<CliIo, 'wait' | 'now'>;
  readonly #api: Api;
  readonly #address: string;
  readonly #signal: AbortSignal;
  readonly #events: WaitingEvents;
  /** Calls that were answered from here; the server may list them a moment longer. */
  readonly #answered = new Set<string>();
  /** Calls whose answer is on its way: they stay in the list until it is known what became of it. */
  readonly #sending = new Set<string>();
  #items: readonly PendingItem[] = [];
  #view: TreeView = emptyView;
  /** The ids of the last view that the server was asked for. */
  #askedFor = '';
  #asking: Promise<void> | undefined;
  #troubled = false;

  constructor(io: Pick<CliIo, 'wait' | 'now'>, api: Api, address: string, signal: AbortSignal, events: WaitingEvents) {
    this.#io = io;
    this.#api = api;
    this.#address = address;
    this.#signal = signal;
    this.#events = events;
  }

  /** What waits, as far as it is known now. */
  get items(): readonly PendingItem[] {
    return this.#items;
  }

  /**
   * Sends an answer from here and keeps the list in step: the stream may tell of it before the server's answer comes.
   * Throws what `send` throws.
   */
  async answering(item: PendingItem, send: () => Promise<Reception>): Promise<Reception> {
    const { toolCallId } = item;
    this.#sending.add(toolCallId);
    try {
      const reception = await send();
      if (reception.kind === 'accepted' || reception.kind === 'gone') this.#answered.add(toolCallId);
      return reception;
    } finally {
      this.#sending.delete(toolCallId);
      if (this.#answered.has(toolCallId)) this.#set(this.#items.filter((each) => each.toolCallId !== toolCallId));
      // What has changed in the meantime, as the arguments may have.
      else this.#ask();
    }
  }

  /** Takes a newer view: what it knows as settled goes at once; for what is new the server is asked. */
  look(view: TreeView): void {
    this.#view = view;
    if (!this.#items.every((item) => this.#mayWait(item))) this.#set(this.#items.filter((item) => this.#mayWait(item)));
    const waiting = pendingOf(view).map(({ call }) => call.toolCallId);
    const ids = waiting.sort().join('\n');
    if (ids === this.#askedFor) return;
    this.#askedFor = ids;
    if (!this.#agrees()) this.#ask();
  }

  /**
   * Asks the server now, until it answers, and gives what waits.
   * @param lost called with each problem of the connection that another try follows
   * @throws {Unreachable} when the server stays away, or the signal's reason
   */
  async refresh(lost?: (problem: string) => void): Promise<readonly PendingItem[]> {
    await untilAnswered(this.#io, this.#signal, () => this.#fetch(), lost);
    return this.#items;
  }

  #ask(): void {
    this.#asking ??= this.#askUntilAgreed().finally(() => {
      this.#asking = undefined;
    });
  }

  /** The agent's word reaches the stream and the list by two ways: they may differ for a moment. */
  async #askUntilAgreed(): Promise<void> {
    let problem: unknown;
    for (let tried = 0; !this.#signal.aborted; tried += 1) {
      problem = undefined;
      await this.#fetch().catch((error: unknown) => {
        problem = error;
      });
      if (this.#agrees()) return;
      const wait = AGAIN_MS[tried];
      if (wait === undefined) break;
      await this.#io.wait(wait, this.#signal);
    }
    // The next look asks again: a server that was away so long may be back by then.
    this.#askedFor = '';
    if (problem instanceof Refused) this.#events.onProblem(problemOf(problem));
  }

  #agrees(): boolean {
    const waiting = pendingOf(this.#view).map(({ call }) => call.toolCallId);
    return waiting.every((id) => this.#answered.has(id) || has(this.#items, id));
  }

  /** Throws what may pass, and the signal's reason; other problems are told, once. */
  async #fetch(): Promise<void> {
    try {
      const items = await fetchPending(this.#api, this.#address, this.#signal);
      // An answer of the server may be older than what the stream has told since.
      this.#set(items.filter((item) => !this.#answered.has(item.toolCallId) && this.#mayWait(item)));
    } catch (error) {
      this.#signal.throwIfAborted();
      // A lost connection is the follower's to tell.
      if (mayPass(error)) throw error;
      if (!this.#troubled) this.#events.onProblem(problemOf(error));
      this.#troubled = true;
    }
  }

  #set(listed: readonly PendingItem[]): void {
    const before = this.#items;
    const kept = before.filter(({ toolCallId }) => this.#sending.has(toolCallId) && !has(listed, toolCallId));
    const items = [...kept, ...listed];
    if (JSON.stringify(items) === JSON.stringify(before)) return;
    this.#items = items;
    const gone = before.filter(({ toolCallId }) => !has(items, toolCallId));
    const told = gone
      .filter(({ toolCallId }) => !this.#answered.has(toolCallId))
      .map((item) => [item.toolCallId, `${item.toolName} of ${item.agentType} ${this.#newsOf(item)}`] as const);
    this.#events.onItems(items, new Map(told));
  }

  /** Whether the view knows of nothing that has become of a call. */
  #mayWait({ toolCallId }: PendingItem): boolean {
    return newsOf(this.#view, toolCallId) === undefined;
  }

  #newsOf({ toolCallId }: PendingItem): string {
    return newsOf(this.#view, toolCallId) ?? 'is no longer pending.';
  }
}

function has(items: readonly PendingItem[], toolCallId: string): boolean {
  return items.some((item) => item.toolCallId === toolCallId);
}

function problemOf(error: unknown): string {
  const why = error instanceof Refused || error instanceof Error ? error.message : String(error);
  return `Pending calls cannot be listed: ${why}`;
}

/** What the view says has become of a call that waited; undefined when it knows of nothing. */
function newsOf(view: TreeView, toolCallId: string): string | undefined {
  for (const { agentId, calls } of view.agents) {
    const call = calls.find((each) => each.toolCallId === toolCallId);
    if (call === undefined || call.status === 'drafting') continue;
    if (call.status === 'waiting') {
      const waits = pendingOf(view).some((each) => each.call.toolCallId === toolCallId);
      return waits ? undefined : `is no longer pending: the agent was ${findAgent(view, agentId)?.status ?? 'ended'}.`;
    }
    if (call.answer !== undefined) {
      const { approved, actor } = call.answer;
      return `was ${saidWord(approved)} by ${actor === undefined ? 'somebody else' : personOf(actor)}.`;
    }
    const why = call.status === 'failed' && call.error !== undefined ? `: ${call.error.message}` : '';
    return `is no longer pending${why === '' ? '.' : why}`;
  }
  return undefined;
}
