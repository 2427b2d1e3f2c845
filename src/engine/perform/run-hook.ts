/**
 * Calls one hook of an author, bounded in time: what it gave and spent, or how it failed.
 *
 * Keeps HK10, HK17, HK27.
 */
import { currentStep } from '../../core/agent/state';
import type { HookContext } from '../../core/definition/hooks/hook-types';
import type { AnyHook } from '../../core/definition/hooks/hooks';
import { type Failure, failureOf, OffshootError } from '../../protocol/errors';
import type { Usage } from '../../protocol/usage';
import { type BodyFence, bodyContext } from './body-context';
import { bounded } from './bounded-body';
import type { BodyAgent } from './performer';

/** Whose hook it is, and until when it is waited for. */
export interface HookCall extends BodyFence {
  readonly signal: AbortSignal;
  /** How long it has to end by itself once nobody waits for it, in ms; it is left behind at once by default. */
  readonly graceMs?: () => number;
}

/**
 * Calls it. What a stop cuts off is nobody's failure, and is not reported.
 * @param fits makes of what it gave what is taken; what it throws is the failure of the hook
 */
export async function runHook<Given>(
  agent: BodyAgent,
  hook: AnyHook,
  payload: Parameters<AnyHook['run']>[0],
  call: HookCall,
  fits: (given: unknown) => Given,
): Promise<{ readonly usage: Usage } & ({ readonly given: Given } | { readonly error: Failure })> {
  const { environment, seat, state } = agent;
  const { signal, graceMs, ...fence } = call;
  const ms = seat.rules.limits.hookTimeoutMs;
  const controller = new AbortController();
  const { context: common, spent, secrets } = bodyContext(agent, fence, controller.signal);
  const { parent, tags, metadata } = state.session;
  const context: HookContext = {
    ...common,
    tags: [...tags],
    stepCount: currentStep(state)?.number ?? 0,
    ...(parent ? { parentSessionId: parent.sessionId } : {}),
    ...(metadata === undefined ? {} : { metadata: structuredClone(metadata) }),
  };
  const name = hook.id === undefined ? hook.hook : `${hook.hook} "${hook.id}"`;
  const late = () => new OffshootError('hook_failed', `The hook ${name} did not end within ${ms} ms.`);
  try {
    const given = await bounded(environment, { ms, late, signal, controller, ...(graceMs ? { graceMs } : {}) }, () =>
      // What the hook does to it is nothing to the state, nor to the hooks behind it.
      hook.run(structuredClone(payload), context),
    );
    return { usage: spent.close(), given: fits(secrets.in(given)) };
  } catch (thrown) {
    const error = failureOf(thrown, 'hook_failed');
    if (!signal.aborted) environment.report(`The hook ${name} failed.`, secrets.thrown(thrown, error));
    return { usage: spent.close(), error: secrets.in(error) };
  }
}
