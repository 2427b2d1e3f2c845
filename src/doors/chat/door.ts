/**
 * The door of chats: AI SDK UI at `A/chat`, over HTTP and over a socket.
 *
 * Keeps CH22.
 *
 * CH3. A client that goes away leaves the agent at work. A request that is repeated does nothing twice.
 * CH8. All that a request asks for is checked, with its rights, before any of it is done.
 */

import { keptBy, type SentMessage } from '../../core/definition/hooks/hooked-message';
import { refuseUnknown } from '../../core/definition/invalid';
import type { AgentDoor, AllowedAsk, DoorAnswer, DoorRequest } from '../../gateway/doors/door';
import { failure, refuse, refuseWith } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import { problemOf } from '../../protocol/problem';
import type { Acceptances, Document } from '../../protocol/wire/wire-types';
import { isAtWork } from '../at-work';
import { MAX_DOOR_BYTES } from '../body';
import { digestOf } from '../sent';
import { bodyOf, keyed, Thread } from '../thread';
import { isOver, messageIdIn, tryAll } from '../trial';
import { answerOf, chainAt, newestChunk, type SentNow, startOf } from './own-answer';
import { idInChat, isPersons, personsMessage } from './past';
import { madeAgain } from './regenerate';
import { type ChatRequest, chatRequest, contentOf, partsOfCalls, refuseEdit, type Submitted, saidIn } from './request';
import type { From, Given } from './response';
import { overSocket } from './socket';
import { CLOCK, eventsOf, nothingNew, type UiStream, uiStream } from './stream';
import { transcriptOf } from './transcript';

type Status = Document<'status'>;

/** @throws OffshootError `not_found` where the chat has another id than its agent */
function checkChatId(chatId: string, address: string, status: Status | undefined): void {
  const name = address.slice(address.lastIndexOf('/') + 1);
  if (chatId !== name && chatId !== status?.sessionId)
    refuse('not_found', `The chat at this address has the id "${name}": give it to \`useChat\` as \`id\`.`);
}

/** Chunks of the log about calls that a person was asked for. */
const ASKED = 'tool_approval_request,client_tool_request,tool_answered';

/**
 * Where the answer begins in which the newest of these calls was asked about; undefined for no calls.
 * @throws OffshootError `unknown_tool_call` for one that nobody asked about
 */
async function askedIn(thread: Thread, toolCallIds: readonly string[]): Promise<number | undefined> {
  if (toolCallIds.length === 0) return undefined;
  const unknown = new Set(toolCallIds);
  let newest: number | undefined;
  await newestChunk(thread, ASKED, Number.MAX_SAFE_INTEGER, ({ chunk, sequence }) => {
    if ('toolCallId' in chunk && unknown.delete(chunk.toolCallId)) newest ??= sequence;
    return unknown.size === 0;
  });
  const [first] = unknown;
  if (first !== undefined) refuse('unknown_tool_call', `The call "${first}" was never pending in this conversation.`);
  return newest === undefined ? undefined : chainAt(thread, newest);
}

/** The stream of an answer, from its beginning or a part of it: of the one that the agent is at by default. */
async function streamOf(thread: Thread, from: From, start?: number): Promise<UiStream> {
  const { address, base: filesAt } = thread;
  const first = start ?? startOf(await thread.body<Status>('status'));
  return uiStream(await thread.log(first), { address, filesAt, from, clock: CLOCK });
}

/** The stream of the answer to a message that the agent has. */
async function answerTo(thread: Thread, sent: SentNow, given: Given, before: Status | undefined): Promise<UiStream> {
  const section = await answerOf(thread, sent, await thread.body<Status>('status'), before);
  return section ? streamOf(thread, { ...section.from, given }, section.start) : nothingNew();
}

const filesAt = ({ base, address }: Thread): string => `${base}${address}/files/`;

/**
 * The id of a message that the agent has from this client; undefined where its request was lost.
 * @throws OffshootError `invalid_request` where the agent has it with another content, or others were sent since
 */
async function sentBefore(thread: Thread, message: NonNullable<ChatRequest['message']>): Promise<string | undefined> {
  const known = await thread.newest((one) => isPersons(one) && idInChat(one.metadata) === message.id);
  if (known?.messageId === undefined) return undefined;
  const last = await thread.newest(isPersons);
  const { address, base } = thread;
  const content = contentOf(message, filesAt(thread));
  const listed = personsMessage(known, { filesAt: base, agent: { address } });
  // A page sends it as it did before, or as the agent has listed it since.
  const isSame =
    keptBy('chat', known.metadata).digest === digestOf(content) ||
    (listed && digestOf(contentOf(listed, filesAt(thread))) === digestOf(content));
  if (known.messageId !== last?.messageId || !isSame) refuseEdit();
  return known.messageId;
}

/** A message behind an answer that is continued, where nothing in that one waits. */
interface Repeated {
  readonly given: ChatRequest;
  readonly others: readonly string[];
  /** The id of the message, where it was sent before. */
  readonly known: string | undefined;
  readonly status: Status | undefined;
}

/** Does what a client has posted, and streams the answer. @throws OffshootError as the verbs refuse */
async function answerPost(thread: Thread, given: ChatRequest): Promise<UiStream> {
  const [look] = await thread.allow([{ verb: 'status' }, { verb: 'stream', input: { follow: true } }]);
  const status = await thread.status(look);
  checkChatId(given.chatId, thread.address, status);
  if (given.again) return streamOf(thread, await madeAgain(thread, given.again, status));
  const pending = status && given.answer ? await thread.pending() : [];
  const { submits, others } = saidIn(given, pending);
  const { message } = given;
  const known = status && message && given.isListed ? await sentBefore(thread, message) : undefined;
  if (message && given.continues && submits.length === 0) return restOf(thread, { given, others, known, status });
  // Beside a message it is what a page still shows of an answer that came too late.
  const before = status && message === undefined ? await askedIn(thread, others) : undefined;
  if (status === undefined && message === undefined)
    refuse('not_found', 'This conversation has not begun: send a message.');
  const sends = message && known === undefined ? [sendAsk(thread, message)] : [];
  const allowed = await thread.allow([
    ...submits.map((input) => ({ verb: 'submit' as const, input: input as Json })),
    ...sends,
  ]);
  // An answer alone refuses by itself. A message is tried also to learn whether it was sent before.
  const isTried = allowed.length > 1 || (sends.length > 0 && status !== undefined);
  const tried = isTried ? await tryAll(allowed) : [];
  for (const ask of allowed.slice(0, submits.length)) {
    const answer = await ask.ask();
    if (!answer.ok && !isOver(answer.error)) refuseWith(answer.error);
  }
  const send = allowed.at(submits.length);
  const sent = send ? await sentNow(send, tried.at(submits.length)) : known && { messageId: known, isAgain: true };
  if (sent && !given.continues) return answerTo(thread, sent, idsOf(submits), status);
  // What waited belongs to the answer that the agent was at; a message may have begun another one since.
  const start = submits.length > 0 || before === undefined ? status && startOf(status) : before;
  return streamOf(thread, answered(given, submits, others), start);
}

/**
 * The rest of an answer whose questions were answered before: of a request that is repeated.
 * @throws OffshootError `invalid_request` where the message has another answer: its client would show that in the old one
 */
async function restOf(thread: Thread, repeated: Repeated): Promise<UiStream> {
  const { given, others, known, status } = repeated;
  const asked = known === undefined ? undefined : await askedIn(thread, others);
  const own = known && status ? await answerOf(thread, { messageId: known, isAgain: true }, status) : undefined;
  if (asked !== undefined && asked === own?.start) return streamOf(thread, answered(given, [], others), asked);
  return refuse(
    'invalid_request',
    'This answer is not waiting for anything. Send your message again with its id: `sendMessage({ text, messageId })`.',
  );
}

function sendAsk(thread: Thread, message: NonNullable<ChatRequest['message']>) {
  const { id, metadata } = message;
  const content = contentOf(message, filesAt(thread));
  const sent: SentMessage = { id, digest: digestOf(content) };
  const kept = metadata === undefined ? sent : { ...sent, metadata };
  return { verb: 'send' as const, input: { content, metadata: { chat: kept } } as Json, ...keyed(id) };
}

/** Sends a message. @throws OffshootError as the agent refuses */
async function sentNow(send: AllowedAsk, tried: DoorAnswer | undefined): Promise<SentNow> {
  const { messageId, delivery } = await bodyOf<Acceptances['send']>(send);
  const isAgain = messageIdIn(tried) === messageId;
  return { messageId, isAgain, isQueued: delivery === 'queued' };
}

const idsOf = (submits: readonly Submitted[]): Given => new Set(submits.map(({ toolCallId }) => toolCallId));

function answered({ answer, chatId }: ChatRequest, submits: readonly Submitted[], others: readonly string[]): From {
  const submitted = idsOf(submits);
  return {
    kind: 'answers',
    toolCallIds: new Set([...submitted, ...others]),
    messageId: answer?.id ?? chatId,
    has: partsOfCalls(answer),
    given: submitted,
  };
}

/** The answer that the agent is at, from its beginning; undefined where it is at none. */
export async function resumed(thread: Thread, chatId: string): Promise<UiStream | undefined> {
  const [look] = await thread.allow([{ verb: 'status' }]);
  const status = await thread.status(look);
  checkChatId(chatId, thread.address, status);
  if (status === undefined || !isAtWork(status)) return undefined;
  return streamOf(thread, { kind: 'start' }, startOf(status));
}

/** Options of the door. */
export interface ChatOptions {
  /** The path segment after an agent's address at which it is served. Default: `chat`. */
  readonly behind?: string;
}

const ALLOW: Readonly<Record<string, string>> = { chat: 'GET, POST, OPTIONS', stream: 'GET, OPTIONS' };

/**
 * The chat door: pages with the AI SDK's `useChat` talk to agents at `A/chat`.
 * @throws OffshootError `invalid_definition` for an unknown option
 * @example
 * export default serve([planner], { doors: [chat()] });
 */
export function chat(options: ChatOptions = {}): AgentDoor {
  refuseUnknown('chat', options, ['behind']);
  const { behind = 'chat' } = options;
  return {
    name: 'chat',
    behind,
    answer: answerChat,
  };
}

async function answerChat(given: DoorRequest, address: string, rest: readonly string[]): Promise<Response | undefined> {
  const { request, requestId, agents, base } = given;
  const [chatId, what] = rest;
  const isChat = rest.length === 0;
  if (!isChat && (rest.length !== 2 || what !== 'stream' || chatId === undefined)) return undefined;
  const thread = new Thread(agents, address, base);
  if (isChat && given.socket) return overSocket(thread, await given.socket(address), DO);
  const allow = ALLOW[isChat ? 'chat' : 'stream'] ?? '';
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
  if (request.method === 'GET' && !isChat) {
    const stream = await resumed(thread, chatId ?? '');
    return stream ? eventsOf(stream, requestId) : new Response(null, { status: 204, headers: NEVER_KEPT });
  }
  if (request.method === 'GET') return Response.json(await transcriptOf(thread), { headers: NEVER_KEPT });
  if (request.method !== 'POST' || !isChat) {
    const body = problemOf(failure('method_not_allowed', `This route takes ${allow}.`), requestId);
    const headers = { 'content-type': 'application/problem+json', allow };
    return Response.json(body, { status: body.status, headers });
  }
  return eventsOf(await answerPost(thread, chatRequest(await given.json(MAX_DOOR_BYTES))), requestId);
}

const DO = { answerPost, resumed };

const NEVER_KEPT = { 'cache-control': 'no-store' } as const;
