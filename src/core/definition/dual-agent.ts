/**
 * Agents of two sides as people define them, checked: each side works by a prompt of its own, and they speak in turns.
 *
 * Decides: the options of an agent of two sides.
 * Keeps SA1, SA36, SA37.
 */
import type * as z from 'zod';
import type { RootDocuments } from '../../protocol/wire/documents';
import { type AnyAgentOptions, type AnyJson, compiledAgent } from './define-agent';
import type {
  AgentDefinition,
  ConcurrentStartRule,
  EffectDefinition,
  PendingMessageRule,
  Price,
  PromptDefinition,
  RateLimiter,
  SessionBinding,
  Side,
  WorkspaceOptions,
} from './definition';
import type { HooksOption } from './hooks/hooks';
import { checkKinds, invalidDefinition, labelOf, refuseUnknown } from './invalid';
import { type Limits, limitProblem } from './limits';
import type { JsonOf } from './types';
import type { VariableDefinition } from './variables';

/** One side of an agent with two sides. Options that name a tool refer to the tools of its prompt. */
export interface SideConfig {
  /** The name of this side that the other side reads, at most 64 characters; `Side A` and `Side B` by default. */
  label?: string;
  /** The prompt, as `definePrompt` returns it. */
  prompt: PromptDefinition;
  /** Whether a reply without calls passes the turn to the other side. `true` by default. */
  stopOnResponse?: boolean;
  /** A tool whose successful call passes the turn to the other side. */
  stopTool?: string;
  /** The argument of that call that the other side reads; the tool's result by default. */
  stopToolResponseProperty?: string;
  /** Steps of one turn; then the other side is next. No limit by default. */
  maxSteps?: number;
  /** A tool whose successful call completes the session. */
  sessionStop?: string | SessionBinding;
  /** A tool whose successful call fails the session. */
  sessionFail?: string | SessionBinding;
  /** A tool whose call reports the progress of the session. */
  sessionStatus?: string | SessionBinding;
}

/** Options of `defineDualAgent`. */
export interface DualAgentOptions<
  InputSchema extends z.core.$ZodType = z.core.$ZodType,
  StateSchema extends z.core.$ZodType = z.core.$ZodType,
> {
  /** Name of the agent; also names the class and the address. */
  name: string;
  /** Title that people see; the name by default. */
  title?: string;
  /** Example messages, as for `defineAgent`. */
  examples?: readonly string[];
  /** Description for the model of an agent that has it as a tool. Empty by default. */
  description?: string;
  /** Whether prompts may name it. `false` by default. */
  exposeAsTool?: boolean;
  /** Its description for the model of a prompt that names it; `description` by default. */
  toolDescription?: string;
  /** Turns of one session, of both sides together; the last one completes it. No limit by default. */
  maxSessionTurns?: number;
  /** The side that acts first by default. */
  sideA: SideConfig;
  sideB: SideConfig;
  /** Checks `input` of a start, and the task of a parent; `requiredSchema` of the first side's prompt by default. */
  inputSchema?: InputSchema;
  /** The custom state, as for `defineAgent`. */
  stateSchema?: StateSchema;
  /** Steps of one session, of both sides together; 50 by default. */
  maxSteps?: number;
  /** Its limits; `DEFAULT_LIMITS` has the defaults and their units. */
  limits?: Partial<Limits>;
  /** Effect of a start during a session; `refuse` by default. */
  onConcurrentStart?: ConcurrentStartRule;
  /** Effect of a person's message while approvals are pending, as for `defineAgent`. */
  onMessageWhilePending?: PendingMessageRule;
  /** Hooks of both sides. A prompt's own hooks replace those of the same name. */
  hooks?: HooksOption;
  /** Tools for the agent's files, for both sides, as for `defineAgent`. None by default. */
  workspace?: boolean | WorkspaceOptions;
  /** Price of its models, as for `defineAgent`. */
  price?: Price | ((model: string) => Price | undefined);
  /** The Worker's limit of model requests, as for `defineAgent`. None by default. */
  modelRateLimit?: (env: Cloudflare.Env) => RateLimiter;
  /** `false`: the agent works only for other agents. `true` by default. */
  root?: boolean;
  /** Documents of a root of this agent, as for `defineAgent`. */
  documents?: (env: Cloudflare.Env, address: string) => RootDocuments;
  /** Variables that the agent needs. None by default. */
  variables?: readonly VariableDefinition[];
  /** Values of variables, for both sides and what they use. None by default. */
  env?: Readonly<Record<string, string>>;
  /** Effects (`defineEffect`) that the tools and hooks of both sides may schedule. None by default. */
  effects?: readonly EffectDefinition[];
}

const OPTIONS = [
  'name',
  'title',
  'examples',
  'description',
  'exposeAsTool',
  'toolDescription',
  'maxSessionTurns',
  'sideA',
  'sideB',
  'inputSchema',
  'stateSchema',
  'maxSteps',
  'limits',
  'onConcurrentStart',
  'onMessageWhilePending',
  'hooks',
  'workspace',
  'price',
  'modelRateLimit',
  'root',
  'documents',
  'variables',
  'env',
  'effects',
];
const SIDE_OPTIONS = [
  'label',
  'prompt',
  'stopOnResponse',
  'stopTool',
  'stopToolResponseProperty',
  'maxSteps',
  'sessionStop',
  'sessionFail',
  'sessionStatus',
];
type Binding = 'sessionStop' | 'sessionFail' | 'sessionStatus';
const BINDING_OPTIONS = ['name', 'messageProperty', 'attachmentsProperty'];

/** The longest label of a side, in characters. */
const MAX_LABEL = 64;

/** The same, of any type. */
type AnyDualOptions = Omit<AnyAgentOptions, 'prompt'> &
  Pick<DualAgentOptions, 'sideA' | 'sideB'> & { readonly maxSessionTurns?: number };

/**
 * Defines an agent with two sides, each with a separate prompt: one works, and the other answers it, until one of them
 * ends the session. It is run, called and stopped like any agent; its output is text.
 * @throws OffshootError `invalid_definition` that says what to change.
 * @example
 * const approve = defineTool({
 *   name: 'approve',
 *   description: 'Approves the text and ends the work.',
 *   inputSchema: z.object({ text: z.string() }),
 *   execute: () => 'Approved.',
 * });
 * const writer = defineDualAgent({
 *   name: 'writer',
 *   maxSessionTurns: 8,
 *   sideA: { label: 'Author', prompt: definePrompt({ name: 'drafting', prompt: 'Write the text.', model: defaultModel }) },
 *   sideB: {
 *     label: 'Editor',
 *     prompt: definePrompt({ name: 'reviewing', prompt: 'Approve it, or say what to mend.', model: defaultModel, tools: [approve] }),
 *     sessionStop: { name: 'approve', messageProperty: 'text' },
 *   },
 * });
 */
export function defineDualAgent<
  InputSchema extends z.core.$ZodType = AnyJson,
  StateSchema extends z.core.$ZodType = AnyJson,
>(
  options: DualAgentOptions<InputSchema, StateSchema>,
): AgentDefinition<{
  input: z.input<InputSchema>;
  output: string;
  state: JsonOf<z.output<StateSchema>>;
  initialState: z.input<StateSchema>;
  env: Cloudflare.Env;
}>;
export function defineDualAgent(options: AnyDualOptions): AgentDefinition {
  refuseUnknown(labelOf('Agent', options), options, OPTIONS);
  const where = `Agent "${options.name}"`;
  const { sideA, sideB, maxSessionTurns, ...agent } = options;
  if (maxSessionTurns !== undefined) {
    const problem = limitProblem('maxSessionTurns', maxSessionTurns);
    if (problem !== undefined) invalidDefinition(`${where}: \`maxSessionTurns\` ${problem}.`);
  }
  const sides = {
    side_a: sideOf(where, 'sideA', sideA, agent),
    side_b: sideOf(where, 'sideB', sideB, agent),
  };
  const turns = maxSessionTurns === undefined ? {} : { maxSessionTurns };
  return compiledAgent({ ...agent, prompt: sideA.prompt }, { sides: Object.freeze(sides), ...turns });
}

function sideOf(agent: string, option: 'sideA' | 'sideB', side: SideConfig, options: AnyAgentOptions): Side {
  const where = `${agent}: \`${option}\``;
  if (typeof side !== 'object' || side === null)
    invalidDefinition(
      `${where} is missing: an agent with two sides has \`sideA\` and \`sideB\`, each with a \`prompt\`.`,
    );
  refuseUnknown(where, side, SIDE_OPTIONS);
  const { prompt, label = option === 'sideA' ? 'Side A' : 'Side B', stopOnResponse = true, maxSteps } = side;
  if (typeof prompt !== 'object' || prompt === null || !('recentImageThreshold' in prompt))
    invalidDefinition(`${where} needs a \`prompt\` from \`definePrompt\`.`);
  const ends = prompt.tools.find((tool) => tool.finishWith);
  if (ends)
    invalidDefinition(
      `${where}: the tool "${ends.name}" of its prompt has \`finishWith\`; name it as \`sessionStop\` instead.`,
    );
  if (typeof label !== 'string' || label.trim() === '' || label.length > MAX_LABEL || /[\n\r]/.test(label))
    invalidDefinition(`${where}: \`label\` must be one line of 1 to ${MAX_LABEL} characters.`);
  checkKinds(where, side, { stopOnResponse: 'flag' });
  const problem = maxSteps === undefined ? undefined : limitProblem('maxSteps', maxSteps);
  if (problem !== undefined) invalidDefinition(`${where}: \`maxSteps\` ${problem}.`);
  return Object.freeze({
    label,
    definition: compiledAgent({ ...options, prompt }),
    stopOnResponse,
    ...stopToolOf(where, side),
    ...(maxSteps === undefined ? {} : { maxSteps }),
    ...bindingOf(where, 'sessionStop', side),
    ...bindingOf(where, 'sessionFail', side),
    ...bindingOf(where, 'sessionStatus', side),
  });
}

function stopToolOf(where: string, side: SideConfig): Pick<Side, 'stopTool' | 'stopToolResponseProperty'> {
  const { prompt, stopTool, stopToolResponseProperty: property } = side;
  if (stopTool === undefined) {
    if (property !== undefined)
      invalidDefinition(`${where}: \`stopToolResponseProperty\` is an argument of a \`stopTool\`, which is missing.`);
    return {};
  }
  checkBound(where, 'stopTool', stopTool, prompt);
  checkProperty(where, 'stopToolResponseProperty', property);
  return { stopTool, ...(property === undefined ? {} : { stopToolResponseProperty: property }) };
}

function bindingOf(
  where: string,
  option: Binding,
  { prompt, ...side }: SideConfig,
): Partial<Record<Binding, SessionBinding>> {
  const given = side[option];
  if (given === undefined) return {};
  const binding = typeof given === 'string' ? { name: given } : given;
  refuseUnknown(`${where}: \`${option}\``, binding, BINDING_OPTIONS);
  checkBound(where, option, binding.name, prompt);
  checkProperty(where, `${option}.messageProperty`, binding.messageProperty);
  checkProperty(where, `${option}.attachmentsProperty`, binding.attachmentsProperty);
  if (option === 'sessionStatus' && binding.attachmentsProperty !== undefined)
    invalidDefinition(
      `${where}: \`${option}.attachmentsProperty\` has no effect: files are returned only at the end of a session. Remove it.`,
    );
  return { [option]: Object.freeze({ ...binding }) };
}

function checkProperty(where: string, option: string, property: unknown): void {
  if (property !== undefined && (typeof property !== 'string' || property === ''))
    invalidDefinition(`${where}: \`${option}\` must be the name of an argument.`);
}

/** A tool that a rule names is one of the prompt's own: what other agents do for it is no call of its own to bind. */
function checkBound(where: string, option: string, name: unknown, prompt: PromptDefinition): void {
  if (prompt.tools.some((tool) => tool.name === name)) return;
  const names = prompt.tools.map((tool) => tool.name).join(', ') || 'none';
  invalidDefinition(
    `${where}: \`${option}\` names the tool "${String(name)}", which the prompt "${prompt.name}" does not have. Available: ${names}.`,
  );
}
