/**
 * What the bodies of tools and hooks may use.
 *
 * Keeps CL5, CL11, HK18.
 */
import type { AgentEvent } from '../../core/agent/events';
import { declaredVariables } from '../../core/definition/children/child-graph';
import { checkGiven } from '../../core/definition/invalid';
import type { ToolContext } from '../../core/definition/tool-context';
import { beginningOf } from '../../protocol/content/cut';
import { sentence } from '../../protocol/content/sentence';
import { VARIABLE_NAME } from '../../protocol/data-limits';
import { OffshootError } from '../../protocol/errors';
import { type Json, toJson } from '../../protocol/json';
import { MAX_STATUS_TEXT } from '../../protocol/shown/status-text';
import { addUsage, countedUsage, NO_USAGE, type Usage } from '../../protocol/usage';
import { patchOf } from '../../protocol/view/patch';
import { capabilityContext } from '../capability';
import { struckFiles } from '../files/struck-files';
import { toolFiles } from '../files/tool-files';
import { parseNow } from './check-calls';
import type { BodyAgent } from './performer';
import { ReadSecrets } from './read-secrets';
import { threadOf } from './thread';

/** A longer name of a custom chunk is refused. Unit: characters. */
const MAX_CUSTOM_NAME = 128;

/** Whose body it is. */
export interface BodyFence {
  /** The id of the call or of the hook. */
  readonly by: string;
  readonly idempotencyKey: string;
  readonly runId: string;
  readonly epoch: number;
  /** It is a hook of a change of a message. */
  readonly ofChange?: true;
}

/** What a body recorded as spent. What it records after `close` is counted as spent by nobody who is waited for. */
export class Spent {
  #usage: Usage = NO_USAGE;
  #closed = false;

  constructor(
    readonly late: (usage: Usage) => void,
    readonly report: (problem: string) => void,
  ) {}

  add(given: Parameters<ToolContext['recordUsage']>[0]): void {
    checkGiven('The amounts of `recordUsage`', given, 'object');
    const { inputTokens = 0, outputTokens = 0, costUsd } = given;
    const cost = costUsd === undefined ? {} : { costUsd };
    const { usage, ignored } = countedUsage({ ...NO_USAGE, inputTokens, outputTokens, ...cost });
    if (ignored.length > 0)
      this.report(`\`recordUsage\` got invalid amounts, which are ignored: ${ignored.join(', ')}.`);
    if (this.#closed) this.late(usage);
    else this.#usage = addUsage(this.#usage, usage);
  }

  /** All of it so far. */
  close(): Usage {
    this.#closed = true;
    return this.#usage;
  }
}

/** The context of a body. */
export function bodyContext(
  agent: BodyAgent,
  fence: BodyFence,
  signal: AbortSignal,
): { context: ToolContext; spent: Spent; secrets: ReadSecrets } {
  const { by, idempotencyKey, runId, epoch } = fence;
  const { session, run } = agent.state;
  const spent = new Spent(
    (usage) => agent.spentLate(usage),
    (problem) => agent.environment.report(problem),
  );
  const secrets = new ReadSecrets();
  const apply = (event: AgentEvent): void => {
    const answer = agent.apply(event);
    if (!answer.ok) throw new OffshootError(answer.refused.code, answer.refused.message);
  };
  const context: ToolContext = {
    getState: () => structuredClone(agent.state.custom),
    updateState(change) {
      checkGiven('The change of `updateState`', change, 'function');
      const before = agent.state.custom;
      const custom = fitting(agent, secrets.in(plain(agent, changed(change, before), STATE)));
      const patch = patchOf(before, custom);
      if (patch.length > 0) apply({ type: 'custom_changed', at: agent.environment.now(), by, epoch, custom, patch });
    },
    emit(statusText) {
      if (typeof statusText !== 'string')
        throw new OffshootError('invalid_input', 'Pass the status to `emit` as a string.');
      const chunk = {
        type: 'subagent_status',
        subSessionId: session.sessionId,
        status: 'running',
        statusText: beginningOf(secrets.text(statusText), MAX_STATUS_TEXT),
      } as const;
      apply({ type: 'emitted', at: agent.environment.now(), by, epoch, chunk });
    },
    emitCustom(name, given) {
      if (typeof name !== 'string' || name.length > MAX_CUSTOM_NAME)
        throw new OffshootError(
          'invalid_input',
          `The name of a custom chunk is a text of at most ${MAX_CUSTOM_NAME} characters.`,
        );
      const data = secrets.in(plain(agent, given, 'The data of a custom chunk'));
      apply({ type: 'emitted', at: agent.environment.now(), by, epoch, chunk: { type: 'custom', name, data } });
    },
    abortSignal: signal,
    idempotencyKey,
    ...(run?.caller?.actor === undefined ? {} : { caller: run.caller.actor }),
    ...(run?.caller?.traceparent === undefined ? {} : { traceparent: run.caller.traceparent }),
    agent: { type: session.agentType, sessionId: session.sessionId, address: session.address, runId },
    files: struckFiles(
      toolFiles(agent.deps.files(session), () => agent.seat.rules.limits.maxReadBytes),
      secrets,
    ),
    env: agent.environment.bindings,
    async variable(name) {
      if (typeof name !== 'string' || !VARIABLE_NAME.test(name))
        throw new OffshootError('invalid_input', 'Give `variable` the name of a variable: letters, digits and "_".');
      const value = await agent.deps.variable(agent.state, name);
      if (value !== undefined && declaredVariables(agent.seat.definition).get(name)?.type === 'secret')
        secrets.add(name, value);
      return value;
    },
    thread: threadOf(agent, { ...fence, signal }, secrets),
    recordUsage: (usage) => spent.add(usage),
    ...capabilityContext(agent, { by, epoch }, secrets),
  };
  return { context, spent, secrets };
}

/** What a change makes of a copy of the state. It is committed before `updateState` returns, so there is no waiting for it. */
function changed(change: (state: Json) => unknown, before: Json): unknown {
  const next = change(structuredClone(before));
  if (next === undefined || next instanceof Promise) {
    throw new OffshootError(
      'invalid_input',
      'The function given to updateState must return the new state, not a promise or undefined.',
    );
  }
  return next;
}

const STATE = 'The custom state';

/** What the `stateSchema` of the agent makes of a state, where it has one. */
function fitting(agent: BodyAgent, state: Json): Json {
  const { stateSchema } = agent.seat.definition;
  if (stateSchema === undefined) return state;
  const checked = parseNow(stateSchema, state);
  if (checked.ok) return plain(agent, checked.value, STATE);
  throw new OffshootError(
    'invalid_input',
    `${STATE} does not match the schema of this agent: ${sentence(checked.problem)} The state is unchanged.`,
  );
}

/** What a body hands over as JSON, within the limit that its result has. */
function plain(agent: BodyAgent, value: unknown, what: string): Json {
  const json = toJson(value, agent.seat.rules.limits.maxToolResultBytes);
  if (json.ok) return json.json;
  if (!json.tooLarge) throw new OffshootError('invalid_input', `${what} must be JSON: ${json.problem}.`);
  throw new OffshootError(
    'payload_too_large',
    `${what} is too large: ${json.problem}. Keep less, or write it to a file.`,
  );
}
