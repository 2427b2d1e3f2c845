/**
 * The delivery machine: messages on their way in, outcomes on their way out.
 *
 * DL1. An accepted message is a row; steps see messages in the order of arrival, each once.
 * DL2. A message to an agent that works is seen by its next step; one to an agent at rest begins a turn.
 * DL3. An outcome is owed to the parent until the parent has acknowledged it.
 */
import type { Transition } from './changes';
import type { Draft } from './draft';
import type { AgentEvent, NewMessage } from './events';
import type { Step } from './state';

/** Accepts a message: it is a row from here on. */
export function acceptMessage(draft: Draft, message: NewMessage, at: number): void {
  draft.addMessage({ ...message, id: draft.state.lastMessage + 1, at });
}

/** The step that begins now sees everything that has arrived. */
export function deliverInbox(draft: Draft, step: Step): void {
  for (const message of draft.state.inbox) {
    if (message.from !== 'offshoot') {
      draft.emit({ type: 'message_delivered', messageId: message.messageId, from: message.from }, step);
    }
  }
  draft.state = { ...draft.state, inbox: [] };
}

/** The parent has the outcome. */
export function onTold(draft: Draft, event: Extract<AgentEvent, { type: 'told' }>): Transition {
  const { run } = draft.state;
  if (run?.phase === 'ended' && run.runId === event.runId && !run.told) draft.setRun({ ...run, told: true });
  return draft.done();
}
