/**
 * What an agent elsewhere is told while it works: in order, each message again until it is taken or refused (RM11).
 */
import { type Came, isToBeRepeated } from '../../core/definition/remote-transport';
import { askAgainMs } from '../../core/tree/ask-again';
import { type RemoteRun, type Tell, tellNext, withoutTold } from '../../core/tree/remote-run';
import type { JsonObject } from '../../protocol/json';
import { type Environment, pause } from '../environment';

/** The child that is told. */
export interface Listener {
  readonly run: RemoteRun;
  readonly host: { readonly environment: Environment };
  /** What comes of one call of a verb there. */
  ask(verb: string, body: JsonObject, idempotencyKey: string): Promise<Came>;
  /** Commits a change. */
  keep(run: RemoteRun): void;
}

/** What one child is told there. */
export class Tells {
  /** The run that is told nothing more: it takes no messages there any more. */
  #deaf: string | undefined;

  constructor(readonly child: Listener) {}

  /** What it is told next. */
  get next(): Tell | undefined {
    const { run } = this.child;
    return this.#deaf === run.runId ? undefined : tellNext(run);
  }

  /** Tells it everything. One whose run has ended takes nothing more: what is left begins its next task (CO5). */
  async send(closed: AbortSignal): Promise<void> {
    const { child } = this;
    for (let { next } = this, tries = 0; next && !closed.aborted; { next } = this) {
      const taken = await this.#told(next);
      if (closed.aborted) return;
      if (taken === 'again') await pause(child.host.environment, askAgainMs(tries++), closed);
      else if (taken === 'refused') this.#deaf = child.run.runId;
      else child.keep(withoutTold(child.run, next));
    }
  }

  async #told({ key, text, role, to }: Tell): Promise<'taken' | 'refused' | 'again'> {
    const body = {
      content: text,
      role,
      ...(to === undefined ? {} : { to }),
      runId: this.child.run.theirs?.chainRunId ?? '',
    };
    const came = await this.child.ask('send', body, key);
    if (isToBeRepeated(came)) return 'again';
    return 'ok' in came && came.ok ? 'taken' : 'refused';
  }
}
