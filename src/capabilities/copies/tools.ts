/**
 * The tools of copies. `companion__forkChild` copies a companion under another name, with a first task;
 * `companion__keepChild` keeps a sub-agent that was called for one task.
 *
 * Keeps CP1, CP6, CP13, CP22, CP30, CP48, CP67.
 */
import * as z from 'zod';
import {
  childNamed,
  companionNamed,
  filesSchema,
  hasCompanions,
  isGiven,
  messageFor,
  nameSchema,
  no,
  nobody,
  notToTake,
  relationshipFor,
  timeoutSchema,
  tooLong,
  until,
} from '../../core/agent/built-in/companions/names';
import { committedStatus, oneEnd } from '../../core/agent/built-in/companions/told-to-model';
import { plannedTask } from '../../core/agent/calls/call-plan';
import type { Child } from '../../core/agent/children/child';
import { retentionOf } from '../../core/agent/children/child-retention';
import type { Draft } from '../../core/agent/draft';
import type { BuiltInCall, BuiltInPlan, BuiltInTool, Rules } from '../../core/agent/rules';
import type { AgentDefinition, Companion, Relationship, RetentionRule } from '../../core/definition/definition';
import { CHECKPOINT, checkpointOf } from './memory';
import { needsCopy } from './source';

const inputSchema = z.strictObject({
  name: nameSchema.describe('The companion to copy.'),
  newName: nameSchema.describe('The name of the copy; it must be free.'),
  checkpoint: z
    .string()
    .regex(CHECKPOINT)
    .optional()
    .describe('A checkpoint of it: the copy remembers nothing after that step. By default it remembers everything.'),
  message: z.string().min(1).describe('The first task of the copy, as a message to it.'),
  files: filesSchema.optional(),
  mode: z
    .enum(['blocking', 'non-blocking'])
    .optional()
    .describe('As for companion__spawnAgent: whether you wait for the output of the copy (blocking).'),
  timeout: timeoutSchema.optional().describe('With blocking: the longest wait, in ms; the companion keeps working.'),
});

/** What a copy is made of, and what it is to do. */
export interface Copied {
  readonly source: Child;
  readonly relationship: Relationship;
  readonly retention: RetentionRule;
  readonly name: string;
  readonly message: string;
  readonly files?: readonly string[] | undefined;
  /** It perhaps has not begun. */
  readonly mayBeNew: boolean;
  readonly upTo?: number | undefined;
  readonly waits: boolean;
  readonly timeout?: number | undefined;
}

/** The refusal of a name for a copy, if it is refused. */
function notToBeCalled(
  draft: Draft,
  definition: AgentDefinition,
  call: BuiltInCall,
  name: string,
): BuiltInPlan | undefined {
  if (childNamed(draft, call, name))
    return no('name_taken', `You already have a companion "${name}". Choose another name for the copy.`);
  return isGiven(definition, name) ? notToTake(name) : undefined;
}

/** The plan of a call that makes a child with the memory of another one, under a new name. */
function plannedCopy(draft: Draft, call: BuiltInCall, rules: Rules, copied: Copied): BuiltInPlan {
  const { source, relationship, retention, name, message, files, mayBeNew, upTo, waits, timeout } = copied;
  if (source.placement.via === 'remote')
    return no('not_copyable', 'It is remote: its memory cannot be copied. Begin another one.');
  const long = tooLong(message, rules);
  if (long) return long;
  const told = messageFor(draft, call, { text: message, files }, relationship);
  if ('refused' in told) return told.refused;
  const { sessionId, address, placement, runNumber } = source;
  return {
    ...plannedTask(relationship, null),
    retention,
    message: told.message,
    childName: name,
    first: needsCopy({
      sessionId,
      address,
      placement,
      runNumber,
      ...(mayBeNew ? { mayBeNew } : {}),
      ...(upTo === undefined ? {} : { upTo }),
    }),
    ...(waits ? { waits: until(call.at, timeout) } : {}),
  };
}

/** The row of `companion__forkChild`. */
export const forkChild: BuiltInTool = {
  name: 'companion__forkChild',
  of(definition) {
    if (!hasCompanions(definition)) return undefined;
    return {
      description:
        'Copies a companion with its memory, and gives the copy its first task. From then on the two are independent. The copy is a snapshot of the current moment; work in progress stays with the original. Its own companions are copied with it, under the same names.',
      endsRun: false,
      inputSchema,
      needs(args) {
        const { name, newName, files = [] } = inputSchema.parse(args);
        return { names: [name, newName], files };
      },
      apply(draft, call, rules) {
        const { name, newName, message, files, mode, timeout, checkpoint } = inputSchema.parse(call.args);
        const source = childNamed(draft, call, name);
        if (source === undefined) return nobody(name);
        const refused = notToBeCalled(draft, definition, call, newName);
        if (refused) return refused;
        const { state } = source;
        const relationship = relationshipFor(definition, source);
        if (relationship === undefined || state.is === 'respawning' || (state.is === 'ended' && state.gone))
          return no('subagent_lost', `The memory of "${name}" is gone: there is nothing to copy.`);
        const upTo = checkpoint === undefined ? undefined : checkpointOf(source, checkpoint);
        if (checkpoint !== undefined && upTo === undefined)
          return no('not_found', `"${checkpoint}" is not a current checkpoint of "${name}".`);
        const known = definition.companions.find((companion) => companion.relationship === relationship);
        return plannedCopy(draft, call, rules, {
          source,
          relationship,
          retention: retentionOf(source),
          name: newName,
          message,
          files,
          mayBeNew: !source.begun && upTo === undefined,
          upTo,
          waits: (mode ?? known?.mode) === 'blocking',
          timeout,
        });
      },
      began: (child) => ({
        success: true,
        value: { name: child.name ?? '', task: child.task.number, status: committedStatus(child) },
      }),
      tell: (ended, { open }) => oneEnd(ended, open, 'output'),
    };
  },
};

/** The companions of an agent that it also calls for one task: those can be kept. */
function kindsOf({ companions, relationships }: AgentDefinition): readonly Companion[] {
  const called = relationships.filter(({ lifetime, placement }) => lifetime === 'call' && placement !== 'remote');
  return companions.filter(({ relationship }) => called.some(({ child }) => child.name === relationship.child.name));
}

const schemaFor = (kinds: readonly string[]) =>
  z.strictObject({
    agent: z.enum(kinds).describe('The kind of sub-agent.'),
    which: z
      .int()
      .positive()
      .default(1)
      .describe('1: the one of that kind that you called last, 2: the one before it, and so on. 1 by default.'),
    name: nameSchema.describe('Its name from now on; it must be free.'),
    message: z.string().min(1).describe('Its next task, as a message to it.'),
    files: filesSchema.optional(),
    mode: z
      .enum(['blocking', 'non-blocking'])
      .optional()
      .describe('As for companion__spawnAgent: whether you wait for its output (blocking).'),
    timeout: timeoutSchema.optional().describe('With blocking: the longest wait, in ms; the companion keeps working.'),
  });

/** Those of a kind that were called, the last one first. All of them are of earlier steps: they were there before the reply. */
function calledOf(draft: Draft, { called = [] }: BuiltInCall, kind: string): readonly Child[] {
  const known = called.map((child) => draft.state.children.get(child.childId) ?? child);
  const ofKind = known.filter(({ agentType }) => agentType === kind);
  return ofKind.toSorted((one, other) => other.childId - one.childId);
}

/** The row of `companion__keepChild`. */
export const keepChild: BuiltInTool = {
  name: 'companion__keepChild',
  of(definition) {
    const kinds = kindsOf(definition);
    if (kinds.length === 0) return undefined;
    const inputSchema = schemaFor(kinds.map(({ relationship }) => relationship.child.name));
    return {
      description:
        'Keeps a sub-agent that you called by subagent__…, even if it failed: a companion begins under the name, with its memory and a next task. Send it more with companion__sendMessage.',
      endsRun: false,
      inputSchema,
      needs(args) {
        const { agent, name, files = [] } = inputSchema.parse(args);
        return { names: [name], called: agent, files };
      },
      apply(draft, call, rules) {
        const { agent, which, name, message, files, mode, timeout } = inputSchema.parse(call.args);
        const companion = companionNamed(definition.companions, agent);
        if (companion === undefined) return no('invalid_arguments', `Unknown persistent agent type "${agent}".`);
        const called = calledOf(draft, call, agent);
        const source = called[which - 1];
        if (source === undefined)
          return no(
            'not_found',
            `Of the sub-agents "${agent}" that you have called, ${called.length} are still available.`,
          );
        const refused = notToBeCalled(draft, definition, call, name);
        if (refused) return refused;
        const { relationship } = companion;
        const isOpen = draft.state.children.has(source.childId);
        if (source.placement.via === 'remote' || source.state.is === 'respawning')
          return no('subagent_lost', 'Its memory is not available: there is nothing to keep.');
        return plannedCopy(draft, call, rules, {
          source,
          relationship,
          retention: relationship.retention,
          name,
          message,
          files,
          mayBeNew: isOpen && !source.begun,
          waits: (mode ?? companion.mode) === 'blocking',
          timeout,
        });
      },
      began: (child) => ({
        success: true,
        value: { name: child.name ?? '', task: child.task.number, status: committedStatus(child) },
      }),
      tell: (ended, { open }) => oneEnd(ended, open, 'output'),
    };
  },
};
