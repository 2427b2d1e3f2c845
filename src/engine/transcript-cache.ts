/** The transcript in memory: built once from the rows, then only what is new is read. */

import type { Step } from '../core/agent/state';
import { transcriptOf } from '../core/agent/transcript';
import type { AgentStore } from '../core/ports/agent-store';
import type { Message } from '../protocol/messages';

/** What the model of a session has to see before a step. Holds every message that it has read. */
export class Transcript {
  readonly #messages: Message[] = [];
  #step = 0;
  #message = 0;

  constructor(readonly store: AgentStore) {}

  /** The messages that a step sees: those of earlier steps, and what arrived up to its beginning. */
  before(step: Step): readonly Message[] {
    const steps = step.id - 1 > this.#step ? this.store.steps({ after: this.#step, upTo: step.id - 1 }) : [];
    const messages =
      step.messagesUpTo > this.#message ? this.store.messages({ after: this.#message, upTo: step.messagesUpTo }) : [];
    this.#messages.push(...transcriptOf(messages, steps));
    this.#step = step.id - 1;
    this.#message = step.messagesUpTo;
    return this.#messages;
  }
}
