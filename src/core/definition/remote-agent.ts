/**
 * Sub-agents that live elsewhere as tools: compiled to a `Relationship` like every other kind. What is known here of such an
 * agent (its name and its schemas) is a definition whose model nobody asks.
 */
import type * as z from 'zod';
import { kebabCase } from '../../protocol/ids';
import { AWAITED, BACKGROUND, type ChildOptions, checkChildOptions, relationshipTo } from './child-options';
import { defineAgent } from './define-agent';
import { SUBAGENT_TOOL_PREFIX, TOOL_NAME } from './define-tool';
import { type AnyTool, RELATIONSHIP, type ToolDefinition } from './definition';
import { invalidDefinition, refuseUnknown } from './invalid';
import type { RemoteAgentTransport } from './remote-transport';
import type { AuthorsFunction } from './types';

/** The transport of a remote agent, or a function of the Worker's bindings and variables that gives it. */
export type RemoteTransportSource<Env = unknown> =
  | RemoteAgentTransport
  | AuthorsFunction<[env: Env], RemoteAgentTransport>;

/** How an agent that lives elsewhere is used as a tool. Options that need the child's own store are refused. */
export interface RemoteSubAgentOptions<Input extends z.ZodType, Output extends z.ZodType, Env>
  extends Pick<ChildOptions, 'timeoutMs' | 'onParentSuspend' | 'onFailure' | 'onIdle' | 'budget'> {
  /** What the model reads of it. */
  description: string;
  /** What the agent there takes. */
  inputSchema: Input;
  /** What it gives; any JSON where this is missing. An output that does not fit fails the call with `output_invalid`. */
  outputSchema?: Output;
  /** How it is reached. */
  transport: RemoteTransportSource<Env>;
  /** What its class is called there: `researcher` or `Researcher`. */
  remoteAgentType: string;
  /** The call says at once that the agent works; its end is a message, which the next step sees. `false` by default. */
  background?: boolean;
}

const OPTIONS = [
  'description',
  'inputSchema',
  'outputSchema',
  'transport',
  'remoteAgentType',
  'background',
  'timeoutMs',
  'onParentSuspend',
  'onFailure',
  'onIdle',
  'budget',
];

/** The tools that lead elsewhere, with how. */
const TRANSPORTS = new WeakMap<AnyTool, RemoteTransportSource>();

/**
 * Makes an agent that lives elsewhere usable as the tool `subagent__<name>`: each call begins a root of its own there, whose
 * name is minted here, and runs it once. Its chunks are part of this tree's log, its questions to people are answered here,
 * and stops reach it. What it sends is checked and bounded by the transport.
 * A remote that is lost, refuses or answers what is not lawful fails the call: `subagent_lost`, `subagent_failed`.
 * @throws OffshootError `invalid_definition`
 * @example
 * const researcher = createRemoteSubAgentTool('researcher', {
 *   description: 'Researches a question in the other team’s Worker.',
 *   inputSchema: z.object({ question: z.string() }),
 *   transport: new HttpRemoteAgentTransport({ url: 'https://research.example' }),
 *   remoteAgentType: 'researcher',
 * });
 */
export function createRemoteSubAgentTool<Input extends z.ZodType, Output extends z.ZodType = z.ZodType, Env = unknown>(
  name: string,
  options: RemoteSubAgentOptions<Input, Output, Env>,
): ToolDefinition<{ input: z.output<Input>; output: z.output<Output>; state: unknown; env: Env; finishes: false }>;
export function createRemoteSubAgentTool(
  name: string,
  options: RemoteSubAgentOptions<z.ZodType, z.ZodType, unknown>,
): ToolDefinition {
  const where = `Remote sub-agent "${name}"`;
  refuseUnknown(where, options, OPTIONS);
  const toolName = `${SUBAGENT_TOOL_PREFIX}${name}`;
  if (!/^[A-Za-z]/.test(name) || !TOOL_NAME.test(toolName))
    invalidDefinition(
      `${where}: its name must begin with a letter and hold letters, digits, "-" or "_", ${64 - SUBAGENT_TOOL_PREFIX.length} at most.`,
    );
  const { description, inputSchema, outputSchema, transport, remoteAgentType, background } = options;
  if (typeof remoteAgentType !== 'string' || kebabCase(remoteAgentType) === '')
    invalidDefinition(`${where}: \`remoteAgentType\` must be the name of an agent there.`);
  if (typeof transport !== 'function' && (typeof transport !== 'object' || transport === null))
    invalidDefinition(`${where} needs a \`transport\`, or a function of \`env\` that gives one.`);
  checkChildOptions(where, options);
  if (options.onIdle !== undefined && background !== true)
    invalidDefinition(`${where}: \`onIdle\` is for a sub-agent with \`background: true\`.`);
  const child = defineAgent({
    name: kebabCase(remoteAgentType),
    description,
    systemPrompt: description,
    model: () => invalidDefinition(`${where} works elsewhere: its model is not asked here.`),
    inputSchema,
    ...(outputSchema ? { outputSchema } : {}),
  });
  const kind = background ? BACKGROUND : AWAITED;
  const tool: ToolDefinition = Object.freeze({
    name: toolName,
    description,
    inputSchema,
    outputSchema,
    runsAt: 'server' as const,
    requireApproval: false,
    replay: 'safe' as const,
    finishWith: false,
    [RELATIONSHIP]: { ...relationshipTo(() => child, kind, options), child, placement: 'remote' as const },
  });
  TRANSPORTS.set(tool, transport);
  return tool;
}

/** How the agent of a tool is reached that lives elsewhere; undefined for every other tool. @throws what an author's function throws */
export function transportOf(tool: AnyTool, env: unknown): RemoteAgentTransport | undefined {
  const source = TRANSPORTS.get(tool);
  return typeof source === 'function' ? source(env) : source;
}
