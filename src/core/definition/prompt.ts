/**
 * Prompts as people define them, checked: what a model is told, which model it is, and what it may call.
 *
 * Decides: the options of a prompt.
 * Keeps SA2, SA72, SA78.
 */
import type * as z from 'zod';
import type { AiTool } from './ai-tool';
import { checkToolName } from './define-tool';
import type { AnyTool, GivenModels, PromptDefinition, SubagentToolConfig } from './definition';
import { compiledHooks, type HooksOption } from './hooks';
import { checkKinds, checkNeeded, invalidDefinition, kindOf, labelOf, refuseUnknown } from './invalid';
import type { ProviderToolSpec } from './model-port';
import { modelsGiven } from './models/models';
import { fromProviderTool, isProviderTool } from './models/provider-tool';
import { checkModelSchema } from './schemas/check-schema';
import { settingsOfPrompt } from './settings/check';
import type { ModelSettings, ReasoningOptions, ToolChoice } from './settings/settings';
import { checkConfig, type NamedAgents, type NamedByPrompt, namedBy } from './subagent-config';
import { checkEnv, checkVariables, type VariableDefinition } from './variables';

/** What `definePrompt` takes. */
export interface PromptOptions {
  /** Letters, digits, `_` and `-`, a letter or `_` first; at most 64 characters. */
  name: string;
  /** What it does. Empty by default. */
  toolDescription?: string;
  /** What the model is told first; as a function, with the custom state of each step. */
  prompt: PromptDefinition['prompt'];
  /** As that of an agent: a `LanguageModel` of the AI SDK, or a function of the Worker's environment that gives one. */
  model?: PromptDefinition['model'];
  /** Several models in place of one, as those of an agent. */
  models?: GivenModels;
  /**
   * What the model may call: tools, and the names of `agents`. An agent of one side takes the session over; one of two
   * sides is a child that the call waits for, or what the object beside its name says. None by default.
   */
  tools?: readonly (AnyTool | string | SubagentToolConfig)[];
  /** Tools that the model's provider runs itself, by their names: `{ web_search: openai.tools.webSearch() }`. None by default. */
  providerTools?: Readonly<Record<string, AiTool>>;
  /** The agents that `tools` name; a function, where some of them are still being defined. None by default. */
  agents?: NamedAgents;
  /** Whether the model sees what was before the run that goes on. `false` by default. */
  includeChat?: boolean;
  /** With `includeChat`: whether it sees the calls of that with their results. `false` by default. */
  includePastTools?: boolean;
  /**
   * Whether the tools of one reply run at once; otherwise one after the other. Children do in any case. `false` by default.
   * `settings.parallelToolCalls` asks the model for one call a reply.
   */
  parallelToolCalls?: boolean;
  /** The tool that the model has to call, the same as `settings.toolChoice`; `auto` by default. */
  toolChoice?: ToolChoice;
  /** Further settings of its requests. */
  settings?: ModelSettings;
  /** What it takes, where an agent with it is called. */
  requiredSchema?: z.core.$ZodType;
  /** The variables that it needs. None by default. */
  variables?: readonly VariableDefinition[];
  /** Values of variables. None by default. */
  env?: Readonly<Record<string, string>>;
  /** The amount that the model thinks: the same as `settings.reasoning`. */
  reasoning?: ReasoningOptions;
  /** In how many of the newest messages the model sees pictures; 10 by default. */
  recentImageThreshold?: number;
  /** They replace those of the agent, each by its name. */
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
 * @throws OffshootError `invalid_definition` that says what to change; for what `agents` as a function leaves open, when
 *   the Worker begins
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
