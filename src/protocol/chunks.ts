/**
 * Chunks: the events of the stream. An object numbers its own chunks from 1; the root gives each a sequence in the
 * tree's one log.
 *
 * Decides: every type of chunk, with its fields and how long each may be.
 * Keeps W26, W25.
 *
 * `CHUNKS` is the one declaration of every type of chunk: the types below are inferred from it, the wire schema is made
 * from it, and whoever has to know more of a type than its fields reads it there: how long each field may be, and whether
 * the type is quiet. A new type also decides what a view (`view/reduce.ts`) and the console's outline
 * (`console/data/tree/outline.ts`) show of it, and which of its numbers and ids a remote agent may send
 * (`capabilities/remote/machine/{numbers,ids}.ts`). Inside, chunks are built by code and not validated again. A reader without zod imports types alone.
 */
import * as z from 'zod';
import { isWebUrl } from './content/web-url';
import { isObject, type Json } from './json';
import { MESSAGE_ROLES } from './messages';
import { SIDES } from './sides';
import { SUSPENDED_STATUSES } from './status';
import { ANSWER_KINDS, PENDING_KINDS } from './view/waiting';
import { failureSchema, jsonSchema, usageSchema } from './wire/schemas';

/**
 * The size of a field. `short` is a name, an id or a number: a few hundred characters at most. The others can be long:
 * a text, any JSON, a list of it, a failure. `items` is a list of short items.
 */
export type FieldSize = 'short' | 'text' | 'json' | 'list' | 'failure' | 'items';

/** The sizes that a field with such values may have. */
type SizeOf<Value> = [Value] extends [string]
  ? 'short' | 'text'
  : [Value] extends [boolean | number | z.output<typeof usageSchema>]
    ? 'short'
    : [Value] extends [z.output<typeof failureSchema>]
      ? 'failure'
      : [Value] extends [readonly (infer Item)[]]
        ? Json extends Item
          ? 'list'
          : 'items'
        : 'json';

interface Field<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly size: FieldSize;
}

type Fields = { readonly [name: string]: Field<z.ZodType> };

/** A type of chunk. */
interface ChunkRow<Own extends Fields> {
  readonly fields: Own;
  /** Whether the status document is the same after such a chunk as before, but for the last sequence. */
  readonly quiet: boolean;
}

const field = <Schema extends z.ZodType>(schema: Schema, size: SizeOf<z.output<Schema>>): Field<Schema> => ({
  schema,
  size,
});
const optional = <Schema extends z.ZodType>({ schema, size }: Field<Schema>) => ({
  schema: z.exactOptional(schema),
  size,
});
const loud = <Own extends Fields>(fields: Own): ChunkRow<Own> => ({ fields, quiet: false });
const quiet = <Own extends Fields>(fields: Own): ChunkRow<Own> => ({ fields, quiet: true });

const id = field(z.string().min(1), 'short');
const word = field(z.string(), 'short');
const flag = field(z.boolean(), 'short');
const whole = field(z.number().int(), 'short');
const text = field(z.string(), 'text');
const webUrl = field(z.string().refine(isWebUrl), 'text');
const json = field(jsonSchema, 'json');
const failed = field(failureSchema, 'failure');
const usage = field(usageSchema, 'short');

/** A request for a person's answer. `expiresAt`: its deadline in ms since 1970; missing if there is none. */
const request = { toolCallId: id, toolName: word, arguments: json, expiresAt: optional(field(z.number(), 'short')) };

/** `generation` is that of the child's slot, `childId` which child of the parent it is, from 1, and `task` which task of it. */
const delegation = { callId: id, generation: whole, childId: whole, task: whole };

const AWAITED_STATUSES = ['working', 'waiting', 'failed'] as const;

/** Every type of chunk, by its name. If you add one, the compiler shows where it must be handled. */
export const CHUNKS = {
  /**
   * A run begins. `turn`: its number in the session. `chainTurn`: the `turn` of the first run, if this run
   * resumes an earlier one. `{agentId}.{chainTurn}` identifies a run together with its resumes. `traceparent`: the W3C trace
   * of the run, if its caller sent one.
   */
  run_started: loud({
    turn: whole,
    chainTurn: whole,
    input: optional(json),
    resumedFrom: optional(word),
    traceparent: optional(word),
  }),
  /** The run continues after a crash. */
  run_recovered: loud({ reason: text }),
  /**
   * The first event of a copied root. It names the original, its status, and the last step copied; without `checkpointId`,
   * all steps were copied.
   */
  session_copied: loud({ fromAddress: word, fromSessionId: word, checkpointId: optional(word), status: word }),
  /** A piece of the reply's text. `part`: the block that it continues. All blocks, including calls, are numbered from 0. */
  text_delta: quiet({ part: whole, delta: text }),
  /** A piece of the model's thinking. */
  thinking: quiet({ part: whole, delta: text, isComplete: optional(flag) }),
  /**
   * The provider begins to run one of its tools. `part`: the number of the call among the blocks.
   * `providerCallId` links the call to its result. The agent does not make this call, and nobody approves or answers it.
   */
  provider_tool_start: quiet({ part: whole, providerCallId: word, toolName: word, arguments: json }),
  /** The result of a tool that the provider ran. */
  provider_tool_end: quiet({ part: whole, providerCallId: word, toolName: word, result: json, success: flag }),
  /** A page (`url`) or document that the reply refers to. */
  reply_source: quiet({
    part: whole,
    sourceId: word,
    sourceType: field(z.enum(['url', 'document']), 'short'),
    url: optional(webUrl),
    title: optional(text),
    mediaType: optional(word),
    filename: optional(word),
  }),
  /**
   * A file that the model made: stored as one of the agent's files (`path`), at an address (`url`), or `omitted`, with
   * the reason.
   */
  reply_file: quiet({
    part: whole,
    mediaType: word,
    path: optional(word),
    etag: optional(word),
    bytes: optional(whole),
    url: optional(webUrl),
    omitted: optional(text),
  }),
  /**
   * The arguments of a call begin to arrive. `outputKey`: the name of the argument of `__finish__` that holds the output;
   * absent if the arguments as a whole are the output.
   */
  tool_arg_stream_start: quiet({ toolCallId: id, toolName: word, outputKey: optional(word) }),
  /** A piece of a call's arguments, as JSON text. */
  tool_arg_stream_delta: quiet({ toolCallId: id, delta: text }),
  /** A tool call begins. */
  tool_start: loud({ toolCallId: id, toolName: word, arguments: json }),
  /** A tool call has its result. */
  tool_end: loud({ toolCallId: id, result: optional(json), success: flag, error: optional(failed) }),
  /**
   * A call is waiting for approval. `inputHash`: SHA-256 of the arguments (JSON with sorted keys), in hex; an answer
   * may include it.
   */
  tool_approval_request: loud({ ...request, inputHash: word }),
  /** A call is waiting for a client's result. */
  client_tool_request: loud(request),
  /** A pending call was answered. `actor`: the caller who answered, as the access check named them. */
  tool_answered: loud({
    toolCallId: id,
    kind: field(z.enum(ANSWER_KINDS), 'short'),
    approved: optional(flag),
    actor: optional(word),
  }),
  /** A sub-agent begins a task. `name`: a companion's name. */
  subagent_start: loud({
    subAgentType: word,
    subSessionId: word,
    subAddress: word,
    name: optional(word),
    mode: field(z.enum(['ephemeral', 'persistent']), 'short'),
    placement: field(z.enum(['facet', 'object', 'remote']), 'short'),
    ...delegation,
  }),
  /**
   * A message from the parent to a working sub-agent. The sub-agent's own stream shows when the sub-agent reads the
   * message.
   */
  subagent_message: loud({
    subAgentType: word,
    subSessionId: word,
    callId: id,
    childId: whole,
    task: whole,
    messageId: word,
  }),
  /** The status of a sub-agent changed. */
  subagent_status: loud({ subSessionId: word, status: word, statusText: optional(text) }),
  /** A sub-agent's task ended. This event is also sent if the parent gave up on it (`subagent_lost`). */
  subagent_end: loud({
    subAgentType: word,
    subSessionId: word,
    ...delegation,
    result: optional(json),
    success: flag,
    error: optional(failed),
    usage,
  }),
  /** A message was accepted; the next step reads it. */
  message_queued: loud({ messageId: word, from: word }),
  /**
   * A step read a message. `text`: its first 8,192 characters. `attachments`: names or media types of its first 20 files,
   * each up to 200 characters. `cut`: the chunk is shortened; `GET A/messages` is complete.
   */
  message_delivered: loud({
    messageId: word,
    from: word,
    role: field(z.enum(MESSAGE_ROLES), 'short'),
    text,
    attachments: optional(field(z.array(z.string()).readonly(), 'items')),
    cut: optional(field(z.literal(true), 'short')),
  }),
  /** A caller cancelled the message before any step read it; it never appears in the transcript. */
  message_cancelled: loud({ messageId: word }),
  /** A step begins. `side`: which side acts, for an agent with two sides. `speaker`: the name of that side, or of the agent
   * that took over the session. */
  step_started: loud({ side: optional(field(z.enum(SIDES), 'short')), speaker: optional(word) }),
  /**
   * The reply of a step is stored. `model`: `provider/model`. `responseId`: the provider's id of the reply, if it sent
   * one. `passedOver`: the failures of the earlier entries of `models`, in order, if an earlier one failed.
   */
  step_committed: loud({
    finishReason: word,
    usage,
    checkpointId: word,
    model: word,
    responseId: optional(word),
    passedOver: optional(field(z.array(z.object({ code: z.string(), message: z.string() })).readonly(), 'items')),
  }),
  /**
   * An attempt failed, and its text is discarded. `retryAt`: time of the next attempt in ms since 1970, if there is a
   * wait. `nextModel`: the index in `models` of the model that the next attempt uses, if it is a different one.
   */
  step_discarded: loud({
    reason: text,
    retryAt: optional(field(z.number(), 'short')),
    nextModel: optional(whole),
  }),
  /**
   * A request omits older steps. `from` and `to`: the checkpoints of the first and last step that this request omits
   * for the first time. A summary of `summaryBytes` bytes replaces them, or long parts are cut to `cutBytes`.
   * `tokensBefore` and `tokensAfter` are estimates. `error`: why the agent's `compact` failed; the rule-based digest
   * replaces its summary.
   */
  context_compacted: loud({
    from: optional(word),
    to: optional(word),
    by: field(z.enum(['digest', 'model', 'function']), 'short'),
    tokensBefore: whole,
    tokensAfter: whole,
    summaryBytes: whole,
    cutBytes: optional(whole),
    error: optional(failed),
  }),
  /** The custom state changed: a JSON Patch. */
  state_patch: quiet({ patch: field(z.array(jsonSchema).readonly(), 'list') }),
  /** A custom event, sent with `emitCustom`. */
  custom: loud({ name: word, data: json }),
  /** A hook failed. `hookId`: the id of a hook made by `defineHook`. `failsRun`: whether the run fails, too. */
  hook_failed: loud({ hook: word, hookId: optional(word), toolCallId: optional(id), error: failed, failsRun: flag }),
  /** The run has its output. */
  output: loud({ output: json }),
  /** The run is waiting for people or sub-agents. */
  suspended: loud({
    status: field(z.enum(SUSPENDED_STATUSES), 'short'),
    /** The calls that keep the run waiting for a person. */
    pending: field(
      z.array(z.object({ toolCallId: id.schema, toolName: z.string(), kind: z.enum(PENDING_KINDS) })).readonly(),
      'items',
    ),
    /**
     * The sub-agents that the run waits for. `waiting`: the sub-agent waits for a person, or to be resumed. `failed`: a
     * person has to retry or abort it.
     */
    children: field(
      z.array(z.object({ callId: id.schema, subSessionId: z.string(), status: z.enum(AWAITED_STATUSES) })).readonly(),
      'items',
    ),
  }),
  /** A waiting run continues. */
  unsuspended: loud({}),
  /** The run ended with its output. */
  run_completed: loud({ output: json }),
  /** The run ended with an error. */
  run_failed: loud({ error: failed, failureReason: optional(word) }),
  /** The run was interrupted; it can be resumed. */
  run_interrupted: loud({ reason: text }),
  /** The session was terminated, and the run with it. */
  run_terminated: loud({ reason: text }),
} as const satisfies { readonly [type: string]: ChunkRow<Fields> };

const base = {
  agentId: z.string().min(1),
  agentType: z.string(),
  address: z.string(),
  runId: z.string(),
  step: z.number().int().nonnegative(),
  attempt: z.number().int().nonnegative(),
  timestamp: z.number(),
};

/** The fields of every chunk on the wire, including chunks of types that a reader does not know. */
export const chunkBaseSchema = z.object(base);

/** The name of a type of chunk. */
export type ChunkType = keyof typeof CHUNKS;

type Table = typeof CHUNKS;
type SchemaOf<Of> = Of extends Field<infer Schema> ? Schema : never;
type ShapeOf<Type extends ChunkType> = { type: z.ZodLiteral<Type> } & {
  [Name in keyof Table[Type]['fields']]: SchemaOf<Table[Type]['fields'][Name]>;
};

/** The fields of one type of chunk beyond its base. */
export type BodyOf<Type extends ChunkType> = Readonly<z.output<z.ZodObject<ShapeOf<Type>>>>;

/** The fields of each chunk beyond its base. */
export type ChunkBody = { [Type in ChunkType]: BodyOf<Type> }[ChunkType];

/** The fields of every chunk. `agentId` is the emitter's session id, `timestamp` is ms since 1970. */
export type ChunkBase = Readonly<z.output<typeof chunkBaseSchema>>;

/** One event of the stream. */
export type Chunk = ChunkBase & ChunkBody;

/** A pending call of a suspended run. */
export type AwaitedAnswer = BodyOf<'suspended'>['pending'][number];

/** A sub-agent that a suspended run is waiting for. */
export type AwaitedChild = BodyOf<'suspended'>['children'][number];

/** A chunk with its place in the tree's log (from 1). */
export interface SequencedChunk {
  readonly sequence: number;
  readonly chunk: Chunk;
}

const schemaOfRow = <Type extends string>(type: Type, fields: Fields) => {
  const own = Object.entries(fields).map(([name, { schema }]) => [name, schema]);
  return z.object({ type: z.literal(type), ...base, ...Object.fromEntries(own) });
};

const [first, ...others] = Object.entries<ChunkRow<Fields>>(CHUNKS).map(([type, { fields }]) =>
  schemaOfRow(type, fields),
);
if (first === undefined) throw new Error('There are no chunks.');

/** The wire schema of a chunk, also shown in `/openapi.json`. It is made in a loop, so its type is declared here. */
export const chunkSchema = z.discriminatedUnion('type', [first, ...others]) as unknown as z.ZodType<Chunk>;

/** Whether a type of chunk is one of the table: a newer server may send others. */
function isChunkType(type: string): type is ChunkType {
  return Object.hasOwn(CHUNKS, type);
}

/**
 * True if a value is a chunk. A known type is checked against its schema, an unknown one against the fields that all
 * chunks share.
 */
export function isWireChunk(value: Json): boolean {
  const type = isObject(value) ? value.type : undefined;
  if (typeof type !== 'string') return false;
  return (isChunkType(type) ? chunkSchema : chunkBaseSchema).safeParse(value).success;
}

/** Whether the status document is the same after a chunk of that type as before, but for the last sequence. */
export function isQuiet(type: string): boolean {
  return isChunkType(type) && CHUNKS[type].quiet;
}

const DELTAS: readonly string[] = [
  'text_delta',
  'thinking',
  'provider_tool_start',
  'provider_tool_end',
  'reply_source',
  'tool_arg_stream_start',
  'tool_arg_stream_delta',
];

/** Whether a chunk of that type is a piece of a reply that is still being written: its step, and its calls, are told without. */
export function isDelta(type: string): boolean {
  return DELTAS.includes(type);
}
