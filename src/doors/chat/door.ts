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
import { isSuspended } from '../../protocol/status';
import type { Acceptances, Document } from '../../protocol/wire-types';
import { isAtWork } from '../at-work';
import { MAX_DOOR_BYTES } from '../body';
import { bodyOf, Thread } from '../thread';
import { isOver, tryAll } from '../trial';
import { idInChat, wordsOf } from './past';
import { madeAgain } from './regenerate';
import { type ChatRequest, chatRequest, contentOf, partsOfCalls, refuseEdit, saidIn } from './request';
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
async function checkAsked(thread: Thread, others: readonly string[]): Promise<void> {
  const unknown = new Set(others);
  let before: number | undefined = Number.MAX_SAFE_INTEGER;
  for (let page = 0; page < MAX_LOG_PAGES && unknown.size > 0 && before !== undefined; page += 1) {
    const found: Document<'chunks'> = await thread.body('chunks', { types: ASKED, limit: 500, before });
    for (const { chunk } of found.items) if ('toolCallId' in chunk) unknown.delete(chunk.toolCallId);
    before = found.previous;
  }
  const [first] = unknown;
  if (first !== undefined) refuse('unknown_tool_call', `The call "${first}" was never pending in this conversation.`);
}

const startOf = ({ run }: Status): number => run?.chainStartSequence ?? run?.startSequence ?? 1;

/** The stream of an answer, from its beginning or a part of it: of the one that the agent is at by default. */
async function streamOf(thread: Thread, from: From, start?: number): Promise<UiStream> {
  const { address, base: filesAt } = thread;
  const first = start ?? startOf(await thread.body<Status>('status'));
  return uiStream(await thread.log(first), { address, filesAt, from, clock: CLOCK });
}

/** Messages that are looked through for one that was sent before. */
const LOOK_BACK = 200;

/** Where the answer to a message begins in the log: of one that was sent before it may be an earlier answer. */
async function startFor(thread: Thread, messageId: string, now: Status, isNew: boolean): Promise<number> {
  if (isNew || now.run === undefined) return startOf(now);
  const { items } = await thread.transcript(LOOK_BACK);
  const at = items.findLastIndex((one) => one.messageId === messageId);
  const turn = at < 0 ? undefined : items.slice(at).find(({ role }) => role === 'assistant')?.turn;
  if (turn === undefined || turn >= now.run.chainTurn) return startOf(now);
  const [run] = await thread.runsFrom(turn);
  return run?.chainStartSequence ?? startOf(now);
}

/** The stream of the answer to a message that was sent, now or before. */
async function answerTo(
  thread: Thread,
  { messageId, delivery }: Acceptances['send'],
  before: Status | undefined,
): Promise<UiStream> {
  const now = await thread.body<Status>('status');
  const isNew = now.run?.turn !== before?.run?.turn;
  // A message that resumes an interrupted run is answered behind it, and not in the message that was stopped.
  const isBehind = delivery === 'queued' || (isNew && before?.status === 'interrupted');
  const isOver = !isAtWork(now) && !isSuspended(now.status);
  const from: From = isBehind ? { kind: 'message', messageId, isOver } : { kind: 'start' };
  return streamOf(thread, from, await startFor(thread, messageId, now, isNew));
}

/**
 * The id of a message that the agent has from this client; undefined where its request was lost.
 * @throws OffshootError `invalid_request` where it has other words there, or others were sent since
 */
async function sentBefore(thread: Thread, message: NonNullable<ChatRequest['message']>): Promise<string | undefined> {
  const { items } = await thread.transcript(LOOK_BACK);
  const said = items.filter(({ role, from, silent }) => role === 'user' && from === 'caller' && !silent);
  const known = said.find(({ metadata }) => idInChat(metadata) === message.id);
  if (known === undefined) return undefined;
  const words = message.parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
  if (known !== said.at(-1) || words !== wordsOf(known.content)) refuseEdit();
  return known.messageId;
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
  const { message } = given;
  const known = status && message && given.isListed ? await sentBefore(thread, message) : undefined;
  if (status && known) return answerTo(thread, { messageId: known, delivery: 'started' }, status);
  // Beside a message it is what a page still shows of an answer that came too late.
  if (status && message === undefined) await checkAsked(thread, others);
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
  if (send) return answerTo(thread, await bodyOf(send), status);
  const submitted = submits.map(({ toolCallId }) => toolCallId);
  return streamOf(thread, answered(given, submitted, others));
}

function sendAsk({ base, address }: Thread, message: NonNullable<ChatRequest['message']>) {
  const { id, metadata } = message;
  const content = contentOf(message, `${base}${address}/files/`);
  const kept = metadata === undefined ? { id } : { id, metadata };
  return { verb: 'send' as const, input: { content, metadata: { chat: kept } } as Json, idempotencyKey: id };
}

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
  return streamOf(thread, { kind: 'start' }, startOf(status));
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
  return eventsOf(await answerPost(thread, chatRequest(await given.json(MAX_DOOR_BYTES))), requestId);
}

const DO = { answerPost, resumed };

const NEVER_KEPT = { 'cache-control': 'no-store' } as const;
