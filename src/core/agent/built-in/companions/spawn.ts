/**
 * `companion__spawnAgent`: begins a companion under a name, or gives one whose work has ended its next task.
 *
 * Decides: whom a task may read.
 * Keeps CO3, CO10, RG1.
 */
import * as z from 'zod';
import { RETENTIONS } from '../../../definition/companion';
import type { AgentDefinition, Companion } from '../../../definition/definition';
import { plannedTask } from '../../call-plan';
import { type Child, hasForgotten, type Readable } from '../../child';
import { retentionOf } from '../../child-retention';
import type { Draft } from '../../draft';
import type { BuiltInCall, BuiltInPlan, BuiltInTool, Rules } from '../../rules';
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
  timeoutSchema,
  tooLong,
  until,
} from './names';
import { committedStatus, oneEnd } from './told-to-model';

/** A task names so many whom its child may read, at most. */
const MAX_READ = 20;

const schemaFor = (agents: readonly string[]) =>
  z.strictObject({
    agent: z.enum(agents).describe('Which kind of companion.'),
    initialMessage: z.string().min(1).describe('What it is to do, as it is to read it.'),
    name: nameSchema.optional().describe('What you call it from now on; a name is given where this is missing.'),
    mode: z
      .enum(['blocking', 'non-blocking'])
      .optional()
      .describe(
        'blocking: you get its output as the result. non-blocking: it works beside you, and a message tells its end.',
      ),
    files: filesSchema.optional(),
    timeout: timeoutSchema.optional().describe('With blocking: wait at most so many ms; it works on.'),
    retention: z
      .enum(RETENTIONS)
      .optional()
      .describe(
        'tree: you keep it also when you have ended, for your next turn. run: it goes, with all that it remembers, when you end. As its kind says by default.',
      ),
    reads: z
      .array(nameSchema)
      .min(1)
      .max(MAX_READ)
      .optional()
      .describe('Names of other companions of yours that it may read until this task ends, where its kind may read.'),
    readsMe: z.boolean().optional().describe('It may read you until this task ends, where its kind may read.'),
    keepMemory: z
      .boolean()
      .optional()
      .describe('For a name whose last task failed: go on with what it remembers. By default it begins afresh.'),
  });

function describe(companions: readonly Companion[]): string {
  const kinds = companions.map(
    ({ relationship, mode, description }) => `- ${relationship.child.name} (${mode}): ${description}`,
  );
  return `Begins a companion: an agent that you keep under a name, that remembers, and that you can give one task after the other. A name whose task has ended gets the message as its next task, in the same session. Kinds (with what they are by default):\n${kinds.join('\n')}`;
}

type Args = z.output<ReturnType<typeof schemaFor>>;

/** Whom a task lets its child read; or why it cannot. */
function readableFor(
  draft: Draft,
  { reads = [], readsMe = false, agent }: Args,
  { relationship }: Companion,
  call: BuiltInCall,
): { readonly reads?: Readable } | { readonly refused: BuiltInPlan } {
  if (reads.length === 0 && !readsMe) return {};
  if (!relationship.mayRead)
    return {
      refused: no('invalid_arguments', `Companions of the kind "${agent}" read nobody: leave out reads and readsMe.`),
    };
  const missing = reads.find((name) => childNamed(draft, call, name) === undefined);
  if (missing !== undefined) return { refused: nobody(missing) };
  return { reads: { ...(readsMe ? { parent: true as const } : {}), names: [...new Set(reads)] } };
}

/** Why there is no memory that a task could go on with, if there is none. */
function noMemory(name: string | undefined, known: Child | undefined): BuiltInPlan | undefined {
  if (name === undefined)
    return no('invalid_arguments', 'keepMemory is for a name that you know: say which, or leave keepMemory out.');
  if (known === undefined)
    return no(
      'not_found',
      `No child agent found with the name "${name}", so there is no memory to keep. Leave keepMemory out to begin one; companion__listChildren tells who there is.`,
    );
  if (!hasForgotten(known)) return undefined;
  return no(
    'invalid_arguments',
    `"${name}" remembers nothing any more: it was ended for good, or lost. Leave keepMemory out to begin it afresh.`,
  );
}

/** @param known who has the name already */
function begin(
  draft: Draft,
  definition: AgentDefinition,
  args: Args,
  known: Child | undefined,
  call: BuiltInCall,
  rules: Rules,
): BuiltInPlan {
  const companion = companionNamed(definition.companions, args.agent);
  if (companion === undefined) return no('invalid_arguments', `Unknown persistent agent type "${args.agent}".`);
  const { mode = companion.mode, name, timeout, keepMemory, initialMessage } = args;
  const long = tooLong(initialMessage, rules);
  if (long) return long;
  const told = messageFor(draft, call, { text: initialMessage, files: args.files }, companion.relationship);
  if ('refused' in told) return told.refused;
  const { message } = told;
  const readable = readableFor(draft, args, companion, call);
  if ('refused' in readable) return readable.refused;
  return {
    ...plannedTask(companion.relationship, null),
    retention: args.retention ?? (known ? retentionOf(known) : companion.relationship.retention),
    message,
    ...readable,
    ...(name === undefined ? {} : { childName: name }),
    ...(keepMemory ? { keepsMemory: true } : {}),
    ...(mode === 'blocking' ? { waits: until(call.at, timeout) } : {}),
  };
}

/** The row of `companion__spawnAgent`. */
export const spawnAgent: BuiltInTool = {
  name: 'companion__spawnAgent',
  of(definition) {
    if (!hasCompanions(definition)) return undefined;
    const agents = definition.companions.map(({ relationship }) => relationship.child.name);
    const inputSchema = schemaFor(agents);
    return {
      description: describe(definition.companions),
      endsRun: false,
      inputSchema,
      needs: (args) => {
        const { name, files = [], reads = [] } = inputSchema.parse(args);
        return name === undefined ? { names: reads, files, unnamed: true } : { names: [name, ...reads], files };
      },
      apply(draft, call, rules) {
        const args = inputSchema.parse(call.args);
        const { name } = args;
        const known = name === undefined ? undefined : childNamed(draft, call, name);
        if (name !== undefined && known === undefined && isGiven(definition, name)) return notToTake(name);
        const refused = args.keepMemory ? noMemory(name, known) : undefined;
        if (refused) return refused;
        return begin(draft, definition, args, known, call, rules);
      },
      began: (child) => ({
        success: true,
        value: { name: child.name ?? '', task: child.task.number, status: committedStatus(child) },
      }),
      tell: (ended, { open }) => oneEnd(ended, open, 'output'),
    };
  },
};
