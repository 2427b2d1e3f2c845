/**
 * The messages to a remote agent while it works: in order, each again until it is taken or refused.
 *
 * Keeps RM11.
 */
import { type Came, isToBeRepeated } from '../../../core/definition/remote-transport';
import { askAgainMs } from '../../../core/tree/ask-again';
import { type Environment, pause } from '../../../engine/environment';
import type { JsonObject } from '../../../protocol/json';
import { nextMessage, withoutMessage } from '../machine/messages';
import { chainOf } from '../machine/run';
import type { PlacedRun, RemoteMessage } from '../machine/state';

/** The child that gets them. */
export interface Receiver {
  /** Missing once it was removed from its place here. */
  readonly placed: PlacedRun | undefined;
  readonly host: { readonly environment: Environment };
  /** The answer to one call of a remote verb. */
  ask(verb: string, body: JsonObject, idempotencyKey: string): Promise<Came>;
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
      const { placed } = child;
      const taken = await this.#sent(placed, next);
      if (closed.aborted) return;
      if (taken === 'again') await pause(child.host.environment, askAgainMs(tries++), closed);
      else if (taken === 'refused') this.#closedRun = placed.runId;
      else if (child.placed) child.keep(withoutMessage(child.placed, next));
    }
  }

  async #sent(run: PlacedRun, { key, text, role, to }: RemoteMessage): Promise<'taken' | 'refused' | 'again'> {
    const body = { content: text, role, ...(to === undefined ? {} : { to }), runId: chainOf(run)?.chainRunId ?? '' };
    const came = await this.child.ask('send', body, key);
    if (isToBeRepeated(came)) return 'again';
    return 'ok' in came && came.ok ? 'taken' : 'refused';
  }
}
