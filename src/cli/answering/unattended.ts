/** Answers where nobody sits at the keyboard: by an option, all of them, or none, told with how to answer. */

import type { PendingItem } from '../../client/pending';
import { beginningOf } from '../../protocol/content/cut';
import type { GivenAnswer } from '../args';
import { CliError, EXIT } from '../cli-error';
import { cleanJson, cleanLine } from '../terminal/text';
import type { Answer, Reception } from './answer';
import { misfitOf } from './prompt-lines';

/** Sends one answer; what goes wrong is in the reception. */
export type Send = (item: PendingItem, answer: Answer) => Promise<Reception>;

/**
 * Gives the answer that came as an option.
 * @param tell says what was answered, with the arguments
 * @throws {CliError} when nothing of the kind waits, when it is not clear which call is meant, or it was not taken
 */
export async function giveAnswer(
  given: GivenAnswer,
  items: readonly PendingItem[],
  send: Send,
  tell: (text: string) => void,
): Promise<void> {
  for (const item of meant(given, items)) {
    const answer: Answer = given.approved ? { kind: 'approve' } : { kind: 'deny', reason: given.reason };
    const reception = await send(item, answer);
    if (reception.kind === 'lost') throw new CliError(reception.why, EXIT.unreachable);
    if (reception.kind !== 'accepted') throw new CliError(reception.why, EXIT.failed);
    tell(`${given.approved ? 'Approved' : 'Denied'}: ${describe(item)}`);
  }
}

function meant({ toolCallIds }: GivenAnswer, items: readonly PendingItem[]): readonly PendingItem[] {
  const approvals = items.filter((item) => item.kind === 'approval');
  const failed = (text: string) => new CliError(text, EXIT.failed);
  if (toolCallIds.length === 0) {
    const [only, ...others] = approvals;
    if (only === undefined) throw failed('No approval is pending there.');
    if (others.length === 0) return [only];
    const list = approvals.map((item) => `  ${describe(item)}`).join('\n');
    throw failed(`${approvals.length} approvals are pending; name one:\n${list}`);
  }
  return toolCallIds.map((id) => {
    const item = items.find((each) => each.toolCallId === id);
    if (item === undefined) throw failed(`No pending call has the id "${id}".`);
    if (item.kind !== 'approval') throw failed(`${item.toolName} (${id}) needs a result, not an approval.`);
    return item;
  });
}

/**
 * Approves every approval among the items, one after the other.
 * @param tell says each, with its arguments, or why it was not taken
 */
export async function approveAll(
  items: readonly PendingItem[],
  send: Send,
  tell: (text: string) => void,
): Promise<void> {
  for (const item of items.filter((each) => each.kind === 'approval')) {
    const reception = await send(item, { kind: 'approve' });
    tell(reception.kind === 'accepted' ? `Approved by --yes: ${describe(item)}` : reception.why);
  }
}

/** More of the arguments is not told, in characters. */
const MAX_INPUT = 2_000;

/** A call in words: the tool, its id, its agent, its arguments and its time. */
function describe(item: PendingItem): string {
  const { toolName, toolCallId, address, input, expiresAt } = item;
  const text = cleanJson(JSON.stringify(input));
  const shown = text.length > MAX_INPUT ? `${beginningOf(text, MAX_INPUT)}… (${text.length} characters)` : text;
  const until = expiresAt === undefined ? '' : `, until ${timeText(expiresAt)}`;
  const misfit = misfitOf(item);
  const note = misfit === '' ? '' : `\n    ${cleanLine(misfit)}`;
  return `${cleanLine(toolName)} (${cleanLine(toolCallId)}) of ${cleanLine(address)}${until}\n    ${shown}${note}`;
}

/** The time of a day far in the future or past has no ISO form. */
function timeText(at: number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? 'an unknown time' : time.toISOString();
}

/** What waits, and how to answer it. `wayBack` is the command that returns to the run. */
export function waitingText(items: readonly PendingItem[], wayBack: string): string {
  const lines = items.map(
    (item) => `Waiting for ${item.kind === 'approval' ? 'approval' : 'a result'}: ${describe(item)}`,
  );
  const [first] = items.filter((item) => item.kind === 'approval' && SAFE_ID.test(item.toolCallId));
  if (items.length === 0) return `Return to it: ${wayBack}`;
  lines.push(`Return to it, and answer in a terminal: ${wayBack}`);
  if (first !== undefined) {
    const id = items.length === 1 ? '' : ` ${first.toolCallId}`;
    if (first.invalidFields === undefined) lines.push(`Approve: ${wayBack} --approve${id}`);
    lines.push(`Deny:    ${wayBack} --deny${id} --reason "…"`);
  }
  return lines.join('\n');
}

/** An id that may stand in a command that somebody copies. */
const SAFE_ID = /^[A-Za-z0-9._~-]+$/u;
