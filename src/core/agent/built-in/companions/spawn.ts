/**
 * `companion__spawnAgent`: begins a companion under a name, or gives one whose work has ended its next task.
 *
 * Decides: whom a task may read.
 * Keeps CO3, CO10, RG1.
 */
import * as z from 'zod';
import { RETENTIONS } from '../../../definition/children/companion';
import type { AgentDefinition, Companion } from '../../../definition/definition';
import { plannedTask } from '../../calls/call-plan';
import { type Child, hasForgotten, type Readable } from '../../children/child';
import { retentionOf } from '../../children/child-retention';
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

/** Its arguments beside the kind: the same for every agent, so they are made once. */
const GIVEN = {
  initialMessage: z.string().min(1).describe('Its task, as a message to it.'),
  name: nameSchema.optional().describe('Its name from now on; without one, a name is generated.'),
  mode: z
    .enum(['blocking', 'non-blocking'])
    .optional()
    .describe(
      'blocking: you get its output as the result. non-blocking: it works while you continue, and its result arrives as a message.',
    ),
  files: filesSchema.optional(),
  timeout: timeoutSchema.optional().describe('With blocking: the longest wait, in ms; the companion keeps working.'),
  retention: z
    .enum(RETENTIONS)
    .optional()
    .describe(
      'tree: it stays after your run ends, for your next turn. run: it is removed, with its memory, when your run ends. The default depends on its kind.',
    ),
  reads: z
    .array(nameSchema)
    .min(1)
    .max(MAX_READ)
    .optional()
    .describe('Names of your other companions that it may read until this task ends, if its kind may read.'),
  readsMe: z.boolean().optional().describe('Whether it may read you until this task ends, if its kind may read.'),
  keepMemory: z
    .boolean()
    .optional()
    .describe(
      'For a name whose last task failed: keep its memory and files. By default it begins without them. A free name begins as usual.',
    ),
};

const schemaFor = (agents: readonly string[]) =>
  z.strictObject({ agent: z.enum(agents).describe('The kind of companion.'), ...GIVEN });

function describe(companions: readonly Companion[]): string {
  const kinds = companions.map(
    ({ relationship, mode, description }) => `- ${relationship.child.name} (${mode}): ${description}`,
  );
  return `Begins a companion: an agent with a name and a memory, to which you can give one task after another. If its task has ended, the message is its next task, in the same session. Kinds (with their defaults):\n${kinds.join('\n')}`;
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
      refused: no(
        'invalid_arguments',
        `Companions of the kind "${agent}" cannot read other agents: omit reads and readsMe.`,
      ),
    };
  const missing = reads.find((name) => childNamed(draft, call, name) === undefined);
  if (missing !== undefined) return { refused: nobody(missing) };
  return { reads: { ...(readsMe ? { parent: true as const } : {}), names: [...new Set(reads)] } };
}

/** Why no memory can be kept, now or later: a free name begins its memory. */
function noMemory(name: string | undefined, known: Child | undefined): BuiltInPlan | undefined {
  if (name === undefined) return no('invalid_arguments', 'keepMemory needs a name: give one, or omit keepMemory.');
  if (known === undefined || !hasForgotten(known)) return undefined;
  return no(
    'invalid_arguments',
    `"${name}" has no memory left: it was terminated, or lost. Omit keepMemory to begin it again.`,
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
    ...(keepMemory && known ? { keepsMemory: true } : {}),
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
