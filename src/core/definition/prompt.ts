/**
 * Prompts as people define them, checked: what a model is told, which model it is, and what it may call.
 *
 * Decides: the options of a prompt.
 * Keeps SA2, SA72, SA78.
 */
import type * as z from 'zod';
import type { AiTool } from './ai-tool';
import { checkConfig, type NamedAgents, type NamedByPrompt, namedBy } from './children/subagent-config';
import { checkToolName } from './define-tool';
import type { AnyTool, GivenModels, PromptDefinition, SubagentToolConfig } from './definition';
import { compiledHooks, type HooksOption } from './hooks/hooks';
import { checkKinds, checkNeeded, invalidDefinition, kindOf, labelOf, refuseUnknown } from './invalid';
import type { ProviderToolSpec } from './model-port';
import { modelsGiven } from './models/models';
import { fromProviderTool, isProviderTool } from './models/provider-tool';
import { checkModelSchema } from './schemas/check-schema';
import { settingsOfPrompt } from './settings/check';
import type { ModelSettings, ReasoningOptions, ToolChoice } from './settings/settings';
import { checkEnv, checkVariables, type VariableDefinition } from './variables';

/** Options of `definePrompt`. */
export interface PromptOptions {
  /** Name of letters, digits, `_` and `-`, beginning with a letter or `_`; at most 64 characters. */
  name: string;
  /** What it does. Empty by default. */
  toolDescription?: string;
  /** The system prompt, or a function of the custom state, called for each step. */
  prompt: PromptDefinition['prompt'];
  /**
   * The model, as for `defineAgent`: an AI SDK `LanguageModel`, or a function that receives the Worker's `env` and
   * returns one.
   */
  model?: PromptDefinition['model'];
  /** Several models in place of one, as for `defineAgent`. */
  models?: GivenModels;
  /**
   * Tools for the model, and names of `agents`. An agent with one side takes over the session. An agent with two sides
   * becomes a sub-agent that the call waits for; an object with its name may say otherwise. None by default.
   */
  tools?: readonly (AnyTool | string | SubagentToolConfig)[];
  /**
   * Tools that the model's provider runs itself, by name: `{ web_search: openai.tools.webSearch() }`. None by default.
   */
  providerTools?: Readonly<Record<string, AiTool>>;
  /** The agents that `tools` names, or a function that returns them if some are not defined yet. None by default. */
  agents?: NamedAgents;
  /** Whether the model sees the conversation before the current run. `false` by default. */
  includeChat?: boolean;
  /** With `includeChat`: whether it also sees the tool calls and results of that conversation. `false` by default. */
  includePastTools?: boolean;
  /**
   * Whether the tools of one reply run in parallel; otherwise they run one at a time. Sub-agents always run in
   * parallel. `false` by default. `settings.parallelToolCalls: false` asks the model for one call per reply.
   */
  parallelToolCalls?: boolean;
  /** The tool that the model must call, the same as `settings.toolChoice`; `auto` by default. */
  toolChoice?: ToolChoice;
  /** Other settings of its requests. */
  settings?: ModelSettings;
  /** The schema of the input of an agent with this prompt. */
  requiredSchema?: z.core.$ZodType;
  /** Variables that the agent needs. None by default. */
  variables?: readonly VariableDefinition[];
  /** Values of variables. None by default. */
  env?: Readonly<Record<string, string>>;
  /** The amount of reasoning, the same as `settings.reasoning`. */
  reasoning?: ReasoningOptions;
  /** In how many of the newest messages the model sees images; 10 by default. */
  recentImageThreshold?: number;
  /** Hooks, which replace the agent's hooks of the same name. */
  hooks?: HooksOption;
}

const OPTIONS = [
  'name',
  'toolDescription',
  'prompt',
  'model',
  'models',
  'tools',
  'providerTools',
  'agents',
  'includeChat',
  'includePastTools',
  'parallelToolCalls',
  'toolChoice',
  'settings',
  'requiredSchema',
  'variables',
  'env',
  'reasoning',
  'recentImageThreshold',
  'hooks',
];

/** The most that `recentImageThreshold` may be. */
const MAX_IMAGE_THRESHOLD = 10_000;

type Given = NonNullable<PromptOptions['tools']>[number];
const isTool = (given: Given): given is AnyTool => typeof given === 'object' && 'runsAt' in given;

/**
 * Defines a prompt.
 * @throws OffshootError `invalid_definition` that says what to change; for problems that show only when the `agents`
 *   function is called, when the Worker starts
 * @example
 * const drafting = definePrompt({
 *   name: 'drafting',
 *   prompt: 'Write the text that you are asked for, and better it as you are told.',
 *   model: defaultModel,
 *   includeChat: true,
 * });
 */
export function definePrompt(options: PromptOptions): PromptDefinition {
  refuseUnknown(labelOf('Prompt', options), options, OPTIONS);
  const { name, tools: given = [], agents = [], toolChoice, reasoning, recentImageThreshold = 10 } = options;
  checkToolName(name, 'Prompt: ');
  const where = `Prompt "${name}"`;
  checkKinds(where, options, { toolDescription: 'text', tools: 'list' });
  if (typeof options.prompt !== 'function')
    checkNeeded(
      where,
      'prompt',
      options.prompt,
      'what the model should do, such as "Write the text that you are asked for."',
    );
  const models = modelsGiven(where, options);
  if (models === undefined) invalidDefinition(`${where} needs a \`model\`.`);
  if (options.requiredSchema !== undefined) checkModelSchema(where, 'requiredSchema', options.requiredSchema);
  const { includeChat = false, includePastTools = false, parallelToolCalls = false } = options;
  for (const [option, value] of Object.entries({ includeChat, includePastTools, parallelToolCalls }))
    if (typeof value !== 'boolean') invalidDefinition(`${where}: \`${option}\` must be true or false.`);
  if (
    !(
      Number.isSafeInteger(recentImageThreshold) &&
      recentImageThreshold >= 0 &&
      recentImageThreshold <= MAX_IMAGE_THRESHOLD
    )
  )
    invalidDefinition(`${where}: \`recentImageThreshold\` must be a whole number from 0 to ${MAX_IMAGE_THRESHOLD}.`);
  const hooks = compiledHooks(where, options.hooks);
  const named = given.flatMap((one) => (isTool(one) ? [] : [one]));
  const tools = Object.freeze(given.filter(isTool));
  const providerTools = providerToolsGiven(where, options.providerTools);
  const names = checkNames(where, tools, named);
  for (const one of providerTools) if (names.includes(one.name)) namedTwice(where, one.name);
  const settings = settingsOfPrompt(where, options.settings, { toolChoice, reasoning }, names);
  const once = lazily(() => namedBy(name, named, agents));
  if (typeof agents !== 'function') once();
  return Object.freeze({
    name,
    toolDescription: options.toolDescription ?? '',
    prompt: options.prompt,
    ...models,
    tools,
    ...(providerTools.length === 0 ? {} : { providerTools }),
    get subagents() {
      return once().subagents;
    },
    get handoffs() {
      return once().handoffs;
    },
    includeChat,
    includePastTools,
    parallelToolCalls,
    settings,
    ...(options.requiredSchema ? { requiredSchema: options.requiredSchema } : {}),
    variables: checkVariables(where, options.variables ?? []),
    env: checkEnv(where, options.env ?? {}),
    recentImageThreshold,
    hooks,
  });
}

/** @throws OffshootError `invalid_definition` for one that no provider runs */
function providerToolsGiven(where: string, given: PromptOptions['providerTools'] = {}): readonly ProviderToolSpec[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    invalidDefinition(`${where}: \`providerTools\` must be an object with tools by name, but is ${kindOf(given)}.`);
  const tools = Object.entries(given).map(([name, tool]) => {
    if (typeof tool !== 'object' || tool === null || !isProviderTool(tool))
      invalidDefinition(`${where}: no provider runs the tool "${name}": list it in \`tools\`.`);
    return fromProviderTool(name, tool);
  });
  return Object.freeze(tools);
}

function lazily(make: () => NamedByPrompt): () => NamedByPrompt {
  let made: NamedByPrompt | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function namedTwice(where: string, name: string): never {
  invalidDefinition(`${where} has "${name}" twice among its tools; list it once.`);
}

/** The names of all that it may call, each once: what a model calls must say what is meant. */
function checkNames(
  where: string,
  tools: readonly AnyTool[],
  named: readonly (string | SubagentToolConfig)[],
): readonly string[] {
  const seen = new Set(tools.map((tool) => tool.name));
  for (const one of named) {
    const config: SubagentToolConfig = typeof one === 'string' ? { name: one } : one;
    checkConfig(where, config);
    if (seen.has(config.name)) namedTwice(where, config.name);
    seen.add(config.name);
  }
  return [...seen];
}
