/**
 * Changes that a request makes: answers, and a message. All of it is checked before any of it is done.
 *
 * AU2. An answer that was given already, and a message that was sent already, count as done.
 * AU18. A message is looked for in the transcript too: an agent forgets its keys.
 */

import { keptBy } from '../../core/definition/hooks/hooked-message';
import type { DoorAnswer } from '../../gateway/doors/door';
import { type Failure, refuse, refuseWith } from '../../protocol/errors';
import type { JsonObject } from '../../protocol/json';
import type { Document } from '../../protocol/wire/wire-types';
import { keyed, type Thread } from '../thread';
import { isOver, messageIdIn, tryAll } from '../trial';
import { givenResults, newMessage, type RunInput, type Said } from './input';
import { resultInput, submitOf } from './interrupts';
import { idOfClient } from './transcript';

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

/** A message with the id of this one, among the newest `most`. */
const withId = (thread: Thread, { id }: Said, most?: number) =>
  thread.newest(({ metadata }) => idOfClient(metadata) === id, most);

/** True where the agent has that message of this client: additions to it, such as the context, may differ. */
async function isKnown(thread: Thread, said: Said): Promise<boolean> {
  return keptBy('agui', (await withId(thread, said))?.metadata).digest === said.digest;
}

/** So many of the newest messages are looked through for one, as many as a client that joins is given. */
const MOST_LOOKED_THROUGH = 1_000;

/**
 * True where a newer message of the agent is this one, whoever sent it.
 * @throws OffshootError `idempotency_conflict` where it says something else
 */
async function isSentBefore(thread: Thread, said: Said): Promise<boolean> {
  const known = await withId(thread, said, MOST_LOOKED_THROUGH);
  if (known === undefined) return false;
  if (keptBy('agui', known.metadata).digest === said.digest) return true;
  refuse(
    'idempotency_conflict',
    `This thread has another message with the id "${said.id}". Give each message its own id.`,
  );
}

const keyOf = ({ id }: Said): string => `agui.${id}`;

/** Sends the message of a request; its id, where it was not sent before. `tried`: the answer to its trial. */
async function sent(thread: Thread, said: Said, tried: DoorAnswer | undefined): Promise<string | undefined> {
  const answer = await thread.ask<{ messageId: string }>('send', said.input, keyOf(said));
  if (answer.ok) return answer.body.messageId === messageIdIn(tried) ? undefined : answer.body.messageId;
  const isAgain = answer.error.code === 'idempotency_conflict' && (await isKnown(thread, said));
  return isAgain ? undefined : refuseWith(answer.error);
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
    ...(said ? [{ verb: 'send' as const, input: said.input, ...keyed(keyOf(said)) }] : []),
  ]);
  const isSent = said !== undefined && last > 0 && (await isSentBefore(thread, said));
  // A message alone is tried to learn whether it was sent before; an answer alone refuses by itself.
  const asks = isSent ? allowed.slice(0, answers.length) : allowed;
  const isTried = asks.length > 1 || (said !== undefined && !isSent && last > 0);
  const tried = await tryAll(
    isTried ? asks : [],
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
  const messageId = isSent ? undefined : said && (await sent(thread, said, tried.at(answers.length)));
  return { answered, refused, messageId };
}
