/** Sub-agents as tools: each kind is compiled to one `Relationship`, which is all that the machines know of it. */
import type { z } from 'zod';
import { type AgentDefinition, RELATIONSHIP, type Relationship, type ToolDefinition } from './definition';
import { OffshootError } from './errors';

/** Prefix of the tools that delegate to a sub-agent. */
export const SUBAGENT_TOOL_PREFIX = 'subagent__';

/** Whether a tool name belongs to an ephemeral sub-agent. */
export function isSubAgentTool(name: string): boolean {
  return name.startsWith(SUBAGENT_TOOL_PREFIX) && name.length > SUBAGENT_TOOL_PREFIX.length;
}

/** The relationship of a tool, if a child works on its calls. */
export function relationshipOf(tool: ToolDefinition): Relationship | undefined {
  return tool[RELATIONSHIP];
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
  } = {},
): ToolDefinition {
  if (options.requireOutputSchema === true && definition.outputSchema === undefined) {
    throw new OffshootError('invalid_definition', `Agent "${definition.name}" needs an \`outputSchema\` to be used as this sub-agent.`);
  }
  if (options.timeoutMs !== undefined && !(options.timeoutMs > 0)) {
    throw new OffshootError('invalid_definition', `Sub-agent "${definition.name}": \`timeoutMs\` must be above 0.`);
  }
  return Object.freeze({
    name: `${SUBAGENT_TOOL_PREFIX}${definition.name}`,
    description: options.description ?? definition.description,
    inputSchema,
    ...(definition.outputSchema ? { outputSchema: definition.outputSchema } : {}),
    replay: 'safe' as const,
    finishWith: false,
    [RELATIONSHIP]: {
      lifetime: 'once' as const,
      await: 'step' as const,
      deliver: 'result' as const,
      placement: 'facet' as const,
      child: definition,
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    },
  });
}
