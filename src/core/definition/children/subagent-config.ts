/**
 * The agents that a prompt names: those of two sides are its children, those of one take its session over.
 *
 * Decides: the options of a `SubagentEntry`.
 * Keeps SA13, SA16, SA20, SA21.
 */
import { VARIABLE_NAME } from '../../../protocol/data-limits';
import { SIDES } from '../../../protocol/sides';
import { checkToolName } from '../define-tool';
import type { AgentDefinition, Handoff, SubagentEntry, SubagentToolConfig } from '../definition';
import { invalidDefinition, refuseUnknown } from '../invalid';
import { limitProblem } from '../limits';
import {
  type AgentSource,
  type ChildOptions,
  checkChildOptions,
  givenAgent,
  oneOf,
  relationshipTo,
} from './child-options';
import { isElsewhere } from './elsewhere';

/** The agents that a prompt names, or a function that returns them if some are not defined yet. */
export type NamedAgents = readonly AgentSource[] | (() => readonly AgentSource[]);

/** What a prompt names. */
export interface NamedByPrompt {
  readonly subagents: readonly SubagentEntry[];
  readonly handoffs: readonly Handoff[];
}

const OPTIONS = [
  'name',
  'blocking',
  'initUserMessageProperty',
  'initAttachmentsProperty',
  'initAgentNameProperty',
  'immediate',
  'optional',
  'resumable',
  'budget',
  'timeoutMs',
  'placement',
];
const RESUMABLE_OPTIONS = ['receives_messages', 'maxInstances'];

/** @throws OffshootError `invalid_definition` for a field that is none or has a wrong value */
export function checkConfig(where: string, config: SubagentToolConfig): void {
  const { name, blocking, immediate, resumable = false } = config;
  const what = `${where}: the sub-agent "${name}"`;
  checkToolName(name, `${where}: `);
  refuseUnknown(what, config, OPTIONS);
  for (const [option, value] of Object.entries({ blocking, immediate }))
    if (value !== undefined && typeof value !== 'boolean')
      invalidDefinition(`${what}: \`${option}\` must be true or false.`);
  const { initUserMessageProperty, initAttachmentsProperty, initAgentNameProperty, optional } = config;
  const texts = { initUserMessageProperty, initAttachmentsProperty, initAgentNameProperty };
  for (const [option, value] of Object.entries(texts))
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      invalidDefinition(`${what}: \`${option}\` must be a name.`);
  if (optional !== undefined && !(typeof optional === 'string' && VARIABLE_NAME.test(optional)))
    invalidDefinition(`${what}: \`optional\` must be the name of a variable: letters, digits and "_".`);
  checkChildOptions(what, placedBy(config));
  if (resumable === false) return;
  if (typeof resumable !== 'object' || resumable === null)
    invalidDefinition(`${what}: \`resumable\` must be false or \`{ receives_messages, maxInstances? }\`.`);
  refuseUnknown(`${what}: \`resumable\``, resumable, RESUMABLE_OPTIONS);
  oneOf(what, 'resumable.receives_messages', resumable.receives_messages, SIDES);
  const { maxInstances } = resumable;
  const problem = maxInstances === undefined ? undefined : limitProblem('maxInstances', maxInstances);
  if (problem !== undefined) invalidDefinition(`${what}: \`resumable.maxInstances\` ${problem}.`);
}

/** What an entry says of its children as any other parent may. */
function placedBy({ budget, timeoutMs, placement }: SubagentToolConfig): ChildOptions {
  return {
    ...(budget ? { budget } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(placement === undefined ? {} : { placement }),
  };
}

/** What a prompt names, each looked up among its agents. @throws OffshootError `invalid_definition` */
export function namedBy(
  prompt: string,
  named: readonly (string | SubagentToolConfig)[],
  agents: NamedAgents,
): NamedByPrompt {
  const known = new Map<string, AgentDefinition>();
  for (const given of typeof agents === 'function' ? agents() : agents) {
    const agent = givenAgent(`prompt "${prompt}"`, given);
    const other = known.get(agent.name);
    if (other !== undefined && other !== agent)
      invalidDefinition(`Prompt "${prompt}" has two \`agents\` named "${agent.name}"; rename one.`);
    known.set(agent.name, agent);
  }
  const subagents: SubagentEntry[] = [];
  const handoffs: Handoff[] = [];
  for (const one of named) {
    const name = typeof one === 'string' ? one : one.name;
    const agent = callable(prompt, name, known);
    const description = agent.toolDescription ?? agent.description;
    if (agent.sides !== undefined) {
      subagents.push(entryOf(agent, description, typeof one === 'string' ? { name } : one));
      continue;
    }
    if (typeof one !== 'string')
      invalidDefinition(
        `Prompt "${prompt}": the agent "${name}" has one side and takes over the session: list it by name only, or define it with \`defineDualAgent\`.`,
      );
    handoffs.push(Object.freeze({ name, description, agent }));
  }
  return { subagents: Object.freeze(subagents), handoffs: Object.freeze(handoffs) };
}

function callable(prompt: string, name: string, known: ReadonlyMap<string, AgentDefinition>): AgentDefinition {
  const agent = known.get(name);
  if (agent === undefined) {
    const names = [...known.keys()].join(', ') || 'none';
    invalidDefinition(
      `Prompt "${prompt}" names the agent "${name}", which its \`agents\` do not have. Available agents: ${names}.`,
    );
  }
  if (isElsewhere(agent))
    invalidDefinition(
      `Prompt "${prompt}" names the agent "${name}", which is remote: add a tool made by \`createRemoteSubAgentTool\` to the prompt.`,
    );
  if (!agent.exposeAsTool)
    invalidDefinition(
      `Prompt "${prompt}" names the agent "${name}", which no prompt may call: define it with \`exposeAsTool: true\`.`,
    );
  return agent;
}

function entryOf(agent: AgentDefinition, description: string, given: SubagentToolConfig): SubagentEntry {
  const { blocking = true, immediate = false, resumable = false } = given;
  const relationship = relationshipTo(
    () => agent,
    {
      lifetime: resumable === false ? 'call' : 'named',
      await: blocking ? 'step' : 'notice',
      deliver: blocking ? 'result' : 'envelope',
    },
    // An envelope wakes whoever it is for.
    { onIdle: 'wake', ...placedBy(given) },
  );
  const config = Object.freeze({ ...given, blocking, immediate, resumable });
  return Object.freeze({ config, name: agent.name, description, relationship });
}
