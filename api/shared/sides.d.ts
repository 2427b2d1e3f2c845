import { E as Json, O as JsonObject, x as Failure } from "./chunks.js";
/**
 * The words for how a session stands: the one list that the record, the view, the wire and the terminal share.
 *
 * Decides: the words for how a session stands.
 * Keeps A7, SU1.
 */
/** How a run stands that waits for a person, itself or through its sub-agents. Its loop has exited. */
declare const SUSPENDED_STATUSES: readonly ['suspended_client_tool', 'suspended_awaiting_children', 'suspended_step_partial'];
/** One of them. */
type SuspendedStatus = (typeof SUSPENDED_STATUSES)[number];
/** The statuses of a run, from its beginning to its end. */
declare const RUN_STATUSES: readonly ["running", "suspended_client_tool", "suspended_awaiting_children", "suspended_step_partial", "interrupted", "completed", "failed", "terminated"];
/**
 * The statuses of a session: `idle` has had no run yet, `queued` may not begin yet; all others are those of its latest
 * run.
 */
declare const SESSION_STATUSES: readonly ["idle", "queued", "running", "suspended_client_tool", "suspended_awaiting_children", "suspended_step_partial", "interrupted", "completed", "failed", "terminated"];
/** The status of a session, as people see it. */
type SessionStatus = (typeof SESSION_STATUSES)[number];
/**
 * Returns true if a status is an end: the run does nothing more, unless somebody resumes it.
 * @example
 * const over = isEnded('completed');
 */
declare function isEnded(status: string): boolean;
/**
 * Returns true if a session with that status waits for a person, or for children that do.
 * @example
 * const waits = isSuspended('suspended_client_tool');
 */
declare function isSuspended(status: string): status is SuspendedStatus;
/**
 * Returns true if nothing more happens in a session with that status until somebody acts.
 * @example
 * const still = isAtRest('interrupted');
 */
declare function isAtRest(status: string): boolean;
/** Returns true if a chunk ends its run. */
declare function isEndChunk(chunk: {
  readonly type: string;
}): boolean;
/** The roles of a received message. */
declare const MESSAGE_ROLES: readonly ['user', 'system'];
/** One of them. */
type MessageRole = (typeof MESSAGE_ROLES)[number];
/** A file or image in a message, in addition to its text. `data` is base64. */
type FilePart = {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string;
  readonly data: string;
};
/**
 * A file of the agent, named by its path in a message. The model sees its bytes as long as the content is the same as
 * when the message was accepted.
 */
type FileReference = {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the content, in hex. */
  readonly etag: string;
};
/** Text of a message. */
type TextPart = {
  readonly type: 'text';
  readonly text: string;
  /** Data that the provider expects back, stored unchanged. */
  readonly providerMetadata?: JsonObject;
};
/** A part of a received message. */
type UserPart = TextPart | FilePart | FileReference;
/** The model's thinking. */
type ReasoningPart = {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerMetadata?: JsonObject;
};
/** A call that the model made. */
type ToolCallPart = {
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
type ProviderCallPart = {
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
type ProviderResultPart = {
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
type SourcePart = {
  readonly type: 'source';
  readonly id: string;
  readonly title?: string;
} & ({
  readonly sourceType: 'url';
  readonly url: string;
} | {
  readonly sourceType: 'document';
  readonly mediaType: string;
  readonly filename?: string;
});
/** A file that the model made: stored as one of the agent's files, at an address, or omitted, with the reason. */
type ReplyFilePart = {
  readonly type: 'reply-file';
  readonly mediaType: string;
  readonly providerMetadata?: JsonObject;
} & ({
  readonly path: string;
  readonly etag: string;
  readonly bytes: number;
} | {
  readonly url: string;
} | {
  readonly omitted: string;
});
/** A part of a reply other than text, thinking and calls of the agent's own tools. */
type FurtherPart = ProviderCallPart | ProviderResultPart | SourcePart | ReplyFilePart;
/** A part of an assistant message. */
type AssistantPart = TextPart | ReasoningPart | ToolCallPart | FurtherPart;
/** The one result of a call. Failures are values that the model can act on. */
type CallResult = {
  readonly success: true;
  readonly value: Json;
} | {
  readonly success: false;
  readonly error: Failure;
};
/** A message of the transcript. */
type Message = {
  readonly role: 'system';
  readonly content: string;
} | {
  readonly role: 'user';
  readonly content: string | readonly UserPart[];
  /** Set on what Offshoot itself says: a notice, a reminder, a summary. */
  readonly from?: 'offshoot';
} | {
  readonly role: 'assistant';
  readonly content: readonly AssistantPart[];
} | {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: CallResult;
};
/** The tool that ends a run with a typed output. An agent with an `outputSchema` has it. */
declare const FINISH_TOOL = "__finish__";
/** A tool result in parts, which shows images or files to the model. */
type ContentResult = {
  readonly type: 'content';
  readonly value: readonly (TextPart | FilePart)[];
};
/**
 * The tool message of a sub-agent's call. `name` is the option of its tool, where that has one.
 * @example
 * const told = createSubAgentResultMessage({
 *   toolCallId: 'call_1',
 *   agentType: 'timekeeper',
 *   result: { success: true, value: { time: '10:00' } },
 * });
 */
declare function createSubAgentResultMessage(options: {
  toolCallId: string;
  agentType: string;
  name?: string;
  result: CallResult;
}): Extract<Message, {
  role: 'tool';
}>;
/**
 * The tool message that pairs a `__finish__` call, which runs no body.
 * @example
 * const paired = (messages: readonly Message[]): readonly Message[] => {
 *   const open = findUnpairedFinishCallId(messages);
 *   return open === undefined ? messages : [...messages, synthesizeFinishToolResult(open)];
 * };
 */
declare function synthesizeFinishToolResult(toolCallId: string): Extract<Message, {
  role: 'tool';
}>;
/** The calls of a transcript that no tool message answers, in order. */
declare function unpairedCalls(messages: readonly Message[]): ToolCallPart[];
/**
 * The id of a `__finish__` call that no tool message answers, if there is one.
 * @example
 * const isWhole = (messages: readonly Message[]): boolean => findUnpairedFinishCallId(messages) === undefined;
 */
declare function findUnpairedFinishCallId(messages: readonly Message[]): string | undefined;
/**
 * The sides of an agent that has two: they speak in turns.
 *
 * Keeps SA1.
 */
/** Both, in the order in which they are defined. */
declare const SIDES: readonly ['side_a', 'side_b'];
/** One of the two sides. */
type SideName = (typeof SIDES)[number];
export { isEnded as A, RUN_STATUSES as C, SuspendedStatus as D, SessionStatus as E, isAtRest as O, unpairedCalls as S, SUSPENDED_STATUSES as T, ToolCallPart as _, FINISH_TOOL as a, findUnpairedFinishCallId as b, MESSAGE_ROLES as c, ProviderCallPart as d, ProviderResultPart as f, TextPart as g, SourcePart as h, ContentResult as i, isSuspended as j, isEndChunk as k, Message as l, ReplyFilePart as m, AssistantPart as n, FilePart as o, ReasoningPart as p, CallResult as r, FurtherPart as s, SideName as t, MessageRole as u, UserPart as v, SESSION_STATUSES as w, synthesizeFinishToolResult as x, createSubAgentResultMessage as y };