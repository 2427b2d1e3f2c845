/**
 * Runs as rows of formats 1 and 2 hold them: the facts of their lineage and the parts of closing a step one by one. Such
 * a run is written in the newest shape when it changes next.
 *
 * Keeps SO3.
 */
import type { Asker, Lineage } from '../../core/agent/runs/lineage';
import type { Run } from '../../core/agent/state';
import type { ClosingPart } from '../../core/agent/steps/closing';

interface OlderClosing {
  readonly committedStep?: number;
  readonly deferredAfter?: number;
  readonly handedAfter?: number;
}

type OlderFacts = Asker & Lineage & OlderClosing;

/** A run of format 1 or 2. */
type OlderRun = Run extends infer One ? Omit<One, 'lineage' | 'asker' | 'closing'> & OlderFacts : never;

const isOlder = (stored: Run | OlderRun): stored is OlderRun => !('lineage' in stored);

/** A run of any format, in the shape of the newest. */
export function runOf(stored: Run | OlderRun): Run {
  if (!isOlder(stored)) return stored;
  const { actor, traceparent, committedStep = 0, deferredAfter = 0, handedAfter = 0, ...run } = stored;
  const { chainTurn, chainRunId, usageAtChainStart, resumedFrom, usageAtStart, askedAfter, firstTry, ...rest } = run;
  const asker = { ...(actor === undefined ? {} : { actor }), ...(traceparent === undefined ? {} : { traceparent }) };
  const step = Math.max(committedStep, deferredAfter, handedAfter);
  const parts: [ClosingPart, number][] = [
    ['committed', committedStep],
    ['deferred', deferredAfter],
    ['handed_over', handedAfter],
  ];
  const done = parts.filter(([, at]) => at === step).map(([part]) => part);
  return {
    ...rest,
    lineage: {
      ...{ chainTurn, chainRunId, usageAtChainStart },
      ...(resumedFrom === undefined ? {} : { resumedFrom }),
      ...(usageAtStart === undefined ? {} : { usageAtStart }),
      ...(askedAfter === undefined ? {} : { askedAfter }),
      ...(firstTry === undefined ? {} : { firstTry }),
    },
    ...(Object.keys(asker).length === 0 ? {} : { asker }),
    ...(step === 0 ? {} : { closing: { step, done } }),
    // The phase and its own facts are in `rest`, as they were.
  } as Run;
}
