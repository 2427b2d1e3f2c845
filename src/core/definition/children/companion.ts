/**
 * Companions: children that stay, which an agent's model begins, tells, awaits and ends by the tools `companion__…`.
 *
 * Decides: the options of a companion, with their defaults.
 * Keeps CO1, CO10, CR1, RG1.
 */

import { identifierOf } from '../../../protocol/ids';
import { COMPANION_TOOL_PREFIX } from '../define-tool';
import type { Companion, CompanionMode, RetentionRule } from '../definition';
import { checkKinds, invalidDefinition, refuseUnknown } from '../invalid';
import type { AgentTypes } from '../types';
import {
  type AgentSource,
  CHILD_OPTIONS,
  type ChildOptions,
  checkChildOptions,
  givenAgent,
  NAMED,
  oneOf,
  relationshipTo,
  type WorkspaceLifetime,
} from './child-options';
import { isElsewhere } from './elsewhere';

/**
 * Returns true for the name of a companion tool.
 * @example
 * const calls = ['companion__spawnAgent', 'clock'].filter(isCompanionTool);
 */
export function isCompanionTool(name: string): boolean {
  return name.startsWith(COMPANION_TOOL_PREFIX) && name.length > COMPANION_TOOL_PREFIX.length;
}

/** An entry of `persistentAgents`: an agent as a companion of another. */
export interface PersistentAgent<Types extends AgentTypes = AgentTypes> extends ChildOptions {
  /** The agent, or a function that returns it if it is not defined yet. List each agent once. */
  agent: AgentSource<Types>;
  /**
   * `blocking` (default): the call that begins a task waits for its output (`suspended_awaiting_children`).
   * `non-blocking`: the call returns at once, and the output arrives as a message. Each call may override this.
   */
  mode?: CompanionMode;
  /** Description for the parent's model; the agent's own by default. */
  description?: string;
  /**
   * Lifetime of the companion's files. `session` (default): as long as the companion exists. `per-invocation`: until
   * its next task begins. It has no effect with `inheritWorkspace`.
   */
  workspaceLifetime?: WorkspaceLifetime;
  /**
   * Lifetime of the companion. `tree` (default): as long as its root. `run`: until the end of the run that started it.
   * An interrupted run has not ended, because it can be resumed. Each call may override this.
   */
  retention?: RetentionRule;
  /**
   * Whether a task may name this agent and its other companions for reading. Until the task ends, the tool `__read__`
   * shows their messages, custom state and files. `false` by default.
   */
  mayRead?: boolean;
}

const OPTIONS = ['agent', 'mode', 'description', 'workspaceLifetime', 'retention', 'mayRead', ...CHILD_OPTIONS];
const FILE_OPTIONS = ['inheritWorkspace', 'returnsFiles', 'workspaceLifetime'] as const;
const LIFETIMES: readonly WorkspaceLifetime[] = ['session', 'per-invocation'];
/** The values of `retention`. */
export const RETENTIONS = ['tree', 'run'] as const satisfies readonly RetentionRule[];
const MODES: readonly CompanionMode[] = ['blocking', 'non-blocking'];

/** The companions of an agent, checked. @throws OffshootError `invalid_definition` */
export function companionsOf(agent: string, given: readonly PersistentAgent[]): readonly Companion[] {
  const companions = given.map((one) => companionOf(`A companion of agent "${agent}"`, one));
  const known = given.map(({ agent: one }) => (typeof one === 'function' ? one : one.name));
  const twice = known.find((one, at) => known.indexOf(one) !== at);
  if (twice !== undefined)
    invalidDefinition(
      `Agent "${agent}" has ${typeof twice === 'function' ? 'the same function' : `"${twice}"`} twice in \`persistentAgents\`. List it once: each call may choose its mode.`,
    );
  return Object.freeze(companions);
}

/** Refuses an agent, or a tool of one, where an entry with options belongs. */
function refuseBare(where: string, entry: unknown): void {
  if (typeof entry === 'function')
    invalidDefinition(`${where} is a function: write \`{ agent: () => … }\` in \`persistentAgents\`.`);
  if (typeof entry !== 'object' || entry === null) return;
  const { name }: { readonly name?: unknown } = entry;
  if ('addressClass' in entry)
    invalidDefinition(
      `${where}: "${String(name)}" is an agent. Write \`{ agent: ${identifierOf(String(name))} }\` in \`persistentAgents\`.`,
    );
  if ('runsAt' in entry)
    invalidDefinition(
      `${where}: "${String(name)}" is a tool. Write \`{ agent: … }\` with an agent in \`persistentAgents\`.`,
    );
}

function companionOf(where: string, options: PersistentAgent): Companion {
  refuseBare(where, options);
  refuseUnknown(where, options, OPTIONS);
  const { agent, mode = 'blocking', description } = options;
  checkKinds(where, options, { description: 'text', mayRead: 'flag' });
  oneOf(where, 'mode', mode, MODES);
  oneOf(where, 'workspaceLifetime', options.workspaceLifetime ?? 'session', LIFETIMES);
  oneOf(where, 'retention', options.retention ?? 'tree', RETENTIONS);
  checkChildOptions(where, options);
  const child = () => {
    const found = givenAgent(where, agent, options.inheritWorkspace);
    const ofFiles = FILE_OPTIONS.find((option) => options[option] !== undefined && options[option] !== false);
    if (ofFiles !== undefined && isElsewhere(found))
      invalidDefinition(`${where}: "${found.name}" is remote and cannot receive files: remove \`${ofFiles}\`.`);
    if (options.mayRead && isElsewhere(found))
      invalidDefinition(`${where}: "${found.name}" is remote and cannot read other agents: remove \`mayRead\`.`);
    if (options.placement !== undefined && isElsewhere(found))
      invalidDefinition(`${where}: "${found.name}" is remote: remove \`placement\`.`);
    return found;
  };
  if (typeof agent !== 'function') child();
  return Object.freeze({
    mode,
    get description() {
      return description ?? child().description;
    },
    relationship: relationshipTo(child, NAMED, options),
  });
}
