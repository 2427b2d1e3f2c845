/**
 * Sub-agents as tools: each kind is compiled to one `Relationship`, which is all that the machines know of it. An agent
 * that uses itself is given as a function (decision 22).
 *
 * Decides: what kinds of sub-agents there are; what a function that stands for one may give.
 * Keeps DF5, DF6, DF9, DG4.
 */
import * as z from 'zod';
import type { Json } from '../../../protocol/json';
import { SUBAGENT_TOOL_PREFIX } from '../define-tool';
import {
  type AgentDefinition,
  type AnyTool,
  RELATIONSHIP,
  type Relationship,
  type ToolDefinition,
} from '../definition';
import { checkKinds, invalidDefinition, refuseUnknown } from '../invalid';
import type { Budget } from '../limits';
import { checkModelSchema, checkSchema, isOtherSchema, isSchema } from '../schemas/check-schema';
import type { AgentTypes, JsonOf } from '../types';
import {
  type AgentSource,
  AWAITED,
  BACKGROUND,
  CHILD_OPTIONS,
  type ChildOptions,
  checkChildOptions,
  givenAgent,
  relationshipTo,
} from './child-options';
import { isElsewhere } from './elsewhere';

/** The longest name of a tool that models take. */
const MAX_TOOL_NAME = 64;

/**
 * Returns true for the name of a sub-agent tool.
 * @example
 * const delegates = planner.tools.filter(({ name }) => isSubAgentTool(name));
 */
export function isSubAgentTool(name: string): boolean {
  return name.startsWith(SUBAGENT_TOOL_PREFIX) && name.length > SUBAGENT_TOOL_PREFIX.length;
}

/** The relationship that a tool refers to, if a child works on its calls. */
export function relationshipOf(tool: AnyTool): Relationship | undefined {
  return tool[RELATIONSHIP];
}

/** The agent of the sub-agent tool of that name, or of the companions of that kind, that one of these agents has. */
export function agentBy(definitions: readonly AgentDefinition[], name: string): AgentDefinition | undefined {
  for (const { tools, companions } of definitions) {
    const tool = tools.find((one) => one.name === name);
    const relationship =
      (tool && relationshipOf(tool)) ?? companions.find((one) => one.relationship.child.name === name)?.relationship;
    if (relationship) return relationship.child;
  }
  return undefined;
}

const OPTIONS = ['name', 'description', 'requireOutputSchema', 'background', ...CHILD_OPTIONS];
/** Options of an agent used as a tool. */
export interface SubAgentOptions extends ChildOptions {
  /**
   * Name of the tool, `subagent__<name>`; the agent's name by default. With different names, one agent can be several
   * tools.
   */
  name?: string;
  /** Description for the parent's model; the agent's own by default. */
  description?: string;
  /** Refuses an agent without an `outputSchema`. Without this option, such an agent returns its text. */
  requireOutputSchema?: boolean;
  /**
   * Whether the call returns at once. The child's result is then a message that a later step reads. `false` by default.
   */
  background?: boolean;
}

/** The definition, looked up when it is asked for: that of an agent which is still being defined comes as a function. */
function lookUp(
  tool: string,
  given: AgentDefinition | (() => AgentDefinition),
  {
    typed,
    schema,
    inherits,
  }: { typed: boolean; schema: z.core.$ZodType | undefined; inherits: ChildOptions['inheritWorkspace'] },
): () => AgentDefinition {
  return () => {
    const found = givenAgent(tool, given, inherits);
    if (isElsewhere(found)) invalidDefinition(`"${tool}" is remote: create it with createRemoteSubAgentTool.`);
    if (typed && found.outputSchema === undefined)
      invalidDefinition(`Agent "${found.name}" needs an \`outputSchema\` to be used as this sub-agent.`);
    if (schema === undefined && found.inputSchema === undefined)
      invalidDefinition(
        `Agent "${found.name}" has no \`inputSchema\`, which "${tool}" needs: add one, or pass a schema to createSubAgentTool.`,
      );
    return found;
  };
}

/** The tool of a sub-agent, with its input and output. */
type SubAgentTool<Types extends AgentTypes, Input> = ToolDefinition<{
  input: Input;
  output: Types['output'];
  state: unknown;
  env: Types['env'];
  finishes: false;
}>;

/** Checks that the output of the parent's schema fits the child's input; otherwise the compiler says why not. */
type Taken<Schema extends z.core.$ZodType, Types extends AgentTypes> = unknown extends Types['input']
  ? unknown
  : [JsonOf<z.output<Schema>>] extends [Types['input']]
    ? unknown
    : 'The output of this schema does not fit the `inputSchema` of the sub-agent.';

/** An agent without an `inputSchema` needs a schema from its parent. */
type WithInput<Types extends AgentTypes> = unknown extends Types['input']
  ? unknown
  : Json extends Types['input']
    ? 'This agent has no `inputSchema`: add one, or pass a schema to createSubAgentTool.'
    : unknown;

/** The given options; a misspelt one is refused. */
type Known<Options> = {
  [Key in keyof Options]: Key extends 'budget'
    ? KnownBudget<Options[Key]>
    : Key extends keyof SubAgentOptions
      ? SubAgentOptions[Key]
      : 'A sub-agent has no such option.';
};
type KnownBudget<Given> = Given extends object
  ? { [Key in keyof Given]: Key extends keyof Budget ? Budget[Key] : never }
  : Given;

/**
 * Turns an agent into the tool `subagent__<name>`: each call creates a child, runs it once and returns its output. The
 * arguments become the child's first user message (as JSON) and its initial state. The child's `inputSchema` checks
 * them. If you pass another schema, the model sees that one, and the child's checks its output. Arguments that do not
 * fit are an error that the parent's model reads, and no child is created. A failed child is a result for the parent's
 * model: `{ success: false, error, code }`. For an agent that uses itself, or two that use each other, pass a function
 * and a `name`; `maxDepth` limits such a tree.
 * @throws OffshootError `invalid_definition` for an invalid name, time or rule, without a schema, or if
 *   `requireOutputSchema` is set and the agent has no `outputSchema` (for a function: when the Worker starts)
 * @param schemaOrOptions another schema for the tool, or the options if there is none
 * @example
 * const planner = defineAgent({
 *   name: 'planner',
 *   systemPrompt: 'Plan a call. Ask the timekeeper for the time at both ends.',
 *   model: defaultModel,
 *   tools: [createSubAgentTool(timekeeper, { timeoutMs: 60_000 })],
 * });
 */
export function createSubAgentTool<
  Types extends AgentTypes,
  Given extends z.core.$ZodType | SubAgentOptions = Record<never, never>,
>(
  definition: AgentSource<Types> & (Given extends z.core.$ZodType ? unknown : WithInput<Types>),
  schemaOrOptions?: Given & (Given extends z.core.$ZodType ? Taken<Given, Types> : Known<Given>),
  options?: Given extends z.core.$ZodType ? SubAgentOptions : never,
): SubAgentTool<Types, Given extends z.core.$ZodType ? z.output<Given> : Types['input']>;
export function createSubAgentTool(
  definition: AgentSource<AgentTypes>,
  schemaOrOptions: z.core.$ZodType | SubAgentOptions = {},
  more: SubAgentOptions = {},
): ToolDefinition {
  if (isOtherSchema(schemaOrOptions)) checkSchema('Sub-agent', 'createSubAgentTool(…, inputSchema)', schemaOrOptions);
  const [schema, options] = isSchema(schemaOrOptions) ? [schemaOrOptions, more] : [undefined, schemaOrOptions];
  const later = typeof definition === 'function';
  if (!later) givenAgent('A sub-agent', definition);
  refuseUnknown('A sub-agent', options, OPTIONS);
  const given = options.name ?? (later ? undefined : definition.name);
  if (given === undefined)
    invalidDefinition('A sub-agent that is given as a function needs the option `name`, the name of its tool.');
  if (typeof given !== 'string' || !/^[A-Za-z][A-Za-z0-9_-]*$/.test(given))
    invalidDefinition(
      `Sub-agent "${given}": \`name\` must begin with a letter and contain letters, digits, "-" or "_".`,
    );
  const name = `${SUBAGENT_TOOL_PREFIX}${given}`;
  const child = lookUp(name, definition, {
    typed: options.requireOutputSchema === true,
    schema,
    inherits: options.inheritWorkspace,
  });
  if (!later) child();
  if (schema !== undefined) checkModelSchema(`Sub-agent "${given}"`, 'inputSchema', schema);
  checkKinds(`Sub-agent "${given}"`, options, { description: 'text', requireOutputSchema: 'flag', background: 'flag' });
  checkChildOptions(`Sub-agent "${given}"`, options);
  if (options.onIdle !== undefined && options.background !== true)
    invalidDefinition(`Sub-agent "${given}": \`onIdle\` is for a sub-agent with \`background: true\`.`);
  if (name.length > MAX_TOOL_NAME)
    invalidDefinition(
      `"${name}" is longer than the ${MAX_TOOL_NAME} characters that models allow in a tool name: choose a shorter name.`,
    );
  return toolOf(name, child, schema, options);
}

function toolOf(
  name: string,
  child: () => AgentDefinition,
  schema: z.core.$ZodType | undefined,
  options: SubAgentOptions,
): ToolDefinition {
  return Object.freeze({
    name,
    get description() {
      return options.description ?? child().description;
    },
    get inputSchema() {
      return schema ?? child().inputSchema ?? z.never();
    },
    get outputSchema() {
      return child().outputSchema;
    },
    runsAt: 'server' as const,
    requireApproval: false,
    replay: 'safe' as const,
    finishWith: false,
    [RELATIONSHIP]: relationshipTo(child, options.background ? BACKGROUND : AWAITED, options),
  });
}
