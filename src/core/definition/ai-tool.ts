/**
 * Tools of the AI SDK and of MCP clients, made ours. Only their shape is known here: the AI SDK itself is not loaded.
 *
 * Decides: which fields of a tool of the AI SDK or of MCP are taken.
 * Keeps DF13, DF22, DF44, DF43, M75.
 */
import * as z from 'zod';
import { OffshootError } from '../../protocol/errors';
import { isObject, toJson } from '../../protocol/json';
import { compiledTool } from './define-tool';
import type { ToolDefinition } from './definition';
import { invalidDefinition } from './invalid';
import { takenResult } from './mcp/result';
import { checkSchema } from './schemas/check-schema';
import { fromJsonSchema } from './schemas/json-schema';
import { replacing } from './schemas/schema';
import type { ToolContext } from './tool-context';
import type { AuthorsFunction } from './types';

/**
 * An AI SDK tool, made by `tool()` or `dynamicTool()`; its name is its key in `tools`. A tool without `execute` is
 * executed by the client. A tool that a provider runs itself (`anthropic.tools.webSearch_20250305()`) is sent to that
 * provider; a tool that a provider only describes is refused.
 */
export interface AiTool {
  readonly type?: 'function' | 'dynamic' | 'provider' | 'provider-defined' | undefined;
  /** Of a tool that a provider defines: its id there, its settings, and whether the provider runs it. */
  readonly id?: string | undefined;
  readonly args?: object | undefined;
  readonly isProviderExecuted?: boolean | undefined;
  readonly description?: string | AuthorsFunction<[options: object], string> | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly execute?: AuthorsFunction<[input: unknown, options: object], unknown> | undefined;
  /** A result as the model reads it. */
  readonly toModelOutput?:
    | AuthorsFunction<
        [result: { readonly toolCallId: string; readonly input: unknown; readonly output: unknown }],
        unknown
      >
    | undefined;
  readonly needsApproval?:
    | boolean
    | AuthorsFunction<[input: unknown, options: object], boolean | PromiseLike<boolean>>
    | undefined;
  readonly strict?: boolean | undefined;
  readonly inputExamples?: readonly { readonly input: unknown }[] | undefined;
  readonly providerOptions?: Readonly<Record<string, object>> | undefined;
}

/** The options that an AI SDK tool may have. No model reads the last three: they are for the app alone. */
const CARRIED = [
  'type',
  'description',
  'inputSchema',
  'outputSchema',
  'execute',
  'needsApproval',
  'strict',
  'inputExamples',
  'providerOptions',
  'toModelOutput',
  'title',
  'metadata',
  '_meta',
];

/** What to do about that which cannot be carried. */
const ADVICE: Readonly<Record<string, string>> = {
  contextSchema: 'close over what `execute` needs, or make the tool with `defineTool`, whose context has `env`',
  onInputStart: 'use the hooks of the agent',
  onInputDelta: 'use the hooks of the agent',
  onInputAvailable: 'use the hook `beforeTool` of the agent',
};

/** What the functions of an AI SDK tool get beside the input. What there is none of here is an error that says so. */
class AiToolOptions {
  constructor(
    readonly toolCallId: string,
    readonly abortSignal: AbortSignal,
  ) {}

  get messages(): never {
    return notGiven('messages');
  }
}

/** The same for `needsApproval`, which is asked before the call has its id. */
class AiApprovalOptions {
  get toolCallId(): never {
    return notGiven('toolCallId');
  }

  get messages(): never {
    return notGiven('messages');
  }
}

function notGiven(option: string): never {
  throw new OffshootError(
    'invalid_definition',
    `Tools do not receive \`${option}\` here: declare it in \`inputSchema\`.`,
  );
}

/**
 * Makes a tool of the AI SDK one of ours.
 * @throws OffshootError `invalid_definition` for what cannot be carried, with what to do instead
 */
export function fromAiTool(name: string, tool: AiTool): ToolDefinition {
  for (const [option, value] of Object.entries(tool)) {
    if (value === undefined || CARRIED.includes(option)) continue;
    invalidDefinition(
      `Tool "${name}": \`${option}\` of the AI SDK has no effect here: ${ADVICE[option] ?? 'drop it'}.`,
    );
  }
  const { description = '', execute, toModelOutput, needsApproval = false } = tool;
  const { strict, inputExamples, providerOptions } = tool;
  const outputSchema = tool.outputSchema && zodOf(`Tool "${name}"`, 'outputSchema', tool.outputSchema);
  if (toModelOutput && execute === undefined)
    invalidDefinition(
      `Tool "${name}": \`toModelOutput\` needs an \`execute\`; the client returns what the model reads.`,
    );
  if (typeof description === 'function')
    invalidDefinition(`Tool "${name}": \`description\` must be a string, not a function.`);
  return compiledTool({
    name,
    description,
    inputSchema: zodOf(`Tool "${name}"`, 'inputSchema', tool.inputSchema),
    // What the model reads of it is no output of that schema any more.
    ...(outputSchema && toModelOutput === undefined ? { outputSchema } : {}),
    execute: execute === undefined ? 'client' : bodyOf(execute, toModelOutput && { toModelOutput, outputSchema }),
    requireApproval: typeof needsApproval === 'function' ? approvalOf(needsApproval) : needsApproval,
    ...(strict === undefined ? {} : { strict }),
    ...(inputExamples ? { inputExamples: inputExamples.map(({ input }) => input) } : {}),
    ...(providerOptions ? { providerOptions } : {}),
  });
}

/** The function that turns an output into what the model reads. */
interface Reading {
  readonly toModelOutput: NonNullable<AiTool['toModelOutput']>;
  readonly outputSchema: z.core.$ZodType | undefined;
}

function bodyOf(execute: NonNullable<AiTool['execute']>, reading: Reading | undefined) {
  return async (input: unknown, { idempotencyKey, abortSignal }: ToolContext): Promise<unknown> => {
    const given = await execute(input, new AiToolOptions(idempotencyKey, abortSignal));
    const output = takenResult(isStream(given) ? await lastOf(given, abortSignal) : given);
    if (reading === undefined) return output;
    const checked = reading.outputSchema ? await z.parseAsync(reading.outputSchema, output) : output;
    return readOf(await reading.toModelOutput({ toolCallId: idempotencyKey, input, output: checked }));
  };
}

/** The result that `toModelOutput` returns: a text or JSON, parts as they are, or a failure. */
function readOf(given: unknown): unknown {
  const fields = new Map(typeof given === 'object' && given !== null ? Object.entries(given) : []);
  const [type, value] = [fields.get('type'), fields.get('value')];
  switch (type) {
    case 'text':
    case 'json':
      return value;
    case 'content':
      return { type, value };
    case 'error-text':
    case 'error-json':
      throw new OffshootError('tool_failed', typeof value === 'string' ? value : JSON.stringify(value));
    default:
      throw new OffshootError(
        'tool_result_invalid',
        '`toModelOutput` must return one of `text`, `json`, `content`, `error-text` and `error-json`.',
      );
  }
}

function approvalOf(needsApproval: Exclude<NonNullable<AiTool['needsApproval']>, boolean>) {
  return (input: unknown) => needsApproval(input, new AiApprovalOptions());
}

const isStream = (given: unknown): given is AsyncIterable<unknown> =>
  typeof given === 'object' && given !== null && Symbol.asyncIterator in given;

/** The result of a body that gives several, of which all but the last are preliminary. */
async function lastOf(given: AsyncIterable<unknown>, signal: AbortSignal): Promise<unknown> {
  let last: unknown;
  for await (const each of given) {
    signal.throwIfAborted();
    last = each;
  }
  return last;
}

/** A schema of the AI SDK that is made of JSON Schema: what `jsonSchema()` gives. */
interface JsonSchemaOfAiSdk {
  readonly jsonSchema: object;
  readonly validate?: ((value: unknown) => Validated | PromiseLike<Validated>) | undefined;
}
type Validated =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

/** A schema as zod has it. */
function zodOf(where: string, field: string, given: object): z.core.$ZodType {
  const schema: object = typeof given === 'function' ? given() : given;
  if (!isJsonSchema(schema)) {
    checkSchema(where, field, schema);
    return schema;
  }
  const { jsonSchema, validate } = schema;
  if ('then' in jsonSchema && typeof jsonSchema.then === 'function')
    invalidDefinition(
      `${where}: \`${field}\` is a promise of a JSON Schema: await it, and pass it to \`jsonSchema(…)\`.`,
    );
  const made = toJson(jsonSchema);
  if (!made.ok || !isObject(made.json))
    invalidDefinition(
      `${where}: \`${field}\` is not a JSON Schema: ${made.ok ? 'it is not an object' : made.problem}.`,
    );
  const original = made.json;
  const zod = fromJsonSchema(original);
  if (validate === undefined) return zod;
  const checked = zod.transform(async (value, context) => {
    const outcome = await validate(value);
    if (outcome.success) return outcome.value;
    context.addIssue({ code: 'custom', message: outcome.error.message });
    return z.NEVER;
  });
  return replacing(checked, original);
}

const isJsonSchema = (schema: object): schema is JsonSchemaOfAiSdk =>
  'jsonSchema' in schema && typeof schema.jsonSchema === 'object' && schema.jsonSchema !== null;
