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
} from '../../core/definition/child-options';
import { defineAgent } from '../../core/definition/define-agent';
import { SUBAGENT_TOOL_PREFIX, TOOL_NAME } from '../../core/definition/define-tool';
import { type AgentDefinition, RELATIONSHIP, type ToolDefinition } from '../../core/definition/definition';
import { livesElsewhere, type RemoteTransportSource } from '../../core/definition/elsewhere';
import { checkKinds, checkNeeded, invalidDefinition, refuseUnknown } from '../../core/definition/invalid';
import { checkModelSchema } from '../../core/definition/schemas/check-schema';
import { bringsRunner } from '../../engine/children-elsewhere';
import { kebabCase } from '../../protocol/ids';
import { RemoteChildren } from './perform/children';

/** An agent that lives elsewhere. */
export interface RemoteAgentOptions<Output extends z.core.$ZodType, Env> {
  /** What the model reads of it. */
  description: string;
  /** What it gives; any JSON where this is missing. An output that does not fit fails the task with `output_invalid`. */
  outputSchema?: Output;
  /** How it is reached. */
  transport: RemoteTransportSource<Env>;
  /** What its class is called there: `researcher` or `Researcher`. */
  remoteAgentType: string;
}

/** How an agent that lives elsewhere is used as a tool. Options that need the child's own store are refused. */
export interface RemoteSubAgentOptions<Input extends z.core.$ZodType, Output extends z.core.$ZodType, Env>
  extends RemoteAgentOptions<Output, Env>,
    Pick<ChildOptions, 'timeoutMs' | 'onParentSuspend' | 'onFailure' | 'onIdle' | 'budget'> {
  /** What the agent there takes. */
  inputSchema: Input;
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
 * Stands for an agent that lives elsewhere among the `persistentAgents` of another: a companion whose session is a root of its own
 * there. It is told and asked in messages, keeps its memory there, and is used by the same tools as any companion. Files
 * do not go there, and its memory is not copied: such calls are refused. The name of its kind here is `remoteAgentType`.
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
    invalidDefinition(`${where}: \`remoteAgentType\` must be the name of an agent there.`);
  if (typeof transport !== 'function' && (typeof transport !== 'object' || transport === null))
    invalidDefinition(`${where} needs a \`transport\`, or a function of \`env\` that gives one.`);
  const definition = defineAgent({
    name: kebabCase(remoteAgentType),
    description,
    systemPrompt: description,
    model: () => invalidDefinition(`${where} works elsewhere: its model is not asked here.`),
    ...(inputSchema ? { inputSchema } : {}),
    ...(outputSchema ? { outputSchema } : {}),
  });
  livesElsewhere(definition, transport);
  bringsRunner(definition, (parent) => new RemoteChildren(parent));
  return definition;
}
