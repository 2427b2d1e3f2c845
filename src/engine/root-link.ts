/**
 * The way from an agent to its root: of the root itself, straight into its record; from below, by an outbox. What goes on
 * it, and when, is drawn in design/flows.md.
 *
 * OB5, RT5. What children give to their parent goes beside its own outbox, and the root takes it as if they had sent it.
 *     A child that ends when its parent stops it gives its end with the answer, which is fast; one that cannot reach the
 *     root gives everything, one request after the other, and then the root's answer is its acknowledgement (decision 32).
 */

import type { Grant } from '../core/tree/budget';
import type { AskedTurn, TurnAnswer } from '../core/tree/models/turns';
import { failure, OffshootError } from '../protocol/errors';
import type { ChunkSink, Outbox } from './outbox';
import type { RootRuntime } from './root/root';
import type { RootAnswer, RootRequest } from './tree-messages';

/** How an agent speaks to its root. */
export interface RootLink {
  readonly sink: ChunkSink;
  /** Resolves once the root has everything kept so far; nothing is sent where that is nothing. */
  flushed(): Promise<void>;
  /** Asks the root; the chunks that were kept so far go along. */
  ask(what: Parameters<Outbox['ask']>[0]): Promise<RootAnswer>;
  /**
   * Takes to the root what children gave to this agent, in one transaction there: an answer for each, in their order.
   * Doing it again is harmless. @throws where the root was not reached, or its answer was lost
   */
  relay(requests: readonly RootRequest[]): Promise<readonly RootAnswer[]>;
  /** Says that this agent took what these deliver, as their parent: the root has nothing of it to hand on. */
  taken?(requests: readonly RootRequest[]): void;
  /** What the agent may spend before it asks again. */
  lease(): Promise<Grant>;
  /** Asks for a turn at a model; one that it waits for comes as a message. */
  turn(asked: AskedTurn): Promise<TurnAnswer>;
  /** The request that had a turn has ended. */
  turnEnded(id: string): void;
  /** The agent does nothing before that time, in ms since 1970: until then nobody has to look after it. */
  rests(until: number): void;
  /** Resolves once the alarm of the root would bring the agent back to what it has committed (OB4). */
  recorded(): Promise<void>;
  /** Asks the root whether it knows of the agent; whether it has said so or not within so long, in ms. */
  reached(ms: number): Promise<boolean>;
  stop(): void;
}

/** A request that says nothing yet. */
function nothing(sessionId: string): RootRequest {
  return { sessionId, batches: [], admit: [], deliver: [], withdraw: [], lost: [] };
}

/** Relays by one request of the agent's own; where that was not taken, its answer is that to each of them. */
async function relayBy(
  send: (request: RootRequest) => Promise<RootAnswer>,
  sessionId: string,
  relayed: readonly RootRequest[],
): Promise<readonly RootAnswer[]> {
  const answer = await send({ ...nothing(sessionId), relayed });
  return answer.relayed ?? relayed.map(() => answer);
}

/** The way of the root's own agent. */
export function linkAtRoot(tree: RootRuntime, sessionId: string): RootLink {
  return {
    sink: tree.sink(),
    async ask(what) {
      const answer = await tree.take({ ...nothing(sessionId), ...what });
      if (answer.merge === 'refused') throw new OffshootError('unavailable', answer.why);
      return answer;
    },
    relay: (requests) => relayBy((request) => tree.take(request), sessionId, requests),
    taken: (requests) => tree.taken(requests),
    lease: async () => tree.lease(sessionId),
    turn: async (asked) => tree.turns.ask(sessionId, asked),
    turnEnded: (id) => tree.turns.ended(sessionId, id),
    rests: (until) => tree.rests(sessionId, until),
    // Its state and its record are written in one transaction.
    flushed: async () => undefined,
    recorded: () => Promise.resolve(),
    reached: () => Promise.resolve(true),
    stop: () => undefined,
  };
}

/** The way of an agent below the root, by its outbox. `rests` sets the alarm of an object without a parent's. */
export function linkBelow(outbox: Outbox, rests?: (until: number) => void): RootLink {
  return {
    sink: outbox,
    ask: (what) => outbox.ask(what),
    relay: (requests) => relayBy(outbox.askRoot, outbox.sessionId, requests),
    lease: async () => (await outbox.ask({ lease: true })).grant ?? { ok: false, error: failure('unavailable') },
    turn: async (turn) => (await outbox.ask({ turn })).turn ?? { go: false, limited: false },
    turnEnded: (ended) => void outbox.ask({ turn: { ended } }),
    rests: (until) => {
      rests?.(until);
      void outbox.ask({ turn: { rests: until } });
    },
    flushed: () => outbox.flushed(),
    recorded: () => outbox.recorded(),
    reached: (ms) => outbox.reached(ms),
    stop: () => outbox.stop(),
  };
}
