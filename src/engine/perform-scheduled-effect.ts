/**
 * Runs a scheduled effect, bounded in time. It belongs to no run: nobody waits for it, and what it gives back is dropped.
 * What fails for good is reported, and noted in the agent's audit.
 *
 * Keeps SF1, SF2.
 */
import type { Applied } from '../core/agent/changes';
import type { Effect } from '../core/agent/owed-effects';
import { errandOf } from '../core/agent/scheduled-effects';
import type { Errand } from '../core/agent/state';
import type { EffectContext } from '../core/definition/tool-context';
import type { AuditEntry } from '../core/ports/agent-store';
import { type Failure, failureOf, OffshootError } from '../protocol/errors';
import { bodyContext } from './body-context';
import { bounded } from './bounded-body';
import { parse } from './check-calls';
import type { BodyAgent } from './performer';
import { effectNamed } from './schedule-effects';

type ErrandEffect = Extract<Effect, { kind: 'errand' }>;

/** What the audit has of an effect that is given up. */
const GIVEN_UP = 'effect_given_up';

/** Keeps and tells that an effect is given up; call it in the transaction of the event that does so. */
function noteGivenUp(agent: BodyAgent, { effectId, name }: Errand, { givenUp }: Applied, at: number): void {
  if (givenUp === undefined) return;
  const { code, message } = givenUp;
  const entry: AuditEntry = { at, actor: 'offshoot', action: GIVEN_UP, detail: { effectId, name, code, message } };
  agent.deps.store.addAudit(entry);
  agent.environment.report(`The effect "${name}" is given up.`, new OffshootError(code, message));
}

/** One try of the body. @throws what it throws, or that it took too long */
async function runOnce(agent: BodyAgent, errand: Errand, signal: AbortSignal): Promise<Failure | undefined> {
  const { environment } = agent;
  const { session, run } = agent.state;
  const { name, effectId, tries: attempt } = errand;
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
    const effect = effectNamed(agent, name);
    const parsed = effect.schema ? await parse(effect.schema, errand.args) : { ok: true as const, value: errand.args };
    if (!parsed.ok) throw new OffshootError('invalid_input', `Its arguments do not fit: ${parsed.problem}.`);
    const ms = effect.timeoutMs ?? agent.seat.rules.limits.toolTimeoutMs;
    const late = () => new OffshootError('tool_timeout', `The effect "${name}" did not end within ${ms} ms.`);
    await bounded(environment, { ms, late, signal, controller }, () => effect.execute(parsed.value, context));
    return undefined;
  } catch (thrown) {
    const error = failureOf(thrown, 'tool_failed');
    if (!signal.aborted) {
      const what = `The effect "${name}" of ${session.address} failed (try ${attempt}).`;
      environment.report(what, secrets.thrown(thrown, error));
    }
    return secrets.in(error);
  } finally {
    agent.spentLate(spent.close());
  }
}

/** Performs one try of a scheduled effect, which is counted before it begins; its end is an event. */
export async function performErrand(agent: BodyAgent, effect: ErrandEffect, signal: AbortSignal): Promise<void> {
  const { environment } = agent;
  const { effectId } = effect.errand;
  const at = environment.now();
  const begun = agent.apply({ type: 'errand_begun', at, effectId }, (applied) =>
    noteGivenUp(agent, effect.errand, applied, at),
  );
  const errand = begun.ok ? errandOf(begun.state, effectId) : undefined;
  if (errand === undefined) return;
  await agent.deps.durable();
  if (signal.aborted) return;
  const error = await runOnce(agent, errand, signal);
  if (signal.aborted) return;
  const ended = { at: environment.now(), effectId, attempt: errand.tries };
  agent.apply({ type: 'errand_done', ...ended, ...(error ? { error } : {}) }, (applied) =>
    noteGivenUp(agent, errand, applied, ended.at),
  );
}
