/**
 * Asks the hooks that no run owes: those of a tool's result, of a request, and of what a body changes.
 *
 * Keeps HK20, SA75.
 */

import { assistantMessage } from '../../core/agent/hooks/hooked-message';
import { requestBy } from '../../core/agent/hooks/hooks';
import { type ActiveRun, type Call, currentStep, type Step } from '../../core/agent/state';
import type { AgentDefinition } from '../../core/definition/definition';
import {
  changesGiven,
  messagesGiven,
  resultGiven,
  settingsGiven,
  systemGiven,
} from '../../core/definition/hooks/hook-answers';
import type { HookedMessage, MessageChanges } from '../../core/definition/hooks/hooked-message';
import { type AnyHook, hooksOf } from '../../core/definition/hooks/hooks';
import type { StandardHookName } from '../../core/definition/hooks/standard-hooks';
import type { ModelDelta, ModelReply, ToolSpec } from '../../core/definition/model-port';
import type { ModelSettings } from '../../core/definition/settings/settings';
import { type Failure, failure, OffshootError } from '../../protocol/errors';
import type { CallResult, Message } from '../../protocol/messages';
import { graceLeft } from '../children/stop-grace';
import type { BodyFence } from './body-context';
import type { BodyAgent } from './performer';
import { type HookCall, runHook } from './run-hook';

/** Whose hooks are asked, and about what. */
interface Asking<Given> {
  readonly definition: AgentDefinition;
  readonly call: Omit<HookCall, 'idempotencyKey'>;
  /** What the hooks of this name speak of is known again by: the same however often it is worked on. */
  readonly about: string;
  /** The tool call that they speak of. */
  readonly callId?: string;
  /** What they are told, and what is made of what they give. */
  payload(now: Given): Parameters<AnyHook['run']>[0];
  fits(now: Given, given: unknown): Given;
}

/**
 * What the hooks of a name make of something, each with what the one before gave. One that fails is shown, and changes
 * nothing; undefined where a stop cut one off, so that nobody knows what it would have made.
 */
async function askHooks<Given>(
  agent: BodyAgent,
  name: StandardHookName,
  first: Given,
  { definition, call, about, callId, payload, fits }: Asking<Given>,
): Promise<Given | undefined> {
  const { environment } = agent;
  let now = first;
  for (const hook of hooksOf(definition.hooks, name)) {
    const before = now;
    const fence = { ...call, idempotencyKey: `${about} ${name} ${hook.id}` };
    const ended = await runHook(agent, hook, payload(before), fence, (given) => fits(before, given));
    agent.spentLate(ended.usage);
    if ('given' in ended) now = ended.given;
    else if (call.signal.aborted) return undefined;
    else {
      const { by, epoch } = call;
      const which = { about, hook: name, ...(hook.id === undefined ? {} : { hookId: hook.id }) };
      const of = callId === undefined ? {} : { callId };
      agent.apply({ type: 'hook_broke', at: environment.now(), by, epoch, error: ended.error, ...which, ...of });
    }
  }
  return now;
}

/** Whose result it is. */
type ResultFence = Pick<BodyFence, 'by' | 'runId' | 'epoch'> & {
  readonly signal: AbortSignal;
  /** A failure stays one, and a success. */
  readonly keepsSuccess?: true;
};

/**
 * A tool's result as the hooks for it make it, before it is kept. After a stop they have what is left of its grace;
 * undefined where one had not ended then: the result as it was is nobody's to see (HK24).
 */
export async function hookedResult(
  agent: BodyAgent,
  { name, callId, input, answer }: Pick<Call, 'name' | 'callId' | 'input' | 'answer'>,
  result: CallResult,
  { keepsSuccess, ...fence }: ResultFence,
): Promise<CallResult | undefined> {
  const { definition, rules } = agent.seat;
  const { maxToolResultBytes } = rules.limits;
  const tool = { name, toolCallId: callId };
  const asking = {
    definition,
    call: { ...fence, graceMs: () => graceLeft(agent, fence.runId) },
    about: callId,
    callId,
    payload: (now: CallResult) => ({ tool, input: answer?.input ?? input, result: now }),
    fits: (now: CallResult, given: unknown) => {
      const made = resultGiven(now, given, maxToolResultBytes);
      if (keepsSuccess && made.success !== now.success)
        throw new OffshootError(
          'invalid_input',
          'A hook cannot change whether a sub-agent succeeded; return another value or error.',
        );
      return made;
    },
  };
  const told = await askHooks(
    agent,
    result.success ? 'after_tool_call_success' : 'after_tool_call_failure',
    result,
    asking,
  );
  return told && askHooks(agent, 'before_store_tool_result', told, asking);
}

/** In place of a result whose hooks a stop cut off. */
export function withheld(what: string): Failure {
  const message = `${what} has ended, but a stop came before the hooks of its result ended, so the result was discarded unseen. Its effects remain: check before you repeat it.`;
  return failure('result_withheld', message);
}

/**
 * What is changed of a message, as the hooks for it make it, while the body that changes it is waited for.
 * @throws OffshootError `aborted` where a stop cut them off: nothing is changed then
 */
export async function hookedChanges(
  agent: BodyAgent,
  message: HookedMessage,
  changes: MessageChanges,
  { idempotencyKey, ...call }: BodyFence & { readonly signal: AbortSignal },
): Promise<MessageChanges> {
  const made = await askHooks(agent, 'before_update_message', changes, {
    definition: agent.seat.definition,
    call: { ...call, ofChange: true, graceMs: () => graceLeft(agent, call.runId) },
    about: `${idempotencyKey} ${message.messageId}`,
    payload: (now) => ({ message, changes: now }),
    fits: (now, given) => {
      const made = changesGiven(message, given, agent.seat.rules.limits.maxMessageBytes);
      return given === undefined || given === null ? now : made;
    },
  });
  if (made) return made;
  throw new OffshootError('aborted', 'The message is unchanged: a stop cut off the hooks of the change.');
}

/** The hooks of a request to a model, and of the reply to it. They are asked again when it is asked again. */
export class RequestHooks {
  readonly #asking: Omit<Asking<never>, 'payload' | 'fits'>;

  private constructor(
    readonly agent: BodyAgent,
    readonly definition: AgentDefinition,
    readonly step: Step,
    run: ActiveRun,
    signal: AbortSignal,
  ) {
    const by = requestBy(run, step);
    this.#asking = { definition, call: { by, runId: run.runId, epoch: run.epoch, signal }, about: by };
  }

  /** Those of the step that is about to be asked; undefined where none is any more. */
  static of(agent: BodyAgent, definition: AgentDefinition, signal: AbortSignal): RequestHooks | undefined {
    const { run } = agent.state;
    const step = currentStep(agent.state);
    return run?.phase === 'active' && step ? new RequestHooks(agent, definition, step, run, signal) : undefined;
  }

  /** The settings of the request; a choice may name one of these tools. */
  async settings(settings: ModelSettings, tools: readonly ToolSpec[]): Promise<ModelSettings> {
    const { number, attempt } = this.step;
    const names = tools.map(({ name }) => name);
    const made = await askHooks(this.agent, 'prepare_step', settings, {
      ...this.#asking,
      payload: (now) => ({ step: number, attempt, settings: now }),
      fits: (now, given) => settingsGiven(now, given, names),
    });
    return made ?? settings;
  }

  /** The system prompt that is sent. */
  async system(system: string): Promise<string> {
    const made = await askHooks(this.agent, 'after_system_message', system, {
      ...this.#asking,
      payload: (now) => ({ system: now }),
      fits: systemGiven,
    });
    // What a stop cut off is sent to nobody.
    return made ?? system;
  }

  /** The conversation that is sent, or all messages as they are sent. */
  async messages(
    name: 'filter_messages' | 'prefilter_llm_history',
    messages: readonly Message[],
  ): Promise<readonly Message[]> {
    const fitted = this.definition.context !== undefined;
    const made = await askHooks(this.agent, name, messages, {
      ...this.#asking,
      payload: (now) => ({ messages: now }),
      fits: (now, given) => messagesGiven(now, given, { fitted }),
    });
    return made ?? messages;
  }

  /** Whether nobody is shown the text of a reply before hooks have had it. */
  get holdsText(): boolean {
    return hooksOf(this.definition.hooks, 'before_create_message').length > 0;
  }

  /**
   * The reply that is kept: with another text, where a hook gives one.
   * @param show is told the text that was held
   */
  async reply(reply: ModelReply, show: (delta: ModelDelta) => void): Promise<ModelReply> {
    if (!this.holdsText) return reply;
    const { agent, step } = this;
    const text = textOf(reply);
    const calls = reply.content.flatMap((part) =>
      part.type === 'tool-call' ? [{ toolName: part.toolName, input: part.input }] : [],
    );
    const of = (now: string) => assistantMessage(agent.state.session, step.id, { text: now, calls });
    const next = await askHooks(agent, 'before_create_message', text, {
      ...this.#asking,
      payload: (now) => ({ message: of(now) }),
      fits: (now, given) => {
        const { content } = changesGiven(of(now), given, agent.seat.rules.limits.maxMessageBytes);
        return typeof content === 'string' ? content : now;
      },
    });
    if (next === undefined) return reply;
    if (next !== '') show({ type: 'text', part: textAt(reply.content), delta: next });
    return next === text ? reply : { ...reply, content: withText(reply.content, next) };
  }
}

const textOf = ({ content }: ModelReply): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** The parts of a reply with one text, where the first of its texts was. */
function withText(content: ModelReply['content'], text: string): ModelReply['content'] {
  const first = textAt(content);
  const said = text === '' ? [] : [{ ...content[first], type: 'text' as const, text }];
  const rest = content.map((part, at) => (at === first ? said : part.type === 'text' ? [] : [part]));
  return [...rest, ...(first < content.length ? [] : [said])].flat();
}

/** Where the text of a reply begins, among its parts; behind them where it has none. */
function textAt(content: ModelReply['content']): number {
  const first = content.findIndex(({ type }) => type === 'text');
  return first < 0 ? content.length : first;
}
