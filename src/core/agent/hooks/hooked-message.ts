/**
 * Messages as hooks are told of them.
 *
 * Keeps SAW34.
 */
import type { HookedMessage } from '../../definition/hooks/hooked-message';
import type { InboundMessage } from '../inbound';
import { type RepliedStep, replyText, type Session } from '../state';

/** One that came. */
export function hookedMessage(message: InboundMessage): HookedMessage {
  const { messageId, role, content, from, metadata, to, silent, files } = message;
  return {
    messageId,
    role,
    content,
    from,
    ...(metadata === undefined ? {} : { metadata }),
    ...(to === undefined ? {} : { to }),
    ...(silent ? { silent } : {}),
    ...(files === undefined ? {} : { files: files.map(({ path }) => path) }),
  };
}

/** What is known of a reply, before or after it is committed. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly { readonly toolName: string; readonly input: HookedCall['input'] }[];
}

type HookedCall = NonNullable<HookedMessage['calls']>[number];

/** A reply of the model: its id is that of the checkpoint of its step. */
export function assistantMessage(
  { sessionId }: Pick<Session, 'sessionId'>,
  stepId: number,
  reply: Reply,
): HookedMessage {
  const { text, calls } = reply;
  return {
    messageId: `${sessionId}.${stepId}`,
    role: 'assistant',
    content: text,
    from: 'agent',
    ...(calls.length === 0 ? {} : { calls }),
  };
}

/** The same of a step that has it. */
export const replyMessage = (session: Pick<Session, 'sessionId'>, step: RepliedStep): HookedMessage =>
  assistantMessage(session, step.id, {
    text: replyText(step),
    calls: step.calls.map(({ name, input }) => ({ toolName: name, input })),
  });
