/**
 * The hooks of Standard Agents, and `prepare_step`: what an author's code is told of messages, requests and results, and may
 * give in their place.
 *
 * Decides: which hooks Standard Agents have, and what each may give.
 * Keeps SA75, HK20.
 */
import type { Json } from '../../../protocol/json';
import type { CallResult, Message } from '../../../protocol/messages';
import { invalidDefinition, refuseUnknown } from '../invalid';
import type { ModelSettings, StepSettings } from '../settings/settings';
import type { AuthorsFunction } from '../types';
import type { HookContext, HookedTool } from './hook-types';
import type { HookedMessage, MessageChanges } from './hooked-message';

/** A tool's call with its result. */
export interface HookedResult {
  readonly tool: HookedTool;
  readonly input: Json;
  readonly result: CallResult;
}

/** The payload of each hook of Standard Agents. */
export interface StandardHookPayloads {
  /** The session is about to begin its first run. */
  readonly after_thread_created: {
    readonly sessionId: string;
    readonly agentType: string;
    readonly address: string;
    readonly parentSessionId?: string;
  };
  /** A sub-agent of the session was created; it may already work. */
  readonly after_subagent_created: {
    readonly sessionId: string;
    readonly agentType: string;
    readonly address: string;
    /** Its name if it is persistent; its reference if a prompt names it. */
    readonly name?: string;
    readonly toolCallId: string;
  };
  /** Before a model request; returns settings for it, which override the definition's. */
  readonly prepare_step: {
    /** From 1, within the turn. */
    readonly step: number;
    /** From 1; a repeated request is a new attempt. */
    readonly attempt: number;
    readonly settings: ModelSettings;
  };
  /** The system prompt of a request; returns the text that is sent. */
  readonly after_system_message: { readonly system: string };
  /** The conversation of a request; returns the messages to send. */
  readonly filter_messages: { readonly messages: readonly Message[] };
  /** All messages of a request, just before it is sent; returns the messages to send. */
  readonly prefilter_llm_history: { readonly messages: readonly Message[] };
  /** A message is about to be added to the conversation; may return other `content` or `metadata` for it. */
  readonly before_create_message: { readonly message: HookedMessage };
  readonly after_create_message: { readonly message: HookedMessage };
  /** A message of the conversation is about to be changed; may return other changes. */
  readonly before_update_message: { readonly message: HookedMessage; readonly changes: MessageChanges };
  readonly after_update_message: { readonly message: HookedMessage };
  /** A result is about to be stored; may return another one to store. */
  readonly before_store_tool_result: HookedResult;
  /** A tool has succeeded; may return another result. */
  readonly after_tool_call_success: HookedResult;
  /** A tool has failed; may return another result. */
  readonly after_tool_call_failure: HookedResult;
}

/** The return value of each hook. `undefined` or `null` changes nothing. */
export interface StandardHookAnswers {
  readonly after_thread_created: unknown;
  readonly after_subagent_created: unknown;
  readonly prepare_step: StepSettings;
  readonly after_system_message: string;
  readonly filter_messages: readonly Message[];
  readonly prefilter_llm_history: readonly Message[];
  /** Its other fields must not change. */
  readonly before_create_message: MessageChanges;
  readonly after_create_message: unknown;
  readonly before_update_message: MessageChanges;
  readonly after_update_message: unknown;
  readonly before_store_tool_result: CallResult;
  readonly after_tool_call_success: CallResult;
  readonly after_tool_call_failure: CallResult;
}

/** The name of a Standard Agents hook. */
export type StandardHookName = keyof StandardHookPayloads;

/** The names of all Standard Agents hooks. */
export const STANDARD_HOOK_NAMES: readonly StandardHookName[] = [
  'after_thread_created',
  'after_subagent_created',
  'prepare_step',
  'after_system_message',
  'filter_messages',
  'prefilter_llm_history',
  'before_create_message',
  'after_create_message',
  'before_update_message',
  'after_update_message',
  'before_store_tool_result',
  'after_tool_call_success',
  'after_tool_call_failure',
];

/** A hook of Standard Agents, as `defineHook` returns it. */
export interface HookDefinition {
  readonly hook: StandardHookName;
  readonly id: string;
  readonly execute: AuthorsFunction<[payload: StandardHookPayloads[StandardHookName], context: HookContext], unknown>;
}

/** Options of `defineHook`. */
export interface HookOptions<Name extends StandardHookName = StandardHookName> {
  /** The point at which it is called. */
  hook: Name;
  /** Its name in the log: lower-case words joined by `_`, at most 64 characters, unique within an agent. */
  id: string;
  /**
   * Its function, which has `hookTimeoutMs`. If it throws, takes longer or returns an invalid value, nothing changes,
   * and `hook_failed` and the log report it.
   */
  execute: (
    payload: StandardHookPayloads[Name],
    context: HookContext,
  ) => StandardHookAnswers[Name] | null | undefined | PromiseLike<StandardHookAnswers[Name] | null | undefined>;
}

/** The options of any hook: its name determines the payload and the return value. */
export type AnyHookOptions = { readonly [Name in StandardHookName]: HookOptions<Name> }[StandardHookName];

/** Words in lower case with `_` between them. */
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const MAX_HOOK_ID = 64;

/**
 * Defines a hook of Standard Agents, for the `hooks` of agents and prompts. Several hooks with one name are called in
 * order; each gets the value that the previous one returned.
 * @throws OffshootError `invalid_definition` that says what to change.
 * @example
 * const redact = defineHook({
 *   hook: 'before_store_tool_result',
 *   id: 'redact_account',
 *   execute: ({ result }) =>
 *     result.success && typeof result.value === 'string'
 *       ? { success: true, value: result.value.replaceAll(/\d{10}/g, '[account]') }
 *       : result,
 * });
 */
export function defineHook(options: AnyHookOptions): HookDefinition {
  refuseUnknown('A hook', options, ['hook', 'id', 'execute']);
  const { hook, id, execute } = options;
  const where = `Hook "${id}"`;
  if (!STANDARD_HOOK_NAMES.some((name) => name === hook))
    invalidDefinition(`${where}: there is no hook "${hook}". Available hooks: ${STANDARD_HOOK_NAMES.join(', ')}.`);
  if (typeof id !== 'string' || id.length > MAX_HOOK_ID || !SNAKE_CASE.test(id))
    invalidDefinition(
      `${where}: an \`id\` is words in lower case with "_" between them, at most ${MAX_HOOK_ID} characters, such as "redact_names".`,
    );
  if (typeof execute !== 'function') invalidDefinition(`${where} needs an \`execute\` function.`);
  return Object.freeze({ hook, id, execute });
}
