/**
 * The reports of a remote child to its root: its chunks, that it waits for a person, and its end after all of its chunks.
 *
 * Decides: how often a root that does not answer is asked again.
 * Keeps RM6, RM17.
 */
import type { Outcome } from '../../../core/agent/state';
import type { Delivery } from '../../../engine/tree-messages';
import { isEnded, isSuspended } from '../../../protocol/status';
import { acknowledged } from '../machine/ends';
import { mailFactsOf } from '../machine/messages';
import { isUnheard, lastOf } from '../machine/run';
import type { PlacedRun } from '../machine/state';
import type { RunnerHost } from './runner-host';

/** Waits before the root is asked again, in ms; the last one again and again. */
const ROOT_AGAIN_MS = [20, 100, 500, 1_000];

/** The child that reports. */
export interface Reporter {
  /** Missing once it was removed from its place here. */
  readonly placed: PlacedRun | undefined;
  readonly isClosed: boolean;
  readonly host: Pick<RunnerHost, 'environment' | 'askRoot' | 'spent'>;
  /** Commits a change. */
  keep(run: PlacedRun): void;
  /** Nobody waits for it any more. `isRemoved`: it is not in the record either. */
  gone(isRemoved: boolean): void;
  pause(ms: number): Promise<void>;
}

/** The reports of one child. */
export class Reports {
  #flushing: Promise<boolean> | undefined;

  constructor(readonly child: Reporter) {}

  /** Sends what the root has not acknowledged; whether the child is still part of the tree. */
  flush(): Promise<boolean> {
    this.#flushing ??= this.#send([]).finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Reports its end. */
  async end(outcome: Outcome): Promise<void> {
    const { child } = this;
    if (child.placed === undefined) return;
    const { task, runId, usage } = child.placed;
    const mail = mailFactsOf(child.placed);
    const facts = { task, outcome, usage, runId, ...(mail ? { mail } : {}) };
    const unbegun = isUnheard(child.placed) ? ({ unbegun: true } as const) : {};
    child.host.spent(usage, outcome.status === 'completed');
    const isReported = await this.#send([{ type: 'child_settled', ...facts, ...unbegun }]);
    // Its parent may have begun a further task before this was acknowledged: that has not ended.
    if (isReported && child.placed?.runId === runId) child.keep(acknowledged(child.placed));
  }

  /** Reports to its parent that it waits for a person, or continues. */
  async wait(): Promise<void> {
    const { placed } = this.child;
    if (placed?.local.is !== 'active') return;
    const { status, local, task, runId } = placed;
    const waits = isSuspended(status);
    if (waits === local.isWaitReported || isEnded(status)) return;
    if (!(await this.#send([{ type: 'child_waits', task, runId, waits }]))) return;
    const now = this.child.placed;
    if (now?.runId === runId && now.local.is === 'active')
      this.child.keep({ ...now, local: { ...now.local, isWaitReported: waits } });
  }

  async #send(deliver: readonly Delivery[]): Promise<boolean> {
    const { child } = this;
    const { environment } = child.host;
    for (let tries = 0; !child.isClosed && child.placed; tries++) {
      const { sessionId, kept } = child.placed;
      if (kept.length === 0 && deliver.length === 0) return true;
      const batches = kept.map((batch) => ({ ...batch, sessionId }));
      try {
        const answer = await child.host.askRoot({ sessionId, batches, deliver, admit: [], withdraw: [], lost: [] });
        if (child.isClosed) return false;
        if (answer.merge === 'gone') {
          child.gone(kept.every(({ chunks }) => chunks.length === 0));
          return false;
        }
        if (answer.merge === 'merged' && answer.merged >= lastOf(kept)) {
          // Another report may have taken some of them already.
          const isOpen = (batch: (typeof kept)[number]): boolean => !kept.includes(batch);
          if (child.placed) child.keep({ ...child.placed, kept: child.placed.kept.filter(isOpen) });
          return true;
        }
      } catch (error) {
        environment.report('The root did not answer; the report of a remote sub-agent is sent again.', error);
      }
      await child.pause(ROOT_AGAIN_MS[Math.min(tries, ROOT_AGAIN_MS.length - 1)] ?? 0);
    }
    return false;
  }
}
