/**
 * The transcript: what a model sees and what `GET A/messages` shows.
 * MS1. Every tool call of an assistant message is followed by exactly one tool message with its id.
 */
import type { Failure } from './errors';
import { isObject, type Json, type JsonObject } from './json';

/** The roles of a received message. */
export const MESSAGE_ROLES = ['user', 'system'] as const;

/** One of them. */
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** A file or image in a message, in addition to its text. `data` is base64. */
export type FilePart = {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string;
  readonly data: string;
};

/**
 * A file of the agent, named by its path in a message. The model sees its bytes as long as the content is the same as
 * when the message was accepted.
 */
export type FileReference = {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the content, in hex. */
  readonly etag: string;
};

const TEXTUAL = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|javascript|sql)\b|[^;]+\+(?:json|xml)\b)/i;

/** Whether a file is text, which a model reads as such. */
export const isTextual = ({ mediaType }: Pick<FilePart, 'mediaType'>): boolean => TEXTUAL.test(mediaType);

/** Text of a message. */
export type TextPart = {
  readonly type: 'text';
  readonly text: string;
  /** Data that the provider expects back, stored unchanged. */
  readonly providerMetadata?: JsonObject;
};

/** A part of a received message. */
export type UserPart = TextPart | FilePart | FileReference;

/** The model's thinking. */
export type ReasoningPart = {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerMetadata?: JsonObject;
};

/** A call that the model made. */
export type ToolCallPart = {
  readonly type: 'tool-call';
  /** Minted, unique in the tree. */
  readonly toolCallId: string;
  /** The provider's own id, used only towards the provider. */
  readonly providerId: string;
  readonly toolName: string;
  readonly input: Json;
  readonly providerMetadata?: JsonObject;
};

/** A call of a tool that the model's provider ran itself. It is not a call of the agent. */
export type ProviderCallPart = {
  readonly type: 'provider-call';
  /** The provider's id of the tool, which begins with the provider: `anthropic.web_search_20250305`. */
  readonly by: string;
  /** The provider's id, which the result repeats. */
  readonly providerId: string;
  readonly toolName: string;
  readonly input: Json;
  readonly providerMetadata?: JsonObject;
};

/** The result of such a call. `cut`: it was too large to store completely. */
export type ProviderResultPart = {
  readonly type: 'provider-result';
  readonly by: string;
  readonly providerId: string;
  readonly toolName: string;
  readonly result: Json;
  readonly isError?: true;
  readonly cut?: true;
  readonly providerMetadata?: JsonObject;
};

/** A page or document that a reply refers to. */
export type SourcePart = { readonly type: 'source'; readonly id: string; readonly title?: string } & (
  | { readonly sourceType: 'url'; readonly url: string }
  | { readonly sourceType: 'document'; readonly mediaType: string; readonly filename?: string }
);

/** A file that the model made: stored as one of the agent's files, at an address, or omitted, with the reason. */
export type ReplyFilePart = {
  readonly type: 'reply-file';
  readonly mediaType: string;
  readonly providerMetadata?: JsonObject;
} & (
  | { readonly path: string; readonly etag: string; readonly bytes: number }
  | { readonly url: string }
  | { readonly omitted: string }
);

/** The name of a file of a reply: its path or address, else its type. */
export function fileName(file: ReplyFilePart): string {
  if ('path' in file) return file.path;
  return 'url' in file ? file.url : file.mediaType;
}

/** A part of a reply other than text, thinking and calls of the agent's own tools. */
export type FurtherPart = ProviderCallPart | ProviderResultPart | SourcePart | ReplyFilePart;

/** A part of an assistant message. */
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart | FurtherPart;

/** The one result of a call. Failures are values that the model can act on. */
export type CallResult =
  | { readonly success: true; readonly value: Json }
  | { readonly success: false; readonly error: Failure };

/** A message of the transcript. */
export type Message =
  | { readonly role: 'system'; readonly content: string }
  | {
      readonly role: 'user';
      readonly content: string | readonly UserPart[];
      /** Set on what Offshoot itself says: a notice, a reminder, a summary. */
      readonly from?: 'offshoot';
    }
  | { readonly role: 'assistant'; readonly content: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly toolName: string; readonly result: CallResult };

/** The tool that ends a run with a typed output. An agent with an `outputSchema` has it. */
export const FINISH_TOOL = '__finish__';

/** The tool that names files which go with an answer. */
export const ATTACH_TOOL = '__attach__';
/** The tool by which a child reads those whom its task names. */
export const READ_TOOL = '__read__';

/** What a failed call looks like to the model: one shape for tools and sub-agents. */
export function failureContent(error: Failure): JsonObject {
  const { done, request } = isObject(error.details) ? error.details : {};
  return {
    success: false,
    error: error.message,
    code: error.code,
    ...(done === undefined ? {} : { done }),
    ...(request === undefined ? {} : { request }),
  };
}

/** A tool result in parts, which shows images or files to the model. */
export type ContentResult = { readonly type: 'content'; readonly value: readonly (TextPart | FilePart)[] };

/** The data of a part of a result, as the versions of the AI SDK write it. */
function dataOf({ data }: JsonObject): string | undefined {
  if (typeof data === 'string') return data;
  return isObject(data) && data.type === 'data' && typeof data.data === 'string' ? data.data : undefined;
}

function contentPart(part: Json): TextPart | FilePart | undefined {
  if (!isObject(part)) return undefined;
  const { type, text, mediaType, filename } = part;
  if (type === 'text') return typeof text === 'string' ? { type, text } : undefined;
  const data = dataOf(part);
  const isFile = type === 'file' || type === 'media' || type === 'image-data' || type === 'file-data';
  if (!isFile || typeof mediaType !== 'string' || data === undefined) return undefined;
  return { type: 'file', mediaType, ...(typeof filename === 'string' ? { filename } : {}), data };
}

/** The parts of a result that has some, as `ContentResult` or as the AI SDK writes it; undefined for any other value. */
export function partsOfResult(value: Json): readonly (TextPart | FilePart)[] | undefined {
  if (!isObject(value) || value.type !== 'content' || !Array.isArray(value.value)) return undefined;
  const parts = value.value.map(contentPart);
  return parts.every((part) => part !== undefined) && parts.length > 0 ? parts : undefined;
}

/** A value with a line in place of each file within it, and those files. */
export interface ShownValue {
  readonly value: Json;
  readonly files: readonly FilePart[];
}

/** A value as a model is shown it: files in results within it become separate parts, so no text has their base64. */
export function shownValue(value: Json): ShownValue {
  const files: FilePart[] = [];
  const shown = withoutFiles(value, files);
  return { value: shown, files };
}

function withoutFiles(value: Json, files: FilePart[]): Json {
  if (typeof value !== 'object' || value === null) return value;
  const parts = partsOfResult(value);
  if (parts?.some(({ type }) => type === 'file')) {
    const texts = parts.map((part) => {
      if (part.type === 'text') return part.text;
      files.push(part);
      return `[The file ${part.filename ?? part.mediaType} follows below.]`;
    });
    return texts.join('\n\n');
  }
  const before = files.length;
  const made = Array.isArray(value)
    ? value.map((inner) => withoutFiles(inner, files))
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutFiles(inner, files)]));
  return files.length === before ? value : made;
}

/** The parts of a result that has files, be they within it; undefined for any other value. */
export function partsToShow(value: Json): readonly (TextPart | FilePart)[] | undefined {
  const parts = partsOfResult(value);
  if (parts) return parts;
  const shown = shownValue(value);
  return shown.files.length === 0 ? undefined : [{ type: 'text', text: JSON.stringify(shown.value) }, ...shown.files];
}

/** The JSON that a model reads as the result of a call. */
export function resultContent(result: CallResult): Json {
  return result.success ? result.value : failureContent(result.error);
}

/**
 * The tool message of a sub-agent's call. `name` is the option of its tool, where that has one.
 * @example
 * const told = createSubAgentResultMessage({
 *   toolCallId: 'call_1',
 *   agentType: 'timekeeper',
 *   result: { success: true, value: { time: '10:00' } },
 * });
 */
export function createSubAgentResultMessage(options: {
  toolCallId: string;
  agentType: string;
  name?: string;
  result: CallResult;
}): Extract<Message, { role: 'tool' }> {
  const { toolCallId, agentType, name = agentType, result } = options;
  return { role: 'tool', toolCallId, toolName: `subagent__${name}`, result };
}

/**
 * The tool message that pairs a `__finish__` call, which runs no body.
 * @example
 * const paired = (messages: readonly Message[]): readonly Message[] => {
 *   const open = findUnpairedFinishCallId(messages);
 *   return open === undefined ? messages : [...messages, synthesizeFinishToolResult(open)];
 * };
 */
export function synthesizeFinishToolResult(toolCallId: string): Extract<Message, { role: 'tool' }> {
  return { role: 'tool', toolCallId, toolName: FINISH_TOOL, result: { success: true, value: { finished: true } } };
}

/** The calls of a transcript that no tool message answers, in order. */
export function unpairedCalls(messages: readonly Message[]): ToolCallPart[] {
  const answered = new Set<string>();
  for (const message of messages) if (message.role === 'tool') answered.add(message.toolCallId);
  const open: ToolCallPart[] = [];
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call' && !answered.has(part.toolCallId)) open.push(part);
    }
  }
  return open;
}

/**
 * The id of a `__finish__` call that no tool message answers, if there is one.
 * @example
 * const isWhole = (messages: readonly Message[]): boolean => findUnpairedFinishCallId(messages) === undefined;
 */
export function findUnpairedFinishCallId(messages: readonly Message[]): string | undefined {
  return unpairedCalls(messages).find((call) => call.toolName === FINISH_TOOL)?.toolCallId;
}

/**
 * The message to a model whose call a person approved with other arguments.
 * @param place its place among the calls of the reply, from 1, where several are of that tool
 */
export function changedCallNotice(toolName: string, input: Json, place?: number): string {
  const call = `your call of "${toolName}"${place === undefined ? '' : ` (call ${place} of your reply)`}`;
  return `The arguments of ${call} were changed before it was approved. It ran with: ${JSON.stringify(input)}`;
}
