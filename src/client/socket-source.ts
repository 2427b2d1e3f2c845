/**
 * The log over a socket: one connection for whoever reads much, where a page has few. A browser's socket tells nothing of
 * a line that is dead, so the server is asked a question from time to time; and it cannot be slowed down, so one that
 * brings more than is read is closed, and opened again where its reader is.
 */

import { isObject, type Json } from '../protocol/json';
import { isAtRest } from '../protocol/status';
import { SOCKET_CLOSES } from '../protocol/view/closes';
import type { ClientFrame, UnreadFrame } from '../protocol/wire/frames';
import { ProtocolError, type Refused } from './errors';
import { type Api, pageOrigin, refusedBy, tokenOf, urlOf } from './http';
import { type Cut, OPEN_TIMEOUT_MS, type Source, type SourceRequest, type WireEvent, within } from './source';
import { fromIn, sseSource } from './sse-source';

/** More than this, in characters, is not kept for a reader that is slow. */
const MAX_UNREAD = 8 * 1_048_576;

/** The call that a living server answers. */
const ALIVE = 'alive';

/** A constructor of sockets: that of browsers, of Node 22 and newer, or of packages such as `ws`. */
export type SocketClass = new (
  url: string,
  protocols: string[],
) => {
  /** 1 if it is open, more if it is closing or closed. */
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void;
  addEventListener(type: 'error' | 'open', listener: () => void): void;
};

/** Reads by `offshoot.subscribe`; over HTTP where this environment refuses to open such a socket at all. */
export function socketSource(api: Api, Socket: SocketClass): Source {
  return async function* (request) {
    const path = urlOf(api, request.address);
    // Not every WebSocket takes a URL without its server.
    const url = (path.startsWith('/') ? pageOrigin() + path : path).replace(/^http/u, 'ws');
    const token = await tokenOf(api);
    const protocols = token === undefined ? ['offshoot'] : ['offshoot', `base64url.${base64Url(token)}`];
    const socket = opened(Socket, url, protocols);
    if (socket === undefined) return yield* sseSource(api)(request);
    const line = new Line(socket, request);
    try {
      return yield* line.events();
    } finally {
      line.close();
    }
  };
}

/** A new socket; undefined where its constructor throws, as for an insecure socket of a secure page. */
function opened(Socket: SocketClass, url: string, protocols: string[]): InstanceType<SocketClass> | undefined {
  try {
    return new Socket(url, protocols);
  } catch {
    return undefined;
  }
}

type Frame = { readonly text: string } | { readonly closed: string; readonly code?: number };

class Line {
  readonly #socket: InstanceType<SocketClass>;
  readonly #request: SourceRequest;
  readonly #frames: Frame[] = [];
  #unread = 0;
  #last: number;
  #closing = false;
  #wake: (() => void) | undefined;
  #ping: ReturnType<typeof setInterval> | undefined;

  constructor(socket: InstanceType<SocketClass>, request: SourceRequest) {
    this.#socket = socket;
    this.#request = request;
    this.#last = request.from - 1;
    socket.addEventListener('message', ({ data }) => this.#keep({ text: String(data) }));
    socket.addEventListener('close', ({ code }) => this.#keep({ closed: 'The connection was closed.', code }));
    socket.addEventListener('error', () => this.#keep({ closed: 'The connection was lost.' }));
    socket.addEventListener('open', () => this.#opened());
  }

  #opened(): void {
    const { from, deltas, stallMs } = this.#request;
    this.#say({ type: 'offshoot.subscribe', from, ...(deltas ? {} : { deltas }) });
    this.#ping = setInterval(() => this.#say({ type: 'offshoot.call', id: ALIVE, verb: 'status' }), stallMs / 3);
  }

  #say(frame: ClientFrame): void {
    if (this.#socket.readyState === 1) this.#socket.send(JSON.stringify(frame));
  }

  #keep(frame: Frame): void {
    // What still comes before the other side has closed, too, would come without end.
    if ('text' in frame && this.#closing) return;
    this.#frames.push(frame);
    if ('text' in frame) this.#unread += frame.text.length;
    if (this.#unread > MAX_UNREAD) this.close();
    this.#wake?.();
  }

  close(): void {
    this.#closing = true;
    clearInterval(this.#ping);
    if (this.#socket.readyState < 2) this.#socket.close();
  }

  async *events(): AsyncGenerator<WireEvent, Cut, void> {
    const { stallMs, signal } = this.#request;
    let most = OPEN_TIMEOUT_MS;
    for (;;) {
      const next = await within(this.#next(), most, signal);
      if (next === 'stalled') return { problem: 'The server has gone silent.', inOrder: false };
      if ('closed' in next) {
        if (next.code === SOCKET_CLOSES.right) throw rightLost('unauthorized', 401);
        if (next.code === SOCKET_CLOSES.forbidden) throw rightLost('forbidden', 403);
        return { problem: next.closed, inOrder: false };
      }
      most = stallMs;
      yield { kind: 'alive' };
      const told = this.#wireEventOf(next.text);
      if (told !== undefined) yield told;
    }
  }

  async #next(): Promise<Frame> {
    while (this.#frames.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const frame = this.#frames.shift();
    if (frame === undefined) throw new ProtocolError('a frame was lost.');
    if ('text' in frame) this.#unread -= frame.text.length;
    return frame;
  }

  /** What a frame says; undefined for one that is somebody else's, or of a newer server. */
  #wireEventOf(text: string): WireEvent | undefined {
    const frame = frameOf(text);
    switch (frame?.type) {
      case 'offshoot.chunk': {
        const { sequence, chunk = null } = frame;
        if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 1)
          throw new ProtocolError('a chunk has no sequence.');
        this.#last = Math.max(this.#last, sequence);
        return { kind: 'chunk', sequence, chunk };
      }
      case 'offshoot.reset': {
        const from = fromIn(frame.from);
        this.#last = from - 1;
        return { kind: 'reset', from };
      }
      case 'offshoot.up-to-date':
        return { kind: 'up-to-date' };
      case 'offshoot.status':
        return this.#restOf(frame.status);
      case 'offshoot.result':
        return frame.id === ALIVE && frame.ok === true ? this.#restOf(frame.body) : undefined;
      default:
        return undefined;
    }
  }

  /** The rest that a status document tells of, where all before it was told. */
  #restOf(document: Json | undefined): WireEvent | undefined {
    if (!isObject(document)) return undefined;
    const { status, lastSequence } = document;
    if (typeof status !== 'string' || typeof lastSequence !== 'number') return undefined;
    return isAtRest(status) && lastSequence <= this.#last ? { kind: 'rest', status } : undefined;
  }
}

/** What a request would be refused with that came now. */
function rightLost(code: string, status: number): Refused {
  return refusedBy({ title: 'The permission to read was revoked. Continue with other credentials.' }, code, status);
}

/** A frame of the server; what is somebody else's, or of a newer server, has a type that nobody asks for. */
function frameOf(text: string): UnreadFrame | undefined {
  try {
    const value: UnreadFrame = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A text as a WebSocket protocol can hold it. */
function base64Url(text: string): string {
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
