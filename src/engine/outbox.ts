/**
 * The way to the root: chunks in order, each batch kept until the root has it, one call at a time.
 *
 * Decides: how often what the root does not take is sent again; how large a request to the root is.
 *
 * OB1. A batch is committed with the state that it tells of, and sent after.
 * TR1. The next call begins when the last was answered, so the root sees an object's chunks in order.
 * - What was asked for while a call was under way goes with the next one.
 * OB4. Who is answered by an agent that was at rest is answered after the root knows that it works: the root wakes only
 *     those of whom it knows (decision 20).
 * OB6. What can never be sent is told from a root that is not there: a statement takes its place, and the run fails.
 * OB5. What the parent takes as the final flush is kept as before, and sent a little later all the same (decision 19;
 *     drawn in design/flows.md).
 */

import { pendingIn } from '../core/agent/calls/answer';
import { openTasks } from '../core/agent/children/await';
import { isAtRest, statusOf, suspensionOf } from '../core/agent/runs/status';
import type { AgentState } from '../core/agent/state';
import type { AgentStore, OutgoingBatch } from '../core/ports/agent-store';
import type { AdmissionRequest } from '../core/tree/admission';
import type { Batch, Dues } from '../core/tree/merge';
import type { AskedTurn, EndedTurn, RestingTurn } from '../core/tree/models/turns';
import type { Chunk } from '../protocol/chunks';
import { DATA_LIMITS } from '../protocol/data-limits';
import { failure } from '../protocol/errors';
import { toJson } from '../protocol/json';
import { isEnded } from '../protocol/status';
import { chunkSize, withoutPayload } from './chunk-size';
import { type Environment, pause, within } from './environment';
import type { Delivery, RootAnswer, RootRequest } from './tree-messages';

/** What goes with an agent's chunks: how it stands after them. */
export type SenderStatus = Pick<Batch, 'status' | 'usage' | 'pending' | 'openTasks' | 'consults' | keyof Dues>;

/** The status that goes to the root with the chunks of an event. The arguments of a call are in the chunk that asks. */
export function senderStatus(state: AgentState, dues: Dues): SenderStatus {
  const pending = pendingIn(state).map(({ input: _input, ...waiting }) => waiting);
  const tasks = openTasks(state);
  const consults = suspensionOf(state) !== undefined && !isAtRest(state);
  return {
    status: statusOf(state),
    usage: state.spent,
    ...(pending.length > 0 ? { pending } : {}),
    ...(tasks.length > 0 ? { openTasks: tasks } : {}),
    ...(consults ? { consults } : {}),
    ...dues,
  };
}

/** Where an agent's chunks go. `keep` is called inside the transaction, `flush` after it. */
export interface ChunkSink {
  keep(chunks: readonly Chunk[], facts: SenderStatus): void;
  flush(): void;
  /** Sends soon what nothing took along; called after `flush`, once the effects of the commit have begun. */
  sendSoon?(): void;
  /** The transaction was rolled back: what `keep` took is forgotten. */
  abandon(): void;
  /**
   * All that the root has still to hear of an agent that has ended, for its parent to take there (OB5). It waits here for
   * what its caller asks later. Undefined where it is too much, or nobody is above: then it goes its own way.
   */
  finalFlush?(delivery: Delivery): RootRequest | undefined;
  /** The agent's own number of its last chunk. */
  readonly number: number;
}

/** Chunks wait this long for others before they are sent, in ms; whatever is asked of the root takes them along. */
const LINGER_MS = 10;
/** No more than about so many characters are in a final flush: a parent may be given that much by each of its children. */
const MAX_FINAL_FLUSH = 20_000;
/** Waits before the root is asked again that gave no answer, refused, or took nothing new, in ms; the last one again and again. */
const ROOT_AGAIN_MS = [20, 50, 100, 250, 500, 1_000];
/** A row of the outbox and a batch hold about so many characters at most. */
const MAX_BATCH = 500_000;
/** One call carries so many batches in any case, and more up to about so many characters. An RPC takes 32 MiB. */
const FEW_BATCHES = 4;
const MAX_REQUEST = 4_000_000;

/** A root that refuses what it is sent so often in a row, with waits of up to 1 s, will not take it. */
const MAX_REFUSALS = 20;
/** Beside a value of a chunk lies its envelope: so many levels more at most. */
const ENVELOPE = 20;
/** An RPC takes 32 MiB; a text may take two bytes for a character there. */
const MAX_SENT = 16_000_000;

interface Asked {
  admit: AdmissionRequest[];
  deliver: Delivery[];
  lease?: true;
  turn?: AskedTurn | EndedTurn | RestingTurn;
  look?: string[];
  withdraw: string[];
  lost: string[];
}

const nothing = (): Asked => ({ admit: [], deliver: [], withdraw: [], lost: [] });

/** Whose outbox it is. */
export interface OutboxOwner {
  /** Whether a child is still to work as it was asked for: a request may have waited for a root that was not there (A17). */
  owes(request: AdmissionRequest): boolean;
  /** Called when the root says that this agent is no part of the tree any more; `unknown`: it is in no record either. */
  gone(unknown: boolean): void;
  /** Called when something of what it has to say can never be sent, and something was put in its place (OB6). */
  unsendable(why: string): void;
}

/** The outbox of an agent that is not the root. */
export class Outbox implements ChunkSink {
  #kept: OutgoingBatch[];
  #fresh: OutgoingBatch[] = [];
  #positions: number;
  #free: number[] = [];
  #asked = nothing();
  #waiting: { resolve: (answer: RootAnswer) => void }[] = [];
  #sending: Promise<void> | undefined;
  /** The root has this agent as one that works, as far as is known here. */
  #works: boolean;
  readonly #ended = new AbortController();
  #linger: (() => void) | undefined;
  /** Whether all that is kept is in a final flush: it goes with what is asked next. */
  #flushed = false;
  /** Chunks and answers that can be sent, as was found out once: each look writes the whole value as JSON. */
  readonly #sendable = new WeakSet<object>();
  #stopped = false;
  number: number;

  constructor(
    readonly store: AgentStore,
    readonly environment: Environment,
    readonly sessionId: string,
    readonly askRoot: (request: RootRequest) => Promise<RootAnswer>,
    readonly owner: OutboxOwner,
    /** What the store holds of earlier batches; undefined for a session that has just begun. */
    kept: readonly OutgoingBatch[] | undefined,
  ) {
    this.#kept = [...(kept ?? [])].sort(inOrder);
    this.#positions = this.#kept.reduce((most, { position }) => Math.max(most, position + 1), 0);
    this.#works = kept === undefined;
    const last = this.#kept.at(-1)?.batch;
    this.number = last === undefined ? 0 : last.first + last.chunks.length - 1;
  }

  keep(chunks: readonly Chunk[], facts: SenderStatus): void {
    this.#fresh = [];
    const groups = packed(chunks);
    // The end of a run comes with its last chunk.
    const before = isEnded(facts.status) ? { ...facts, status: 'running' as const } : facts;
    for (const [index, some] of groups.entries()) {
      const first = this.number + this.#fresh.reduce((sum, { batch }) => sum + batch.chunks.length, 0) + 1;
      const taken = this.#fresh.length;
      const position =
        this.#free[this.#free.length - 1 - taken] ?? this.#positions + Math.max(0, taken - this.#free.length);
      const kept = { position, batch: { first, chunks: some, ...(index < groups.length - 1 ? before : facts) } };
      this.store.keep(kept);
      this.#fresh.push(kept);
    }
  }

  flush(): void {
    for (const kept of this.#fresh) {
      if (this.#free.length > 0) this.#free.pop();
      else this.#positions++;
      this.#kept.push(kept);
      this.number += kept.batch.chunks.length;
    }
    if (this.#fresh.length > 0) this.#flushed = false;
    this.#fresh = [];
  }

  sendSoon(): void {
    if (this.#kept.length === 0 || this.#flushed || this.#stopped) return;
    if (this.#sending === undefined) this.#linger ??= this.environment.timer(LINGER_MS, () => this.#send());
  }

  abandon(): void {
    this.#fresh = [];
  }

  finalFlush(delivery: Delivery): RootRequest | undefined {
    const { sessionId } = this;
    const size = this.#kept.reduce((sum, { batch }) => batch.chunks.reduce((all, one) => all + chunkSize(one), sum), 0);
    if (this.#stopped || size > MAX_FINAL_FLUSH) return undefined;
    this.#cancelLinger();
    this.#flushed = true;
    const batches = this.#kept.map(({ batch }): Batch => ({ ...batch, sessionId }));
    return { ...nothing(), sessionId, batches, deliver: [delivery] };
  }

  #cancelLinger(): void {
    this.#linger?.();
    this.#linger = undefined;
    this.#flushed = false;
  }

  /** Asks the root; everything kept so far goes along. Resolves with the answer to the call that carried it. */
  ask(what: Partial<Asked>): Promise<RootAnswer> {
    const asked = this.#asked;
    asked.admit.push(...(what.admit ?? []));
    asked.withdraw.push(...(what.withdraw ?? []));
    asked.lost.push(...(what.lost ?? []));
    asked.deliver.push(...(what.deliver ?? []));
    if (what.lease) asked.lease = true;
    if (what.turn) asked.turn = what.turn;
    if (what.look) asked.look = [...(asked.look ?? []), ...what.look];
    const answer = new Promise<RootAnswer>((resolve) => this.#waiting.push({ resolve }));
    this.#send();
    return answer;
  }

  /** Resolves once the root has everything kept so far; also when nothing is or nothing more is sent (OB4). */
  async flushed(): Promise<void> {
    if (this.#kept.length > 0) await this.#heard();
  }

  /** Asks the root, and resolves once it has answered; also when nothing more is sent. */
  async #heard(): Promise<true> {
    const { signal } = this.#ended;
    if (signal.aborted) return true;
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([this.ask({}), ended]);
    return true;
  }

  /** The same; also once the root has this agent as one that works. */
  async recorded(): Promise<void> {
    if (!this.#works) await this.flushed();
  }

  /** Asks the root whether it knows of this agent; whether it has said so or not within so long, in ms. */
  async reached(ms: number): Promise<boolean> {
    return (await within(this.environment, ms, this.#heard())) === true;
  }

  /** Sends nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#ended.abort();
    this.#linger?.();
  }

  #send(): void {
    this.#cancelLinger();
    if (this.#stopped || this.#sending) return;
    this.#sending = this.#drain().finally(() => {
      this.#sending = undefined;
      // What came after the last look, and before this, found a sender at work.
      if (this.#kept.length > 0 || this.#waiting.length > 0) this.#send();
    });
  }

  async #drain(): Promise<void> {
    let refusals = 0;
    for (let failures = 0; !this.#stopped && (this.#kept.length > 0 || this.#waiting.length > 0); ) {
      const next = withinOneCall(this.#kept);
      // What is asked for goes with the last batch, so that its cause is there.
      const [asked, waiting] = next.length === this.#kept.length ? this.#takeAsked() : [nothing(), []];
      const batches = next.map(({ batch }): Batch => ({ ...batch, sessionId: this.sessionId }));
      const answer = await this.#try({ sessionId: this.sessionId, batches, ...asked });
      if (answer?.merge === 'merged') {
        refusals = 0;
        for (const { resolve } of waiting) resolve(answer);
        if (this.#acknowledge(next, answer.merged) || batches.length === 0) failures = 0;
        else await pause(this.environment, ROOT_AGAIN_MS[Math.min(failures++, ROOT_AGAIN_MS.length - 1)] ?? 0);
      } else if (answer?.merge === 'gone') {
        this.stop();
        this.owner.gone(answer.unknown === true);
      } else {
        this.#ask(asked, waiting);
        refusals = answer === undefined ? 0 : refusals + 1;
        const refused = refusals === MAX_REFUSALS ? (answer?.why ?? 'The root refused it.') : undefined;
        this.#replaceUnsendable(refused);
        await pause(this.environment, ROOT_AGAIN_MS[Math.min(failures++, ROOT_AGAIN_MS.length - 1)] ?? 0);
      }
    }
  }

  /** Puts statements in the place of what can never be sent; of everything that says anything where the root refuses it all. */
  #replaceUnsendable(refused: string | undefined): void {
    const problems: string[] = [];
    const sent = <Value extends object>(value: Value, instead: (why: string) => Value): Value => {
      if (refused === undefined && this.#sendable.has(value)) return value;
      const why = refused ?? whyUnsendable(value);
      if (why === undefined) this.#sendable.add(value);
      else problems.push(why);
      return why === undefined ? value : instead(why);
    };
    this.#kept = this.#kept.map((kept) => {
      const chunks = kept.batch.chunks.map((chunk) => sent(chunk, (why) => withoutPayload(chunk, why)));
      return { ...kept, batch: { ...kept.batch, chunks } };
    });
    this.#asked.deliver = this.#asked.deliver.map((delivery) => sent(delivery, (why) => failedInstead(delivery, why)));
    const [why] = problems;
    if (why !== undefined) this.owner.unsendable(`Its report cannot be sent: ${why}`);
  }

  #takeAsked(): [Asked, { resolve: (answer: RootAnswer) => void }[]] {
    const waiting = this.#waiting;
    const asked = { ...this.#asked, admit: this.#asked.admit.filter((request) => this.owner.owes(request)) };
    this.#asked = nothing();
    this.#waiting = [];
    return [asked, waiting];
  }

  #ask(asked: Asked, waiting: { resolve: (answer: RootAnswer) => void }[]): void {
    const later = this.#asked;
    this.#asked = {
      ...asked,
      ...later,
      admit: [...asked.admit, ...later.admit],
      deliver: [...asked.deliver, ...later.deliver],
      withdraw: [...asked.withdraw, ...later.withdraw],
      lost: [...asked.lost, ...later.lost],
      ...(asked.look || later.look ? { look: [...(asked.look ?? []), ...(later.look ?? [])] } : {}),
    };
    this.#waiting = [...waiting, ...this.#waiting];
  }

  async #try(request: RootRequest): Promise<RootAnswer | undefined> {
    try {
      return await this.askRoot(request);
    } catch (error) {
      this.environment.report('The root did not answer; the batch is kept and sent again.', error);
      return undefined;
    }
  }

  /** Forgets what was sent and the root has; whether that was anything. */
  #acknowledge(sent: readonly OutgoingBatch[], number: number): boolean {
    const before = this.#kept.length;
    const left: OutgoingBatch[] = [];
    for (const kept of this.#kept) {
      const merged = kept.batch.first + kept.batch.chunks.length - 1 <= number;
      if (merged && sent.includes(kept)) {
        this.#free.push(kept.position);
        this.#works = kept.batch.status === 'running';
      } else left.push(kept);
    }
    this.#kept = left;
    return left.length < before;
  }
}

/** Why something can never be sent, if so: it is no JSON, or nested too deep, or too large for a call. */
function whyUnsendable(value: unknown): string | undefined {
  const plain = toJson(value, MAX_SENT, DATA_LIMITS.maxDepth + ENVELOPE);
  return plain.ok ? undefined : plain.problem;
}

/** An outcome that cannot be sent is a failure of the framework. */
function failedInstead(delivery: Delivery, why: string): Delivery {
  if (delivery.type !== 'child_settled') return delivery;
  const error = failure('internal', `The outcome of the sub-agent cannot be sent: ${why}`);
  return { ...delivery, outcome: { status: 'failed', error, failureReason: error.code } };
}

/** A batch without chunks, which has no number of its own, comes before the one that begins there. */
function inOrder({ batch: one }: OutgoingBatch, { batch: other }: OutgoingBatch): number {
  return one.first - other.first || one.chunks.length - other.chunks.length;
}

/** The batches that one call carries, from the first on. */
function withinOneCall(kept: readonly OutgoingBatch[]): OutgoingBatch[] {
  let size = 0;
  for (let count = FEW_BATCHES; count < kept.length; count++) {
    for (const chunk of kept[count]?.batch.chunks ?? []) size += chunkSize(chunk);
    if (size > MAX_REQUEST) return kept.slice(0, count);
  }
  return [...kept];
}

/** Chunks in groups that fit into a row; one group without any where there are none. */
function packed(chunks: readonly Chunk[]): Chunk[][] {
  const groups: Chunk[][] = [[]];
  let size = 0;
  for (const chunk of chunks) {
    const length = chunkSize(chunk);
    if (size > 0 && size + length > MAX_BATCH) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(chunk);
    size += length;
  }
  return groups;
}
