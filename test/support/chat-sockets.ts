/** Chats of AI SDK UI over sockets of the Worker under test, by the official transport. */
import { type ChatInit, type UIMessage, WebSocketChatTransport, type WebSocketChatTransportInitOptions } from 'ai';
import { HOST, send, socketIn } from './api';
import { type Talk, talk } from './chats';
import { checkUiChunk } from './ui-chunks';

/** A frame, as it was read. */
export interface ChatFrame {
  readonly type: string;
  readonly requestId: string;
  readonly sequence?: number;
  readonly chunk?: { readonly type: string };
  readonly errorText?: string;
}

/** The sockets of a page, with all that they were told. */
export interface PageSockets {
  readonly opened: PageSocket[];
  readonly frames: ChatFrame[];
}

/** A socket as browsers have them, over the one of the Workers runtime. */
class PageSocket {
  readyState = 0;
  onopen: ((event: unknown) => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  onclose: ((event: unknown) => void) | null = null;
  protocol: string | null = null;
  closed: number | undefined;
  #socket: WebSocket | undefined;
  /** The number of the next chunk of each request. */
  readonly #next = new Map<string, number>();

  constructor(url: URL, protocols: string | string[] | undefined, frames: ChatFrame[]) {
    void this.#open(url, protocols, frames);
  }

  send(data: string | Uint8Array | ArrayBuffer): void {
    this.#socket?.send(data as string);
  }

  close(code?: number, reason?: string): void {
    this.readyState = 2;
    this.#socket?.close(code, reason);
  }

  /** False for a chunk whose number is not the next one of its request. */
  #isNext({ type, requestId, sequence }: ChatFrame): boolean {
    if (type !== 'chunk') return true;
    const next = this.#next.get(requestId) ?? 0;
    this.#next.set(requestId, next + 1);
    return sequence === next;
  }

  async #open(url: URL, protocols: string | string[] | undefined, frames: ChatFrame[]): Promise<void> {
    const asked = protocols === undefined ? {} : { 'sec-websocket-protocol': [protocols].flat().join(', ') };
    const response = await send(`${url.pathname}${url.search}`, { headers: { upgrade: 'websocket', ...asked } });
    if (response.status !== 101) {
      this.readyState = 3;
      this.onerror?.({});
      return;
    }
    this.protocol = response.headers.get('sec-websocket-protocol');
    const socket = socketIn(response);
    this.#socket = socket;
    socket.accept();
    socket.addEventListener('message', ({ data }) => {
      const frame: ChatFrame = JSON.parse(String(data));
      frames.push(frame);
      // The official transport waits for ever for a chunk that is missing.
      if (!this.#isNext(frame)) return this.close(4000, 'A chunk has another number than the next one.');
      this.onmessage?.({ data });
    });
    socket.addEventListener('close', (event) => {
      this.readyState = 3;
      this.closed = event.code;
      this.onclose?.(event);
    });
    this.readyState = 1;
    this.onopen?.({});
  }
}

/** A chat at an address, over sockets. */
export function talkBySocket(
  address: string,
  more: Partial<WebSocketChatTransportInitOptions<UIMessage>> = {},
  options: Partial<ChatInit<UIMessage>> = {},
): Talk & PageSockets {
  const opened: PageSocket[] = [];
  const frames: ChatFrame[] = [];
  class Opened extends PageSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(new URL(url), protocols, frames);
      opened.push(this);
    }
  }
  const transport = new WebSocketChatTransport<UIMessage>({
    ...{ url: `${HOST}${address}/chat`, webSocket: Opened },
    ...more,
  });
  return { ...talk(address, { transport, ...options }), opened, frames };
}

/** Holds all chunks among the frames to the schema of the client. */
export async function checkChunks(frames: readonly ChatFrame[]): Promise<void> {
  for (const { chunk } of frames) if (chunk) await checkUiChunk(chunk);
}
