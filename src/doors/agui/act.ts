/**
 * Changes that a request makes: answers, and a message. All of it is checked before any of it is done.
 *
 * AU2. An answer that was given already, and a message that was sent already, count as done.
 */
import { type Failure, refuse, refuseWith } from '../../protocol/errors';
import type { JsonObject } from '../../protocol/json';
import type { Document } from '../../protocol/wire-types';
import type { Thread } from '../thread';
import { isOver, tryAll } from '../trial';
import { givenResults, newMessage, type RunInput, type Said } from './input';
import { resultInput, submitOf } from './interrupts';
import { idOfClient, textIn } from './transcript';

/** The result of the changes. */
export interface Done {
  /** The calls that were answered now. */
  readonly answered: readonly string[];
  /** Answers that were refused, while others were taken. */
  readonly refused: readonly { readonly toolCallId: string; readonly error: Failure }[];
  /** The id of the message, where one was sent now. */
  readonly messageId: string | undefined;
}

type Pending = readonly Document<'pendingItem'>[];

interface Answer {
  readonly toolCallId: string;
  readonly input: JsonObject;
}

/**
 * The answers in a request; results of tools count where one of these waits for one.
 * @throws OffshootError for an answer to what was not shown so: an agent would refuse it after others were given
 */
function answersIn(run: RunInput, pending: Pending): readonly Answer[] {
  const waiting = new Map(pending.map((item) => [item.toolCallId, item]));
  const submits: JsonObject[] = [];
  for (const entry of run.resume ?? []) {
    const input = submitOf(entry);
    if (input === undefined) continue;
    checkShown(waiting.get(String(input.toolCallId)), input);
    submits.push(input);
  }
  const named = new Set(submits.map(({ toolCallId }) => toolCallId));
  for (const [toolCallId, result] of givenResults(run))
    if (waiting.get(toolCallId)?.kind === 'client-tool' && !named.has(toolCallId))
      submits.push(resultInput(toolCallId, result));
  return submits.map((input) => ({ toolCallId: String(input.toolCallId), input }));
}

/** @throws OffshootError for an answer of another kind, or to other arguments, than a call that waits */
function checkShown(item: Pending[number] | undefined, { kind, inputHash }: JsonObject): void {
  if (item === undefined) return;
  const isApproval = kind === 'approval-response';
  if (isApproval !== (item.kind === 'approval'))
    refuse('kind_mismatch', `The call "${item.toolCallId}" waits for an answer of another kind.`);
  if (isApproval && inputHash !== item.inputHash)
    refuse('input_changed', `The arguments of the call "${item.toolCallId}" have changed since they were shown.`);
}

/** The range in which a message that was sent before is looked for. */
const LOOK_BACK = '500';

/** True where the log has a message up to a sequence. */
async function wasSent(thread: Thread, messageId: string, last: number): Promise<boolean> {
  if (last === 0) return false;
  const types = 'message_queued,message_delivered';
  const found = await thread.ask<{ items: readonly { chunk: { messageId?: string } }[] }>('chunks', {
    ...{ types, before: last + 1, limit: LOOK_BACK },
  });
  return found.ok && found.body.items.some(({ chunk }) => chunk.messageId === messageId);
}

/** True where the agent has a message of that id and text: additions to it, such as the context, may differ. */
async function isKnown(thread: Thread, { id, text }: Said): Promise<boolean> {
  const { items } = await thread.transcript();
  return items.some(({ content, metadata }) => idOfClient(metadata) === id && textIn(content, 'text').startsWith(text));
}

const keyOf = ({ id }: Said): string => `agui.${id}`;

/** Sends the message of a request; its id, where it was not sent before. */
async function sent(thread: Thread, said: Said | undefined, last: number): Promise<string | undefined> {
  if (said === undefined) return undefined;
  const answer = await thread.ask<{ messageId: string }>('send', said.input, keyOf(said));
  if (!answer.ok) {
    const isAgain = answer.error.code === 'idempotency_conflict' && (await isKnown(thread, said));
    return isAgain ? undefined : refuseWith(answer.error);
  }
  return (await wasSent(thread, answer.body.messageId, last)) ? undefined : answer.body.messageId;
}

/**
 * Does what a request asks for. `last` is the last sequence before it; `pending` are the calls that wait.
 * @throws OffshootError where a part is not allowed or would be refused, before any is done; or where nothing could be done
 */
export async function act(thread: Thread, run: RunInput, last: number, pending: Pending): Promise<Done> {
  const answers = answersIn(run, pending);
  const said = newMessage(run);
  const allowed = await thread.allow([
    ...answers.map(({ input }) => ({ verb: 'submit' as const, input })),
    ...(said ? [{ verb: 'send' as const, input: said.input, idempotencyKey: keyOf(said) }] : []),
  ]);
  await tryAll(
    allowed,
    async (error) =>
      isOver(error) || (error.code === 'idempotency_conflict' && said !== undefined && (await isKnown(thread, said))),
  );
  const answered: string[] = [];
  const refused: { toolCallId: string; error: Failure }[] = [];
  for (const { toolCallId, input } of answers) {
    const answer = await thread.ask('submit', input);
    if (answer.ok) answered.push(toolCallId);
    else if (answer.error.code !== 'already_answered') refused.push({ toolCallId, error: answer.error });
  }
  const [first] = refused;
  if (first && answered.length === 0) refuseWith(first.error);
  return { answered, refused, messageId: await sent(thread, said, last) };
}
