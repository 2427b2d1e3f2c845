/**
 * The door of chats: AI SDK UI at `A/chat`, over HTTP and over a socket.
 *
 * CH3. A client that goes away leaves the agent at work. A request that is repeated does nothing twice.
 * CH8. All that a request asks for is checked, with its rights, before any of it is done.
 */
import { refuseUnknown } from '../../core/definition/invalid';
import type { AgentDoor, DoorRequest } from '../../gateway/doors/door';
import { failure, refuse, refuseWith } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import { problemOf } from '../../protocol/problem';
import type { Acceptances, Document } from '../../protocol/wire-types';
import { isAtWork } from '../at-work';
import { bodyOf, Thread } from '../thread';
import { isOver, tryAll } from '../trial';
import { madeAgain } from './regenerate';
import { type ChatRequest, chatRequest, contentOf, MAX_CHAT_BYTES, partsOfCalls, saidIn } from './request';
import type { From } from './response';
import { overSocket } from './socket';
import { CLOCK, eventsOf, type UiStream, uiStream } from './stream';
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

/** Pages of the log that are looked through for a question: answers to older ones are refused. */
const MAX_LOG_PAGES = 20;

/** @throws OffshootError `unknown_tool_call` for an answer to what nobody asked for */
async function checkAsked(thread: Thread, others: readonly string[], from: number | undefined): Promise<void> {
  const unknown = new Set(others);
  let next = from;
  for (let page = 0; page < MAX_LOG_PAGES && unknown.size > 0; page += 1) {
    const input = { types: ASKED, limit: 500, ...(next === undefined ? {} : { from: next }) };
    const found = await thread.body<Document<'chunks'>>('chunks', input);
    for (const { chunk } of found.items) if ('toolCallId' in chunk) unknown.delete(chunk.toolCallId);
    next = found.next;
    if (next === undefined) break;
  }
  const [first] = unknown;
  if (first !== undefined) refuse('unknown_tool_call', `The call "${first}" was never pending in this conversation.`);
}

const startOf = ({ run }: Status): number => run?.chainStartSequence ?? run?.startSequence ?? 1;

/** The stream of the answer that the agent is at, from its beginning or a part of it. */
async function streamOf(thread: Thread, from: From, status?: Status): Promise<UiStream> {
  const { address, base: filesAt } = thread;
  const now = status ?? (await thread.body<Status>('status'));
  return uiStream(await thread.log(startOf(now)), { address, filesAt, from, clock: CLOCK });
}

/** Does what a client has posted, and streams the answer. @throws OffshootError as the verbs refuse */
async function answerPost(thread: Thread, given: ChatRequest): Promise<UiStream> {
  const { address } = thread;
  const [look] = await thread.allow([{ verb: 'status' }, { verb: 'stream', input: { follow: true } }]);
  const status = await thread.status(look);
  checkChatId(given.chatId, address, status);
  if (given.again) return streamOf(thread, await madeAgain(thread, given.again, status));
  const pending = status && given.answer ? await thread.pending() : [];
  const { submits, others } = saidIn(given, pending);
  if (status && others.length > 0) await checkAsked(thread, others, startOf(status));
  const { message } = given;
  if (status === undefined && message === undefined)
    refuse('not_found', 'This conversation has not begun: send a message.');
  const allowed = await thread.allow([
    ...submits.map((input) => ({ verb: 'submit' as const, input: input as Json })),
    ...(message ? [sendAsk(thread, message)] : []),
  ]);
  await tryAll(allowed);
  for (const ask of allowed.slice(0, submits.length)) {
    const answer = await ask.ask();
    if (!answer.ok && !isOver(answer.error)) refuseWith(answer.error);
  }
  const send = allowed.at(submits.length);
  const sent = send && (await bodyOf<Acceptances['send']>(send));
  const from: From = sent
    ? startedBy(sent, status?.status === 'interrupted')
    : answered(
        given,
        submits.map(({ toolCallId }) => toolCallId),
        others,
      );
  return streamOf(thread, from);
}

function sendAsk({ base, address }: Thread, message: NonNullable<ChatRequest['message']>) {
  const { id, metadata } = message;
  const content = contentOf(message, `${base}${address}/files/`);
  const kept = metadata === undefined ? { id } : { id, metadata };
  return { verb: 'send' as const, input: { content, metadata: { chat: kept } } as Json, idempotencyKey: id };
}

/** A message that resumes an interrupted run is answered behind it, and not in the message that was stopped. */
const startedBy = ({ messageId, delivery }: Acceptances['send'], isResumed: boolean): From =>
  delivery === 'started' && !isResumed ? { kind: 'start' } : { kind: 'message', messageId };

function answered({ answer, chatId }: ChatRequest, submitted: readonly string[], others: readonly string[]): From {
  return {
    kind: 'answers',
    toolCallIds: new Set([...submitted, ...others]),
    messageId: answer?.id ?? chatId,
    has: partsOfCalls(answer),
    given: new Set(submitted),
  };
}

/** The answer that the agent is at, from its beginning; undefined where it is at none. */
export async function resumed(thread: Thread, chatId: string): Promise<UiStream | undefined> {
  const [look] = await thread.allow([{ verb: 'status' }]);
  const status = await thread.status(look);
  checkChatId(chatId, thread.address, status);
  if (status === undefined || !isAtWork(status)) return undefined;
  return streamOf(thread, { kind: 'start' }, status);
}

/** Options of the door. */
export interface ChatOptions {
  /** The segment behind an address at which it answers. Default: `chat`. */
  readonly behind?: string;
}

const ALLOW: Readonly<Record<string, string>> = { chat: 'GET, POST, OPTIONS', stream: 'GET, OPTIONS' };

/**
 * The door of chats: pages with `useChat` of AI SDK UI talk to agents at `A/chat`.
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
  return eventsOf(await answerPost(thread, chatRequest(await given.json(MAX_CHAT_BYTES))), requestId);
}

const DO = { answerPost, resumed };

const NEVER_KEPT = { 'cache-control': 'no-store' } as const;
