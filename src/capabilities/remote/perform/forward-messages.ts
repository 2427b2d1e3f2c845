/**
 * The messages to a remote agent while it works: in order, each again until it is taken or refused.
 *
 * Keeps RM11.
 */
import { type Came, isToBeRepeated, type RemoteAnswer } from '../../../core/definition/remote-transport';
import { askAgainMs } from '../../../core/tree/ask-again';
import { type Environment, pause } from '../../../engine/environment';
import type { JsonObject } from '../../../protocol/json';
import {
  bodyOfResume,
  messageInDoubt,
  messageRefused,
  messageSent,
  nextMessage,
  withoutMessage,
} from '../machine/messages';
import { chainOf } from '../machine/run';
import type { PlacedRun, RemoteMessage } from '../machine/state';

/** The child that gets them. */
export interface Receiver {
  /** Missing once it was removed from its place here. */
  readonly placed: PlacedRun | undefined;
  readonly isClosed: boolean;
  readonly host: { readonly environment: Environment };
  /** The answer to one call of a remote verb. */
  ask(verb: string, body: JsonObject, idempotencyKey: string): Promise<Came>;
  /** The same, where it was lawful; undefined where it was not, which counts against the patience with its side. */
  call(verb: string, body: JsonObject, idempotencyKey: string): Promise<RemoteAnswer | undefined>;
  /** Commits a change. */
  keep(run: PlacedRun): void;
}

/** The messages to one child. */
export class Messages {
  /** The run that takes no more messages there. */
  #closedRun: string | undefined;

  constructor(readonly child: Receiver) {}

  /** The one that is sent next. */
  get next(): RemoteMessage | undefined {
    const { placed } = this.child;
    return placed === undefined || this.#closedRun === placed.runId ? undefined : nextMessage(placed);
  }

  /** Sends all of them. A run that has ended takes no more: the rest begins its next task (CO5). */
  async send(closed: AbortSignal): Promise<void> {
    const { child } = this;
    for (let { next } = this, tries = 0; next && child.placed && !closed.aborted; { next } = this) {
      const { runId } = child.placed;
      const came = await this.#send(child.placed, next);
      if (closed.aborted) return;
      if (isToBeRepeated(came)) await pause(child.host.environment, askAgainMs(tries++), closed);
      else this.#answered(next, 'ok' in came && came.ok, runId);
    }
  }

  /** That it is on its way is kept first: its answer may be lost, and its run may end by then. */
  #send(run: PlacedRun, message: RemoteMessage): Promise<Came> {
    const chainRunId = chainOf(run)?.chainRunId ?? '';
    if (messageInDoubt(run) === undefined) this.child.keep(messageSent(run, message, chainRunId));
    return this.child.ask('send', bodyOfSend(message, chainRunId), message.key);
  }

  #answered(message: RemoteMessage, isTaken: boolean, runId: string): void {
    const { placed } = this.child;
    if (!isTaken) this.#closedRun = runId;
    if (placed) this.child.keep(isTaken ? withoutMessage(placed, message) : messageRefused(placed, message));
  }

  /**
   * Finds out of a message that may have been taken if it was: what brought it is sent again, and begins nothing that is
   * over. `mayResume`: also a resume, by which the run may continue.
   * @returns whether that is known
   */
  async isKnown(mayResume: boolean): Promise<boolean> {
    const { child } = this;
    const message = child.placed && messageInDoubt(child.placed);
    if (message === undefined || (message.sent.by === 'resume' && !mayResume)) return true;
    const { sent, key } = message;
    const answer =
      sent.by === 'send'
        ? await child.call('send', bodyOfSend(message, sent.chainRunId), key)
        : await child.call('resume', bodyOfResume(message), sent.key);
    if (answer === undefined || child.isClosed) return false;
    if (child.placed)
      child.keep(answer.ok ? withoutMessage(child.placed, message) : messageRefused(child.placed, message));
    return true;
  }
}

function bodyOfSend({ text, role, to }: RemoteMessage, runId: string): JsonObject {
  return { content: text, role, ...(to === undefined ? {} : { to }), runId };
}
