/**
 * What a call makes of a `SubagentEntry`: the child that it begins, what that is told first, and what it is called. The
 * one way in which such a child comes to be, whoever asks for it.
 *
 * Decides: the first message and the name of a sub-agent.
 * Keeps SA15, SA17, SA9, SA10.
 */
import * as z from 'zod';
import { beginningOf } from '../../../protocol/content/cut';
import { isObject, type Json } from '../../../protocol/json';
import type { AgentDefinition, AnyTool, Handoff, SubagentEntry } from '../../definition/definition';
import { RELATIONSHIP } from '../../definition/definition';
import { limitsOf } from '../../definition/limits';
import { plannedTask } from '../calls/call-plan';
import { pathsIn, pathsSchema } from '../calls/enclosures';
import type { PlannedCall } from '../events';

/** A display name has at most so many characters. */
const MAX_NAME = 120;

type Planned = Omit<Extract<PlannedCall, { kind: 'child' }>, 'providerId' | 'name'>;

/** What a child by an entry is given. */
export interface GivenToSubagent {
  readonly first: string;
  readonly threadName?: string;
  /** Paths of the parent's files that go with what it is told first. */
  readonly files?: readonly string[];
}

/** A child by an entry of the prompt that is at work. */
export function plannedSubagent(
  definition: AgentDefinition,
  entry: SubagentEntry,
  { files = [], ...given }: GivenToSubagent,
): Planned {
  const { config, description, relationship } = entry;
  const { title, limits } = relationship.child;
  const { blocking, resumable } = config;
  const maxInstances = resumable === false ? undefined : resumable.maxInstances;
  return {
    ...plannedTask(relationship, null),
    registers: {
      ...given,
      prompt: promptOf(definition),
      ...(title === undefined ? {} : { title }),
      description,
      resumable: resumable !== false,
      ...(resumable === false ? {} : { receives: resumable.receives_messages }),
      blocking,
      ...(maxInstances === undefined ? {} : { maxInstances }),
      ...(files.length === 0 ? {} : { files: { paths: files, maxBytes: limitsOf(limits).maxFileBytes } }),
    },
  };
}

/** What a sub-agent is told that begins with a prompt: nobody has asked it for anything yet. */
const BEGIN = 'Begin.';

/** The sub-agents that begin with the prompt of a definition; nobody waits for their ends. */
export function immediatesOf(definition: AgentDefinition): Extract<PlannedCall, { kind: 'child' }>[] {
  return definition.subagents
    .filter(({ config }) => config.immediate)
    .map((entry) => ({
      providerId: '',
      name: entry.name,
      ...plannedSubagent(definition, entry, { first: BEGIN }),
      await: 'notice',
      deliver: 'envelope',
    }));
}

/** The names on a way by which an agent would begin itself with its prompts, if there is one. */
export function immediateCycle(agent: AgentDefinition, path: readonly string[] = [agent.name]): string[] | undefined {
  for (const { config, relationship } of agent.subagents) {
    if (!config.immediate) continue;
    const { child } = relationship;
    const way = [...path, child.name];
    if (path.includes(child.name)) return way;
    const found = immediateCycle(child, way);
    if (found) return found;
  }
  return undefined;
}

/** What the entries of a definition are told apart by from those of others. */
export const promptOf = ({ prompt, name }: AgentDefinition): string => prompt?.name ?? name;

/** The entries whose children stay, and those whose children live for one call. */
export function entriesOf({ subagents }: AgentDefinition): { lasting: SubagentEntry[]; passing: SubagentEntry[] } {
  const lasting = subagents.filter(({ config }) => config.resumable !== false);
  return { lasting, passing: subagents.filter((entry) => !lasting.includes(entry)) };
}

/** The schema of the prompt that hears a child's parent, where it has one. */
export function requiredBy({ relationship, config }: SubagentEntry): z.core.$ZodType | undefined {
  const { sides, inputSchema } = relationship.child;
  const side = config.resumable === false ? 'side_a' : config.resumable.receives_messages;
  return sides ? sides[side].definition.prompt?.requiredSchema : inputSchema;
}

/** The tool of an entry whose children live for one call: it has the name of the agent. */
export function directTool(entry: SubagentEntry): AnyTool {
  return {
    name: entry.name,
    description: entry.description,
    inputSchema: requiredBy(entry) ?? mappedArguments(entry),
    runsAt: 'server',
    requireApproval: false,
    replay: 'safe',
    finishWith: false,
    [RELATIONSHIP]: entry.relationship,
  };
}

/** The tool that hands a session over: it has the name of the agent, which reads the arguments in the conversation. */
export function handoffTool({ name, description, agent }: Handoff): AnyTool {
  return {
    name,
    description,
    inputSchema: agent.inputSchema ?? z.looseObject({}),
    runsAt: 'server',
    requireApproval: false,
    replay: 'safe',
    finishWith: false,
  };
}

/** Any arguments, with those that something is made of. */
function mappedArguments({ config }: SubagentEntry): z.core.$ZodType {
  const { initUserMessageProperty: message, initAttachmentsProperty: files, initAgentNameProperty: name } = config;
  return z.looseObject({
    ...(message === undefined ? {} : { [message]: z.string().optional().describe('Its task.') }),
    ...(files === undefined ? {} : { [files]: pathsSchema.optional() }),
    ...(name === undefined ? {} : { [name]: z.string().optional().describe('Its name.') }),
  });
}

/** What the arguments of such a tool are to the child that it begins. */
export function givenBy({ config }: SubagentEntry, args: Json): GivenToSubagent | { readonly problem: string } {
  const { initUserMessageProperty, initAttachmentsProperty, initAgentNameProperty } = config;
  const files = filesIn(args, initAttachmentsProperty);
  if ('problem' in files) return files;
  const threadName =
    initAgentNameProperty === undefined ? undefined : displayName(propertyOf(args, initAgentNameProperty));
  return {
    first: firstMessage(files.rest, initUserMessageProperty),
    ...(threadName === undefined ? {} : { threadName }),
    ...(files.paths.length === 0 ? {} : { files: files.paths }),
  };
}

/** The paths that an argument names, and the arguments without it: paths of a parent mean nothing to its child. */
export function filesIn(
  args: Json,
  property: string | undefined,
): { readonly paths: readonly string[]; readonly rest: Json } | { readonly problem: string } {
  const value = property === undefined ? undefined : propertyOf(args, property);
  if (value === undefined) return { paths: [], rest: args };
  const named = pathsIn(value);
  if ('problem' in named) return { problem: `\`${property}\` ${named.problem}` };
  const rest = isObject(args) ? Object.fromEntries(Object.entries(args).filter(([name]) => name !== property)) : args;
  return { paths: named.paths, rest };
}

const propertyOf = (args: Json, name: string): Json | undefined =>
  isObject(args) && Object.hasOwn(args, name) ? args[name] : undefined;

/** What one is told whose call has no arguments: models refuse a message without words. */
const NO_ARGUMENTS = 'You were called without arguments.';

/** The first message: the argument that is mapped to it, else all arguments, else that there are none. */
export function firstMessage(args: Json, property: string | undefined): string {
  const mapped = property === undefined ? undefined : propertyOf(args, property);
  if (mapped !== undefined) return typeof mapped === 'string' ? mapped : JSON.stringify(mapped);
  const none = args === null || (isObject(args) && Object.keys(args).length === 0);
  return none ? NO_ARGUMENTS : JSON.stringify(args, null, 2);
}

/** A name as it is shown: one line without spaces at its ends, cut; undefined where there is none. */
export function displayName(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = beginningOf(value.replaceAll(/\s+/g, ' ').trim(), MAX_NAME).trim();
  return name === '' ? undefined : name;
}
