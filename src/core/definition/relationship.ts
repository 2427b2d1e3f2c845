/**
 * Sub-agents as tools: each kind is compiled to one `Relationship`, which is all that the machines know of it. An agent
 * that uses itself is given as a function (decision 22).
 */
import type { z } from 'zod';
import { SUBAGENT_TOOL_PREFIX } from './define-tool';
import {
  type AgentDefinition,
  type FailureRule,
  type ParentSuspendRule,
  RELATIONSHIP,
  type Relationship,
  type ToolDefinition,
} from './definition';
import { invalidDefinition, refuseUnknown } from './invalid';
import { type Budget, limitProblem } from './limits';

/** The longest name of a tool that models take. */
const MAX_TOOL_NAME = 64;

/** Whether a tool name belongs to an ephemeral sub-agent. */
export function isSubAgentTool(name: string): boolean {
  return name.startsWith(SUBAGENT_TOOL_PREFIX) && name.length > SUBAGENT_TOOL_PREFIX.length;
}

/** The relationship that a tool refers to, if a child works on its calls. */
export function relationshipOf(tool: ToolDefinition): Relationship | undefined {
  return tool[RELATIONSHIP];
}

const OPTIONS = ['name', 'description', 'timeoutMs', 'requireOutputSchema', 'onParentSuspend', 'onFailure', 'budget'];
const SUSPEND_RULES: readonly ParentSuspendRule[] = ['continue', 'pause', 'respawn'];
const FAILURE_RULES: readonly FailureRule[] = ['result', 'wait'];
const BUDGETS = ['maxTokens', 'maxCostUsd', 'maxSteps', 'maxWallMs'];

function checkCascade(name: string, options: SubAgentOptions): void {
  const { onParentSuspend = 'continue', onFailure = 'result', budget = {} } = options;
  if (!SUSPEND_RULES.includes(onParentSuspend)) {
    const rules = SUSPEND_RULES.join(', ');
    invalidDefinition(`Sub-agent "${name}": \`onParentSuspend\` must be one of ${rules}.`);
  }
  if (!FAILURE_RULES.includes(onFailure)) {
    const rules = FAILURE_RULES.join(', ');
    invalidDefinition(`Sub-agent "${name}": \`onFailure\` must be one of ${rules}.`);
  }
  for (const [limit, value] of Object.entries(budget)) {
    const problem = BUDGETS.includes(limit)
      ? limitProblem(limit, value)
      : `is not known; a budget has ${BUDGETS.join(', ')}`;
    if (problem !== undefined) invalidDefinition(`Sub-agent "${name}": \`budget.${limit}\` ${problem}.`);
  }
}

/** How an agent is used as a tool. */
export interface SubAgentOptions {
  /** The tool is `subagent__<name>`; the agent's own name by default. So one agent may be several tools of another. */
  name?: string;
  /** What the parent's model reads; the agent's own description by default. */
  description?: string;
  /** The child's whole run, in ms; 10 minutes by default. */
  timeoutMs?: number;
  /** Refuses an agent without an `outputSchema`; otherwise its text is its output. */
  requireOutputSchema?: boolean;
  /**
   * What becomes of the child when this agent suspends for a person while it runs: `continue` (default) lets it go on
   * and keeps its result, `pause` interrupts it and resumes it with the parent, `respawn` fails it and starts it anew.
   */
  onParentSuspend?: ParentSuspendRule;
  /**
   * What becomes of the call when the child fails: with `result` (default) its failure is the result, which this agent's
   * model reads; with `wait` this agent waits until a person lets the child try again, by `retry` at the child's address,
   * or gives it up by `abort`. A child that was stopped, whose time was up, or that is lost is never waited for.
   */
  onFailure?: FailureRule;
  /** What the child may spend with everything below it. */
  budget?: Budget;
}

/** The definition, looked up when it is asked for: that of an agent which is still being defined comes as a function. */
function lookUp(tool: string, given: AgentDefinition | (() => AgentDefinition), typed: boolean): () => AgentDefinition {
  return () => {
    const found: unknown = typeof given === 'function' ? given() : given;
    if (typeof found !== 'object' || found === null || !('addressClass' in found))
      invalidDefinition(`The function of "${tool}" must return what \`defineAgent\` returned.`);
    const definition = found as AgentDefinition;
    if (typed && definition.outputSchema === undefined)
      invalidDefinition(`Agent "${definition.name}" needs an \`outputSchema\` to be used as this sub-agent.`);
    return definition;
  };
}

/**
 * Makes an agent usable as the tool `subagent__<name>`: each call creates a child, runs it once and returns its output.
 * The arguments, validated by `inputSchema`, become the child's first user message (as JSON) and its initial state.
 * A failed child is a value for the parent's model: `{ success: false, error, code }`.
 * An agent that uses itself, or two that use each other, come as a function, with a `name`; `maxDepth` ends such a tree.
 * @throws OffshootError `invalid_definition` for a name, a time or a rule that is none, and when `requireOutputSchema`
 *   is set and the agent has no such schema (of a function: when the Worker begins)
 */
export function createSubAgentTool(
  definition: AgentDefinition | (() => AgentDefinition),
  inputSchema: z.ZodType,
  options: SubAgentOptions = {},
): ToolDefinition {
  const later = typeof definition === 'function';
  const given = options.name ?? (later ? undefined : definition.name);
  if (given === undefined)
    invalidDefinition('A sub-agent that is given as a function needs the option `name`: what its tool is called.');
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(given))
    invalidDefinition(`Sub-agent "${given}": \`name\` must begin with a letter and hold letters, digits, "-" or "_".`);
  const name = `${SUBAGENT_TOOL_PREFIX}${given}`;
  const child = lookUp(name, definition, options.requireOutputSchema === true);
  if (!later) child();
  const problem = options.timeoutMs === undefined ? undefined : limitProblem('timeoutMs', options.timeoutMs);
  if (problem !== undefined) invalidDefinition(`Sub-agent "${given}": \`timeoutMs\` ${problem}.`);
  refuseUnknown(`Sub-agent "${given}"`, options, OPTIONS);
  checkCascade(given, options);
  if (name.length > MAX_TOOL_NAME)
    invalidDefinition(
      `"${name}" is longer than the ${MAX_TOOL_NAME} characters that models take for a tool: give it a shorter name.`,
    );
  return Object.freeze({
    name,
    get description() {
      return options.description ?? child().description;
    },
    inputSchema,
    get outputSchema() {
      return child().outputSchema;
    },
    runsAt: 'server' as const,
    requireApproval: false,
    replay: 'safe' as const,
    finishWith: false,
    [RELATIONSHIP]: {
      lifetime: 'call' as const,
      await: 'step' as const,
      deliver: 'result' as const,
      placement: 'facet' as const,
      get child() {
        return child();
      },
      onParentSuspend: options.onParentSuspend ?? ('continue' as const),
      onFailure: options.onFailure ?? ('result' as const),
      ...(options.budget ? { budget: options.budget } : {}),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    },
  });
}
