/**
 * The transcript in memory: built once from the rows, then only what is new is read. What a compaction left out is not.
 *
 * Keeps SE5, CX5, CX14.
 */

import {
  type Compaction,
  type ContextNow,
  type CountedRequest,
  estimate,
  type MessageRange,
  type Section,
  summaryMessage,
} from '../core/agent/context/compaction';
import { cutMessage, messageBytes } from '../core/agent/context/size';
import type { InboundMessage } from '../core/agent/inbound';
import type { Viewer } from '../core/agent/seat';
import type { RepliedStep, Step } from '../core/agent/state';
import { inboundMessage, interleave, messageFor, silentTurn, stepFor, stepMessages } from '../core/agent/transcript';
import type { AgentStore } from '../core/ports/agent-store';
import type { Message } from '../protocol/messages';

/** A compaction that holds, and the step that it was made for. */
interface Held {
  readonly at: number;
  readonly compaction: Compaction;
}

/** The most that stays of a part without a reply, in a request that was refused as too long. Unit: bytes. */
const REFUSED_PART_BYTES = 2_048;

/** What no reply has followed yet. */
interface Arrived {
  readonly messages: Message[];
  /** Whether somebody else than the framework spoke. */
  spoken: boolean;
}

/** What the model of a session has to see before a step. Holds every message of its request. */
export class Transcript {
  /** As the request has them. */
  #messages: Message[] = [];
  /** How large those are that were measured, in order. */
  #bytes: number[] = [];
  /** The same as they were written, by the steps that saw them. */
  #sections: Section[] = [];
  #arrived: Arrived = { messages: [], spoken: false };
  #pinned: Message[] = [];
  #held: Held | undefined;
  /** The reply that came last: what the provider counted, and how many messages the request had. */
  #counted: { readonly stepId: number; readonly inputTokens: number; readonly messages: number } | undefined;
  #step = 0;
  #message = 0;
  /** Whether the turn of the other side, as far as it was read, had no words. */
  #silent = false;
  /** How many messages there were after the last step of each turn, in order. */
  #ends: { readonly turn: number; readonly messages: number }[] = [];
  /** Whether the last step that was read is of the viewer's side, or none was read. */
  #ownLast = true;

  /** @param viewer the side that sees it, where the agent has two */
  constructor(
    readonly store: Pick<AgentStore, 'steps' | 'messages'>,
    readonly viewer?: Viewer,
  ) {}

  /** The messages that a step sees: those of earlier steps, and what arrived up to its beginning. */
  before(step: Step): readonly Message[] {
    const held = this.#heldAt(step);
    if (held?.compaction.number !== this.#held?.compaction.number) this.#begin(held);
    const steps = step.id - 1 > this.#step ? this.store.steps({ after: this.#step, upTo: step.id - 1 }) : [];
    const messages =
      step.messagesUpTo > this.#message ? this.store.messages({ after: this.#message, upTo: step.messagesUpTo }) : [];
    interleave(
      messages,
      steps,
      (message) => this.#takeMessage(message),
      (one) => this.#takeStep(one),
    );
    this.#turnRead();
    this.#step = step.id - 1;
    this.#message = step.messagesUpTo;
    return this.#messages;
  }

  /** Where what came after the steps before a turn begins, among the messages that a step sees. */
  beginningOf(turn: number): number {
    return this.#ends.findLast((end) => end.turn < turn)?.messages ?? 0;
  }

  /** What a compaction of the request of that step goes by, which has been asked for. */
  now(step: Step, fixedBytes: number): ContextNow {
    for (const message of this.#messages.slice(this.#bytes.length)) this.#bytes.push(messageBytes(message));
    const arrived = this.#arrived.messages;
    const bytes = sum(this.#bytes);
    const newest = { arrived, said: [], messagesUpTo: step.messagesUpTo, ...this.#opening(step) };
    return {
      ...(this.#held ? { last: this.#held.compaction } : {}),
      pinned: this.#pinned,
      sections: [...this.#sections, newest],
      bytes,
      fixedBytes,
      ...estimate(fixedBytes + bytes, this.#known(fixedBytes)),
    };
  }

  /** What is known of a request before: what the provider counted, or between a compaction and the first reply after it, what that went by. */
  #known(fixedBytes: number): CountedRequest | number | undefined {
    const counted = this.#counted;
    if (this.#held && this.#held.at > (counted?.stepId ?? 0)) return this.#held.compaction.tokensPerByte;
    if (counted === undefined) return undefined;
    return { inputTokens: counted.inputTokens, bytes: fixedBytes + sum(this.#bytes.slice(0, counted.messages)) };
  }

  /** The compaction that holds for a step: its own, or that of an earlier one. */
  #heldAt({ id, compaction, compactedAt }: Step): Held | undefined {
    if (compaction) return { at: id, compaction };
    if (compactedAt === undefined || compactedAt === this.#held?.at) return this.#held;
    const [earlier] = this.store.steps({ after: compactedAt - 1, upTo: compactedAt });
    return earlier?.compaction && { at: compactedAt, compaction: earlier.compaction };
  }

  /** Begins anew after what a compaction leaves out. */
  #begin(held: Held | undefined): void {
    this.#held = held;
    this.#messages = [];
    this.#bytes = [];
    this.#sections = [];
    this.#ends = [];
    this.#arrived = { messages: [], spoken: false };
    this.#pinned = [];
    this.#counted = undefined;
    this.#step = held?.compaction.upToStep ?? 0;
    this.#message = held?.compaction.upToMessage ?? 0;
    if (held === undefined) return;
    const { summary, pinned } = held.compaction;
    if (summary !== '') this.#messages.push(summaryMessage(summary));
    if (pinned === undefined) return;
    for (const row of this.store.messages(pinned)) {
      const message = inboundMessage(row);
      this.#pinned.push(message);
      this.#messages.push(this.#cut(message, row.id));
    }
  }

  /** The turn of the other side has been read to its end. */
  #turnRead(): void {
    if (this.#silent && this.viewer) this.#messages.push(silentTurn(this.viewer));
    this.#silent = false;
  }

  #takeMessage(row: InboundMessage): [] {
    const message = this.viewer ? messageFor(row, this.viewer) : inboundMessage(row);
    if (message === undefined) return [];
    this.#arrived.messages.push(message);
    this.#arrived.spoken ||= row.from !== 'offshoot';
    this.#messages.push(this.#cut(message, row.id));
    return [];
  }

  #takeStep(step: Step): [] {
    if (step.phase !== 'calls') {
      if (step.failures.at(-1)?.code === 'context_too_large') this.#shorten();
      return [];
    }
    const said = this.#saidIn(step);
    const { id: stepId, messagesUpTo } = step;
    const { messages: arrived } = this.#arrived;
    this.#sections.push({ arrived, said, stepId, messagesUpTo, ...this.#opening(step) });
    this.#arrived = { messages: [], spoken: false };
    this.#counted = { stepId, inputTokens: step.usage.inputTokens, messages: this.#messages.length };
    const bytes = this.#held && stepId < this.#held.at ? this.#held.compaction.cut?.bytes : undefined;
    this.#messages.push(...(bytes === undefined ? said : said.map((message) => cutMessage(message, bytes))));
    if (this.#ends.at(-1)?.turn === step.turn) this.#ends.pop();
    this.#ends.push({ turn: step.turn, messages: this.#messages.length });
    return [];
  }

  /** A request was too long with what no reply has followed: of that the next ones have the beginning and the end. */
  #shorten(): void {
    const from = this.#counted?.messages ?? 0;
    for (const [at, message] of this.#messages.entries())
      if (at >= from) this.#messages[at] = cutMessage(message, REFUSED_PART_BYTES);
    this.#bytes.splice(from);
  }

  #saidIn(step: RepliedStep): Message[] {
    if (this.viewer === undefined) return stepMessages(step);
    const said = stepFor(step, this.viewer);
    if (step.side === this.viewer.side) this.#turnRead();
    // Once it had words, it is not silent; further steps of the turn may be.
    else this.#silent = said.length === 0 && (this.#silent || this.#ownLast);
    this.#ownLast = step.side === this.viewer.side;
    return said;
  }

  /** The messages that a step begins a turn with, where it does. */
  #opening({ number, messagesUpTo: upTo }: Step): { opens?: MessageRange } {
    if (number !== 1 || !this.#arrived.spoken) return {};
    const after = this.#sections.at(-1)?.messagesUpTo ?? this.#held?.compaction.upToMessage ?? 0;
    return { opens: { after, upTo } };
  }

  #cut(message: Message, id: number): Message {
    const cut = this.#held?.compaction.cut;
    return cut && id <= cut.upToMessage ? cutMessage(message, cut.bytes) : message;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
