/** Agents as people define them, checked. */
import type { z } from 'zod';
import { kebabCase, pascalCase } from '../../protocol/ids';
import { checkToolName, SUBAGENT_TOOL_PREFIX, TOOL_NAME } from './define-tool';
import {
  type AgentDefinition,
  type ConcurrentStartRule,
  RELATIONSHIP,
  type StepFacts,
  type ToolDefinition,
} from './definition';
import { type AgentHooks, HOOK_NAMES } from './hook-types';
import { invalidDefinition, refuseUnknown } from './invalid';
import { DEFAULT_LIMITS, type Limits, limitProblem } from './limits';

const AGENT_OPTIONS = [
  'name',
  'description',
  'systemPrompt',
  'model',
  'tools',
  'inputSchema',
  'outputSchema',
  'stateSchema',
  'maxSteps',
  'limits',
  'onConcurrentStart',
  'hooks',
  'price',
  'root',
  'documents',
  'stopWhen',
];

function checkAgentName(name: string): { className: string; addressClass: string } {
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)) {
    invalidDefinition(
      `Agent name "${name}": it must begin with a letter and hold letters, digits, "-" or "_", at most 64.`,
    );
  }
  const className = pascalCase(name);
  const addressClass = kebabCase(className);
  if (pascalCase(addressClass) !== className) {
    invalidDefinition(
      `Agent name "${name}": the class "${className}" would be "${addressClass}" in addresses, which reads as "${pascalCase(addressClass)}"; call it "${addressClass}".`,
    );
  }
  if (addressClass === 'sub')
    invalidDefinition(
      `Agent name "${name}" would become "sub" in addresses, which separates levels there; choose another.`,
    );
  return { className, addressClass };
}

/** A tool that was put together by hand is held to what the functions that make tools hold to. */
function checkTools(agent: string, tools: readonly ToolDefinition[]): void {
  const seen = new Set<string>();
  for (const tool of tools) {
    const { name } = tool;
    if (tool[RELATIONSHIP] === undefined) {
      checkToolName(name, `Agent "${agent}": `);
      if (typeof tool.execute !== 'function' && tool.runsAt !== 'client')
        invalidDefinition(`Agent "${agent}": make the tool "${name}" with \`defineTool\`; it has no body.`);
    } else if (!(name.startsWith(SUBAGENT_TOOL_PREFIX) && TOOL_NAME.test(name)))
      invalidDefinition(`Agent "${agent}": the tool "${name}" is a sub-agent; make it with \`createSubAgentTool\`.`);
    if (seen.has(name))
      invalidDefinition(`Agent "${agent}" has two tools named "${name}"; rename one, or wrap another agent.`);
    seen.add(name);
  }
}

const CONCURRENT_STARTS: readonly ConcurrentStartRule[] = ['refuse', 'queue', 'interrupt_previous'];

function checkBehaviour({ name, hooks = {}, onConcurrentStart = 'refuse', price }: AgentOptions): void {
  for (const [hook, given] of Object.entries(hooks)) {
    if (!(HOOK_NAMES as readonly string[]).includes(hook))
      invalidDefinition(`Agent "${name}" has an unknown hook "${hook}". There are: ${HOOK_NAMES.join(', ')}.`);
    const body: unknown = typeof given === 'object' && given !== null ? given.run : given;
    if (typeof body !== 'function') invalidDefinition(`Agent "${name}": the hook "${hook}" must be a function.`);
    if (hook === 'onRunSettled' && typeof given === 'object' && given.failRun === true)
      invalidDefinition(`Agent "${name}": the hook "${hook}" cannot fail a run that ends; drop \`failRun\`.`);
  }
  if (!CONCURRENT_STARTS.includes(onConcurrentStart))
    invalidDefinition(`Agent "${name}": \`onConcurrentStart\` must be one of ${CONCURRENT_STARTS.join(', ')}.`);
  if (typeof price !== 'object') return;
  for (const [part, value] of Object.entries(price)) {
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY))
      invalidDefinition(`Agent "${name}": \`price.${part}\` must be US dollars for a million tokens, 0 or more.`);
  }
}

/** What `defineAgent` takes. */
export interface AgentOptions {
  /** Also names the class (`fact-checker` is exported as `FactChecker`) and the address. */
  name: string;
  description?: string;
  systemPrompt: AgentDefinition['systemPrompt'];
  model: AgentDefinition['model'];
  tools?: readonly ToolDefinition[];
  /** Checks `input` of a start; the input's JSON is the first user message. */
  inputSchema?: z.ZodType;
  /** The typed output; adds the tool `__finish__` that the model ends with. Without it, text ends the run. */
  outputSchema?: z.ZodType;
  /** The custom state; its defaults are the first state. */
  stateSchema?: z.ZodType;
  /** Steps of one turn; 50 by default. */
  maxSteps?: number;
  limits?: Partial<Limits>;
  /** What a start does while a run goes on; `refuse` by default. */
  onConcurrentStart?: ConcurrentStartRule;
  /** Called at points of the agent's life, in order, each once for each run and event. */
  hooks?: AgentHooks;
  /** What the model costs, so that usage and budgets know it. */
  price?: AgentDefinition['price'];
  /** `false`: it only ever works for other agents, and a start of it as a root is refused (`not_a_root`). `true` by default. */
  root?: boolean;
  /** The documents of a root of this agent, listed, removed and shared by the API, and forgotten when the root is deleted. */
  documents?: NonNullable<AgentDefinition['documents']>;
  stopWhen?: (step: StepFacts) => boolean;
}

/**
 * Defines an agent.
 * @throws OffshootError `invalid_definition` that says what to change.
 */
export function defineAgent(agent: AgentOptions): AgentDefinition {
  const names = checkAgentName(agent.name);
  refuseUnknown(`Agent "${agent.name}"`, agent, AGENT_OPTIONS);
  refuseUnknown(`The limits of agent "${agent.name}"`, agent.limits ?? {}, Object.keys(DEFAULT_LIMITS));
  const tools = agent.tools ?? [];
  checkTools(agent.name, tools);
  const limits = { ...agent.limits, ...(agent.maxSteps === undefined ? {} : { maxSteps: agent.maxSteps }) };
  for (const [limit, value] of Object.entries(limits)) {
    const problem = limitProblem(limit, value);
    if (problem !== undefined) invalidDefinition(`Agent "${agent.name}": the limit \`${limit}\` ${problem}.`);
  }
  checkBehaviour(agent);
  return Object.freeze({
    name: agent.name,
    ...names,
    description: agent.description ?? '',
    systemPrompt: agent.systemPrompt,
    model: agent.model,
    tools,
    relationships: Object.freeze([...new Set(tools.flatMap((tool) => tool[RELATIONSHIP] ?? []))]),
    ...(agent.inputSchema ? { inputSchema: agent.inputSchema } : {}),
    ...(agent.outputSchema ? { outputSchema: agent.outputSchema } : {}),
    ...(agent.stateSchema ? { stateSchema: agent.stateSchema } : {}),
    limits,
    onConcurrentStart: agent.onConcurrentStart ?? 'refuse',
    hooks: agent.hooks ?? {},
    root: agent.root ?? true,
    ...(agent.price ? { price: agent.price } : {}),
    ...(agent.documents ? { documents: agent.documents } : {}),
    ...(agent.stopWhen ? { stopWhen: agent.stopWhen } : {}),
  });
}
