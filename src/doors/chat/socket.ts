/**
 * Chats over one socket, as `WebSocketChatTransport` of AI SDK UI speaks: several requests at once, each with its chunks.
 *
 * CH9. The chunks of a request are numbered from 0; a client that leaves, by `abort` or a lost socket, stops nothing.
 * CH10. An invalid or too large frame, or one too many, is refused; other requests continue.
 */
import * as z from 'zod';
import type { DoorSocket } from '../../gateway/doors/door';
import { problemsOf } from '../../protocol/content/problems';
import { refuse } from '../../protocol/errors';
import type { Json } from '../../protocol/json';
import { parseJson } from '../../protocol/plain-input';
import { SOCKET_CLOSES } from '../../protocol/view/closes';
import { WIRE_LIMITS } from '../../protocol/wire/wire-limits';
import { MAX_DOOR_BYTES } from '../body';
import { Thread } from '../thread';
import { type ChatRequest, chatRequest } from './request';
import type { UiStream } from './stream';
import type { UiChunk } from './ui';

/** The frames that the client reads. */
type Frame = { readonly requestId: string } & (
  | { readonly type: 'start' | 'end' | 'no-active' }
  | { readonly type: 'chunk'; readonly sequence: number; readonly chunk: UiChunk }
  | { readonly type: 'error'; readonly errorText: string }
);

const requestId = z.string().min(1).max(128);
const frameSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('send'), requestId }),
  z.looseObject({ type: z.literal('resume'), requestId, id: z.string(), lastSequence: z.undefined().optional() }),
  z.looseObject({ type: z.literal('abort'), requestId }),
]);
type GivenFrame = z.output<typeof frameSchema>;

/** The id of a request whose frame is not read. */
const ID_AT_FRONT = /^\{"type":"\w{1,10}","requestId":"([\w-]{1,128})"/;

/** Requests of a socket, as over HTTP. */
export interface ChatDeeds {
  answerPost(thread: Thread, given: ChatRequest): Promise<UiStream>;
  resumed(thread: Thread, chatId: string): Promise<UiStream | undefined>;
}

/** Answers what comes over a socket. */
export function overSocket({ address, base }: Thread, door: DoorSocket, deeds: ChatDeeds): Response {
  const { socket, agents, response } = door;
  const chats = new ChatSocket(new Thread(agents, address, base), door, deeds);
  socket.addEventListener('message', ({ data }) => void chats.take(data));
  socket.addEventListener('close', () => chats.close());
  socket.addEventListener('error', () => chats.close());
  return response;
}

/** A request that is under way. */
interface OpenRequest {
  isAborted: boolean;
  stream?: UiStream;
}

class ChatSocket {
  readonly #thread: Thread;
  readonly #door: DoorSocket;
  readonly #deeds: ChatDeeds;
  readonly #requests = new Map<string, OpenRequest>();

  constructor(thread: Thread, door: DoorSocket, deeds: ChatDeeds) {
    this.#thread = thread;
    this.#door = door;
    this.#deeds = deeds;
  }

  /** Takes a frame. */
  async take(data: unknown): Promise<void> {
    let id = '';
    try {
      if (typeof data !== 'string') refuse('invalid_request', 'A frame of a chat is text.');
      id = ID_AT_FRONT.exec(data)?.[1] ?? '';
      if (data.length > MAX_DOOR_BYTES)
        refuse('payload_too_large', `A frame of a chat has at most ${MAX_DOOR_BYTES} characters.`);
      const frame = frameOf(parseJson(data));
      id = frame.requestId;
      if (frame.type === 'abort') drop(this.#requests.get(id));
      else await this.#answer(frame);
    } catch (error) {
      this.#fail(id, error);
    }
  }

  /** Leaves every request. */
  close(): void {
    for (const request of this.#requests.values()) drop(request);
  }

  async #answer(frame: Exclude<GivenFrame, { readonly type: 'abort' }>): Promise<void> {
    const { requestId: id } = frame;
    if (this.#requests.has(id)) refuse('invalid_request', 'A request with this id is in progress.');
    if (this.#requests.size >= WIRE_LIMITS.maxSocketCalls)
      refuse('too_many_calls', `A chat's socket has at most ${WIRE_LIMITS.maxSocketCalls} requests at once.`);
    const request: OpenRequest = { isAborted: false };
    this.#requests.set(id, request);
    try {
      const stream =
        frame.type === 'send'
          ? await this.#deeds.answerPost(this.#thread, chatRequest(frame as Json))
          : await this.#deeds.resumed(this.#thread, frame.id);
      if (stream) await this.#attach();
      if (stream) await this.#send(id, request, stream);
      else this.#say({ type: 'no-active', requestId: id });
    } catch (error) {
      if (!request.isAborted) throw error;
    } finally {
      this.#requests.delete(id);
    }
  }

  /** Only now there is an agent for certain. A socket that it does not take is closed: its client opens another one. */
  async #attach(): Promise<void> {
    try {
      await this.#door.attach();
    } catch (error) {
      this.#door.socket.close(SOCKET_CLOSES.failed, 'The agent did not accept the socket.');
      throw error;
    }
  }

  async #send(id: string, request: OpenRequest, stream: UiStream): Promise<void> {
    request.stream = stream;
    if (request.isAborted) return stream.close();
    let sequence = 0;
    this.#say({ type: 'start', requestId: id });
    for await (const chunks of stream.chunks) {
      if (request.isAborted) return stream.close();
      // Once more, so that what lies between sees the connection alive: a client takes it for nothing new.
      if (chunks.length === 0) this.#say({ type: 'start', requestId: id });
      for (const chunk of chunks) this.#say({ type: 'chunk', requestId: id, sequence: sequence++, chunk });
    }
    this.#say({ type: 'end', requestId: id });
  }

  /** Says what went wrong in the words of an answer over HTTP. */
  #fail(id: string, error: unknown): void {
    this.#say({ type: 'error', requestId: id, errorText: JSON.stringify(this.#door.problemOf(error)) });
  }

  #say(frame: Frame): void {
    const { socket } = this.#door;
    if (socket.readyState !== WebSocket.OPEN) return;
    const { bufferedAmount = 0 } = socket as { readonly bufferedAmount?: number };
    if (bufferedAmount <= WIRE_LIMITS.maxUnreadBytes) return socket.send(JSON.stringify(frame));
    this.close();
    socket.close(SOCKET_CLOSES.slow, 'Read the pending frames before you send more.');
  }
}

function drop(request: OpenRequest | undefined): void {
  if (request === undefined) return;
  request.isAborted = true;
  request.stream?.close();
}

/** @throws OffshootError `invalid_request` */
function frameOf(given: Json): GivenFrame {
  const read = frameSchema.safeParse(given);
  if (read.success) return read.data;
  return refuse('invalid_request', `This is not a chat frame: ${problemsOf(read.error)}`);
}
