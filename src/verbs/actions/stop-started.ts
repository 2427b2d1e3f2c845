/**
 * A stop that names the start which it is for, by its Idempotency-Key. Whoever does not know whether a start came sends
 * it: it stops what that began, or lets it begin nothing when it comes, and touches nothing of others.
 *
 * Keeps A101, EN5.
 */
import type * as z from 'zod';
import { statusOf } from '../../core/agent/runs/status';
import { isOfStart } from '../../core/agent/runs/stop';
import type { StopVerb } from '../../core/agent/runs/stop-verb';
import type { Run } from '../../core/agent/state';
import type { ObjectRuntime } from '../../engine/object/object';
import type { VerbCall } from '../../engine/object/object-calls';
import { IDEMPOTENCY_MS } from '../../protocol/data-limits';
import { type Failure, failure, refuseWith } from '../../protocol/errors';
import type { stopAccepted, stopInput } from '../../protocol/wire/requests';
import { runView } from '../reads/standing';
import { refuseStart, startUnder } from '../receipts';
import type { AgentContext, Answer } from '../verb';

type Input = z.output<typeof stopInput>;

type Output = z.output<typeof stopAccepted>;

/** Why a stop may not name a start. */
export function whyNoStart({ runId }: Input, { path }: VerbCall): Failure | undefined {
  if (path.length > 0) return failure('invalid_input', 'Only the start of a root can be stopped by its key.');
  return runId === undefined ? undefined : failure('invalid_input', 'Give `start` or `runId`.');
}

/** Runs that are looked through at once. */
const PAGE = 100;

type Started = { readonly first: Run; readonly last: Run };

/** What a start has begun: its run, and the last one that went on with that. What no receipt knows any more is not looked for. */
function startedBy(runId: string, { store, environment }: ObjectRuntime, latest: Run): Started | undefined {
  const since = environment.now() - IDEMPOTENCY_MS;
  for (let upTo = latest.turn; upTo > 0; upTo -= PAGE) {
    const some = store.runs({ after: upTo - PAGE, upTo });
    const first = some.find((one) => one.runId === runId);
    if (first) return { first, last: lastOf(first, store) };
    if ((some[0]?.startedAt ?? 0) < since) return undefined;
  }
  return undefined;
}

/** What goes on with a run comes right after it: whatever else comes takes its place. */
function lastOf(first: Run, store: ObjectRuntime['store']): Run {
  const ofStart = { runId: first.runId, turn: first.turn };
  for (let last = first; ; ) {
    const some = store.runs({ after: last.turn, limit: PAGE });
    for (const one of some) {
      if (!isOfStart(one, ofStart)) return last;
      last = one;
    }
    if (some.length < PAGE) return last;
  }
}

/** At the root. Nothing is stopped but what the start began; what has not come begins nothing from this commit on. */
export function stopStarted(
  stop: { readonly verb: StopVerb; readonly reason: string },
  key: string,
  { agent, object, call, request }: AgentContext<Input>,
): Answer<Output> {
  const { environment } = object;
  const known = startUnder(object, call, key);
  const runId = known?.runId;
  const before = agent.state;
  const waits = before.queued.some((one) => one.runId === runId);
  const started = runId === undefined || waits || !before.run ? undefined : startedBy(runId, object, before.run);
  const ofStart = { runId, turn: started?.first.turn };
  const isOwn = (run: Run): boolean => isOfStart(run, ofStart);
  let answer: Answer<Output> = { body: { status: statusOf(before) } };
  const event = { type: 'stop', at: environment.now(), token: environment.token(), ...stop, ofStart } as const;
  const applied = agent.apply(event, () => {
    const { state } = agent;
    const { run } = state;
    // What has ended since something else began stands as it ended.
    const ended = run && isOwn(run) ? undefined : started?.last;
    const status = waits ? 'queued' : ended ? runView(ended, state).status : statusOf(state);
    const begun = !waits && !(started?.first.phase === 'ended' && started.first.unbegun);
    const body = runId === undefined ? { status, begun: false } : { runId, status, begun };
    const isStill = state === before;
    // Asked again of what is being stopped, it is under way.
    const isUnderWay = run?.phase === 'active' && isOwn(run);
    const code = isStill && !isUnderWay ? 200 : 202;
    answer = { body, status: code };
    if (!known) refuseStart(object, call, key);
    if (isStill && known) request.keep(code, body);
    else request.remember(code, body, { runId, detail: { reason: stop.reason, start: key } });
  });
  return applied.ok ? answer : refuseWith(applied.refused);
}
