/**
 * A stop that names the start which it is for, by its Idempotency-Key. Whoever does not know whether a start came sends
 * it: it stops what that began, or lets it begin nothing when it comes, and touches nothing of others.
 *
 * Keeps A101, EN5.
 */
import type * as z from 'zod';
import type { OfStart } from '../core/agent/events';
import type { AgentState } from '../core/agent/state';
import { statusOf } from '../core/agent/status';
import { firstTurn, isOfStart } from '../core/agent/stop';
import type { StopVerb } from '../core/agent/stop-verb';
import type { VerbCall } from '../engine/object-calls';
import { type Failure, failure, refuseWith } from '../protocol/errors';
import type { stopAccepted, stopInput } from '../protocol/requests';
import type { SessionStatus } from '../protocol/status';
import { refuseStart, startUnder } from './receipts';
import { runView } from './standing';
import type { AgentContext, Answer } from './verb';

type Input = z.output<typeof stopInput>;

type Output = z.output<typeof stopAccepted>;

/** Why a stop may not name a start. */
export function whyNoStart({ runId }: Input, { path }: VerbCall): Failure | undefined {
  if (path.length > 0)
    return failure('invalid_input', 'Only a root is started, so `start` is for the stop of a root. Leave it out here.');
  if (runId === undefined) return undefined;
  return failure(
    'invalid_input',
    'Give `start` or `runId`: a start names all that it began, whichever run that is now.',
  );
}

type Store = AgentContext<Input>['object']['store'];

/** What a start began, as a stop that is for it knows it. */
function ofStart(store: Store, { run }: AgentState, runId: string | undefined): OfStart {
  if (runId === undefined) return {};
  const turn = run && firstTurn(run);
  const [first] = turn === undefined ? [] : store.runs({ after: turn - 1, upTo: turn });
  return turn !== undefined && first?.runId === runId ? { runId, turn } : { runId };
}

/** Runs back from the current one among which that of a start is looked for. */
const LOOK_BACK = 100;

/** How that stands which a start began: as the session, while nothing else has begun since. */
function standingOf(store: Store, state: AgentState, of: OfStart): SessionStatus {
  const { run, queued } = state;
  if (queued.some(({ runId }) => runId === of.runId)) return 'queued';
  if (run === undefined || isOfStart(run, of)) return statusOf(state);
  const recent = store.runs({ after: run.turn - LOOK_BACK });
  const first = recent.find(({ runId }) => runId === of.runId);
  const own = first && recent.findLast((one) => isOfStart(one, { runId: first.runId, turn: first.turn }));
  return own ? runView(own, state).status : statusOf(state);
}

/** At the root. Nothing is stopped but what the start began; what has not come begins nothing from this commit on. */
export function stopStarted(
  stop: { readonly verb: StopVerb; readonly reason: string },
  key: string,
  { agent, object, call, request }: AgentContext<Input>,
): Answer<Output> {
  const { environment, store } = object;
  const known = startUnder(object, call, key);
  const before = agent.state;
  const of = ofStart(store, before, known?.runId);
  let answer: Answer<Output> = { body: { status: statusOf(before), begun: false } };
  const event = { type: 'stop', at: environment.now(), token: environment.token(), ...stop, ofStart: of } as const;
  const applied = agent.apply(event, () => {
    const { state } = agent;
    const status = standingOf(store, state, of);
    const { runId } = of;
    const body = runId === undefined ? { status, begun: false } : { runId, status, begun: status !== 'queued' };
    const isStill = state === before;
    // Asked again of what is being stopped, it is under way.
    const isUnderWay = isStill && state.run?.phase === 'active' && isOfStart(state.run, of);
    answer = { body, status: isStill && !isUnderWay ? 200 : 202 };
    if (known === undefined) refuseStart(object, call, key);
    const asked = { ...(runId === undefined ? {} : { runId }), detail: { reason: stop.reason, start: key } };
    if (isStill && known) request.keep(answer.status ?? 200, body);
    else request.remember(answer.status ?? 200, body, asked);
  });
  return applied.ok ? answer : refuseWith(applied.refused);
}
