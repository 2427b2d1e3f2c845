/**
 * The root's side of turns at models: agents ask, wait, and get a message when it is their turn. The order is decided in
 * `core/tree/models/turns.ts`.
 *
 * Keeps MT1, MT2, MT3.
 */
import { chanceOf } from '../../core/agent/steps/chance';
import type { Admission } from '../../core/tree/admission';
import type { AsksFirst } from '../../core/tree/lease';
import { type AskedTurn, type GivenTurn, ModelTurns, type TurnAnswer } from '../../core/tree/models/turns';
import { hasBegun, type TreeNode } from '../../core/tree/node';
import { HELD_MS } from '../environment';
import type { RootAnswer, RootRequest } from '../tree-messages';
import type { TreeRecord } from './record';

/** Agents ask by themselves within so long after a limit was met, in ms; only the others get a message. */
const NOTICE_MS = 20;
/** Agents that wait are looked at again after so long, in ms: an agent that has the turn before may be lost. */
const AGAIN_MS = 1_000;

/** The turns of one tree, with its timers and messages. */
export class TreeTurns {
  readonly #turns: ModelTurns;
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #noticing = false;

  constructor(readonly record: TreeRecord) {
    this.#turns = new ModelTurns(record.deps.limits);
  }

  /** Before which requests agents ask for a turn now. */
  asksFirst(): AsksFirst | undefined {
    return this.#turns.asksFirst(this.record.index, this.record.deps.environment.now());
  }

  /** An agent without a request under way is answered; what it reads in the answer on when it asks. */
  granted(sessionId: string): AsksFirst | undefined {
    const asksFirst = this.asksFirst();
    if (asksFirst) this.#turns.knows(sessionId, asksFirst);
    return asksFirst;
  }

  /** An agent asks for a turn. */
  ask(sessionId: string, asked: AskedTurn): TurnAnswer {
    this.#turns.ask(sessionId, asked, this.record.deps.environment.now());
    const asksFirst = this.granted(sessionId);
    this.#assign({ sessionId, id: asked.id });
    const go = this.#turns.has({ sessionId, id: asked.id });
    this.#noticeSoon(asksFirst);
    const opensMs = this.#turns.opensMs({ sessionId, id: asked.id }, this.record.deps.environment.now());
    const limited = this.#turns.isLimited(asked.provider);
    return { go, limited, ...(opensMs > 0 ? { opensMs } : {}), ...(asksFirst ? { asksFirst } : {}) };
  }

  /** The request of an agent has ended. */
  ended(sessionId: string, id: string): void {
    this.#turns.ended(sessionId, id);
    this.granted(sessionId);
    this.#assign();
  }

  /** The record has changed: who had a turn may be at work no more. */
  changed(): void {
    if (this.#turns.nextAt() !== undefined) this.#assign();
  }

  /** The answer to a request with what goes with it: the turn that it asks for, and when its sender and new children ask first. */
  answered(request: RootRequest, answer: RootAnswer): RootAnswer {
    if (answer.merge !== 'merged') return answer;
    const { sessionId, turn: said, relayed = [] } = request;
    if (said && 'ended' in said) this.ended(sessionId, said.ended);
    if (said && 'rests' in said) this.#turns.rests(sessionId);
    const turn = said && 'id' in said && { turn: this.ask(sessionId, said) };
    const asksFirst = answer.grant?.ok ? this.granted(sessionId) : this.asksFirst();
    const below = answer.relayed?.map((one, at) => this.#relayed(relayed[at], one));
    const full = { ...answer, ...turn, ...(below ? { relayed: below } : {}) };
    if (asksFirst === undefined) return full;
    if (answer.admissions.length > 0) this.#noticeSoon(asksFirst);
    return {
      ...full,
      admissions: full.admissions.map((one) => this.#admitted(sessionId, one, asksFirst)),
      ...(full.grant?.ok ? { grant: { ok: true, lease: { ...full.grant.lease, asksFirst } } } : {}),
    };
  }

  /** A child begins with what its lease says, so it has no request under way that it asked nobody for. */
  #admitted(parent: string, one: Admission, asksFirst: AsksFirst): Admission {
    if (one.answer !== 'start' || one.lease === undefined) return one;
    const node = this.record.index.bySession(parent);
    const child = node && this.record.index.childOf(node.id, one.childId);
    if (child) this.#turns.knows(child.sessionId, asksFirst);
    return { ...one, lease: { ...one.lease, asksFirst } };
  }

  #relayed(request: RootRequest | undefined, answer: RootAnswer): RootAnswer {
    return request ? this.answered(request, answer) : answer;
  }

  /** Assigns turns, with a message to those who have one now; the one who asks reads it in the answer. */
  #assign(asking?: GivenTurn): void {
    const { environment } = this.record.deps;
    const given = this.#turns.next(this.record.index, environment.now(), () => chanceOf(environment.token()));
    for (const one of given) if (one.id !== asking?.id || one.sessionId !== asking.sessionId) this.#announce(one);
    this.#arm();
  }

  #announce({ sessionId, id }: GivenTurn): void {
    const node = this.record.index.bySession(sessionId);
    if (node === undefined) return;
    this.record.deps.send(node.address, { type: 'model_turn', sessionId, id }).then(
      (answer) => {
        if (answer.answer !== 'done') this.ended(sessionId, id);
      },
      // It asks again, and reads it in the answer.
      (error: unknown) =>
        environment(this).report(`${node.address} did not learn that it has a turn; it asks again.`, error),
    );
  }

  /** Looks again when the next turn can be given, and every second where that is now. Those who rest until then are rung. */
  #arm(): void {
    const next = this.#turns.nextAt();
    const now = environment(this).now();
    const isFar = next === undefined || next - now > HELD_MS;
    const at = isFar ? undefined : next > now ? next : now + AGAIN_MS;
    if (this.#timer && at !== undefined && this.#timer.at <= at && this.#timer.at > now) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (at === undefined) return;
    const cancel = environment(this).timer(at - now, () => {
      this.#timer = undefined;
      this.#assign();
      this.#noticeSoon(this.asksFirst());
    });
    this.#timer = { at, cancel };
  }

  /** Sends a message to agents that do not know yet when they ask. */
  #noticeSoon(asksFirst: AsksFirst | undefined): void {
    if (asksFirst === undefined || this.#noticing) return;
    if (this.#unaware(asksFirst).length === 0) return;
    this.#noticing = true;
    environment(this).timer(NOTICE_MS, () => {
      this.#noticing = false;
      const asks = this.asksFirst();
      if (asks) for (const node of this.#unaware(asks)) this.#notice(node, asks);
    });
  }

  /** Those who get a message: one to a child that has not begun would make its object. */
  #unaware(asksFirst: AsksFirst): TreeNode[] {
    return this.#turns.unaware(this.record.index, asksFirst).filter(hasBegun);
  }

  #notice({ sessionId, address }: TreeNode, asksFirst: AsksFirst): void {
    this.record.deps.send(address, { type: 'ask_first', sessionId, asksFirst }).then(
      (answer) => {
        if (answer.answer === 'done') this.#turns.knows(sessionId, asksFirst);
        this.#assign();
      },
      (error: unknown) => environment(this).report(`${address} did not hear that it asks for turns.`, error),
    );
  }
}

const environment = ({ record }: TreeTurns) => record.deps.environment;
