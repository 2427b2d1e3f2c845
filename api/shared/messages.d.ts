import { C as Failure, F as Json, L as JsonObject } from "./chunks.js";
/** The documents that go with a root: whatever store an author keeps them in. */
/** A document, as it is listed. */
interface DocumentFacts {
  readonly name: string;
  readonly title: string;
  /** `own`: of this root alone. `shared`: for every root, put there on purpose. `shipped`: there from the start. */
  readonly origin: 'own' | 'shared' | 'shipped';
  /** Of its text, in bytes of UTF-8. */
  readonly bytes: number;
}
/**
 * The documents of one root. Each method may be repeated; what is refused is an `OffshootError`: `not_found` for a name
 * that is not there, `payload_too_large` where there is no room.
 */
interface RootDocuments {
  /** Those that the root's agents search: its own and the shared ones. */
  list(): Promise<readonly DocumentFacts[]>;
  /** Removes one of its own. */
  remove(name: string): Promise<void>;
  /** Puts a copy of one of its own where every root finds it; gives the name there. */
  share(name: string): Promise<DocumentFacts>;
  /** Takes a shared one away from every root. */
  unshare(name: string): Promise<void>;
  /** Removes all of its own, because the root is being removed. */
  forget(): Promise<void>;
}
/** A file or image beside the text of a message. `data` is base64. */
type FilePart = {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string;
  readonly data: string;
};
/** Text of a message. */
type TextPart = {
  readonly type: 'text';
  readonly text: string;
  /** What the provider wants to see again, kept as it came. */
  readonly providerMetadata?: JsonObject;
};
/** The model's thinking. */
type ReasoningPart = {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerMetadata?: JsonObject;
};
/** A call that the model asked for. */
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
/** A part of an assistant message. */
type AssistantPart = TextPart | ReasoningPart | ToolCallPart;
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
  readonly content: string | readonly (TextPart | FilePart)[];
} | {
  readonly role: 'assistant';
  readonly content: readonly AssistantPart[];
} | {
  readonly role: 'tool';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: CallResult;
};
/** The tool that ends a run with a typed output; injected where an agent has an `outputSchema`. */
declare const FINISH_TOOL = "__finish__";
/** What a failed call looks like to the model: one shape for tools and sub-agents. */
declare function failureContent(error: Failure): JsonObject;
/** The JSON that a model reads as the result of a call. */
declare function resultContent(result: CallResult): Json;
/** The tool message of a sub-agent's call. `name` is the option of its tool, where that has one. */
declare function createSubAgentResultMessage(options: {
  toolCallId: string;
  agentType: string;
  name?: string;
  result: CallResult;
}): Extract<Message, {
  role: 'tool';
}>;
/** The tool message that pairs a `__finish__` call, which runs no body. */
declare function synthesizeFinishToolResult(toolCallId: string): Extract<Message, {
  role: 'tool';
}>;
/** The calls of a transcript that no tool message answers, in order. */
declare function unpairedCalls(messages: readonly Message[]): ToolCallPart[];
/** The id of a `__finish__` call that no tool message answers, if there is one. */
declare function findUnpairedFinishCallId(messages: readonly Message[]): string | undefined;
export { Message as a, ToolCallPart as c, findUnpairedFinishCallId as d, resultContent as f, RootDocuments as g, DocumentFacts as h, FilePart as i, createSubAgentResultMessage as l, unpairedCalls as m, CallResult as n, ReasoningPart as o, synthesizeFinishToolResult as p, FINISH_TOOL as r, TextPart as s, AssistantPart as t, failureContent as u };