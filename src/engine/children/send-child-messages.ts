/**
 * What a parent tells a child: it goes with the task or the resume that the child begins with; to a child at work it goes
 * by itself. It is owed until the child has taken it (CO4).
 *
 * Keeps CO4, CF4.
 */
import { type Child, keyOf } from '../../core/agent/children/child';
import { untaken } from '../../core/agent/children/child-messages';
import type { Mail } from '../../core/agent/inbound';
import { pause } from '../environment';
import { bringToChild } from '../files/bring-enclosures';
import type { ParentAgent } from '../perform/performer';
import { reachShown } from './reach-child';

/** A child that did not take a message is told again after so long, in ms. */
const AGAIN_MS = 1_000;

/** What goes along with the work that a child is given. */
export function mailFor({ mailbox }: Child): { readonly mail?: readonly Mail[] } {
  return mailbox && mailbox.messages.length > 0 ? { mail: mailbox.messages } : {};
}

/** The same child with what it was told up to the first message that files go with: those are brought before it. */
export function withoutFiles(child: Child): Child {
  const { mailbox } = child;
  const first = mailbox ? mailbox.messages.findIndex(({ message }) => message.files !== undefined) : -1;
  return mailbox && first >= 0
    ? { ...child, mailbox: { ...mailbox, messages: mailbox.messages.slice(0, first) } }
    : child;
}

/** A message whose files the child does not take, and why. */
interface RefusedMail {
  readonly number: number;
  readonly why: string;
}

/**
 * Brings the files of what a child has not taken to it, until it is reached. Gives the message whose files it refuses;
 * nothing once the signal has come.
 */
export async function bringMail(
  agent: ParentAgent,
  child: Child,
  signal: AbortSignal | undefined,
): Promise<RefusedMail | undefined> {
  for (const { number, message } of untaken(child)) {
    while (message.files && !signal?.aborted) {
      try {
        const why = await bringToChild(agent, child, message.files);
        if (why !== undefined) return { number, why };
        break;
      } catch (error) {
        agent.environment.report(`Files could not be brought to ${child.address}; they are brought again.`, error);
        await pause(agent.environment, AGAIN_MS, signal);
      }
    }
  }
  return undefined;
}

/** A child has taken what it was sent. */
export function mailTaken(agent: ParentAgent, { childId, mailbox }: Child): void {
  const last = mailbox?.messages.at(-1);
  if (last) agent.apply({ type: 'mail_taken', at: agent.environment.now(), childId, upTo: last.number });
}

/**
 * Tells a child at work, until it has taken everything or nobody owes it any more. Where its work is still to come, that
 * brings what it is told, and whoever begins it comes here again for the rest.
 */
export async function sendMail(agent: ParentAgent, child: Child, signal: AbortSignal): Promise<void> {
  const { environment, beginnings } = agent;
  await beginnings.starting(child);
  const { childReachMs: ms } = agent.seat.rules.limits;
  const message = { type: 'mail', task: keyOf(child), mail: child.mailbox?.messages ?? [] } as const;
  while (!signal.aborted && (child.state.is === 'waiting' || beginnings.hasBegun(child))) {
    const refused = await bringMail(agent, child, signal);
    if (signal.aborted) return;
    if (refused) return refuseMail(agent, child, refused, signal);
    const { answer } = await reachShown(agent, child, message, { ms, answerMs: ms, signal });
    if (answer?.answer === 'done') return mailTaken(agent, child);
    await pause(environment, AGAIN_MS, signal);
  }
}

/** What cannot be given is told to the parent's model; the rest goes on its way. */
function refuseMail(agent: ParentAgent, { childId }: Child, refused: RefusedMail, signal: AbortSignal): Promise<void> {
  const { environment } = agent;
  agent.apply({ type: 'mail_refused', at: environment.now(), token: environment.token(), childId, ...refused });
  const now = agent.state.children.get(childId);
  return now && untaken(now).length > 0 ? sendMail(agent, now, signal) : Promise.resolve();
}

/** After a child has begun: what it was told since its work was sent. */
export async function sendRest(agent: ParentAgent, { childId, task }: Child, signal: AbortSignal): Promise<void> {
  const now = agent.state.children.get(childId);
  if (now && untaken(now).length > 0 && now.task.number === task.number) await sendMail(agent, now, signal);
}
