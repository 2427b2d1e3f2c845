/**
 * `companion__keepChild`: a sub-agent that was called for one task stays, under a name, with what it remembers.
 *
 * Keeps CP13.
 */
import * as z from 'zod';
import { companionNamed, filesSchema, nameSchema, no, timeoutSchema } from '../../core/agent/built-in/companions/names';
import { committedStatus, oneEnd } from '../../core/agent/built-in/companions/told-to-model';
import type { Child } from '../../core/agent/child';
import type { Draft } from '../../core/agent/draft';
import type { BuiltInCall, BuiltInTool } from '../../core/agent/rules';
import type { AgentDefinition, Companion } from '../../core/definition/definition';
import { notToBeCalled, plannedCopy } from './fork-tool';

/** The companions of an agent that it also calls for one task: those can be kept. */
function kindsOf({ companions, relationships }: AgentDefinition): readonly Companion[] {
  const called = relationships.filter(({ lifetime, placement }) => lifetime === 'call' && placement !== 'remote');
  return companions.filter(({ relationship }) => called.some(({ child }) => child.name === relationship.child.name));
}

const schemaFor = (kinds: readonly string[]) =>
  z.strictObject({
    agent: z.enum(kinds).describe('Which kind of sub-agent.'),
    which: z
      .int()
      .positive()
      .default(1)
      .describe('1: the one of that kind that you called last, 2: the one before it, and so on. 1 by default.'),
    name: nameSchema.describe('What you call it from now on; a name that nobody has.'),
    message: z.string().min(1).describe('What it is to do next, as it is to read it.'),
    files: filesSchema.optional(),
    mode: z
      .enum(['blocking', 'non-blocking'])
      .optional()
      .describe('As for companion__spawnAgent: whether you wait for its output (blocking).'),
    timeout: timeoutSchema.optional().describe('With blocking: wait at most so many ms; it works on.'),
  });

/** Those of a kind that were called in earlier steps, the last one first. */
function calledOf(draft: Draft, { called = [], stepId }: BuiltInCall, kind: string): readonly Child[] {
  const known = called.map((child) => draft.state.children.get(child.childId) ?? child);
  const earlier = known.filter(({ agentType, task }) => agentType === kind && task.stepId !== stepId);
  return earlier.toSorted((one, other) => other.childId - one.childId);
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
        'Keeps a sub-agent that you called by subagent__…, also one that failed: a companion begins under the name with everything that it remembers, and with a further task. Tell it more by companion__sendMessage.',
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
            `Of the sub-agents "${agent}" that you have called, ${called.length} are still there.`,
          );
        const refused = notToBeCalled(draft, definition, call, name);
        if (refused) return refused;
        const { relationship } = companion;
        const isOpen = draft.state.children.has(source.childId);
        if (source.placement.via === 'remote' || source.state.is === 'respawning')
          return no('subagent_lost', 'What it remembers is not here: there is nothing to keep.');
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
