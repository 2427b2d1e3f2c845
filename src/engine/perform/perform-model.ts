/**
 * Composes the request of a step (system prompt, tools, messages), asks the model, shows its reply while it streams, and
 * brings the answer back as an event. Whether there is a further attempt, and after how long, is decided in
 * `core/agent/steps/step.ts`.
 *
 * Decides: what a model is asked.
 * Keeps ST4, ST16, ST17, ST24, US5, M14.
 */

import type { KnownChildren, Lacking, ModelFence, PlannedCall } from '../../core/agent/events';
import type { Effect } from '../../core/agent/owed-effects';
import { firstTryOf } from '../../core/agent/runs/lineage';
import { type Seat, toolsNow } from '../../core/agent/seat';
import { seenBy } from '../../core/agent/standard-agents/prompt-view';

import { currentStep, type Step } from '../../core/agent/state';
import type { AgentDefinition } from '../../core/definition/definition';
import type { KeptReply, ModelDelta, ModelReply } from '../../core/definition/model-port';
import { isBlank } from '../../protocol/content/blank';
import { type ErrorCode, type Failure, failureOf, OffshootError } from '../../protocol/errors';
import { isObject, type Json } from '../../protocol/json';
import type { Message } from '../../protocol/messages';
import type { Usage } from '../../protocol/usage';
import { lackingFor } from '../children/missing-variables';
import { calledChildren, classesBelow, classesWithSlots, knownChildren } from '../children/own-children';
import { namedChildren, registryFor, switchedOff, withRegistry } from '../children/prompt-subagents';
import { knownFiles } from '../files/bring-enclosures';
import { withFiles } from '../files/shown-files';
import { atItsTime, inTurn } from '../models/turn';
import { askedModel, reportingFallback } from '../replies/fallback';
import { isKept, keptReply, readMade } from '../replies/made-files';
import { reportUncounted, reportWarnings } from '../settings/report-warnings';
import { settingsOfStep } from '../settings/step-settings';
import { RequestHooks } from './ask-hooks';
import { planReply } from './check-calls';
import { smaller } from './compact';
import { covered, priced } from './model-cost';
import type { ModelAgent } from './performer';

type ModelEffect = Extract<Effect, { kind: 'model' }>;

/** Pieces of a reply are written together: for so long, in ms, or up to so many characters. */
const FLUSH_MS = 50;
const FLUSH_CHARACTERS = 4_096;

/** Deltas on their way to the log, joined where they continue each other. */
class Deltas {
  #held: ModelDelta[] = [];
  #size = 0;
  #cancel: (() => void) | undefined;

  constructor(
    readonly agent: ModelAgent,
    readonly fence: ModelFence,
    readonly signal: AbortSignal,
  ) {}

  add(delta: ModelDelta): void {
    if (this.signal.aborted) return;
    const last = this.#held.at(-1);
    const joined = last === undefined ? undefined : join(last, delta);
    if (joined) this.#held[this.#held.length - 1] = joined;
    else this.#held.push(delta);
    this.#size += sizeOf(delta);
    if (this.#size >= FLUSH_CHARACTERS) this.flush();
    else this.#cancel ??= this.agent.environment.timer(FLUSH_MS, () => this.flush());
  }

  flush(): void {
    const deltas = this.take();
    if (deltas.length === 0 || this.signal.aborted) return;
    const { environment } = this.agent;
    try {
      this.agent.apply({ type: 'model_progress', at: environment.now(), ...this.fence, deltas });
    } catch (error) {
      this.#held = deltas;
      environment.report(
        'Parts of a reply could not be stored; they are stored with the next parts, or with the whole reply.',
        error,
      );
    }
  }

  take(): ModelDelta[] {
    this.#cancel?.();
    this.#cancel = undefined;
    const held = this.#held;
    this.#held = [];
    this.#size = 0;
    return held;
  }
}

/** Failures that another try never mends: the definition of an agent, or a setting of its Worker, has to change. */
const MENDED_BY_AUTHORS: readonly string[] = ['invalid_definition', 'model_unauthorized'] satisfies ErrorCode[];

/** About how many characters of the log a piece takes. */
function sizeOf(delta: ModelDelta): number {
  if ('delta' in delta) return delta.delta.length;
  return delta.type === 'provider_result' ? JSON.stringify(delta.result).length : 1;
}

function join(last: ModelDelta, next: ModelDelta): ModelDelta | undefined {
  if (last.type === 'tool_arg_delta') {
    return next.type === 'tool_arg_delta' && next.index === last.index
      ? { ...last, delta: last.delta + next.delta }
      : undefined;
  }
  if (last.type !== 'text' && last.type !== 'thinking') return undefined;
  return next.type === last.type && next.part === last.part ? { ...last, delta: last.delta + next.delta } : undefined;
}

/** What the store knows of the children that a reply asks for; a tool of the framework may ask for any of the agent's. */
function askedChildren(agent: ModelAgent, seat: Seat, calls: readonly PlannedCall[]): KnownChildren {
  const asked = calls.filter((call) => call.kind === 'child');
  const needs = calls.flatMap((call) => (call.kind === 'built_in' ? (needsOf(seat, call) ?? []) : []));
  if (asked.length === 0 && needs.length === 0) return NO_CHILDREN;
  const registers = needs.some(({ registered }) => registered);
  const any = needs.length > 0 ? classesBelow(seat.definition) : [];
  const classes = new Set([...classesWithSlots(asked), ...any]);
  const names = new Set(asked.flatMap(({ childName }) => childName ?? []));
  for (const need of needs) for (const name of need.names) names.add(name);
  const paths = [
    ...needs.flatMap(({ files = [] }) => files),
    ...asked.flatMap(({ registers }) => registers?.files?.paths ?? []),
  ];
  const files = knownFiles(agent.deps.kept, new Set(paths));
  const known = { ...knownChildren(agent.deps.store, classes, names), files };
  const toBeNamed = asked.some(({ lifetime, childName }) => lifetime === 'named' && childName === undefined);
  const kinds = new Set(needs.flatMap(({ called }) => called ?? []));
  return {
    ...known,
    ...(toBeNamed || needs.some(({ unnamed }) => unnamed) ? { ahead: agent.deps.store.namesAhead() } : {}),
    ...(registers ? { registered: namedChildren(agent.deps.store) } : {}),
    ...(kinds.size > 0 ? { called: calledChildren(agent.deps.store, kinds) } : {}),
  };
}

const NO_CHILDREN: KnownChildren = { next: 0, slots: {}, named: {}, lasting: { count: 0 }, files: {} };

function needsOf({ rules }: Seat, { name, args }: Extract<PlannedCall, { kind: 'built_in' }>) {
  return rules.builtIns.find((tool) => tool.name === name)?.needs?.(args);
}

/** The messages that the prompt of an agent lets its model see. */
function shownTo({ state, transcript }: ModelAgent, { prompt }: AgentDefinition, messages: readonly Message[]) {
  const { run } = state;
  if (prompt === undefined || run === undefined) return messages;
  return seenBy(prompt, messages, transcript.beginningOf(firstTryOf(run.lineage).turn));
}

/** The system prompt, of an author's function too. @throws OffshootError `invalid_definition` where that returns no text */
async function systemOf({ name, systemPrompt }: AgentDefinition, state: Json): Promise<string> {
  if (typeof systemPrompt !== 'function') return systemPrompt;
  let given: unknown;
  try {
    given = await systemPrompt({ state: structuredClone(state) });
  } catch (thrown) {
    const { message } = failureOf(thrown);
    throw new OffshootError('invalid_definition', `Agent "${name}": its \`systemPrompt\` failed: ${message}`);
  }
  if (typeof given === 'string') return given;
  throw new OffshootError('invalid_definition', `Agent "${name}": its \`systemPrompt\` must return a string.`);
}

/** The address of the root above an address: its first level. */
const rootOf = (address: string): string => address.split('/').slice(0, 4).join('/');

async function ask(agent: ModelAgent, seat: Seat, effect: ModelEffect, signal: AbortSignal, deltas: Deltas) {
  const { definition, rules } = seat;
  const { state } = agent;
  await covered(agent, signal);
  if (signal.aborted) return undefined;
  const step = currentStep(state);
  const hooks = RequestHooks.of(agent, definition, signal);
  if (step === undefined || hooks === undefined) return undefined;
  const shown = seat.without(await switchedOff(agent, seat));
  if (signal.aborted) return undefined;
  const registry = registryFor(agent, seat);
  const tools = toolsNow(shown, registry);
  const settings = await hooks.settings(settingsOfStep(agent, seat, step), tools);
  const request = {
    agentType: definition.name,
    ...(step.side ? { side: step.side } : {}),
    sessionId: state.session.sessionId,
    root: rootOf(state.session.address),
    runId: effect.runId,
    step: effect.number,
    ...(state.run?.lineage.firstTry ? { repliesBefore: state.run.lineage.firstTry.replies } : {}),
    attempt: effect.attempt,
    ...(state.run?.caller?.traceparent === undefined ? {} : { traceparent: state.run.caller.traceparent }),
    system: await hooks.system(await systemOf(definition, state.custom)),
    tools,
    ...(definition.providerTools ? { providerTools: definition.providerTools } : {}),
    settings,
    firstChunkMs: rules.limits.modelFirstChunkMs,
    stallMs: rules.limits.modelStallMs,
  };
  const asked = { effect, seat, request, registry, signal };
  const reply = await smaller(agent, asked, async (messages) => {
    const model = await askedModel(agent, seat);
    // No port is asked for what nobody waits for any more: some bill before they look.
    if (signal.aborted) return undefined;
    const filtered = await hooks.messages('filter_messages', shownTo(agent, definition, messages));
    const hooked = await hooks.messages('prefilter_llm_history', withRegistry(filtered, registry));
    const sent = await withFiles(hooked, agent.deps.files(state.session), (problem) =>
      agent.environment.report(problem),
    );
    if (signal.aborted) return undefined;
    const spoken = saidNothing(step) ? [...sent, CONTINUE] : sent;
    const options = {
      signal,
      onDelta: (delta: ModelDelta) => {
        if (!(hooks.holdsText && delta.type === 'text')) deltas.add(delta);
      },
      readFile: (path: string, etag: string) => readMade(agent.deps.files(agent.state.session), path, etag),
      onLateUsage: (usage: Usage, name: string) => agent.spentLate(priced(agent.environment, definition, usage, name)),
    };
    return inTurn(agent, { definition, signal }, () => model.call({ ...request, messages: spoken }, options));
  });
  if (reply === undefined) return undefined;
  if (saysNothing(reply)) {
    // It was paid for.
    agent.spentLate(priced(agent.environment, definition, reply.usage, reply.model));
    const message = `${reply.model}: the reply is empty (${reply.finishReason}).`;
    throw new OffshootError('model_bad_reply', message, { details: NOTHING_SAID });
  }
  return hooks.reply(reply, (delta) => deltas.add(delta));
}

/** The details of the failure of a reply that says nothing. */
const NOTHING_SAID = { saysNothing: true } as const;

/** Asked the same again, a model that takes its work for done says nothing once more. */
const CONTINUE: Message = { role: 'user', content: '[The last reply was empty. Continue.]', from: 'offshoot' };

/** True where the last reply to a step said nothing. */
function saidNothing(step: Step): boolean {
  const details = step.phase === 'model' ? step.failures.at(-1)?.details : undefined;
  return isObject(details) && details.saysNothing === true;
}

/**
 * True where a reply has no text, no call and no file. One that a filter or the output limit stopped says why. One that is
 * paused continues from what it has, and from a thought or a blank alone it would not.
 */
function saysNothing({ content, finishReason }: ModelReply): boolean {
  if (finishReason === 'content-filter' || finishReason === 'length') return false;
  if (finishReason === 'paused')
    return content.every((part) => part.type === 'reasoning' || (part.type === 'text' && isBlank(part.text)));
  return !content.some((part) => SAYING.includes(part.type) || (part.type === 'text' && part.text !== ''));
}

const SAYING: readonly ModelReply['content'][number]['type'][] = ['tool-call', 'made-file', 'reply-file'];

/** Performs one model call; its end is an event, whatever happened. */
export async function performModel(agent: ModelAgent, effect: ModelEffect, signal: AbortSignal): Promise<void> {
  const { environment } = agent;
  const fence: ModelFence = {
    runId: effect.runId,
    epoch: effect.epoch,
    stepId: effect.stepId,
    attempt: effect.attempt,
  };
  const deltas = new Deltas(agent, fence, signal);
  const answer = await answerTo(agent, effect, signal, deltas);
  if (signal.aborted && answer && 'reply' in answer) agent.spentLate(answer.reply.usage);
  if (answer === undefined || signal.aborted) return;
  const facts = { at: environment.now(), token: environment.token(), ...fence };
  const { seat } = agent;
  reportingFallback(agent, seat, () => {
    if ('error' in answer) return void agent.apply({ type: 'model_failed', ...facts, ...answer });
    const children = askedChildren(agent, seat, answer.calls);
    agent.apply({ type: 'model_replied', ...facts, ...answer, children, deltas: deltas.take() });
  });
}

/** The reply with its calls, or why there is none; undefined when nobody waits for it. */
async function answerTo(
  agent: ModelAgent,
  effect: ModelEffect,
  signal: AbortSignal,
  deltas: Deltas,
): Promise<
  | {
      reply: KeptReply;
      calls: PlannedCall[];
      disabled?: string[];
      lacking?: { readonly [agentType: string]: Lacking };
    }
  | { error: Failure; waitingSince?: number }
  | undefined
> {
  try {
    await atItsTime(agent, effect.notBefore, { definition: agent.seat.definition, signal });
    if (signal.aborted) return undefined;
    // The reply is understood by what the model was asked with.
    const { seat } = agent;
    const asked = await ask(agent, seat, effect, signal, deltas);
    const step = currentStep(agent.state);
    if (asked === undefined || step === undefined) return undefined;
    const { warnings, ...made } = asked;
    reportWarnings(agent.environment, seat.definition, asked);
    const reply = isKept(made) ? made : await keptReply(made, agent.deps.files(agent.state.session), step);
    for (const note of reply.notes ?? []) agent.environment.report(note);
    const { agentType: type, sessionId, address } = agent.state.session;
    const context = {
      state: agent.state.custom,
      env: agent.environment.bindings,
      agent: { type, sessionId, address, runId: effect.runId },
    };
    const usage = priced(agent.environment, seat.definition, reply.usage, reply.model);
    reportUncounted(agent.environment, seat.definition, { model: reply.model, usage });
    const calls = await planReply(seat, reply, context, agent.environment).catch((error: unknown) => {
      // A reply that nothing can be made of was paid for.
      agent.spentLate(usage);
      throw error;
    });
    // Asked again: what was on when the model was asked may be off now.
    const disabled = calls.length === 0 ? [] : await switchedOff(agent, seat);
    const lacking = await lackingFor(agent, seat, calls);
    return { reply: { ...reply, usage }, calls, ...lacking, ...(disabled.length === 0 ? {} : { disabled }) };
  } catch (error) {
    deltas.take();
    const { waitingSince } = agent.modelTurns;
    agent.modelTurns.waitingSince = undefined;
    const failed = failureOf(error, 'model_error');
    // Pages are told a safe title: the reason is for whoever can mend it.
    if (MENDED_BY_AUTHORS.includes(failed.code))
      agent.environment.report(`The agent ${agent.state.session.address} failed: ${failed.message}`);
    return { error: failed, ...(waitingSince === undefined ? {} : { waitingSince }) };
  } finally {
    const unused = agent.modelTurns.takeAhead();
    if (unused !== undefined) agent.link.turnEnded(unused);
  }
}
