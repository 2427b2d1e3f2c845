/**
 * What a hook of Standard Agents gave, checked: what fits takes the place of what it was told, anything else is its
 * failure.
 *
 * Decides: how large what a hook gives may be.
 * Keeps HK21.
 */
import * as z from 'zod';
import { failure, isErrorCode, OffshootError } from '../../../protocol/errors';
import { byteLength, type Json, toJson } from '../../../protocol/json';
import type { CallResult, Message } from '../../../protocol/messages';
import { jsonSchema } from '../../../protocol/wire/schemas';
import { WIRE_LIMITS } from '../../../protocol/wire/wire-limits';
import { isChecked, settingsProblem } from '../settings/check';
import { type ModelSettings, settingsWith } from '../settings/settings';
import { type HookedMessage, type MessageChanges, withKept } from './hooked-message';

/** How long what hooks give may be. Unit: bytes of UTF-8 as JSON. */
const HOOK_LIMITS = {
  /** A system prompt; one that was longer may stay as long. */
  maxSystemBytes: 262_144,
  /** By how much the messages of a request may grow; by nothing where the agent has a `context`, which they were fitted to. */
  maxAddedBytes: 1_048_576,
} as const;

/** Levels that messages of a request have around what they hold. */
const MESSAGE_DEPTH = 110;

const metadata = { providerMetadata: z.record(z.string(), jsonSchema).exactOptional() };
const text = z.object({ type: z.literal('text'), text: z.string(), ...metadata });
const file = z.object({
  type: z.literal('file'),
  mediaType: z.string(),
  filename: z.string().exactOptional(),
  data: z.string(),
});
const thinking = z.object({ type: z.literal('reasoning'), text: z.string(), ...metadata });
const call = z.object({
  type: z.literal('tool-call'),
  toolCallId: z.string(),
  providerId: z.string(),
  toolName: z.string(),
  input: jsonSchema,
  ...metadata,
});
const ran = { by: z.string(), providerId: z.string(), toolName: z.string(), ...metadata };
const sourceBase = { type: z.literal('source'), id: z.string(), title: z.string().exactOptional() };
const fileBase = { type: z.literal('reply-file'), mediaType: z.string(), ...metadata };
const further = z.union([
  z.object({ type: z.literal('provider-call'), ...ran, input: jsonSchema }),
  z.object({
    type: z.literal('provider-result'),
    ...ran,
    result: jsonSchema,
    isError: z.literal(true).exactOptional(),
    cut: z.literal(true).exactOptional(),
  }),
  z.object({ ...sourceBase, sourceType: z.literal('url'), url: z.string() }),
  z.object({
    ...sourceBase,
    sourceType: z.literal('document'),
    mediaType: z.string(),
    filename: z.string().exactOptional(),
  }),
  z.object({ ...fileBase, path: z.string(), etag: z.string(), bytes: z.number() }),
  z.object({ ...fileBase, url: z.string() }),
  z.object({ ...fileBase, omitted: z.string() }),
]);
const failed = z
  .object({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean().optional(),
    retryAfterMs: z.number().nonnegative().optional(),
    details: jsonSchema.optional(),
  })
  .transform(({ code, message: said, retryable, retryAfterMs, details }) => ({
    ...failure(isErrorCode(code) ? code : 'tool_failed', said, retryable, details),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }));
const result = z.union([
  z.object({ success: z.literal(true), value: jsonSchema }),
  z.object({ success: z.literal(false), error: failed }),
]);
const userContent = z.union([z.string(), z.array(z.union([text, file]))]);
const message = z.union([
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: userContent, from: z.literal('offshoot').exactOptional() }),
  z.object({ role: z.literal('assistant'), content: z.array(z.union([text, thinking, call, further])) }),
  z.object({ role: z.literal('tool'), toolCallId: z.string(), toolName: z.string(), result }),
]);

const no = (what: string): never => {
  throw new OffshootError('invalid_input', `The hook returned ${what}`);
};

const isNothing = (given: unknown): given is null | undefined => given === undefined || given === null;

function shaped<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  most: number,
  what: string,
): z.output<Schema> {
  const plain = toJson(given, most, MESSAGE_DEPTH);
  if (!plain.ok) return no(`${what} with an invalid value: ${plain.problem}.`);
  const parsed = schema.safeParse(plain.json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return no(
    `an invalid ${what}: ${issue ? `${issue.path.join('.') || 'it'}: ${issue.message}` : 'it does not match'}.`,
  );
}

/** The system prompt that is sent. @throws OffshootError `invalid_input` */
export function systemGiven(system: string, given: unknown): string {
  if (isNothing(given)) return system;
  if (typeof given !== 'string') return no('a value that is not a string. Return the system prompt, or nothing.');
  const most = Math.max(HOOK_LIMITS.maxSystemBytes, byteLength(system));
  return byteLength(given) <= most ? given : no(`a system prompt of more than ${most} bytes. Shorten it.`);
}

/** The settings of a request; `tools` are those that it has. @throws OffshootError `invalid_input` */
export function settingsGiven(settings: ModelSettings, given: unknown, tools: readonly string[]): ModelSettings {
  if (isNothing(given)) return settings;
  if (typeof given !== 'object' || Object.keys(given).some((key) => key !== 'settings'))
    return no('a value other than an object with only `settings`. Give { settings: { … } }, or nothing.');
  const step: unknown = 'settings' in given ? given.settings : {};
  const problem = settingsProblem(step, tools);
  if (!isChecked(step, problem)) return no(`settings with an invalid value: ${problem}`);
  return settingsWith(settings, structuredClone(step));
}

/** The messages that are sent. @throws OffshootError `invalid_input` */
export function messagesGiven(
  messages: readonly Message[],
  given: unknown,
  { fitted }: { readonly fitted: boolean },
): readonly Message[] {
  if (isNothing(given)) return messages;
  const most = byteLength(JSON.stringify(messages)) + (fitted ? 0 : HOOK_LIMITS.maxAddedBytes);
  const next: readonly Message[] = shaped(z.array(message), given, most, 'messages');
  const problem = unpaired(next);
  return problem === undefined ? next : no(`messages that no model accepts: ${problem}`);
}

/** What is wrong with the calls of messages and their results, which follow each other (MS1). */
function unpaired(messages: readonly Message[]): string | undefined {
  const open = new Set<string>();
  for (const one of messages) {
    if (one.role === 'tool') {
      if (!open.delete(one.toolCallId)) return `the result of ${one.toolCallId} follows no call of that id.`;
      continue;
    }
    if (open.size > 0) break;
    if (one.role !== 'assistant') continue;
    for (const part of one.content) if (part.type === 'tool-call') open.add(part.toolCallId);
  }
  const [left] = open;
  return left === undefined ? undefined : `the call ${left} has no result. Leave out both, or neither.`;
}

/** A result that takes the place of another. @throws OffshootError `invalid_input` */
export function resultGiven(was: CallResult, given: unknown, most: number): CallResult {
  return isNothing(given) ? was : shaped(result, given, most, 'result of a tool');
}

/** What is changed of a message; nothing where it stays as it was. @throws OffshootError `invalid_input` */
export function changesGiven(was: HookedMessage, given: unknown, most: number): MessageChanges {
  if (isNothing(given)) return {};
  if (typeof given !== 'object')
    return no('a value that is not a message. Return it with another `content` or other `metadata`, or nothing.');
  const others = { ...was, ...given };
  for (const [key, value] of Object.entries(others)) {
    if (key === 'content' || key === 'metadata' || value === undefined) continue;
    if (JSON.stringify(value) !== JSON.stringify(Reflect.get(was, key)))
      return no(`a message with another \`${key}\`; only \`content\` and \`metadata\` may be changed.`);
  }
  const content = 'content' in given ? given.content : undefined;
  const facts = 'metadata' in given ? given.metadata : undefined;
  return {
    ...(content === undefined ? {} : { content: contentGiven(was, content, most) }),
    ...(facts === undefined ? {} : { metadata: metadataGiven(was, facts) }),
  };
}

function contentGiven({ role, content }: HookedMessage, given: unknown, most: number): HookedMessage['content'] {
  const bytes = Math.max(most, byteLength(JSON.stringify(content)));
  return shaped(role === 'user' ? userContent : z.string(), given, bytes, 'content');
}

function metadataGiven({ metadata }: HookedMessage, given: unknown): Json {
  const plain = toJson(given, WIRE_LIMITS.maxMetadataBytes);
  if (!plain.ok) return no(`metadata with an invalid value: ${plain.problem}.`);
  const kept = withKept(metadata, plain.json);
  return kept === undefined
    ? no('metadata that is not an object, for a message from a chat client. Return an object.')
    : kept;
}
