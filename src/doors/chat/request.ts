/**
 * The request of a chat, and its new parts: the message that the agent does not have, and answers to calls.
 *
 * CH8. The transcript of a client is not believed. What is new in it counts: its last message, and answers to calls that
 *      wait. Anything else is refused before anything is done.
 */
import * as z from 'zod';
import { problemsOf } from '../../protocol/content/problems';
import { refuse } from '../../protocol/errors';
import { isObject, type Json, type JsonObject } from '../../protocol/json';
import type { MessagePart } from '../../protocol/wire/requests';
import type { Bodies, Document } from '../../protocol/wire/wire-types';

const part = z.looseObject({ type: z.string() });
const message = z.looseObject({
  id: z.string().min(1).max(256),
  role: z.string(),
  parts: z.array(part).max(10_000),
});
const body = z.looseObject({
  id: z.string().min(1).max(512),
  trigger: z.enum(['submit-message', 'regenerate-message']),
  messageId: z.string().optional(),
  messages: z.array(message).min(1).max(10_000),
});

type GivenMessage = z.output<typeof message>;
type GivenPart = z.output<typeof part>;

/** An answer of a person to a call. */
export type Submitted = Bodies['answer'];

/** The answer that is to be made again: the last one, where neither is there. */
export interface Again {
  /** The id of an answer, as the client has it. */
  readonly answerId?: string;
  /** The id of the last message of a person, as the client has it. */
  readonly messageId?: string;
}

/** A request of a chat, read. */
export interface ChatRequest {
  readonly chatId: string;
  /** The new message, where there is one. */
  readonly message?: GivenMessage;
  /** The message was in the client's list already: it is sent again, or was edited. */
  readonly isListed?: true;
  /** The client continues `answer`, although a message follows it. */
  readonly continues?: true;
  /** The answer of the agent that is continued, or that questions are in. */
  readonly answer?: GivenMessage;
  /** The parts of the other answers, newest first: a client answers a question in the first message that shows it. */
  readonly before?: readonly GivenPart[];
  /** The last answer is to be made again. */
  readonly again?: Again;
}

/** @throws OffshootError `invalid_request` */
export function refuseEdit(): never {
  refuse('invalid_request', 'A message that was sent cannot be edited. Send a new one, or fork the agent.');
}

/** Reads the body of a request. @throws OffshootError `invalid_request` */
export function chatRequest(given: Json | undefined): ChatRequest {
  const read = body.safeParse(given);
  if (!read.success) {
    refuse('invalid_request', `This is not a chat request: ${problemsOf(read.error)}`);
  }
  const { id: chatId, trigger, messageId, messages } = read.data;
  const last = messages.at(-1);
  if (trigger === 'regenerate-message') return { chatId, again: againOf(last, messageId) };
  if (last?.role === 'user') {
    const named = messages.find(({ id }) => id === messageId);
    const continues = named?.role === 'assistant';
    if (messageId !== undefined && messageId !== last.id && !continues) refuseEdit();
    const answer = continues ? named : messages.findLast(({ role }) => role === 'assistant');
    return {
      ...{ chatId, message: last },
      ...(messageId === undefined ? {} : { isListed: true }),
      ...(continues ? { continues } : {}),
      ...(answer ? { answer, before: partsBefore(messages, answer) } : {}),
    };
  }
  if (last?.role !== 'assistant')
    refuse('invalid_request', 'The last message of a chat must have the role `user` or `assistant`.');
  const answer = messageId === undefined ? last : messages.find(({ id }) => id === messageId);
  if (answer?.role !== 'assistant') refuse('invalid_request', '`messageId` names no answer among the messages.');
  return { chatId, answer, before: partsBefore(messages, answer) };
}

/** The parts of the answers beside one, those of the newest first. */
function partsBefore(messages: readonly GivenMessage[], answer: GivenMessage): readonly GivenPart[] {
  return messages.toReversed().flatMap((one) => (one.role === 'assistant' && one !== answer ? one.parts : []));
}

/** The client has taken the answer out of its messages, and names it, or the message before it, or neither. */
function againOf(last: GivenMessage | undefined, messageId: string | undefined): Again {
  const asked = last?.role === 'user' ? { messageId: last.id } : {};
  return messageId === undefined || messageId === last?.id ? asked : { ...asked, answerId: messageId };
}

const isTool = ({ type, toolCallId }: GivenPart): boolean =>
  (type === 'dynamic-tool' || type.startsWith('tool-')) && typeof toolCallId === 'string';

/** The calls that an answer has parts of, and whether each is one that can be approved. */
export function partsOfCalls(answer: GivenMessage | undefined): Map<string, boolean> {
  const found = new Map<string, boolean>();
  for (const one of answer?.parts ?? [])
    if (isTool(one)) found.set(String(one.toolCallId), isObject(one.approval as Json));
  return found;
}

/** Answers of a client: to calls that do not wait, and to those that do. */
export interface Said {
  readonly submits: readonly Submitted[];
  /** Approvals and denials whose calls do not wait. */
  readonly others: readonly string[];
}

/** @throws OffshootError `invalid_request` for an answer without the hash of what was shown */
export function saidIn({ answer, before = [] }: ChatRequest, pending: readonly Document<'pendingItem'>[]): Said {
  const waiting = new Map(pending.map((item) => [item.toolCallId, item]));
  const submits = new Map<string, Submitted>();
  const others: string[] = [];
  for (const one of answer?.parts ?? [])
    if (isTool(one) && one.state === 'approval-responded' && !waiting.has(String(one.toolCallId)))
      others.push(String(one.toolCallId));
  // An older approval of what was asked again is no answer to that: the person has not decided since.
  const askedAgain = new Set<string>();
  for (const one of [...(answer?.parts ?? []), ...before]) {
    const item = isTool(one) ? waiting.get(String(one.toolCallId)) : undefined;
    if (item && one.state === 'approval-requested') askedAgain.add(item.toolCallId);
    const isOpen = item && !submits.has(item.toolCallId) && !askedAgain.has(item.toolCallId);
    const said = isOpen ? answerIn(one, item) : undefined;
    if (said) submits.set(said.toolCallId, said);
  }
  return { submits: [...submits.values()], others };
}

/** The answer to a call that waits, in its part; undefined for none. */
function answerIn(one: GivenPart, item: Document<'pendingItem'>): Submitted | undefined {
  const { toolCallId, kind } = item;
  if (one.state === 'approval-responded') return approvalOf(item, one.approval as Json);
  if (kind !== 'client-tool') return undefined;
  if (one.state === 'output-available' && one.preliminary !== true)
    return { kind: 'client-tool-result', toolCallId, result: (one.output ?? null) as Json };
  if (one.state === 'output-error' && typeof one.errorText === 'string')
    return { kind: 'client-tool-result', toolCallId, error: one.errorText || 'It failed.' };
  return undefined;
}

function approvalOf({ toolCallId, kind, inputHash }: Document<'pendingItem'>, given: Json): Submitted {
  const approval = isObject(given) ? given : {};
  const descriptor: JsonObject = isObject(approval.descriptor ?? null) ? (approval.descriptor as JsonObject) : {};
  const { approved, reason, id } = approval;
  if (typeof approved !== 'boolean' || id !== toolCallId)
    refuse('invalid_request', `The answer to the call "${toolCallId}" is not an approval.`);
  if (typeof descriptor.inputHash !== 'string')
    refuse(
      'invalid_request',
      `The answer to the call "${toolCallId}" does not name the arguments: \`approval.descriptor\` of its part has the \`inputHash\`.`,
    );
  // An agent would refuse these too, after others were given.
  if (kind !== 'approval') refuse('kind_mismatch', `The call "${toolCallId}" waits for the result of a tool.`);
  if (descriptor.inputHash !== inputHash)
    refuse('input_changed', `The arguments of the call "${toolCallId}" have changed since they were shown.`);
  return {
    ...{ kind: 'approval-response', toolCallId, approved, inputHash },
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
  };
}

/** The content of a new message. `filesAt`: where the files of the agent are. @throws OffshootError `invalid_request` */
export function contentOf({ parts }: { readonly parts: readonly GivenPart[] }, filesAt: string): MessagePart[] {
  return parts.map((one) => {
    if (one.type === 'text' && typeof one.text === 'string') return { type: 'text', text: one.text };
    if (one.type === 'file' && typeof one.url === 'string') return fileOf(one, one.url, filesAt);
    return refuse('invalid_request', `A message can contain \`text\` and \`file\` parts, but not \`${one.type}\`.`);
  });
}

const UNKNOWN_TYPE = 'application/octet-stream';
const DATA = /^data:([^;,]*)(?:;[^;,]*)*;base64,/;

function fileOf({ mediaType, filename }: GivenPart, url: string, filesAt: string): MessagePart {
  const named = typeof filename === 'string' && filename !== '' ? { filename } : {};
  if (url.startsWith(filesAt)) {
    const type = typeof mediaType === 'string' ? { mediaType } : {};
    return { type: 'file', ...type, ...named, path: pathIn(url.substring(filesAt.length)) };
  }
  const data = DATA.exec(url);
  if (data === null)
    refuse('invalid_request', `A file of a message has a data URL with base64, or is a file of the agent: ${filesAt}…`);
  // A browser that knows no type of a file leaves it empty.
  const type = [mediaType, data[1]].find((one) => typeof one === 'string' && one !== '') ?? UNKNOWN_TYPE;
  return { type: 'file', mediaType: String(type), ...named, base64: url.substring(data[0].length) };
}

function pathIn(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    refuse('invalid_request', 'The address of a file is not encoded correctly.');
  }
}
