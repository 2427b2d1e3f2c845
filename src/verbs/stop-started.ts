/**
 * A stop that names the start which it is for, by its Idempotency-Key. Whoever does not know whether a start came sends
 * it: it stops what that began, or lets it begin nothing when it comes, and touches nothing of others.
 *
 * Keeps A101, EN5.
 */
import type * as z from 'zod';
import type { Run } from '../core/agent/state';
import { statusOf } from '../core/agent/status';
import { firstTurn, isOfStart } from '../core/agent/stop';
import type { StopVerb } from '../core/agent/stop-verb';
import type { VerbCall } from '../engine/object-calls';
import { type Failure, failure, refuseWith } from '../protocol/errors';
import type { stopAccepted, stopInput } from '../protocol/requests';
import { refuseStart, startUnder } from './receipts';
import { runView } from './standing';
import type { AgentContext, Answer } from './verb';

type Input = z.output<typeof stopInput>;

type Output = z.output<typeof stopAccepted>;

/** Why a stop may not name a start. */
export function whyNoStart({ runId }: Input, { path }: VerbCall): Failure | undefined {
  if (path.length > 0) return failure('invalid_input', 'Only the start of a root can be stopped by its key.');
  return runId === undefined ? undefined : failure('invalid_input', 'Give `start` or `runId`.');
}

/** Turns before the current one among which that of a start is looked for. */
const LOOK_BACK = 100;

/** At the root. Nothing is stopped but what the start began; what has not come begins nothing from this commit on. */
export function stopStarted(
  stop: { readonly verb: StopVerb; readonly reason: string },
  key: string,
  { agent, object, call, request }: AgentContext<Input>,
): Answer<Output> {
  const { environment, store } = object;
  const known = startUnder(object, call, key);
  const runId = known?.runId;
  const before = agent.state;
  const recent = before.run ? store.runs({ after: firstTurn(before.run) - LOOK_BACK }) : [];
  const ofStart = { runId, turn: recent.find((one) => one.runId === runId)?.turn };
  const isOwn = (run: Run): boolean => isOfStart(run, ofStart);
  let answer: Answer<Output> = { body: { status: statusOf(before) } };
  const event = { type: 'stop', at: environment.now(), token: environment.token(), ...stop, ofStart } as const;
  const applied = agent.apply(event, () => {
    const { state } = agent;
    const { run, queued } = state;
    const isQueued = queued.some((one) => one.runId === runId);
    // What has ended since something else began stands as it ended.
    const ended = run && isOwn(run) ? undefined : recent.findLast(isOwn);
    const status = isQueued ? 'queued' : ended ? runView(ended, state).status : statusOf(state);
    const body = runId === undefined ? { status, begun: false } : { runId, status, begun: !isQueued };
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
