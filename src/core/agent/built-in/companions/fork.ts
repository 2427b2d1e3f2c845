/** `companion__forkChild`: a copy of a companion under a name of its own, with a task to begin with. */
import { z } from 'zod';
import { CHECKPOINT, checkpointOf } from '../../copy';
import { retentionOf } from '../../kept';
import { plannedTask } from '../../planned';
import type { BuiltInTool } from '../../rules';
import {
  childNamed,
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
} from './named';
import { companionStatus, oneEnd } from './told';

const inputSchema = z.strictObject({
  name: nameSchema.describe('Whom to copy.'),
  newName: nameSchema.describe('What you call the copy; a name that nobody has.'),
  checkpoint: z
    .string()
    .regex(CHECKPOINT)
    .optional()
    .describe('A checkpoint of it: the copy remembers nothing after that step. By default it remembers all.'),
  message: z.string().min(1).describe('What the copy is to do, as it is to read it.'),
  files: filesSchema.optional(),
  mode: z
    .enum(['blocking', 'non-blocking'])
    .optional()
    .describe('As for companion__spawnAgent: whether you wait for the output of the copy (blocking).'),
  timeout: timeoutSchema.optional().describe('With blocking: wait at most so many ms; it works on.'),
});

/** The row of `companion__forkChild`. */
export const forkChild: BuiltInTool = {
  name: 'companion__forkChild',
  of(definition) {
    if (!hasCompanions(definition)) return undefined;
    return {
      description:
        'Copies a companion with everything that it remembers, and gives the copy its first task. Both go on by themselves: neither knows of what the other does from then on. What is copied is how it stands now; what it is doing stays with the original alone. Its own companions are copied with it, under the same names.',
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
        if (childNamed(draft, call, newName))
          return no('name_taken', `You have a companion "${newName}" already. Choose another name for the copy.`);
        if (isGiven(definition, newName)) return notToTake(newName);
        const { state, sessionId, address, placement, runNumber, task } = source;
        const relationship = relationshipFor(definition, source);
        if (relationship === undefined || state.is === 'respawning' || (state.is === 'ended' && state.gone))
          return no('subagent_lost', `The memory of "${name}" is gone: there is nothing to copy.`);
        const upTo = checkpoint === undefined ? undefined : checkpointOf({ sessionId }, checkpoint);
        if (checkpoint !== undefined && upTo === undefined)
          return no('not_found', `"${checkpoint}" is no checkpoint of "${name}" as it is now.`);
        const long = tooLong(message, rules);
        if (long) return long;
        const to = { child: relationship.child, workspace: source.workspace ?? ('session' as const) };
        const told = messageFor(draft, call, { text: message, files }, to);
        if ('refused' in told) return told.refused;
        const isNew = task.number === 1 && runNumber === task.firstRun && state.is !== 'ended';
        const known = definition.companions.find((companion) => companion.relationship === relationship);
        const waits = (mode ?? known?.mode) === 'blocking';
        return {
          ...plannedTask(relationship, null),
          retention: retentionOf(source),
          message: told.message,
          childName: newName,
          copyOf: {
            sessionId,
            address,
            placement,
            runNumber,
            ...(isNew && upTo === undefined ? { mayBeNew: true } : {}),
            ...(upTo === undefined ? {} : { upTo }),
          },
          ...(waits ? { waits: until(call.at, timeout) } : {}),
        };
      },
      began: (child) => ({
        success: true,
        value: { name: child.name ?? '', task: child.task.number, status: companionStatus(child) },
      }),
      tell: (ended, { open }) => oneEnd(ended, open, 'output'),
    };
  },
};
