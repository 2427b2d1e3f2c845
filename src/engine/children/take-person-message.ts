/**
 * A message of a person to a child that is not at work, at the parent that keeps the child.
 *
 * Keeps CO24.
 */
import type { Transition } from '../../core/agent/changes';
import type { AgentEvent } from '../../core/agent/events';
import type { AgentStore } from '../../core/ports/agent-store';
import { IDEMPOTENCY_MS } from '../../protocol/data-limits';
import { failure } from '../../protocol/errors';
import { mintId } from '../../protocol/ids';
import { sendAccepted } from '../../protocol/wire/requests';
import type { WorkingAgent } from '../perform/performer';
import type { AgentAnswer, AgentMessage, Told } from '../tree-messages';
import { classesBelow, knownChildren } from './own-children';

interface TellingAgent extends Omit<WorkingAgent, 'apply'> {
  readonly deps: {
    readonly store: Pick<
      AgentStore,
      'countLasting' | 'named' | 'nextChild' | 'slots' | 'receipt' | 'addReceipt' | 'transaction'
    >;
  };
  apply(event: AgentEvent, inTransaction?: () => void): Transition;
}

/** Tells it once for the key: the receipt is in the transaction of the message (CO24). */
export function messageChild(agent: TellingAgent, message: Extract<AgentMessage, { type: 'tell' }>): AgentAnswer {
  const { name, said, by, asked } = message;
  const { store } = agent.deps;
  const at = agent.environment.now();
  const known = asked && store.receipt(asked.key, at);
  if (known && known.body !== asked?.body) return { answer: 'refused', error: failure('idempotency_conflict') };
  if (known) return { answer: 'done', sent: sendAccepted.parse(known.answer.body) };
  const token = agent.environment.token();
  const messageId = mintId('message', token);
  const children = knownChildren(store, classesBelow(agent.seat.definition), [name]);
  let sent: Told | undefined;
  const event = { type: 'child_message', at, token, children, name, message: { messageId, ...said }, by } as const;
  const applied = agent.apply(event, () => {
    const child = [...agent.state.children.values()].find((one) => one.name === name);
    sent = { messageId, delivery: child?.state.is === 'working' ? 'started' : 'queued' };
    if (asked)
      store.addReceipt(asked.key, { body: asked.body, answer: { status: 202, body: { ...sent } } }, at, IDEMPOTENCY_MS);
  });
  if (!applied.ok) return { answer: 'refused', error: applied.refused };
  return { answer: 'done', ...(sent ? { sent } : {}) };
}

/** Takes back what a person has sent to a child that was not given it yet. It is gone for good: whoever asks again is told so (DL10). */
export function takeBack(agent: TellingAgent, message: Extract<AgentMessage, { type: 'take_back' }>): AgentAnswer {
  const { store } = agent.deps;
  const { name, messageId } = message;
  const at = agent.environment.now();
  // No receipt of a request has such a key, nor what a root keeps of it, which may be the same agent.
  const key = JSON.stringify(['taken back', messageId]);
  if (store.receipt(key, at) !== undefined) return { answer: 'done' };
  const applied = agent.apply({ type: 'cancel_mail', at, name, messageId }, () =>
    store.addReceipt(key, { body: '', answer: { status: 204, body: {} } }, at, IDEMPOTENCY_MS),
  );
  return applied.ok ? { answer: 'done' } : { answer: 'refused', error: applied.refused };
}
