/**
 * What waits for a person in the run that is followed, and who answers it: the person at the keyboard, `--yes`, or
 * nobody here.
 */

import { untilAnswered } from '../../client/again';
import { type Api, requestJson } from '../../client/http';
import type { PendingItem } from '../../client/pending';
import { isQuiet, type SequencedChunk } from '../../protocol/chunks';
import { isSuspended } from '../../protocol/status';
import type { TreeView } from '../../protocol/view/view';
import type { GivenAnswer } from '../args';
import type { Display } from '../drawing/display';
import type { CliIo } from '../io';
import { type Answer, type Reception, sendAnswer } from './answer';
import type { Attendant } from './attend';
import { approveAll, giveAnswer } from './unattended';
import { WaitingList } from './waiting';

/** What the answers of a run need. */
export interface AnswersOptions {
  readonly io: Pick<CliIo, 'wait' | 'now' | 'randomId'>;
  readonly api: Api;
  readonly address: string;
  readonly signal: AbortSignal;
  readonly display: Display;
  /** Approves everything that comes up. */
  readonly yes: boolean;
  /** The person at the keyboard, where there is one. */
  readonly attendant?: Attendant;
}

/** Waits before the list is asked for again when a suspended run seems to wait for nothing, in ms. */
const EMPTY_AGAIN_MS = [200, 500, 1_000];

const STATUS_TIMEOUT_MS = 15_000;

/** The answers of one run. */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #list: WaitingList;
  /** Calls that `--yes` could not approve: they wait for a person. */
  readonly #left = new Set<string>();
  /** The key of each answer that was sent: the same answer again is sent with the same one, and counts once. */
  readonly #keys = new Map<string, string>();
  #approving: Promise<void> = Promise.resolve();
  /** All that has happened was told once: from then on changes count as they come. */
  #upToDate = false;
  /** The run said when it suspended that children of it are at work. */
  #childrenWork = false;
  /** Calls that were answered here, as long as the stream has not told so. */
  readonly #unheard = new Set<string>();
  /** The stream has told of an answer from here, and not yet whether the run goes on or waits again. */
  #heard = false;

  constructor(options: AnswersOptions) {
    const { io, api, address, signal, display } = options;
    this.#options = options;
    this.#list = new WaitingList(io, api, address, signal, {
      onItems: (items, news) => this.#changed(items, news),
      onProblem: (problem) => display.tell(problem),
    });
  }

  /** What waits, as far as it is known now. */
  get items(): readonly PendingItem[] {
    return this.#list.items;
  }

  /** Gives an answer that came as an option. Throws as `giveAnswer` does. */
  async give(answer: GivenAnswer): Promise<void> {
    await giveAnswer(answer, await this.#list.refresh(), (item, each) => this.send(item, each), this.#tell);
  }

  /** A chunk was taken into the view. */
  chunk(view: TreeView, { chunk }: SequencedChunk): void {
    if (chunk.type === 'tool_answered' && this.#unheard.delete(chunk.toolCallId)) this.#heard = true;
    if (chunk.address === this.#options.address && (chunk.type === 'suspended' || chunk.type === 'unsuspended')) {
      this.#childrenWork = chunk.type === 'suspended' && chunk.children.some((child) => child.status === 'working');
      this.#heard = false;
    }
    if (this.#upToDate && !isQuiet(chunk.type)) this.#list.look(view);
  }

  /** The view holds all that has happened so far. */
  upToDate(view: TreeView): void {
    this.#upToDate = true;
    this.#list.look(view);
  }

  /**
   * The run is suspended: whether to go on looking. A person may; without one only what goes on by itself is awaited.
   * Nothing is concluded from a server that is away: it is asked until it answers.
   * @throws {Unreachable} when it stays away, or the signal's reason
   */
  async suspended(view: TreeView): Promise<boolean> {
    this.upToDate(view);
    await this.#approved();
    if (this.#options.attendant !== undefined) return true;
    for (const wait of EMPTY_AGAIN_MS) {
      if (this.#list.items.length > 0 || this.#goesOn()) break;
      await this.#options.io.wait(wait, this.#options.signal);
      await this.#approved();
    }
    if (this.#list.items.length === 0 && this.#goesOn()) return true;
    // It may go on since the stream said otherwise, by an answer from elsewhere.
    return !(await this.#isSuspended());
  }

  /** Asks what waits, and settles when all that `--yes` may approve is approved, refused or lost. */
  async #approved(): Promise<void> {
    this.#approveFresh(await this.#list.refresh(this.#lost));
    for (let seen: Promise<void> | undefined; seen !== this.#approving; ) {
      seen = this.#approving;
      await seen;
    }
  }

  async #isSuspended(): Promise<boolean> {
    const { io, api, address, signal } = this.#options;
    const ask = () => requestJson(api, `${address}/status`, { timeoutMs: STATUS_TIMEOUT_MS, signal });
    const { status } = await untilAnswered(io, signal, ask, this.#lost);
    return typeof status === 'string' && isSuspended(status);
  }

  /** Whether a suspended run goes on without another answer. */
  #goesOn(): boolean {
    return this.#childrenWork || this.#unheard.size > 0 || this.#heard;
  }

  /** Sends an answer. Never throws: what goes wrong is in the reception. */
  async send(item: PendingItem, answer: Answer): Promise<Reception> {
    const { io, api, address, signal } = this.#options;
    this.#unheard.add(item.toolCallId);
    try {
      const what = JSON.stringify([item.toolCallId, answer]);
      const key = this.#keys.get(what) ?? io.randomId();
      this.#keys.set(what, key);
      const reception = await this.#list.answering(item, () => sendAnswer(io, api, address, item, answer, key, signal));
      if (reception.kind !== 'accepted') this.#unheard.delete(item.toolCallId);
      return reception;
    } catch (error) {
      return { kind: 'refused', why: signal.aborted ? 'Detached.' : String(error) };
    }
  }

  readonly #tell = (text: string): void => {
    if (!this.#options.signal.aborted) this.#options.display.tell(text);
  };

  readonly #lost = (problem: string): void => this.#options.display.connection(problem);

  #changed(items: readonly PendingItem[], news: ReadonlyMap<string, string>): void {
    const fresh = this.#approveFresh(items);
    this.#options.attendant?.items(
      items.filter((item) => !fresh.includes(item)),
      news,
    );
  }

  /** What `--yes` approves of the items: each that was not tried yet, or whose answer was lost. */
  #approveFresh(items: readonly PendingItem[]): readonly PendingItem[] {
    const isFresh = (item: PendingItem) => item.kind === 'approval' && !this.#left.has(item.toolCallId);
    const fresh = this.#options.yes ? items.filter(isFresh) : [];
    if (fresh.length > 0) this.#approving = this.#approving.then(() => this.#approve(fresh));
    return fresh;
  }

  async #approve(items: readonly PendingItem[]): Promise<void> {
    const held = items.filter((item) => this.#list.items.includes(item) && !this.#left.has(item.toolCallId));
    // Once is enough: what was refused now is for a person.
    for (const item of held) this.#left.add(item.toolCallId);
    const send = async (item: PendingItem, answer: Answer) => {
      const reception = await this.send(item, answer);
      if (reception.kind === 'lost') this.#left.delete(item.toolCallId);
      return reception;
    };
    await approveAll(held, send, this.#tell);
    this.#options.attendant?.items(this.#list.items, new Map());
  }
}
