/**
 * Runs as rows of earlier formats hold them. Formats 1 and 2 have the facts of the lineage and the parts of closing a step
 * one by one, and format 3 has another name for the caller. Such a run is written in the newest shape when it changes next.
 *
 * Keeps SO3.
 */
import type { Lineage, RunCaller } from '../../core/agent/runs/lineage';
import type { Run } from '../../core/agent/state';
import type { ClosingPart } from '../../core/agent/steps/closing';

interface OlderClosing {
  readonly committedStep?: number;
  readonly deferredAfter?: number;
  readonly handedAfter?: number;
}

type OlderFacts = RunCaller & Lineage & OlderClosing;

/** A run of format 1 or 2. */
type OlderRun = Run extends infer One ? Omit<One, 'lineage' | 'caller' | 'closing'> & OlderFacts : never;

/** A run of format 3. */
type RunBefore = Run extends infer One ? Omit<One, 'caller'> & { readonly asker?: RunCaller } : never;

const isOlder = (stored: Run | RunBefore | OlderRun): stored is OlderRun => !('lineage' in stored);

/** A run of any format, in the shape of the newest. */
export function runOf(stored: Run | RunBefore | OlderRun): Run {
  // The phase and its own facts are in what is spread, as they were.
  return (isOlder(stored) ? withLineage(stored) : withCaller(stored)) as Run;
}

function withLineage(stored: OlderRun): object {
  const { actor, traceparent, committedStep = 0, deferredAfter = 0, handedAfter = 0, ...run } = stored;
  const { chainTurn, chainRunId, usageAtChainStart, resumedFrom, usageAtStart, askedAfter, firstTry, ...rest } = run;
  const caller = { ...(actor === undefined ? {} : { actor }), ...(traceparent === undefined ? {} : { traceparent }) };
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
    ...(Object.keys(caller).length === 0 ? {} : { caller }),
    ...(step === 0 ? {} : { closing: { step, done } }),
  };
}

function withCaller(stored: Run | RunBefore): object {
  if (!('asker' in stored)) return stored;
  const { asker, ...run } = stored;
  return { ...run, caller: asker };
}
