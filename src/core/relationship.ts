/** Sub-agents as tools: each kind is compiled to one `Relationship`, which is all that the machines know of it. */
import type { z } from 'zod';
import {
  type AgentDefinition,
  RELATIONSHIP,
  type Relationship,
  refuseUnknown,
  type ToolDefinition,
} from './definition';
import { OffshootError } from './errors';
import { type Budget, limitProblem } from './limits';
import type { ParentSuspendRule } from './state';

/** Prefix of the tools that delegate to a sub-agent. */
export const SUBAGENT_TOOL_PREFIX = 'subagent__';

/** The longest name of a tool that models take. */
const MAX_TOOL_NAME = 64;

/** Whether a tool name belongs to an ephemeral sub-agent. */
export function isSubAgentTool(name: string): boolean {
  return name.startsWith(SUBAGENT_TOOL_PREFIX) && name.length > SUBAGENT_TOOL_PREFIX.length;
}

/** The relationship of a tool, if a child works on its calls. */
export function relationshipOf(tool: ToolDefinition): Relationship | undefined {
  return tool[RELATIONSHIP];
}

const OPTIONS = ['description', 'timeoutMs', 'requireOutputSchema', 'onParentSuspend', 'budget'];
const SUSPEND_RULES: readonly ParentSuspendRule[] = ['continue', 'pause', 'respawn'];
const BUDGETS = ['maxTokens', 'maxCostUsd', 'maxSteps', 'maxWallMs'];

function checkCascade(name: string, options: { onParentSuspend?: ParentSuspendRule; budget?: Budget }): void {
  const { onParentSuspend = 'continue', budget = {} } = options;
  if (!SUSPEND_RULES.includes(onParentSuspend)) {
    const rules = SUSPEND_RULES.join(', ');
    throw new OffshootError('invalid_definition', `Sub-agent "${name}": \`onParentSuspend\` must be one of ${rules}.`);
  }
  for (const [limit, value] of Object.entries(budget)) {
    const problem = BUDGETS.includes(limit)
      ? limitProblem(limit, value)
      : `is not known; a budget has ${BUDGETS.join(', ')}`;
    if (problem !== undefined)
      throw new OffshootError('invalid_definition', `Sub-agent "${name}": \`budget.${limit}\` ${problem}.`);
  }
}

/**
 * Makes an agent usable as the tool `subagent__<name>`: each call creates a child, runs it once and returns its output.
 * The arguments, validated by `inputSchema`, become the child's first user message (as JSON) and its initial state.
 * A failed child is a value for the parent's model: `{ success: false, error, code }`.
 * @throws OffshootError `invalid_definition` when `requireOutputSchema` is set and the agent has none.
 */
export function createSubAgentTool(
  definition: AgentDefinition,
  inputSchema: z.ZodType,
  options: {
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
    /** What the child may spend with everything below it. */
    budget?: Budget;
  } = {},
): ToolDefinition {
  if (options.requireOutputSchema === true && definition.outputSchema === undefined) {
    throw new OffshootError(
      'invalid_definition',
      `Agent "${definition.name}" needs an \`outputSchema\` to be used as this sub-agent.`,
    );
  }
  const problem = options.timeoutMs === undefined ? undefined : limitProblem('timeoutMs', options.timeoutMs);
  if (problem !== undefined)
    throw new OffshootError('invalid_definition', `Sub-agent "${definition.name}": \`timeoutMs\` ${problem}.`);
  refuseUnknown(`Sub-agent "${definition.name}"`, options, OPTIONS);
  checkCascade(definition.name, options);
  const name = `${SUBAGENT_TOOL_PREFIX}${definition.name}`;
  if (name.length > MAX_TOOL_NAME) {
    throw new OffshootError(
      'invalid_definition',
      `"${name}" is longer than the ${MAX_TOOL_NAME} characters that models take for a tool: give the agent a shorter name.`,
    );
  }
  return Object.freeze({
    name,
    description: options.description ?? definition.description,
    inputSchema,
    ...(definition.outputSchema ? { outputSchema: definition.outputSchema } : {}),
    runsAt: 'server' as const,
    requireApproval: false,
    replay: 'safe' as const,
    finishWith: false,
    [RELATIONSHIP]: {
      lifetime: 'once' as const,
      await: 'step' as const,
      deliver: 'result' as const,
      placement: 'facet' as const,
      child: definition,
      onParentSuspend: options.onParentSuspend ?? ('continue' as const),
      ...(options.budget ? { budget: options.budget } : {}),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    },
  });
}
