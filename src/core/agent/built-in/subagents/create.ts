/**
 * `subagent_create`: begins a sub-agent that stays, by an entry of the prompt.
 *
 * Keeps SA27, SA30.
 */
import * as z from 'zod';
import type { AgentDefinition, SubagentEntry } from '../../../definition/definition';
import { jsonSchemaOf } from '../../../definition/schemas/schema';
import { pathsIn } from '../../calls/enclosures';
import type { BuiltInPlan, BuiltInTool } from '../../rules';
import {
  displayName,
  entriesOf,
  filesIn,
  type GivenToSubagent,
  plannedSubagent,
  requiredBy,
} from '../../standard-agents/subagent-call';
import { no, tooLong } from '../companions/names';
import { attachmentsSchema } from './references';

/** Its arguments beside the agent: the same for all, so they are made once. */
const GIVEN = {
  message: z.string().min(1).describe('Its task, as a message to it.'),
  name: z
    .string()
    .refine((name) => displayName(name) !== undefined, 'A name has at least one character.')
    .describe('Its name, for you and for people who read the conversation.'),
  attachments: attachmentsSchema,
  arguments: z.record(z.string(), z.json()).optional().describe('Arguments that the agent asks for, if any.'),
};

const schemaFor = (entries: readonly SubagentEntry[]) =>
  z.strictObject({ agent: z.enum(entries.map(({ name }) => name)).describe('Which agent.'), ...GIVEN });

type Args = z.output<ReturnType<typeof schemaFor>>;

/** The same, with the arguments checked by the prompt that they are for. */
const checkedBy = (plain: ReturnType<typeof schemaFor>, entries: readonly SubagentEntry[]) =>
  plain.superRefine(async ({ agent, arguments: given }, context) => {
    const entry = entries.find(({ name }) => name === agent);
    const schema = entry && requiredBy(entry);
    if (schema === undefined || given === undefined) return;
    const checked = await z.safeParseAsync(schema, given);
    for (const { path, message } of checked.error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['arguments', ...path], message });
  });

function describe(entries: readonly SubagentEntry[]): string {
  const kinds = entries.map((entry) => {
    const { name, description, config } = entry;
    const cap = config.resumable === false ? undefined : config.resumable.maxInstances;
    const mode = config.blocking ? 'you wait for its result' : 'its result arrives as a message';
    const most = cap === undefined ? '' : `; at most ${cap} at once`;
    const schema = requiredBy(entry);
    const properties = schema ? Object.keys(jsonSchemaOf(schema).properties ?? {}) : [];
    const asks = properties.length === 0 ? '' : `; arguments: ${properties.join(', ')}`;
    return `- ${name} (${mode}${most}${asks}): ${description}`;
  });
  return `Begins a persistent sub-agent with a separate conversation. It remembers, and takes further messages by subagent_message with its reference. Agents:\n${kinds.join('\n')}`;
}

/** What it is told first: the message, with the arguments where there are some; and the files that go along. */
function firstOf({ message, attachments = [], arguments: given }: Args, { config }: SubagentEntry) {
  const mapped = filesIn(given ?? {}, config.initAttachmentsProperty);
  if ('problem' in mapped) return no('invalid_arguments', `arguments: ${mapped.problem}.`);
  const named = pathsIn([...attachments, ...mapped.paths]);
  if ('problem' in named) return no('invalid_arguments', `attachments ${named.problem}.`);
  const rest = given === undefined ? '' : `\n\n${JSON.stringify(mapped.rest, null, 2)}`;
  return { first: `${message}${rest}`, files: named.paths };
}

function begin(
  definition: AgentDefinition,
  entry: SubagentEntry,
  { name }: Args,
  first: Pick<GivenToSubagent, 'first' | 'files'>,
): BuiltInPlan {
  const threadName = displayName(name);
  const given = { ...first, ...(threadName === undefined ? {} : { threadName }) };
  return {
    ...plannedSubagent(definition, entry, given),
    // Nobody holds it: where its call is closed before its end, that comes as an envelope.
    await: 'notice',
    deliver: 'envelope',
    ...(entry.config.blocking ? { waits: {} } : {}),
  };
}

/** The row of `subagent_create`. */
export const createSubagent: BuiltInTool = {
  name: 'subagent_create',
  of(definition) {
    const { lasting } = entriesOf(definition);
    if (lasting.length === 0) return undefined;
    const schema = schemaFor(lasting);
    return {
      description: describe(lasting),
      endsRun: false,
      inputSchema: checkedBy(schema, lasting),
      needs: (args) => {
        const { agent, attachments = [], arguments: given } = schema.parse(args);
        const entry = lasting.find(({ name }) => name === agent);
        const mapped = filesIn(given ?? {}, entry?.config.initAttachmentsProperty);
        const named = pathsIn([...attachments, ...('problem' in mapped ? [] : mapped.paths)]);
        return { names: [], registered: true, files: 'problem' in named ? [] : named.paths };
      },
      apply(_draft, call, rules) {
        const args = schema.parse(call.args);
        const entry = lasting.find(({ name }) => name === args.agent);
        if (entry === undefined) return no('invalid_arguments', `There is no agent "${args.agent}" to begin.`);
        const given = firstOf(args, entry);
        if ('kind' in given) return given;
        return tooLong(given.first, rules) ?? begin(definition, entry, args, given);
      },
    };
  },
};
