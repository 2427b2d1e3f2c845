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
} from '../definition';
import { checkKinds, invalidDefinition, kindOf, refuseUnknown } from '../invalid';
import { type Budget, limitProblem } from '../limits';
import type { AgentTypes } from '../types';
import { isElsewhere } from './elsewhere';

/** An agent, or a function that returns it if it is not defined yet. */
export type AgentSource<Types extends AgentTypes = AgentTypes> =
  | AgentDefinition<Types>
  | (() => AgentDefinition<Types>);

/** Options of every child. */
export interface ChildOptions {
  /** Time limit for the child's whole task, in ms, not counting waits for people; 10 minutes by default. */
  timeoutMs?: number;
  /**
   * Effect on a working child when this agent suspends for a person. `continue` (default) lets it continue and keeps
   * its result. `pause` interrupts it, and `respawn` fails it. When this agent continues, the child resumes or starts
   * again.
   */
  onParentSuspend?: ParentSuspendRule;
  /**
   * Effect of a failed child on its task. With `result` (default) the failure ends the task, and this agent's model reads
   * it. With `wait` the task stays open until a person sends `retry` or `abort` to the child's address. A task never
   * waits for a child that was stopped, timed out or lost.
   */
  onFailure?: FailureRule;
  /**
   * Effect of a task that ends while no call waits for it and this agent is idle. `keep` (default): the result waits
   * for the next turn. `wake`: it starts a turn, unless the last run was cut off (stopped, timed out, failed by a hook
   * or by crashes). Only a root is woken.
   */
  onIdle?: IdleRule;
  /** Limit for the child together with its descendants. */
  budget?: Budget;
  /**
   * Whether the child works with this agent's files. The child then has no other files. The child's model gets
   * workspace tools with the options of this agent's `workspace`; with `'read'`, only those that read. The child's
   * tools and hooks can read and write the files with `context.files`. The child may not have a `workspace`. `false` by
   * default.
   */
  inheritWorkspace?: boolean | 'read';
  /**
   * Whether the child's model can return files with its answer, with the tool `__attach__`. This agent gets copies
   * when the task ends. It cannot be combined with `inheritWorkspace`. `false` by default.
   */
  returnsFiles?: boolean;
  /**
   * Where the child runs. `facet` (default): in this agent's object, where it starts fast. `object`: in its own object,
   * possibly on another core or machine, which continues while this agent is evicted. Below the fourth level of one
   * object, every child gets its own object.
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
  checkKinds(where, options, { returnsFiles: 'flag' });
  const { inheritWorkspace = false } = options;
  if (typeof inheritWorkspace !== 'boolean' && inheritWorkspace !== 'read')
    invalidDefinition(
      `${where}: \`inheritWorkspace\` must be true, false or 'read', but is ${kindOf(inheritWorkspace)}. With 'read' the child's model has only the tools that read.`,
    );
  if (options.returnsFiles && options.inheritWorkspace)
    invalidDefinition(
      `${where}: \`returnsFiles\` and \`inheritWorkspace\` cannot be combined, because such a child works on the files of its parent. Remove one.`,
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
export function givenAgent(
  what: string,
  given: AgentSource,
  inheritsWorkspace: ChildOptions['inheritWorkspace'] = false,
): AgentDefinition {
  const found: AgentDefinition | undefined = typeof given === 'function' ? given() : given;
  if (typeof found !== 'object' || found === null || !('addressClass' in found))
    invalidDefinition(
      typeof given === 'function'
        ? `The function of "${what}" must return a definition made by \`defineAgent\`.`
        : `${what}: the agent must be a definition made by \`defineAgent\`, but is ${kindOf(given)}.`,
    );
  if (inheritsWorkspace && found.workspace !== undefined)
    invalidDefinition(
      `Agent "${found.name}" cannot have its own \`workspace\` and inherit its parent's (${what}): remove one of \`workspace\` and \`inheritWorkspace\`.`,
    );
  return found;
}

/** How long the files of a companion are kept: with its session, or for one task. */
export type WorkspaceLifetime = Exclude<ChildWorkspace, 'inherited' | 'inherited-read'>;

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
    workspace: inheritedOf(options) ?? options.workspaceLifetime ?? 'session',
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

function inheritedOf({ inheritWorkspace = false }: ChildOptions): ChildWorkspace | undefined {
  if (inheritWorkspace === 'read') return 'inherited-read';
  return inheritWorkspace ? 'inherited' : undefined;
}
