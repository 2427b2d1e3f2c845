/**
 * Turns at models, as an agent has them: before which requests it asks its root for one, how it waits, and what a refusal
 * teaches the others of its tree. An agent that need not ask sends its request at once.
 *
 * Keeps MT1, MT8, ST20.
 */
import { currentStep, type Step } from '../../core/agent/state';
import type { AgentDefinition } from '../../core/definition/definition';
import type { AskedTurn } from '../../core/tree/models/turns';
import { OffshootError } from '../../protocol/errors';
import { HELD_MS, inTime, pause } from '../environment';
import type { ModelAgent } from '../perform/performer';
import { askedModel } from '../replies/fallback';
import { asksNow, restUntil } from './rest';

/** An agent that waits for its turn asks again after so long, in ms: the message that says so may be lost. */
const AGAIN_MS = 5_000;
/** A rate limit of the Worker that does not answer within so long, in ms, is passed over. */
const LIMITER_MS = 5_000;
/** Those without a provider share one name. */
const UNNAMED = 'model';

/** A request to a model. */
export interface TurnFor {
  readonly definition: AgentDefinition;
  readonly signal: AbortSignal;
}

/**
 * Waits until a step may ask its model: to its time, and where the provider has refused it before, for the next turn there.
 * The root hears of the refusal at once, so that it counts for the whole tree.
 * @throws OffshootError `model_rate_limited` where no turn comes while there is patience
 */
export async function atItsTime(agent: ModelAgent, notBefore: number, asked: TurnFor): Promise<void> {
  const step = currentStep(agent.state);
  const refusals = step?.phase === 'model' ? step.refusals : undefined;
  const afterMs = Math.max(0, notBefore - agent.environment.now());
  const { retryAfterMs, overloaded } = refusals ?? {};
  // A step that has only waited for its turn was not refused.
  const isShared = refusals !== undefined && refusals.count > 0 && !(overloaded && retryAfterMs === undefined);
  if (!isShared) {
    await restUntil(agent, notBefore, asked.signal);
    return asksNow(agent, asked.signal);
  }
  // Of what the provider asked for, the rest: its root may have been lost from memory since.
  const rest = retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, afterMs) };
  const refused = { ...rest, ...(overloaded ? { overloaded } : {}) };
  const provider = await providerOf(agent, asked);
  if (!asked.signal.aborted)
    agent.modelTurns.ahead = await turnComes(agent, asked.signal, { provider, notBefore, refused });
  await asksNow(agent, asked.signal);
}

/**
 * Sends a request to a model when the agent has its turn; undefined where nobody waits for it any more.
 * @throws OffshootError `model_rate_limited` where the turn does not come while there is patience, or the Worker's own limit refuses it
 */
export async function inTurn<Reply>(
  agent: ModelAgent,
  asked: TurnFor,
  request: () => Promise<Reply>,
): Promise<Reply | undefined> {
  const { modelTurns } = agent;
  const { definition, signal } = asked;
  let id = modelTurns.takeAhead();
  const isFree = id === undefined && modelTurns.isFree && definition.modelRateLimit === undefined;
  try {
    if (isFree) return await modelTurns.during(request);
    const provider = await providerOf(agent, asked);
    if (id === undefined && !signal.aborted && modelTurns.asksFor(provider))
      id = await turnComes(agent, signal, { provider, notBefore: 0 });
    await asksNow(agent, signal);
    if (!signal.aborted) await withinOwnLimit(agent, definition, provider);
    return signal.aborted ? undefined : await modelTurns.during(request);
  } finally {
    if (modelTurns.isCounted) agent.link.turnEnded(id ?? '');
  }
}

/** The name that agents share who ask one provider; what its models are called at it makes no difference. */
async function providerOf(agent: ModelAgent, { definition }: TurnFor): Promise<string> {
  const { environment, seat } = agent;
  try {
    const model = await askedModel(agent, { definition, rules: seat.rules });
    const named = await inTime(environment, seat.rules.limits.modelFirstChunkMs, Promise.resolve(model.provider?.()));
    return named?.split('.')[0] || UNNAMED;
  } catch {
    // The request itself says what is wrong with its model.
    return UNNAMED;
  }
}

interface WantedTurn extends Pick<AskedTurn, 'provider' | 'refused'> {
  readonly notBefore: number;
}

/** Waits until the root says that it is the agent's turn; returns the name of the turn. */
async function turnComes(agent: ModelAgent, signal: AbortSignal, wanted: WantedTurn): Promise<string> {
  const { modelTurns, environment, seat } = agent;
  const { modelPatienceMs } = seat.rules.limits;
  const { notBefore, ...asked } = wanted;
  const id = modelTurns.nextId();
  const { turn, end } = modelTurns.await(id);
  const since = refusedSince(currentStep(agent.state)) ?? environment.now();
  try {
    for (;;) {
      const now = environment.now();
      const answer = await agent.link.turn({ ...asked, id, afterMs: Math.max(0, notBefore - now) });
      modelTurns.take(answer.asksFirst);
      if (answer.go || signal.aborted) return id;
      const rest = answer.limited ? since + modelPatienceMs - environment.now() : AGAIN_MS;
      const opensMs = Math.min(answer.opensMs ?? 0, rest);
      if (rest <= 0) {
        modelTurns.waitingSince = since;
        agent.link.turnEnded(id);
        const why = `${asked.provider}: the provider refuses requests from this tree, so this request could not be sent in time.`;
        throw new OffshootError('model_rate_limited', why);
      }
      const wait = (ends: AbortSignal): Promise<void> =>
        opensMs > HELD_MS
          ? restUntil(agent, environment.now() + opensMs, ends)
          : pause(environment, Math.min(AGAIN_MS, rest), ends);
      if ((await eitherOf(turn, wait, signal)) || signal.aborted) return id;
    }
  } finally {
    end();
  }
}

const refusedSince = (step: Step | undefined): number | undefined =>
  step?.phase === 'model' ? step.refusals?.since : undefined;

/** The first to come, a turn or the end of a wait; undefined for the end. */
async function eitherOf(
  turn: Promise<true>,
  wait: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<true | undefined> {
  const came = new AbortController();
  const either = AbortSignal.any([signal, came.signal]);
  try {
    return await Promise.race([turn, wait(either).then(() => undefined)]);
  } finally {
    came.abort();
  }
}

/** Asks the limit that the Worker itself has for a provider, over all roots. @throws OffshootError `model_rate_limited` */
async function withinOwnLimit(
  { environment }: ModelAgent,
  { name, modelRateLimit }: AgentDefinition,
  provider: string,
): Promise<void> {
  if (modelRateLimit === undefined) return;
  let allowed: boolean;
  try {
    const limiter = modelRateLimit(environment.bindings);
    ({ success: allowed } = await inTime(environment, LIMITER_MS, Promise.resolve(limiter.limit({ key: provider }))));
  } catch (error) {
    environment.report(`Agent "${name}": its \`modelRateLimit\` did not answer; the request is sent.`, error);
    return;
  }
  if (!allowed)
    throw new OffshootError(
      'model_rate_limited',
      `${provider}: the rate limit of this Worker (\`modelRateLimit\`) is used up.`,
    );
}
