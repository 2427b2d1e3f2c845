/**
 * Tells code of an author that no effect stands for, such as the hooks of a client's result, that its run is stopped.
 *
 * Keeps HK15.
 */
import type { AgentState } from '../../core/agent/state';

type WithRun = Pick<AgentState, 'run'>;

const atWork = ({ run }: WithRun): string | undefined =>
  run?.phase === 'active' && run.stop === undefined ? run.runId : undefined;

/** One signal for each run. */
export class RunSignal {
  #of: string | undefined;
  #controller = new AbortController();

  /** Aborts once the run that is at work now is stopped or has ended; never, where none is. */
  during(state: WithRun): AbortSignal {
    const runId = atWork(state);
    if (runId === undefined) return new AbortController().signal;
    this.look(state);
    this.#of = runId;
    return this.#controller.signal;
  }

  /** The state has changed: aborts where its run is another one, or is not at work any more. */
  look(state: WithRun): void {
    if (this.#of !== undefined && this.#of !== atWork(state)) this.abort();
  }

  abort(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
    this.#of = undefined;
  }
}
