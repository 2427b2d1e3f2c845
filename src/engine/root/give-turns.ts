/**
 * The root's side of turns at models: agents ask, wait, and are told when it is their turn. Who has it is decided in
 * `core/tree/model-turns.ts`.
 *
 * Keeps MT1, MT2, MT3.
 */
import { chanceOf } from '../../core/agent/steps/chance';
import type { AsksFirst } from '../../core/tree/lease';
import { type AskedTurn, type GivenTurn, ModelTurns, type TurnAnswer } from '../../core/tree/model-turns';
import type { TreeNode } from '../../core/tree/node';
import type { RootAnswer, RootRequest } from '../tree-messages';
import type { TreeRecord } from './record';

/** Agents ask by themselves within so long after a limit was met, in ms; only the others are told of it. */
const TELL_MS = 20;
/** Whoever waits is looked at again after so long, in ms: an agent that has the turn before may be lost. */
const AGAIN_MS = 1_000;

/** Gives the turns of one tree. */
export class TurnGiver {
  readonly #turns: ModelTurns;
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #telling = false;

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
    if (asksFirst) this.#turns.knows(sessionId, asksFirst, false);
    return asksFirst;
  }

  /** An agent asks for a turn. */
  ask(sessionId: string, asked: AskedTurn): TurnAnswer {
    this.#turns.ask(sessionId, asked, this.record.deps.environment.now());
    const asksFirst = this.granted(sessionId);
    this.#give({ sessionId, id: asked.id });
    const go = this.#turns.has({ sessionId, id: asked.id });
    this.#tellSoon(asksFirst);
    return { go, limited: this.#turns.isLimited(asked.provider), ...(asksFirst ? { asksFirst } : {}) };
  }

  /** The request of an agent has ended. */
  ended(sessionId: string, id: string): void {
    this.#turns.ended(sessionId, id);
    this.#give();
  }

  /** The record has changed: who had a turn may be at work no more. */
  changed(): void {
    if (this.#turns.nextAt() !== undefined) this.#give();
  }

  /** What goes with the answer to a request: the turn that it asks for, and when its sender and new children ask first. */
  answered(request: RootRequest, answer: RootAnswer): RootAnswer {
    if (answer.merge !== 'merged') return answer;
    const { sessionId, turn: asked, turnEnded, relayed = [] } = request;
    if (turnEnded !== undefined) this.ended(sessionId, turnEnded);
    const turn = asked && { turn: this.ask(sessionId, asked) };
    const asksFirst = answer.grant?.ok ? this.granted(sessionId) : this.asksFirst();
    const below = answer.relayed?.map((one, at) => this.#relayed(relayed[at], one));
    const told = { ...answer, ...turn, ...(below ? { relayed: below } : {}) };
    if (asksFirst === undefined) return told;
    if (answer.admissions.length > 0) this.#tellSoon(asksFirst);
    return {
      ...told,
      admissions: told.admissions.map((one) =>
        one.answer === 'start' && one.lease ? { ...one, lease: { ...one.lease, asksFirst } } : one,
      ),
      ...(told.grant?.ok ? { grant: { ok: true, lease: { ...told.grant.lease, asksFirst } } } : {}),
    };
  }

  #relayed(request: RootRequest | undefined, answer: RootAnswer): RootAnswer {
    return request ? this.answered(request, answer) : answer;
  }

  /** Gives turns, and tells those who have one now; but for the one who asks, who reads it in the answer. */
  #give(asking?: GivenTurn): void {
    const { environment } = this.record.deps;
    const given = this.#turns.next(this.record.index, environment.now(), () => chanceOf(environment.token()));
    for (const one of given) if (one.id !== asking?.id || one.sessionId !== asking.sessionId) this.#tellTurn(one);
    this.#arm();
  }

  #tellTurn({ sessionId, id }: GivenTurn): void {
    const node = this.record.index.bySession(sessionId);
    if (node === undefined) return;
    this.record.deps.send(node.address, { type: 'model_turn', sessionId, id }).then(
      (answer) => {
        if (answer.answer !== 'done') this.ended(sessionId, id);
      },
      // It asks again, and reads it in the answer.
      (error: unknown) => environment(this).report(`${node.address} was not told of its turn; it asks again.`, error),
    );
  }

  /** Looks again when the next turn can be given, and every second. */
  #arm(): void {
    const next = this.#turns.nextAt();
    const now = environment(this).now();
    const at = next === undefined ? undefined : next > now ? Math.min(next, now + AGAIN_MS) : now + AGAIN_MS;
    if (this.#timer && at !== undefined && this.#timer.at <= at && this.#timer.at > now) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (at === undefined) return;
    const cancel = environment(this).timer(at - now, () => {
      this.#timer = undefined;
      this.#give();
      this.#tellSoon(this.asksFirst());
    });
    this.#timer = { at, cancel };
  }

  /** Tells agents when they ask, who do not know it yet. */
  #tellSoon(asksFirst: AsksFirst | undefined): void {
    if (asksFirst === undefined || this.#telling) return;
    if (this.#turns.untold(this.record.index, asksFirst).length === 0) return;
    this.#telling = true;
    environment(this).timer(TELL_MS, () => {
      this.#telling = false;
      const asks = this.asksFirst();
      if (asks) for (const node of this.#turns.untold(this.record.index, asks)) this.#tell(node, asks);
    });
  }

  #tell({ sessionId, address }: TreeNode, asksFirst: AsksFirst): void {
    this.record.deps.send(address, { type: 'ask_first', sessionId, asksFirst }).then(
      (answer) => {
        if (answer.answer === 'done') this.#turns.knows(sessionId, asksFirst, answer.calls === true);
        this.#give();
      },
      (error: unknown) => environment(this).report(`${address} was not told that it asks for turns.`, error),
    );
  }
}

const environment = ({ record }: TurnGiver) => record.deps.environment;
