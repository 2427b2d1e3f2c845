/**
 * What may be said of a child wherever an agent has one, checked, and the relationship that comes of it.
 *
 * Decides: the defaults of a child's options.
 * Keeps DF1, DG28.
 */
import type {
  AgentDefinition,
  ChildPlacement,
  ChildWorkspace,
  FailureRule,
  IdleRule,
  ParentSuspendRule,
  Relationship,
  RetentionRule,
} from './definition';
import { isElsewhere } from './elsewhere';
import { checkKinds, invalidDefinition, kindOf, refuseUnknown } from './invalid';
import { type Budget, limitProblem } from './limits';
import type { AgentTypes } from './types';

/** An agent, or a function that gives it: one that is still being defined. */
export type AgentSource<Types extends AgentTypes = AgentTypes> =
  | AgentDefinition<Types>
  | (() => AgentDefinition<Types>);

/** How a child is treated. */
export interface ChildOptions {
  /** The child's whole task, in ms, without waits for people; 10 minutes by default. */
  timeoutMs?: number;
  /**
   * What becomes of the child when this agent suspends for a person while it runs: `continue` (default) lets it go on
   * and keeps its result, `pause` interrupts it and resumes it with the parent, `respawn` fails it and starts it anew.
   */
  onParentSuspend?: ParentSuspendRule;
  /**
   * What becomes of its task when the child fails: with `result` (default) its failure is the end, which this agent's
   * model reads; with `wait` the task stays open until a person lets the child try again, by `retry` at the child's
   * address, or gives it up by `abort`. A child that was stopped, whose time was up, or that is lost is never waited for.
   */
  onFailure?: FailureRule;
  /**
   * What the end of a task that no call waits for does where this agent is at rest: `keep` (default) lets the message wait
   * for the next turn, `wake` begins one, unless the last run was broken off (stopped, past a limit of time, failed by a hook or by
   * crashes). A sub-agent at rest is never woken: its work comes from its parent alone.
   */
  onIdle?: IdleRule;
  /** What the child may spend with everything below it. */
  budget?: Budget;
  /**
   * The child works on the files that this agent works on, in place of its own: its model has the tools of a workspace
   * over them, under the rules of this agent's `workspace`, and so have its tools and hooks in `context.files`. It may not
   * have a `workspace` itself. `false` by default.
   */
  inheritWorkspace?: boolean;
  /**
   * The child has a tool, `__attach__`, by which its model names files of its own that go with its answer: this agent gets
   * copies of them when the task ends. It cannot go with `inheritWorkspace`. `false` by default.
   */
  returnsFiles?: boolean;
  /**
   * Where the child lives: with `facet` (default) in this agent's object, which begins it fast; with `object` in an object of
   * its own, which may work on another core or machine, and goes on while this agent's is lost from memory. Below the fourth
   * level of one object every child gets an object of its own.
   */
  placement?: ChildPlacement;
}

/** The names of the options. */
export const CHILD_OPTIONS = [
  'timeoutMs',
  'onParentSuspend',
  'onFailure',
  'onIdle',
  'budget',
  'inheritWorkspace',
  'returnsFiles',
  'placement',
];

const SUSPEND_RULES: readonly ParentSuspendRule[] = ['continue', 'pause', 'respawn'];
const FAILURE_RULES: readonly FailureRule[] = ['result', 'wait'];
const IDLE_RULES: readonly IdleRule[] = ['keep', 'wake'];
const PLACEMENTS: readonly ChildPlacement[] = ['facet', 'object'];
const BUDGETS = ['maxTokens', 'maxCostUsd', 'maxSteps', 'maxWallMs'];

/** @throws OffshootError `invalid_definition` for a rule or a number that is none */
export function checkChildOptions(where: string, options: ChildOptions): void {
  const { onParentSuspend = 'continue', onFailure = 'result', onIdle = 'keep', budget = {}, timeoutMs } = options;
  oneOf(where, 'onParentSuspend', onParentSuspend, SUSPEND_RULES);
  oneOf(where, 'onFailure', onFailure, FAILURE_RULES);
  oneOf(where, 'onIdle', onIdle, IDLE_RULES);
  oneOf(where, 'placement', options.placement ?? 'facet', PLACEMENTS);
  checkKinds(where, options, { inheritWorkspace: 'flag', returnsFiles: 'flag' });
  if (options.returnsFiles && options.inheritWorkspace)
    invalidDefinition(
      `${where}: a child that works on the files of its parent has none to hand over: leave out one of \`returnsFiles\` and \`inheritWorkspace\`.`,
    );
  const late = timeoutMs === undefined ? undefined : limitProblem('timeoutMs', timeoutMs);
  if (late !== undefined) invalidDefinition(`${where}: \`timeoutMs\` ${late}.`);
  refuseUnknown(`${where}: \`budget\``, budget, BUDGETS);
  for (const [limit, value] of Object.entries(budget)) {
    const problem = limitProblem(limit, value);
    if (problem !== undefined) invalidDefinition(`${where}: \`budget.${limit}\` ${problem}.`);
  }
}

/** @throws OffshootError `invalid_definition` for a value that is none of a list */
export function oneOf(where: string, option: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) invalidDefinition(`${where}: \`${option}\` must be one of ${known.join(', ')}.`);
}

/** The agent that was given. @throws OffshootError `invalid_definition` for what is none */
export function givenAgent(what: string, given: AgentSource, inheritsWorkspace = false): AgentDefinition {
  const found: AgentDefinition | undefined = typeof given === 'function' ? given() : given;
  if (typeof found !== 'object' || found === null || !('addressClass' in found))
    invalidDefinition(
      typeof given === 'function'
        ? `The function of "${what}" must return what \`defineAgent\` returned.`
        : `${what}: the agent must be what \`defineAgent\` returned, but is ${kindOf(given)}.`,
    );
  if (inheritsWorkspace && found.workspace !== undefined)
    invalidDefinition(
      `Agent "${found.name}" has a \`workspace\` of its own, and is to inherit that of its parent (${what}): leave out one of \`workspace\` and \`inheritWorkspace\`.`,
    );
  return found;
}

/** How long the files of a child that stays are kept: with its session, or for one task. */
export type WorkspaceLifetime = Exclude<ChildWorkspace, 'inherited'>;

type Kind = Pick<Relationship, 'lifetime' | 'await' | 'deliver'>;

/** A child for one call, which awaits it. */
export const AWAITED: Kind = { lifetime: 'call', await: 'step', deliver: 'result' };
/** A child for one call, which does not. */
export const BACKGROUND: Kind = { lifetime: 'call', await: 'notice', deliver: 'notice' };
/** A child that stays. */
export const NAMED: Kind = { lifetime: 'named', await: 'notice', deliver: 'notice' };

/** The relationship to a child, which is looked up when it is asked for. */
export function relationshipTo(
  child: () => AgentDefinition,
  kind: Kind,
  options: ChildOptions & {
    readonly workspaceLifetime?: WorkspaceLifetime;
    readonly retention?: RetentionRule;
    readonly mayRead?: boolean;
  },
): Relationship {
  return {
    ...kind,
    get placement() {
      return isElsewhere(child()) ? ('remote' as const) : (options.placement ?? 'facet');
    },
    workspace: options.inheritWorkspace ? 'inherited' : (options.workspaceLifetime ?? 'session'),
    ...(options.returnsFiles ? { returnsFiles: true as const } : {}),
    ...(options.mayRead ? { mayRead: true as const } : {}),
    get child() {
      return child();
    },
    onParentSuspend: options.onParentSuspend ?? 'continue',
    onFailure: options.onFailure ?? 'result',
    onIdle: options.onIdle ?? 'keep',
    retention: options.retention ?? 'tree',
    ...(options.budget ? { budget: options.budget } : {}),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  };
}
