/**
 * The door of chats: AI SDK UI at `A/chat`, over HTTP and over a socket.
 *
 * CH3. A client that goes away leaves the agent at work. A request that is repeated does nothing twice.
 * CH8. All that a request asks for is checked, with its rights, before any of it is done.
 */
import { refuseUnknown } from '../../core/definition/invalid';
import type { AgentDoor, AllowedAsk, DoorAsk } from '../../gateway/doors/door';
import { type Failure, failure, refuse, refuseWith } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import { problemOf } from '../../protocol/problem';
import type { Acceptances, Document, Page } from '../../protocol/wire-types';
import { isAtWork } from '../at-work';
import { isOver, tryAll } from '../trial';
import { asked, askNow, type ChatPlace } from './place';
import { type ChatRequest, chatRequest, contentOf, MAX_CHAT_BYTES, partsOfCalls, saidIn } from './request';
import type { From } from './response';
import { overSocket } from './socket';
import { CLOCK, eventsOf, type UiStream, uiStream } from './stream';
import { transcriptOf } from './transcript';

type Status = Document<'status'>;

/** The status of the agent; undefined where there is none yet. */
async function statusOf(ask: AllowedAsk): Promise<Status | undefined> {
  const answer = await ask.ask();
  if (answer.ok) return answer.body as unknown as Status;
  return answer.error.code === 'not_found' ? undefined : refuseWith(answer.error);
}

/** @throws OffshootError `not_found` where the chat has another id than its agent */
function checkChatId(chatId: string, address: string, status: Status | undefined): void {
  const name = address.slice(address.lastIndexOf('/') + 1);
  if (chatId !== name && chatId !== status?.sessionId)
    refuse('not_found', `The chat at this address has the id "${name}": give it to \`useChat\` as \`id\`.`);
}

/** Everything that waits for a person. */
async function allPending(place: ChatPlace): Promise<Document<'pendingItem'>[]> {
  const items: Document<'pendingItem'>[] = [];
  for (let cursor: string | undefined, pages = 0; pages < MAX_PAGES; pages++) {
    const input = { limit: 500, ...(cursor === undefined ? {} : { cursor }) };
    const page = await askNow<Page<Document<'pendingItem'>>>(place, {
      address: place.address,
      verb: 'pending',
      input,
    });
    items.push(...page.items);
    cursor = page.cursor;
    if (cursor === undefined) break;
  }
  return items;
}

const MAX_PAGES = 20;

/** Chunks of the log about calls that a person was asked for. */
const ASKED = 'tool_approval_request,client_tool_request,tool_answered';

/** Pages of the log that are looked through for a question: answers to older ones are refused. */
const MAX_LOG_PAGES = 20;

/** @throws OffshootError `unknown_tool_call` for an answer to what nobody asked for */
async function checkAsked(place: ChatPlace, others: readonly string[], from: number | undefined): Promise<void> {
  const unknown = new Set(others);
  let next = from;
  for (let page = 0; page < MAX_LOG_PAGES && unknown.size > 0; page += 1) {
    const input = { types: ASKED, limit: 500, ...(next === undefined ? {} : { from: next }) };
    const found = await askNow<Document<'chunks'>>(place, { address: place.address, verb: 'chunks', input });
    for (const { chunk } of found.items) if ('toolCallId' in chunk) unknown.delete(chunk.toolCallId);
    next = found.next;
    if (next === undefined) break;
  }
  const [first] = unknown;
  if (first !== undefined)
    refuse('unknown_tool_call', `Nobody was asked about the call "${first}" in this conversation.`);
}

const startOf = ({ run }: Status): number => run?.chainStartSequence ?? run?.startSequence ?? 1;

/** The stream of the log from a sequence on, as UI chunks. */
async function streamFrom(place: ChatPlace, from: From, sequence: number): Promise<UiStream> {
  const { request, address, clock } = place;
  const [allowed] = await request.agents.allow([{ address, verb: 'stream', input: { from: sequence, follow: true } }]);
  const answer = await allowed?.ask();
  if (answer?.ok !== true) refuseWith(answer?.error as Failure);
  if (answer.bytes === undefined) throw new Error('A stream has bytes.');
  return uiStream(answer.bytes, { address, filesAt: request.base, from, clock });
}

/** Does what a client has posted, and streams the answer. @throws OffshootError as the verbs refuse */
async function answerPost(place: ChatPlace, given: ChatRequest): Promise<UiStream> {
  const { request, address } = place;
  const [look] = await request.agents.allow([
    { address, verb: 'status' },
    { address, verb: 'stream', input: { follow: true } },
  ]);
  const status = look && (await statusOf(look));
  checkChatId(given.chatId, address, status);
  const pending = status && given.answer ? await allPending(place) : [];
  const { submits, others } = saidIn(given.answer, pending);
  if (status && others.length > 0) await checkAsked(place, others, startOf(status));
  const { message } = given;
  if (status === undefined && message === undefined)
    refuse('not_found', 'Nobody has begun this conversation: send a message.');
  const submitAsks = submits.map((input): DoorAsk => ({ address, verb: 'submit', input: input as Json }));
  const sends: DoorAsk[] = message ? [sendAsk(place, message)] : [];
  const allowed = await request.agents.allow([...submitAsks, ...sends]);
  await tryAll(allowed);
  for (const ask of allowed.slice(0, submits.length)) {
    const answer = await ask.ask();
    if (!answer.ok && !isOver(answer.error)) refuseWith(answer.error);
  }
  const send = allowed.at(submits.length);
  const from: From = send
    ? startedBy(await asked<Acceptances['send']>(send))
    : answered(given, [...submits.map(({ toolCallId }) => toolCallId), ...others], submits.length > 0);
  const now = await askNow<Status>(place, { address, verb: 'status' });
  return streamFrom(place, from, startOf(now));
}

function sendAsk({ request, address }: ChatPlace, message: NonNullable<ChatRequest['message']>): DoorAsk {
  const { id, metadata } = message;
  const content = contentOf(message, `${request.base}${address}/files/`);
  const kept = metadata === undefined ? { id } : { id, metadata };
  return { address, verb: 'send', input: { content, metadata: { chat: kept } } as Json, idempotencyKey: id };
}

const startedBy = ({ messageId, delivery }: Acceptances['send']): From =>
  delivery === 'started' ? { kind: 'start' } : { kind: 'message', messageId };

function answered({ answer, chatId }: ChatRequest, toolCallIds: readonly string[], isNew: boolean): From {
  return {
    kind: 'answers',
    toolCallIds: new Set(toolCallIds),
    messageId: answer?.id ?? chatId,
    has: partsOfCalls(answer),
    isNew,
  };
}

/** The answer that the agent is at, from its beginning; undefined where it is at none. */
export async function resumed(place: ChatPlace, chatId: string): Promise<UiStream | undefined> {
  const [look] = await place.request.agents.allow([{ address: place.address, verb: 'status' }]);
  const status = look && (await statusOf(look));
  checkChatId(chatId, place.address, status);
  if (status === undefined || !isAtWork(status)) return undefined;
  return streamFrom(place, { kind: 'start' }, startOf(status));
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
    answer: (request, address, rest) => answerChat({ request, address, clock: CLOCK }, rest),
  };
}

async function answerChat(place: ChatPlace, rest: readonly string[]): Promise<Response | undefined> {
  const { request, requestId } = place.request;
  const [chatId, what] = rest;
  const isChat = rest.length === 0;
  if (!isChat && (rest.length !== 2 || what !== 'stream' || chatId === undefined)) return undefined;
  if (isChat && place.request.socket) return overSocket(place, await place.request.socket(place.address), DO);
  const allow = ALLOW[isChat ? 'chat' : 'stream'] ?? '';
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
  if (request.method === 'GET' && !isChat) {
    const stream = await resumed(place, chatId ?? '');
    return stream ? eventsOf(stream, requestId) : new Response(null, { status: 204, headers: NEVER_KEPT });
  }
  if (request.method === 'GET') return Response.json(await transcriptOf(place), { headers: NEVER_KEPT });
  if (request.method !== 'POST' || !isChat) {
    const body = problemOf(failure('method_not_allowed', `This route takes ${allow}.`), requestId);
    const headers = { 'content-type': 'application/problem+json', allow };
    return Response.json(body, { status: body.status, headers });
  }
  const given = chatRequest(await place.request.json(MAX_CHAT_BYTES));
  return eventsOf(await answerPost(place, given), requestId);
}

const DO = { answerPost, resumed };

const NEVER_KEPT = { 'cache-control': 'no-store' } as const;
