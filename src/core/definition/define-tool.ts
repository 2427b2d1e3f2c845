/** Tools as people define them, checked. */
import type { z } from 'zod';
import type { Json } from '../../protocol/json';
import type { RequireApproval, ToolDefinition } from './definition';
import { invalidDefinition, refuseUnknown } from './invalid';
import { limitProblem } from './limits';
import type { ToolContext } from './tool-context';

/** Prefix of the tools that delegate to a sub-agent. */
export const SUBAGENT_TOOL_PREFIX = 'subagent__';

const RESERVED_PREFIXES = [SUBAGENT_TOOL_PREFIX, 'companion__', 'workspace_', '__'];
const RESERVED_TOOLS = ['subagent_create', 'subagent_message', 'subagent_terminate', 'subagents'];
/** What models take as the name of a tool. */
export const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const TOOL_OPTIONS = [
  'name',
  'description',
  'inputSchema',
  'outputSchema',
  'execute',
  'requireApproval',
  'answerWithinMs',
  'replay',
  'timeoutMs',
  'finishWith',
];

function checkExecution(tool: {
  name: string;
  execute: unknown;
  requireApproval?: unknown;
  timeoutMs?: number;
  answerWithinMs?: number;
}): void {
  const { name, execute, requireApproval = false, timeoutMs, answerWithinMs } = tool;
  refuseUnknown(`Tool "${name}"`, tool, TOOL_OPTIONS);
  if (typeof execute !== 'function' && execute !== 'client')
    invalidDefinition(`Tool "${name}" needs an \`execute\` function, or \`execute: 'client'\`.`);
  if (typeof requireApproval !== 'boolean' && typeof requireApproval !== 'function')
    invalidDefinition(`Tool "${name}": \`requireApproval\` must be true, false or a function.`);
  if (execute === 'client' && requireApproval !== false)
    invalidDefinition(
      `Tool "${name}": a tool that runs at the client is in a person's hands already; drop \`requireApproval\`.`,
    );
  if (execute === 'client' && timeoutMs !== undefined)
    invalidDefinition(
      `Tool "${name}": \`timeoutMs\` bounds a body on the server; use \`answerWithinMs\` for the client's answer.`,
    );
  if (answerWithinMs !== undefined && execute !== 'client' && requireApproval === false)
    invalidDefinition(`Tool "${name}": \`answerWithinMs\` needs \`requireApproval\` or \`execute: 'client'\`.`);
  for (const [limit, value] of Object.entries({ timeoutMs, answerWithinMs })) {
    const problem = value === undefined ? undefined : limitProblem('timeoutMs', value);
    if (problem !== undefined) invalidDefinition(`Tool "${name}": \`${limit}\` ${problem}.`);
  }
}

/** The name of a tool that models take; those of the framework are kept for what it makes itself. */
export function checkToolName(name: string, where = ''): void {
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    invalidDefinition(
      `${where}Tool name "${name}": use a letter or "_" first, then at most 63 letters, digits, "_" or "-".`,
    );
  const prefix = RESERVED_PREFIXES.find((reserved) => name.startsWith(reserved));
  if (prefix !== undefined)
    invalidDefinition(`${where}Tool name "${name}": names that begin with "${prefix}" are reserved; choose another.`);
  if (RESERVED_TOOLS.includes(name)) invalidDefinition(`${where}Tool name "${name}" is reserved; choose another.`);
}

/**
 * Defines a tool.
 * @throws OffshootError `invalid_definition` for a name that is reserved or that models do not take, or without a body.
 */
export function defineTool<Input extends z.ZodType, State = Json>(tool: {
  /** Letters, digits, `_` and `-`, at most 64 characters. */
  name: string;
  description: string;
  inputSchema: Input;
  /** Checks the result, also one that a client gives. */
  outputSchema?: z.ZodType;
  /** The body; or `client`: the call waits, for as long as it takes, until a client gives its result. */
  execute: ((input: z.output<Input>, context: ToolContext<State>) => unknown) | 'client';
  /** Whether a person must agree before the body runs; not together with `execute: 'client'`. `false` by default. */
  requireApproval?: RequireApproval<z.output<Input>>;
  /**
   * How long a person may take to answer, in ms. Then an approval counts as denied (`approval_expired`), and a client's
   * tool as failed (`client_tool_timeout`). As long as it takes by default.
   */
  answerWithinMs?: number;
  /** `never` by default: a body that a crash cut off is not run again, its call gets `outcome_unknown`. */
  replay?: 'never' | 'safe';
  /** In ms; 2 minutes by default. */
  timeoutMs?: number;
  finishWith?: boolean;
}): ToolDefinition {
  const { name } = tool;
  checkToolName(name);
  checkExecution(tool);
  return Object.freeze({
    name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema ? { outputSchema: tool.outputSchema } : {}),
    ...(tool.execute === 'client' ? {} : { execute: tool.execute }),
    runsAt: tool.execute === 'client' ? ('client' as const) : ('server' as const),
    requireApproval: tool.requireApproval ?? false,
    ...(tool.answerWithinMs === undefined ? {} : { answerWithinMs: tool.answerWithinMs }),
    replay: tool.replay ?? 'never',
    ...(tool.timeoutMs === undefined ? {} : { timeoutMs: tool.timeoutMs }),
    finishWith: tool.finishWith ?? false,
  });
}
