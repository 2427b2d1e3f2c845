/**
 * Sockets at the root, which owns all of its tree. Frames of type `offshoot.*` are taken here, before the SDK forwards
 * anything; all others reach the agent's own handlers.
 *
 * X6. A socket is opened by a ticket that the access check has bought: single-use, for one agent, for a short time.
 * W12. What a socket may do and where it is stays in its URL, and its position in its state: both survive a sleep.
 */
import type { Connection } from 'agents';
import { LifecycleCapability } from 'agents/lifecycle';
import { registerInternalConnectionKeys } from 'agents/websockets';
import { z } from 'zod';
import { parseJson } from '../api/body';
import { addressBelow, locate } from '../api/locate';
import { detailOf } from '../api/problem';
import { json, sequence } from '../api/schemas';
import { answerSocketCall } from '../api/socket-call';
import { parseAddress } from '../core/address';
import { codeFacts, type Failure, failure, failureOf } from '../core/errors';
import type { Json } from '../core/json';
import { WIRE_LIMITS } from '../core/limits';
import { type SocketAnswer, type SocketCall, TICKET_HEADER } from '../engine/calls';
import { hopOf } from '../engine/messages';
import type { ObjectRuntime } from '../engine/object';
import { facetName } from './facets';
import { Subscriber } from './subscriber';

/** How long a ticket is good, in ms. */
const TICKET_MS = 30_000;
/** The parameter that this code keeps in a socket's URL. */
const GRANT = 'offshoot';
/** The key of a socket's position in its state; hidden from the agent's own code. */
export const POSITION = '_cf_offshoot_next';
registerInternalConnectionKeys(POSITION);

/** What a socket was opened with. */
const grantSchema = z.object({ address: z.string(), caller: z.string(), actions: z.array(z.string()) });
type SocketGrant = z.output<typeof grantSchema>;

const frameSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('offshoot.subscribe'), from: sequence.optional() }),
  z.strictObject({
    type: z.literal('offshoot.call'),
    id: z.union([z.string().max(256), z.number()]),
    verb: z.string().max(64),
    body: json.optional(),
    idempotencyKey: z.string().min(1).max(WIRE_LIMITS.maxIdempotencyKey).optional(),
  }),
]);
type Frame = z.output<typeof frameSchema>;

/** What the sockets of an object need of it. */
export interface SocketHost {
  object(): ObjectRuntime;
  /** Every socket, also those that slept, with the fields that the SDK keeps with it. */
  sockets(): Connection[];
  position(socket: Connection): unknown;
  setPosition(socket: Connection, next: number): void;
}

/** The sockets of one tree. */
export class TreeSockets extends LifecycleCapability {
  readonly #host: SocketHost;
  readonly #tickets = new Map<string, SocketGrant & { readonly until: number }>();
  readonly #subscribers = new Map<WebSocket, Subscriber>();
  #watched = false;

  constructor(host: SocketHost) {
    super('offshoot-sockets');
    this.#host = host;
  }

  /** A ticket for a socket at an agent that is there. */
  admit({ path, caller, actions }: SocketCall): SocketAnswer {
    const object = this.#host.object();
    const found = locate(object, path);
    if (found.at === 'nowhere') return { ok: false, error: found.error };
    if (found.at === 'below') return { ok: false, error: failure('not_found') };
    const now = object.environment.now();
    for (const [ticket, { until }] of this.#tickets) if (until < now) this.#tickets.delete(ticket);
    const ticket = crypto.randomUUID();
    const address = addressBelow(found.tree.self()?.address ?? '', path);
    this.#tickets.set(ticket, { address, caller, actions: [...actions], until: now + TICKET_MS });
    return { ok: true, ticket };
  }

  /** An upgrade as the SDK takes it: with the names of facets in its path and its grant in its URL; or a refusal. */
  prepare(request: Request): Request | Response {
    const url = new URL(request.url);
    url.searchParams.delete(GRANT);
    const headers = new Headers(request.headers);
    const ticket = headers.get(TICKET_HEADER);
    headers.delete(TICKET_HEADER);
    if (ticket !== null) {
      const grant = this.#tickets.get(ticket);
      this.#tickets.delete(ticket);
      if (grant === undefined || grant.until < this.#host.object().environment.now())
        return new Response('The ticket is not good any more.', { status: 403 });
      const { address, caller, actions } = grant;
      const { root, below } = parseAddress(address);
      const levels = below.map((level) => `/sub/${level.addressClass}/${encodeURIComponent(facetName(level.name))}`);
      url.pathname = `/agents/${root.addressClass}/${root.name}${levels.join('')}`;
      url.searchParams.set(GRANT, JSON.stringify({ address, caller, actions }));
    }
    return new Request(url, new Request(request, { headers }));
  }

  /** Goes on with the sockets that slept. */
  restore(): void {
    for (const socket of this.#host.sockets()) {
      const next = this.#host.position(socket);
      const grant = grantOf(socket);
      if (typeof next === 'number' && grant) this.#subscribe(socket, grant, next, true);
    }
  }

  /** Closes every socket: the tree goes. */
  closeAll(): void {
    for (const subscriber of this.#subscribers.values()) subscriber.close();
    this.#subscribers.clear();
    for (const socket of this.#host.sockets()) socket.close(1001, 'The agent was deleted.');
  }

  /** Takes the frames that are ours; asked before the SDK's own handlers. */
  async onWebSocketMessage(ws: WebSocket, message: string | ArrayBuffer): Promise<boolean> {
    const size = typeof message === 'string' ? message.length : message.byteLength;
    if (size > WIRE_LIMITS.maxFrameBytes) {
      sendError(ws, failure('payload_too_large', `A frame has at most ${WIRE_LIMITS.maxFrameBytes} bytes.`));
      return true;
    }
    if (typeof message !== 'string' || !message.includes('offshoot.')) return false;
    const frame = ours(message);
    if (frame === undefined) return false;
    const socket = this.#host.sockets().find((one) => one === ws);
    const grant = socket ? grantOf(socket) : undefined;
    if (socket === undefined || grant === undefined)
      sendError(ws, failure('forbidden', 'This socket was opened without a grant.'));
    else if (!frame.ok) sendError(ws, frame.error);
    else await this.#take(socket, grant, frame.frame);
    return true;
  }

  onWebSocketClose(ws: WebSocket): void {
    this.#subscribers.get(ws)?.close();
    this.#subscribers.delete(ws);
  }

  async #take(socket: Connection, grant: SocketGrant, frame: Frame): Promise<void> {
    if (frame.type === 'offshoot.subscribe') {
      if (!grant.actions.includes('read')) return sendError(socket, failure('forbidden', 'This socket may not read.'));
      return this.#subscribe(socket, grant, frame.from ?? 1, false);
    }
    const { id, verb, body = {}, idempotencyKey } = frame;
    const path = parseAddress(grant.address).below.map(hopOf);
    const { caller, actions } = grant;
    const answer = await answerSocketCall(this.#host.object(), {
      path,
      verb,
      body,
      caller,
      actions,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    const result: Json = answer.ok ? { ok: true, body: answer.body } : { ok: false, body: errorBody(answer.error) };
    send(socket, { type: 'offshoot.result', id, ...result });
  }

  #subscribe(socket: Connection, grant: SocketGrant, next: number, upToDate: boolean): void {
    const object = this.#host.object();
    const { tree, environment } = object;
    if (tree === undefined) return;
    this.#watch();
    this.#subscribers.get(socket)?.close();
    const path = parseAddress(grant.address).below.map(hopOf);
    const ports = {
      environment,
      tree,
      address: grant.address,
      socket,
      keep: (at: number) => this.#host.setPosition(socket, at),
      status: () => object.ports.verb(object, { kind: 'verb', verb: 'status', path, input: {} }),
    };
    const subscriber = new Subscriber(ports, next, upToDate);
    this.#subscribers.set(socket, subscriber);
    this.#host.setPosition(socket, next);
    subscriber.wake();
  }

  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.#host.object().tree?.watch(() => {
      for (const subscriber of this.#subscribers.values()) subscriber.wake();
    });
  }
}

/** What a frame is, if it is one of ours; undefined for all others. */
function ours(message: string): { ok: true; frame: Frame } | { ok: false; error: Failure } | undefined {
  let type: unknown;
  try {
    ({ type } = JSON.parse(message) as { type?: unknown });
  } catch {
    return undefined;
  }
  if (typeof type !== 'string' || !type.startsWith('offshoot.')) return undefined;
  try {
    const parsed = frameSchema.safeParse(parseJson(message));
    if (parsed.success) return { ok: true, frame: parsed.data };
    const problem = z.prettifyError(parsed.error).replaceAll('✖ ', '').replaceAll(/\s+/g, ' ').slice(0, 500);
    return { ok: false, error: failure('invalid_request', problem) };
  } catch (error) {
    return { ok: false, error: failureOf(error) };
  }
}

function grantOf(socket: Connection): SocketGrant | undefined {
  const text = socket.uri === null ? null : new URL(socket.uri).searchParams.get(GRANT);
  return text === null ? undefined : grantSchema.parse(JSON.parse(text));
}

function errorBody(error: Failure): { code: string; title: string; detail: string; details?: Json } {
  const details = error.details === undefined ? {} : { details: error.details };
  return { code: error.code, title: codeFacts(error.code).title, detail: detailOf(error), ...details };
}

function sendError(socket: Pick<WebSocket, 'send'>, error: Failure): void {
  send(socket, { type: 'offshoot.error', ...errorBody(error) });
}

function send(socket: Pick<WebSocket, 'send'>, frame: { readonly [key: string]: Json }): void {
  try {
    socket.send(JSON.stringify(frame));
  } catch {
    // The other side has gone in the meantime; nobody is left to be told.
  }
}
