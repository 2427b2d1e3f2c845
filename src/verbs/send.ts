/** Sending a message: seen by the next step of a working agent, the first of a new turn otherwise. */

import type * as z from 'zod';
import type { AgentEvent } from '../core/agent/events';
import type { ObjectRuntime } from '../engine/object';
import type { VerbCall } from '../engine/object-calls';
import { claimRoot } from '../engine/root-claims';
import { keepVariables, sealVariables } from '../engine/variables';
import { refuse, refuseWith } from '../protocol/errors';
import { mintId } from '../protocol/ids';
import type { FilePart, TextPart } from '../protocol/messages';
import { sendAccepted, sendInput } from '../protocol/requests';
import { refuseLeaving } from './locate';
import { checkMetadata } from './metadata';
import { askedBy, firstAcceptance, type RequestRecord, refuseDeleted } from './receipts';
import { steered } from './verb';

type Input = z.output<typeof sendInput>;

function contentOf({ content, attachments = [] }: Input): string | readonly (TextPart | FilePart)[] {
  if (attachments.length === 0) return content;
  const files = attachments.map(
    ({ mediaType, filename, base64 }): FilePart => ({
      type: 'file',
      mediaType,
      ...(filename === undefined ? {} : { filename }),
      data: base64,
    }),
  );
  return [{ type: 'text', text: content }, ...files];
}

function sendEvent(object: ObjectRuntime, given: Input, call: VerbCall): Extract<AgentEvent, { type: 'send' }> {
  checkMetadata(given.metadata);
  const token = object.environment.token();
  return {
    type: 'send',
    at: object.environment.now(),
    token,
    runId: mintId('run', token),
    ...askedBy(call),
    message: {
      messageId: mintId('message', token),
      role: given.role ?? 'user',
      content: contentOf(given),
      from: 'caller',
      ...(given.to === undefined ? {} : { to: given.to }),
      ...(given.metadata === undefined ? {} : { metadata: given.metadata }),
    },
  };
}

function rememberSent(request: RequestRecord, body: z.output<typeof sendAccepted>): void {
  request.remember(202, body, { detail: { messageId: body.messageId } });
}

/** Sends a message; creates the root if it is not there. */
export const send = steered({
  name: 'send',
  method: 'POST',
  path: 'messages',
  action: 'write',
  summary: 'Sends a message. A working agent sees it before its next step, one at rest takes a turn.',
  status: 202,
  errors: [
    'inbox_full',
    'too_many_roots',
    'not_a_root',
    'terminated',
    'owned_by_parent',
    'idempotency_conflict',
    'no_encryption_key',
    'unavailable',
  ],
  input: sendInput,
  output: sendAccepted,
  agent: {
    async handle({ agent, object, call, input: given, request }) {
      await refuseDeleted(object, call);
      if (given.env !== undefined && !object.isRoot)
        refuse('owned_by_parent', 'Only a root is given variables with a message: send it there.');
      const variables = sealVariables(object, given.env);
      const first = firstAcceptance(request, sendAccepted);
      if (first) return { body: first };
      const working = agent.state.run?.phase === 'active';
      const event = sendEvent(object, given, call);
      const body = {
        messageId: event.message.messageId,
        delivery: working ? ('queued' as const) : ('started' as const),
      };
      const applied = agent.apply(event, () => {
        keepVariables(object, variables);
        rememberSent(request, body);
      });
      if (!applied.ok) refuseWith(applied.refused);
      return { body };
    },
    complete: (_context, reply) => reply,
  },
  async here({ object, call, input: given, request }) {
    refuseLeaving(object);
    await refuseDeleted(object, call);
    const event = sendEvent(object, given, call);
    const custom = await object.firstState();
    if (!custom.ok) refuseWith(custom.error);
    const variables = sealVariables(object, given.env);
    const known = firstAcceptance(request, sendAccepted);
    if (known) return { body: known };
    const claim = await claimRoot(object, call);
    refuseLeaving(object);
    const first = firstAcceptance(request, sendAccepted);
    if (first) return { body: first };
    // Another request may have created it in the meantime: then this message goes to the same session.
    const session = object.agent?.state.session ?? object.newRootSession({ tags: [], ...(claim ? { claim } : {}) });
    const delivery = object.agent?.state.run?.phase === 'active' ? ('queued' as const) : ('started' as const);
    const body = { messageId: event.message.messageId, delivery };
    const applied = await object.create(session, custom.json, event, () => {
      keepVariables(object, variables);
      rememberSent(request, body);
    });
    if (!applied.ok) refuseWith(applied.refused);
    return { body };
  },
  root: {},
  steer(ways, object, call) {
    const here = call.path.length === 0;
    const creates = here && (object.agent === undefined || object.tree?.self()?.top?.removing !== undefined);
    return creates ? ways.here() : ways.agent();
  },
});
