/**
 * Agents that live elsewhere, as sub-agents and companions: compiled to a `Relationship` like every other kind. What is
 * known here of such an agent (its name and its schemas) is a definition whose model nobody asks. It brings what runs such
 * agents, which is put together with it here: an app that defines none carries none of it (PK8).
 *
 * Decides: the options of an agent elsewhere.
 * Keeps RM10, RM14.
 */
import type * as z from 'zod';
import {
  AWAITED,
  BACKGROUND,
  type ChildOptions,
  checkChildOptions,
  relationshipTo,
} from '../../core/definition/children/child-options';
import { livesElsewhere, type RemoteTransportSource } from '../../core/definition/children/elsewhere';
import { defineAgent } from '../../core/definition/define-agent';
import { SUBAGENT_TOOL_PREFIX, TOOL_NAME } from '../../core/definition/define-tool';
import { type AgentDefinition, RELATIONSHIP, type ToolDefinition } from '../../core/definition/definition';
import { checkKinds, checkNeeded, invalidDefinition, refuseUnknown } from '../../core/definition/invalid';
import { checkModelSchema } from '../../core/definition/schemas/check-schema';
import { bringsRunner } from '../../engine/children/children-elsewhere';
import { kebabCase } from '../../protocol/ids';
import { RemoteChildren } from './perform/children';

/** A remote agent. */
export interface RemoteAgentOptions<Output extends z.core.$ZodType, Env> {
  /** Its description for the model. */
  description: string;
  /**
   * The schema of its output; any JSON if omitted. An output that does not fit fails the task with `output_invalid`.
   */
  outputSchema?: Output;
  /** The transport to it. */
  transport: RemoteTransportSource<Env>;
  /** The name of its class on the remote side: `researcher` or `Researcher`. */
  remoteAgentType: string;
}

/** Options of a remote agent used as a tool. Options that need the child's own store are refused. */
export interface RemoteSubAgentOptions<Input extends z.core.$ZodType, Output extends z.core.$ZodType, Env>
  extends RemoteAgentOptions<Output, Env>,
    Pick<ChildOptions, 'timeoutMs' | 'onParentSuspend' | 'onFailure' | 'onIdle' | 'budget'> {
  /** The schema of the remote agent's input. */
  inputSchema: Input;
  /** The call returns at once; the agent's result is a message that a later step reads. `false` by default. */
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

/**
 * Turns a remote agent into the tool `subagent__<name>`. Each call starts a new root on the remote side and runs it
 * once. Its chunks are in this tree's log, people answer its questions in this tree, and stops reach it. The transport
 * checks and limits its data. If the remote side is lost, refuses the call or breaks the protocol, the call fails with
 * `subagent_lost` or `subagent_failed`.
 * @throws OffshootError `invalid_definition`
 * @example
 * const researcher = createRemoteSubAgentTool('researcher', {
 *   description: 'Researches a question in the other team’s Worker.',
 *   inputSchema: z.object({ question: z.string() }),
 *   transport: new HttpRemoteAgentTransport({ url: 'https://research.example' }),
 *   remoteAgentType: 'researcher',
 * });
 */
export function createRemoteSubAgentTool<
  Input extends z.core.$ZodType,
  Output extends z.core.$ZodType = z.core.$ZodType,
  Env = unknown,
>(
  name: string,
  options: RemoteSubAgentOptions<Input, Output, Env>,
): ToolDefinition<{ input: z.output<Input>; output: z.output<Output>; state: unknown; env: Env; finishes: false }>;
export function createRemoteSubAgentTool(
  name: string,
  options: RemoteSubAgentOptions<z.core.$ZodType, z.core.$ZodType, unknown>,
): ToolDefinition {
  const where = `Remote sub-agent "${name}"`;
  refuseUnknown(where, options, OPTIONS);
  const toolName = `${SUBAGENT_TOOL_PREFIX}${name}`;
  if (!/^[A-Za-z]/.test(name) || !TOOL_NAME.test(toolName))
    invalidDefinition(
      `${where}: its name must begin with a letter and contain letters, digits, "-" or "_", ${64 - SUBAGENT_TOOL_PREFIX.length} at most.`,
    );
  const { description, inputSchema, outputSchema, background } = options;
  checkModelSchema(where, 'inputSchema', inputSchema);
  checkKinds(where, options, { background: 'flag' });
  checkChildOptions(where, options);
  if (options.onIdle !== undefined && background !== true)
    invalidDefinition(`${where}: \`onIdle\` is for a sub-agent with \`background: true\`.`);
  const child = agentElsewhere(where, options, inputSchema);
  const kind = background ? BACKGROUND : AWAITED;
  return Object.freeze({
    name: toolName,
    description,
    inputSchema,
    outputSchema,
    runsAt: 'server' as const,
    requireApproval: false,
    replay: 'safe' as const,
    finishWith: false,
    [RELATIONSHIP]: relationshipTo(() => child, kind, options),
  });
}

const AGENT_OPTIONS = ['description', 'outputSchema', 'transport', 'remoteAgentType'];

/**
 * Defines a remote agent for `persistentAgents`: a companion whose session is a root on the remote side, where its
 * memory is stored. It works with the same tools as any companion. It cannot be sent files or copied; such calls are
 * refused. In this tree its agent name is `remoteAgentType`.
 * @throws OffshootError `invalid_definition`
 * @example
 * const critic = defineRemoteAgent({
 *   description: 'Judges a draft, in the Worker of another team.',
 *   transport: new HttpRemoteAgentTransport({ url: 'https://critics.example' }),
 *   remoteAgentType: 'critic',
 * });
 * const writer = defineAgent({
 *   name: 'writer',
 *   systemPrompt: 'Write, and send each draft to your critic.',
 *   model: defaultModel,
 *   persistentAgents: [{ agent: critic }],
 * });
 */
export function defineRemoteAgent<Output extends z.core.$ZodType = z.core.$ZodType, Env = unknown>(
  options: RemoteAgentOptions<Output, Env>,
): AgentDefinition<{ input: unknown; output: z.output<Output>; state: unknown; env: Env }>;
export function defineRemoteAgent(options: RemoteAgentOptions<z.core.$ZodType, unknown>): AgentDefinition {
  const where = 'A remote agent';
  refuseUnknown(where, options, AGENT_OPTIONS);
  return agentElsewhere(where, options);
}

/** What is known here of an agent elsewhere: a definition whose model nobody asks. */
function agentElsewhere(
  where: string,
  { description, outputSchema, transport, remoteAgentType }: RemoteAgentOptions<z.core.$ZodType, unknown>,
  inputSchema?: z.core.$ZodType,
): AgentDefinition {
  checkNeeded(where, 'description', description, 'what the remote agent does');
  if (typeof remoteAgentType !== 'string' || kebabCase(remoteAgentType) === '')
    invalidDefinition(`${where}: \`remoteAgentType\` must be the name of an agent on the remote server.`);
  if (typeof transport !== 'function' && (typeof transport !== 'object' || transport === null))
    invalidDefinition(`${where} needs a \`transport\`, or a function of \`env\` that returns one.`);
  const definition = defineAgent({
    name: kebabCase(remoteAgentType),
    description,
    systemPrompt: description,
    model: () => invalidDefinition(`${where} is remote: its model is not called here.`),
    ...(inputSchema ? { inputSchema } : {}),
    ...(outputSchema ? { outputSchema } : {}),
  });
  livesElsewhere(definition, transport);
  bringsRunner(definition, (parent) => new RemoteChildren(parent));
  return definition;
}
