/**
 * Hooks: what an author's code is told of an agent's life: of its runs, and of no wake (decision 23).
 *
 * Decides: which hooks there are, and what each is told.
 * Keeps HK4.
 */

import type { Failure } from '../../../protocol/errors';
import type { Json } from '../../../protocol/json';
import type { CallResult } from '../../../protocol/messages';
import type { Usage } from '../../../protocol/usage';
import type { ToolContext } from '../tool-context';
import type { AuthorsFunction } from '../types';

/** The tool of a hook's payload. */
export interface HookedTool {
  readonly name: string;
  readonly toolCallId: string;
}

/** The end of a run, as `onRunSettled` gets it. */
export type RunEnding<Output = Json> =
  | { readonly status: 'completed'; readonly output: Output }
  | { readonly status: 'failed'; readonly error: Failure; readonly failureReason?: string }
  | { readonly status: 'interrupted' | 'terminated'; readonly reason: string };

/** The payload of each hook. Times are in ms. */
export interface HookPayloads<Input = Json, Output = Json> {
  /** A run begins, including a resume or a retry (`resumedFrom`). `input` is the input of the start, if it has one. */
  readonly onAgentStart: { readonly turn: number; readonly input?: Input; readonly resumedFrom?: string };
  readonly onAgentComplete: { readonly output: Output; readonly durationMs: number };
  readonly onAgentFail: { readonly error: Failure; readonly failureReason?: string; readonly durationMs: number };
  /**
   * A run is about to end in any way. This is its last hook, called at least once for each run and status. A stop that
   * arrives at this point changes the end, and the hook is called for that end as well. An error here cannot fail the
   * run.
   */
  readonly onRunSettled: { readonly durationMs: number } & RunEnding<Output>;
  /** Before a model call. */
  readonly onStepStart: { readonly step: number };
  /** After the last call of the step has its result. */
  readonly onStepEnd: {
    readonly step: number;
    readonly text: string;
    readonly finishReason: string;
    readonly usage: Usage;
  };
  /** Before a tool runs, or a client gets the call. */
  readonly beforeTool: { readonly tool: HookedTool; readonly input: Json };
  readonly afterTool: {
    readonly tool: HookedTool;
    readonly input: Json;
    readonly result: CallResult;
    readonly durationMs: number;
  };
  /** A sub-agent's call has its result. */
  readonly onChildSettled: {
    readonly agentType: string;
    readonly toolCallId: string;
    readonly sessionId: string;
    readonly address: string;
    readonly result: CallResult;
  };
}

/** The name of a hook. */
export type HookName = keyof HookPayloads;

/** Every hook. */
export const HOOK_NAMES: readonly HookName[] = [
  'onAgentStart',
  'onAgentComplete',
  'onAgentFail',
  'onRunSettled',
  'onStepStart',
  'onStepEnd',
  'beforeTool',
  'afterTool',
  'onChildSettled',
];

/** The context of a hook: that of a tool, with facts about the run. */
export interface HookContext<State = unknown, Env = unknown> extends ToolContext<State, Env> {
  readonly parentSessionId?: string;
  /** The current step of the run, from 1; 0 before the first. */
  readonly stepCount: number;
  readonly tags: readonly string[];
  readonly metadata?: Json;
}

/** The function of a hook. The run continues when it has ended. */
export type HookBody<
  Name extends HookName = HookName,
  State = unknown,
  Env = unknown,
  Input = Json,
  Output = Json,
> = AuthorsFunction<[payload: HookPayloads<Input, Output>[Name], context: HookContext<State, Env>], unknown>;

/**
 * A hook: a function, or a function with `failRun: true`, which fails the run with `hook_failed` if the function throws
 * or takes too long (`hookTimeoutMs`). Without `failRun`, such a failure is reported, and the run continues.
 */
export type Hook<Body = HookBody> = Body | { readonly run: Body; readonly failRun?: boolean };

/**
 * The hooks of an agent, typed by its schemas.
 * @example
 * const hooks: AgentHooks = { onStepEnd: ({ step, usage }) => console.log(step, usage.inputTokens) };
 */
export type AgentHooks<State = unknown, Env = unknown, Input = Json, Output = Json> = {
  readonly [Name in HookName]?: Hook<HookBody<Name, State, Env, Input, Output>>;
};
