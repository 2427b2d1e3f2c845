/**
 * Turns at models: who of a tree may send a request to a model now, and who waits. As long as no provider refuses a request
 * and the tree is small, nobody asks for one.
 *
 * Decides: when agents have to ask for a turn, and who has the next one.
 *
 * MT1. Nobody asks while no provider has a pace, and no more agents are live than requests may be under way.
 * MT2. With more live agents everybody asks. Those who do not know so yet count as if they had a request under way.
 * MT3. Turns are given in the order in which agents asked; a provider that is closed holds up its own agents alone.
 * MT7. All of this is in memory alone: what a crash loses is learned again from the next refusal.
 */

import type { Limits } from '../../definition/limits';
import type { AsksFirst } from '../lease';
import type { TreeNode } from '../node';
import type { TreeIndex } from '../tree-index';
import { isForgotten, type Pace, type PlaceInPace, paceAfter, paceGiven } from './pace';

/** The question of an agent before a request to a model. Asking again with the same id is harmless. */
export interface AskedTurn {
  readonly id: string;
  readonly provider: string;
  /** Its last request to that provider was refused. */
  readonly refused?: { readonly retryAfterMs?: number; readonly overloaded?: true };
  /** It sends nothing before, in ms from now. */
  readonly afterMs: number;
}

/** The request that had this turn has ended; empty for one that went without. */
export interface EndedTurn {
  readonly ended: string;
}

/** The agent does nothing before that time, in ms since 1970. */
export interface RestingTurn {
  readonly rests: number;
}

/** The answer: go, or wait for the message that says so. */
export interface TurnAnswer {
  readonly go: boolean;
  /** The provider has refused requests of this tree, and that is why it waits. */
  readonly limited: boolean;
  /** No turn is given in so long, in ms: its provider is closed. */
  readonly opensMs?: number;
  readonly asksFirst?: AsksFirst;
}

/** A turn that was given to an agent. */
export interface GivenTurn {
  readonly sessionId: string;
  readonly id: string;
}

interface Waiting extends GivenTurn {
  readonly provider: string;
  readonly from: number;
}

interface Sending extends GivenTurn {
  readonly provider: string;
  readonly place?: PlaceInPace;
}

type TurnLimits = Pick<Limits, 'maxConcurrentModelCalls' | 'modelRetryBaseMs' | 'modelRetryAfterMs'>;

/** A text for what an agent knows of when it asks. */
const textOf = (asks: AsksFirst): string => (typeof asks === 'string' ? asks : `of ${asks.join(' ')}`);

/** The turns of one tree. */
export class ModelTurns {
  readonly #paces = new Map<string, Pace>();
  readonly #waiting: Waiting[] = [];
  readonly #sending = new Map<string, Sending>();
  /** When those ask who are known to know it, by session, as `textOf` says it. */
  readonly #known = new Map<string, string>();

  constructor(readonly limits: TurnLimits) {}

  /** Before which requests agents ask for a turn now; undefined where before none. */
  asksFirst(tree: TreeIndex, now: number): AsksFirst | undefined {
    if (live(tree) > this.limits.maxConcurrentModelCalls) return 'everybody';
    for (const [provider, pace] of this.#paces) if (this.#isOver(provider, pace, now)) this.#paces.delete(provider);
    if (this.#paces.size > 0) return [...this.#paces.keys()].sort();
    this.#known.clear();
    return undefined;
  }

  #isOver(provider: string, pace: Pace, now: number): boolean {
    return isForgotten(pace, now) && !this.#waiting.some((one) => one.provider === provider);
  }

  /** An agent asks: it has no request under way, so the turn before is over. `next` says whether it has its turn. */
  ask(sessionId: string, { id, provider, refused, afterMs }: AskedTurn, now: number): void {
    const before = this.#sending.get(sessionId);
    if (before?.id === id || this.#waiting.some((one) => one.sessionId === sessionId && one.id === id)) return;
    if (refused) {
      const place = before?.provider === provider ? before.place : undefined;
      const refusal = { at: now, ...refused, ...(place ? { place } : {}) };
      this.#paces.set(provider, paceAfter(this.#paces.get(provider), refusal, this.limits));
    }
    this.ended(sessionId);
    this.#waiting.push({ sessionId, id, provider, from: now + afterMs });
  }

  /** The request of an agent has ended, or it waits for its turn no more. */
  ended(sessionId: string, id?: string): void {
    if (id === undefined || this.#sending.get(sessionId)?.id === id) this.#sending.delete(sessionId);
    const at = this.#waiting.findIndex((one) => one.sessionId === sessionId && (id === undefined || one.id === id));
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  /** An agent that rests has no request under way; what it waits for stays. */
  rests(sessionId: string): void {
    this.#sending.delete(sessionId);
  }

  /** True where an agent has the turn that it asked for. */
  has({ sessionId, id }: GivenTurn): boolean {
    return this.#sending.get(sessionId)?.id === id;
  }

  /** True for a provider that has refused requests of late. */
  isLimited(provider: string): boolean {
    return this.#paces.has(provider);
  }

  /** An agent without a request under way knows when it asks. */
  knows(sessionId: string, asks: AsksFirst): void {
    this.#known.set(sessionId, textOf(asks));
  }

  /** Those who do not know when they ask: all that live where everybody asks, else those at work. */
  unaware(tree: TreeIndex, asks: AsksFirst): TreeNode[] {
    const nodes = [...tree.at('working').values(), ...(asks === 'everybody' ? tree.at('waiting').values() : [])];
    const text = textOf(asks);
    return nodes.filter(({ sessionId }) => this.#known.get(sessionId) !== text);
  }

  /** Assigns the turns that are free now, in order. `chance` sets turns a little apart from those of other trees. */
  next(tree: TreeIndex, now: number, chance: () => number): GivenTurn[] {
    this.#letGo(tree);
    const given: GivenTurn[] = [];
    let free = this.#free(tree, now);
    for (const one of [...this.#waiting]) {
      const pace = this.#paces.get(one.provider);
      if (free < 1) break;
      if (one.from > now || (pace !== undefined && pace.closedUntil > now)) continue;
      free -= 1;
      const place = pace && { round: pace.round, number: pace.given + 1 };
      if (pace) this.#paces.set(one.provider, paceGiven(pace, now, chance()));
      this.#waiting.splice(this.#waiting.indexOf(one), 1);
      this.#sending.set(one.sessionId, { ...one, ...(place ? { place } : {}) });
      given.push(one);
    }
    return given;
  }

  /** When the next turn can be given, as far as time decides it, in ms since 1970; undefined where nobody waits. */
  nextAt(): number | undefined {
    if (this.#waiting.length === 0) return undefined;
    return Math.min(
      ...this.#waiting.map(({ from, provider }) => Math.max(from, this.#paces.get(provider)?.closedUntil ?? 0)),
    );
  }

  /** The time for which no turn can be given to an agent that waits, in ms. */
  opensMs({ sessionId, id }: GivenTurn, now: number): number {
    const waiting = this.#waiting.find((one) => one.sessionId === sessionId && one.id === id);
    if (waiting === undefined) return 0;
    return Math.max(0, Math.max(waiting.from, this.#paces.get(waiting.provider)?.closedUntil ?? 0) - now);
  }

  /** Those who are not at work any more have no request under way, and wait for none. */
  #letGo(tree: TreeIndex): void {
    const works = (sessionId: string): boolean => tree.bySession(sessionId)?.schedule.phase === 'working';
    for (const sessionId of this.#sending.keys()) if (!works(sessionId)) this.#sending.delete(sessionId);
    for (const { sessionId } of [...this.#waiting]) if (!works(sessionId)) this.ended(sessionId);
    for (const sessionId of this.#known.keys()) if (!tree.bySession(sessionId)) this.#known.delete(sessionId);
  }

  /** The number of requests more that may be under way. Where not everybody asks, the number of agents bounds them (MT1). */
  #free(tree: TreeIndex, now: number): number {
    if (this.asksFirst(tree, now) !== 'everybody') return Number.POSITIVE_INFINITY;
    const unknown = this.unaware(tree, 'everybody').filter(({ sessionId }) => !this.#sending.has(sessionId));
    const asking = unknown.filter(({ sessionId }) => !this.#waiting.some((one) => one.sessionId === sessionId));
    return this.limits.maxConcurrentModelCalls - this.#sending.size - asking.length;
  }
}

const live = (tree: TreeIndex): number => tree.at('working').size + tree.at('waiting').size;
