/**
 * Open parts of one agent in the events of a run: a step, a text, a thought, calls whose arguments are written.
 *
 * AU4. Whatever begins is ended, in the right order, whatever the log does; nothing ends that did not begin.
 */
import type { Json } from '../../protocol/json';
import type { OwnedEvent } from './events';

/** The text of a value in an event: text unchanged, everything else as JSON. */
export const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

/** Where events go. */
export type Emit = (event: OwnedEvent) => void;

/** The open things of one agent. */
export class Lane {
  #step: string | undefined;
  #text: string | undefined;
  #thought: string | undefined;
  readonly #open = new Set<string>();
  /** The messages and calls of the step that is not committed, also those that were said in a run before. */
  readonly #messages = new Set<string>();
  readonly #calls = new Set<string>();
  #firstText: string | undefined;

  constructor(readonly emit: Emit) {}

  step(name: string): void {
    this.endStep();
    this.#step = name;
    this.emit({ type: 'STEP_STARTED', stepName: name });
  }

  /** Ends all that belongs to the step, and the step. */
  endStep(): void {
    this.#endText();
    this.#endThought();
    for (const toolCallId of this.#open) this.emit({ type: 'TOOL_CALL_END', toolCallId });
    this.#open.clear();
    this.#messages.clear();
    this.#calls.clear();
    this.#firstText = undefined;
    if (this.#step === undefined) return;
    this.emit({ type: 'STEP_FINISHED', stepName: this.#step });
    this.#step = undefined;
  }

  /** Ends the step whose reply does not count, and names what it had written. */
  discard(reason: string): void {
    const [messageIds, toolCallIds] = [[...this.#messages], [...this.#calls]];
    this.endStep();
    if (messageIds.length + toolCallIds.length > 0)
      this.emit({ type: 'CUSTOM', name: 'offshoot.discarded', value: { messageIds, toolCallIds, reason } });
  }

  /** A piece of text that the client has: it may still be discarded. */
  hadText(stepId: string, part: number): void {
    this.#messages.add(this.#textId(stepId, part));
  }

  /** A thought that the client has. */
  hadThought(messageId: string): void {
    this.#messages.add(messageId);
  }

  /** A call that the client has. */
  hadCall(toolCallId: string): void {
    this.#calls.add(toolCallId);
  }

  /** The first block of a step has the id of the step. */
  #textId(stepId: string, part: number): string {
    this.#firstText ??= `${stepId}:${part}`;
    return this.#firstText === `${stepId}:${part}` ? stepId : `${stepId}.${part}`;
  }

  /** A piece of text. */
  text(stepId: string, part: number, delta: string): void {
    if (delta === '') return;
    this.#endThought();
    const messageId = this.#textId(stepId, part);
    if (this.#text !== messageId) {
      this.#endText();
      this.#text = messageId;
      this.#messages.add(messageId);
      this.emit({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
    }
    this.emit({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta });
  }

  thought(messageId: string, delta: string, isComplete: boolean): void {
    this.#endText();
    if (this.#thought !== messageId && delta !== '') {
      this.#endThought();
      this.#thought = messageId;
      this.#messages.add(messageId);
      this.emit({ type: 'REASONING_START', messageId });
      this.emit({ type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' });
    }
    if (delta !== '') this.emit({ type: 'REASONING_MESSAGE_CONTENT', messageId, delta });
    if (isComplete) this.#endThought();
  }

  call(toolCallId: string, toolCallName: string, parentMessageId: string): void {
    if (this.#open.has(toolCallId)) return;
    this.#endText();
    this.#endThought();
    this.#open.add(toolCallId);
    this.#calls.add(toolCallId);
    this.emit({ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId });
  }

  argument(toolCallId: string, delta: string): void {
    if (delta !== '' && this.#open.has(toolCallId)) this.emit({ type: 'TOOL_CALL_ARGS', toolCallId, delta });
  }

  /** True while the arguments of a call are written. */
  isOpen(toolCallId: string): boolean {
    return this.#open.has(toolCallId);
  }

  endCall(toolCallId: string): void {
    if (this.#open.delete(toolCallId)) this.emit({ type: 'TOOL_CALL_END', toolCallId });
  }

  result(toolCallId: string, content: string): void {
    this.emit({ type: 'TOOL_CALL_RESULT', messageId: `${toolCallId}.result`, toolCallId, content, role: 'tool' });
  }

  #endText(): void {
    if (this.#text === undefined) return;
    this.emit({ type: 'TEXT_MESSAGE_END', messageId: this.#text });
    this.#text = undefined;
  }

  #endThought(): void {
    if (this.#thought === undefined) return;
    this.emit({ type: 'REASONING_MESSAGE_END', messageId: this.#thought });
    this.emit({ type: 'REASONING_END', messageId: this.#thought });
    this.#thought = undefined;
  }
}
