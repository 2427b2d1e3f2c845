/** Calls and messages of copies, as tests see them between objects. */
import { type CopyCall, type CopyMessage, copyCall } from '../../../../src/capabilities/copies/messages';
import type { ObjectRuntime } from '../../../../src/engine/object/object';
import type { CapabilityAnswer, ObjectCall } from '../../../../src/engine/object/object-calls';
import type { AgentMessage } from '../../../../src/engine/tree-messages';

export const COPY = { kind: 'capability', capability: 'copies' } as const;

export const isCopyCall = (call: ObjectCall): call is CopyCall =>
  call.kind === 'capability' && call.capability === COPY.capability;

/** The message in a call; that of copies as these know it. */
export function messageIn(call: ObjectCall): AgentMessage | CopyMessage | undefined {
  if (call.kind !== 'agent') return undefined;
  const { message } = call;
  return message.type === 'capability' && message.capability === COPY.capability
    ? (message.message as CopyMessage)
    : message;
}

/** A call of copies comes to an object. */
export const take = (
  object: ObjectRuntime,
  call: Pick<CopyCall, 'copy' | 'way' | 'ask'>,
): Promise<CapabilityAnswer> => {
  return object.parts.take(copyCall(call));
};
