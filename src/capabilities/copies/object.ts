/**
 * The part of copies in one object: a memory that comes by calls, messages to the agent, and the first task of a copy.
 *
 * Keeps CP2, CP8, CP22.
 */

import { classesBelow, knownChildren } from '../../engine/children/own-children';
import type { ObjectRuntime } from '../../engine/object/object';
import type { ObjectPart } from '../../engine/object/object-part';
import { type AgentAnswer, type AssignMessage, type CapabilityMessage, firstEvent } from '../../engine/tree-messages';
import { IDEMPOTENCY_MS } from '../../protocol/data-limits';
import { failure } from '../../protocol/errors';
import { bringAlong, comeAlong } from './below';
import { planCopy, sendCopy } from './below-root';
import { copyEvent } from './machine';
import { inheritanceOf } from './memory';
import { type CopyMessage, type ForkMessage, unknownIn } from './messages';
import { CopyIn } from './receive';
import { cutIn } from './rows';
import { type CopySource, sourceIn } from './source';

const NO_COPY = failure('subagent_lost', 'The copy does not exist.');

/** Copies at one object. */
export class CopiesAtObject extends CopyIn implements ObjectPart {
  readonly unknownIn = unknownIn;

  receive({ message }: CapabilityMessage): Promise<AgentAnswer> | AgentAnswer {
    const { object } = this;
    // Only copies send messages of this name.
    const asked = message as CopyMessage;
    switch (asked.type) {
      case 'come_along':
        return comeAlong(object, asked);
      case 'plan_copy':
        return planCopy(object, asked);
      case 'send_copy':
        return sendCopy(object, asked);
      case 'fork':
        return fork(object, asked);
    }
  }

  /** Takes over the memory in the store, with its first task (CP2). Until the copies below are made, a crash begins it again. */
  async begin(message: AssignMessage): Promise<AgentAnswer> {
    const { object } = this;
    const { store, environment, inherited: original } = object;
    const of = message.first && sourceIn(message.first.row);
    if (of === undefined) return { answer: 'refused', error: NO_COPY };
    if (original === undefined && of.mayBeNew) return object.startAsChild(message);
    if (original?.sessionId !== of.sessionId) return { answer: 'refused', error: NO_COPY };
    const cut = of.upTo === undefined ? undefined : cutIn(store, original, of.upTo);
    if (cut && 'code' in cut) return { answer: 'refused', error: cut };
    const along = await bringAlong(object, original, { ...message.session, copyOf: originOf(of) });
    if ('needsPlan' in along) return { answer: 'refused', error: NO_COPY };
    // The same message may have come again while that was awaited.
    if (object.agent) return object.agent.receive(message);
    const facts = { original: original.sessionId, children: along.children, ...(cut ? { cut } : {}) };
    const event = firstEvent(message, environment);
    const created = await object.create(message.session, {}, event, undefined, {
      lease: message.lease,
      adopt: (session) =>
        store.inherit(inheritanceOf({ ...facts, session, token: environment.token(), at: session.createdAt })),
    });
    return created.ok ? { answer: 'done' } : { answer: 'refused', error: created.refused };
  }
}

/** A person copies a child of the agent: once for a request, whose receipt is in the transaction of the event. */
function fork({ agent, store, environment }: ObjectRuntime, { asked, ...facts }: ForkMessage): AgentAnswer {
  if (agent === undefined) return { answer: 'absent' };
  const at = environment.now();
  const key = JSON.stringify(['fork', asked]);
  if (store.receipt(key, at) !== undefined) return { answer: 'done' };
  const children = knownChildren(store, classesBelow(agent.seat.definition), [facts.name, facts.newName]);
  const applied = agent.apply(copyEvent(at, { ...facts, children }, environment.token()), () =>
    store.addReceipt(key, { body: '', answer: { status: 202, body: {} } }, at, IDEMPOTENCY_MS),
  );
  return applied.ok ? { answer: 'done' } : { answer: 'refused', error: applied.refused };
}

function originOf({ placement: _placement, runNumber: _run, ...origin }: CopySource) {
  return origin;
}
