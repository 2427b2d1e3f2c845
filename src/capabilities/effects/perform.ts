/**
 * Runs a scheduled effect, bounded in time. It belongs to no run: nobody waits for it, and its result is dropped. One that
 * is given up is reported, and noted in the agent's audit.
 *
 * Keeps SF1, SF2, SF11.
 */
import type { Applied } from '../../core/agent/changes';
import type { EffectContext } from '../../core/definition/tool-context';
import { bodyContext } from '../../engine/perform/body-context';
import { bounded } from '../../engine/perform/bounded-body';
import { parse } from '../../engine/perform/check-calls';
import type { BodyAgent } from '../../engine/perform/performer';
import { sentence } from '../../protocol/content/sentence';
import { type Failure, failure, failureOf, OffshootError } from '../../protocol/errors';
import { effectNamed } from './context';
import { effectEvent, effectOf, type PendingEffect } from './machine';

/** The action of its entry in the audit. */
const GIVEN_UP = 'effect_given_up';

/** Notes and reports an effect that was dropped by an event; call it in the transaction of that event. */
function noteGivenUp(agent: BodyAgent, { effectId, name }: PendingEffect, at: number, why: Failure): void {
  const detail = { effectId, name, code: why.code, message: why.message };
  agent.deps.store.addAudit({ at, actor: 'offshoot', action: GIVEN_UP, detail });
  agent.environment.report(`The effect "${name}" was abandoned.`, new OffshootError(why.code, why.message));
}

/** Counts a try; undefined where it is not to be done any more. */
function begun(agent: BodyAgent, pending: PendingEffect): PendingEffect | undefined {
  const { effectId } = pending;
  const at = agent.environment.now();
  const { tries } = effectOf(agent.state, effectId) ?? pending;
  const never = failure('outcome_unknown', `It began ${tries} times, but never ended.`);
  const answer = agent.apply(effectEvent(at, { type: 'begun', effectId }), ({ state }) => {
    if (effectOf(state, effectId) === undefined) noteGivenUp(agent, pending, at, never);
  });
  return answer.ok ? effectOf(answer.state, effectId) : undefined;
}

/** One try of the body. @throws what it throws, or that it took too long */
async function runOnce(agent: BodyAgent, effect: PendingEffect, signal: AbortSignal): Promise<Failure | undefined> {
  const { environment } = agent;
  const { session, run } = agent.state;
  const { name, effectId, tries: attempt } = effect;
  const controller = new AbortController();
  const fence = { by: effectId, idempotencyKey: effectId, runId: run?.runId ?? '', epoch: run?.epoch ?? 0 };
  const { context: common, spent, secrets } = bodyContext(agent, fence, controller.signal);
  const { type, address, sessionId } = common.agent;
  const context: EffectContext = {
    getState: common.getState,
    files: common.files,
    env: common.env,
    variable: common.variable,
    thread: common.thread,
    recordUsage: common.recordUsage,
    scheduleEffect: common.scheduleEffect,
    getScheduledEffects: common.getScheduledEffects,
    removeScheduledEffect: common.removeScheduledEffect,
    abortSignal: controller.signal,
    idempotencyKey: effectId,
    attempt,
    agent: { type, address, sessionId },
  };
  try {
    const { schema, timeoutMs, execute } = effectNamed(agent, name);
    // The next try does not see what the body does to its arguments.
    const args = structuredClone(effect.args);
    const parsed = schema ? await parse(schema, args) : { ok: true as const, value: args };
    if (!parsed.ok)
      throw new OffshootError('invalid_input', `Its arguments do not match its schema: ${sentence(parsed.problem)}`);
    const ms = timeoutMs ?? agent.seat.rules.limits.toolTimeoutMs;
    const late = () => new OffshootError('tool_timeout', `The effect "${name}" did not end within ${ms} ms.`);
    await bounded(environment, { ms, late, signal, controller }, () => execute(parsed.value, context));
    return undefined;
  } catch (thrown) {
    const error = failureOf(thrown, 'tool_failed');
    if (!signal.aborted) {
      const problem = `The effect "${name}" of ${session.address} failed (try ${attempt}).`;
      environment.report(problem, secrets.thrown(thrown, error));
    }
    return secrets.in(error);
  } finally {
    agent.spentLate(spent.close());
  }
}

/** Performs one try of a scheduled effect, which is counted before it begins; its end is an event. */
export async function performEffect(agent: BodyAgent, pending: PendingEffect, signal: AbortSignal): Promise<void> {
  const effect = begun(agent, pending);
  if (effect === undefined) return;
  await agent.deps.durable();
  if (signal.aborted) return;
  const error = await runOnce(agent, effect, signal);
  if (signal.aborted) return;
  const at = agent.environment.now();
  const { effectId, tries: attempt } = effect;
  const done = { type: 'done', effectId, attempt, ...(error ? { error } : {}) } as const;
  agent.apply(effectEvent(at, done), ({ state }: Applied) => {
    if (error && effectOf(state, effectId) === undefined) noteGivenUp(agent, effect, at, error);
  });
}
