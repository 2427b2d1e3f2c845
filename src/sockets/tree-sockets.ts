/**
 * Sockets at the root, which owns all of its tree. Frames of type `offshoot.*` are taken here, before the host forwards
 * anything; all others reach the agent's own handlers.
 *
 * Decides: how long the pass that a root gives for one upgrade is good (how long a ticket is that people ask for: verbs/tokens.ts).
 *
 * X13. A socket is opened by a pass that the access check has bought: single-use, for one agent, for a short time.
 * X11. Its right is asked again at each call, and while it is at work; what lost the right to read is closed
 *      (decision 25), with the code that tells 401 from 403.
 * OP8. Of an agent that is not in the object of its root, whoever is there, frames of ours alone are taken, and nobody else has
 *      its socket for one of their own.
 * W12. The agent of a socket stays in its URL, its position in its state, the request that opened it in the root's
 *      storage: all survive a sleep.
 */

import * as z from 'zod';
import { type Access, secretsOf } from '../access/auth';
import type { AccessQuestion } from '../access/authorize';
import { reauthorize } from '../access/authorizers';
import { mayHold } from '../core/tree/root-claims';
import type { ObjectRuntime } from '../engine/object/object';
import {
  PASS_HEADER,
  type SocketAnswer,
  type SocketCall,
  type SocketOpening,
  type TokenUse,
  type VerbAnswer,
} from '../engine/object/object-calls';
import { type HeldSocket, isInOtherObject, type ObjectSockets, type SocketDeps } from '../engine/object/object-sockets';
import { segmentOf } from '../engine/tree-messages';
import { formatAddress, isAddress, isWithin, parseAddress } from '../protocol/address';
import { codeFacts, type Failure, failure } from '../protocol/errors';
import { byteLength } from '../protocol/json';
import { detailOf } from '../protocol/problem';
import { SOCKET_CLOSES } from '../protocol/view/closes';
import type { ClientFrame, WrittenFrame } from '../protocol/wire/frames';
import { WIRE_LIMITS } from '../protocol/wire/wire-limits';
import { addressBelow, locate } from '../verbs/locate';
import { holderOf, refusedToken } from '../verbs/token-use';
import { answerSocketCall } from './call';
import { FreshRights } from './fresh-rights';
import { readFrame, rpcCallId } from './read-frame';
import { Subscriber, type SubscriberDeps } from './subscriber';

/** How long a pass is good, in ms. */
const PASS_MS = 30_000;
/** The parameter that this code keeps in a socket's URL. */
const GRANT = 'offshoot';
/** Before a socket's name, where the request that opened it is kept. */
const OPENED = 'offshoot_socket:';
const ONLY_OURS =
  'This agent has a separate object without sockets: its socket accepts only frames of the type "offshoot.…".';
const NEEDS_WRITE =
  'Frames of other types than "offshoot.…" need the permission "write": you may only read this agent.';
/** A socket has so much still to send at any number of sockets, in bytes, before it is left alone. */
const MIN_SHARE = 65_536;

/** The part of a subscription that is kept while its socket sleeps. */
const keptSubscription = z.object({
  ...{ next: z.number(), upToDate: z.boolean() },
  ...{ named: z.boolean(), deltas: z.boolean(), batch: z.boolean() },
});
type KeptSubscription = z.output<typeof keptSubscription>;
const keptSchema = z.record(z.string(), keptSubscription);

/** What a socket was opened for. */
const grantSchema = z.object({
  address: z.string(),
  /** It takes frames of ours alone: a bell, or the socket of an agent that is not in the object of its root. */
  framesOnly: z.literal(true).optional(),
});
type SocketGrant = z.output<typeof grantSchema>;

/** Frames of one socket that are being handled, and their size together. */
interface UnderWay {
  frames: number;
  bytes: number;
}

/** The sockets of one tree. */
export class TreeSockets implements ObjectSockets {
  readonly #deps: SocketDeps;
  readonly #passes = new Map<string, SocketGrant & { readonly opening: SocketOpening; readonly until: number }>();
  /** By socket, and by the address that each subscription is for. */
  readonly #subscribers = new Map<WebSocket, Map<string, Subscriber>>();
  readonly #rights: FreshRights;
  /** Calls that are under way. */
  readonly #calls = new WeakMap<WebSocket, number>();
  /** Frames whose handlers are not done. */
  readonly #frames = new WeakMap<WebSocket, UnderWay>();
  /** What we closed; its frames count no more. */
  readonly #ended = new WeakSet<WebSocket>();
  #watched = false;

  constructor(deps: SocketDeps) {
    this.#deps = deps;
    this.#rights = new FreshRights(() => deps.object().environment.now());
  }

  /** A pass for a socket at an agent that is there. */
  admit({ path, opening: by, caller, token, bell, isOpen }: SocketCall): SocketAnswer {
    const object = this.#deps.object();
    const refused = token && refusedAtDoor(object, token, isOpen);
    if (refused) return { ok: false, error: refused };
    const found = locate(object, path);
    if (found.at === 'nowhere') return { ok: false, error: found.error };
    if (found.at === 'below') return { ok: false, error: failure('not_found') };
    const now = object.environment.now();
    for (const [pass, { until, opening }] of this.#passes)
      if (until < now) {
        this.#passes.delete(pass);
        this.#drop(opening.ticket);
      }
    const holder = holderOf(object, { caller, token });
    if (!mayHold(WIRE_LIMITS.maxSockets, this.#holders(), holder))
      return { ok: false, error: failure('too_many_sockets', TOO_MANY) };
    const ticket = token && !isOpen && spend(object, token) ? { ticket: token.id } : {};
    const pass = crypto.randomUUID();
    const address = addressBelow(found.tree.self()?.address ?? '', path);
    const framesOnly = bell || isInOtherObject(found.tree, found.node) ? { framesOnly: true as const } : {};
    this.#passes.set(pass, { address, ...framesOnly, opening: { ...by, holder, ...ticket }, until: now + PASS_MS });
    return { ok: true, pass };
  }

  /** Whose sockets are open, or about to be. */
  #holders(): string[] {
    const openings = this.#deps.openings();
    const open = this.#deps.sockets().map(({ id }) => openings.get(`${OPENED}${id}`)?.holder ?? '');
    return [...open, ...[...this.#passes.values()].map(({ opening }) => opening.holder)];
  }

  /** An upgrade as the host takes it, with its grant in its URL; or a refusal. */
  prepare(request: Request): Request | Response {
    const url = new URL(request.url);
    url.searchParams.delete(GRANT);
    const headers = new Headers(request.headers);
    const pass = headers.get(PASS_HEADER);
    headers.delete(PASS_HEADER);
    if (pass !== null) {
      const grant = this.#passes.get(pass);
      this.#passes.delete(pass);
      if (grant === undefined || grant.until < this.#deps.object().environment.now())
        return new Response('The pass has expired.', { status: 403 });
      const { address, framesOnly, opening } = grant;
      // A name that nobody else knows, and that no other socket has.
      const name = crypto.randomUUID();
      this.#deps.direct(url, framesOnly ? rootOf(address) : address, name);
      url.searchParams.set(GRANT, JSON.stringify({ address, framesOnly }));
      this.#deps.openings().put(`${OPENED}${name}`, opening);
    }
    return new Request(url, new Request(request, { headers }));
  }

  /** Goes on with the sockets that slept. */
  restore(): void {
    const sockets = this.#deps.sockets();
    this.#forget(new Set(sockets.map(({ id }) => id)));
    for (const socket of sockets) {
      const grant = grantOf(socket);
      if (grant === undefined) continue;
      for (const [address, kept] of this.#kept(socket)) this.#subscribe(socket, grant, { address, ...kept });
    }
  }

  /** Forgets the requests that opened sockets which are gone. */
  #forget(open: ReadonlySet<string>): void {
    const openings = this.#deps.openings();
    for (const [key] of [...openings.list({ prefix: OPENED })])
      if (!open.has(key.slice(OPENED.length))) this.#gone(key);
  }

  /** Forgets what opened a socket that is gone. A ticket goes with it: what a root does not know opens nothing. */
  #gone(key: string): void {
    const openings = this.#deps.openings();
    const ticket = openings.get(key)?.ticket;
    openings.delete(key);
    this.#drop(ticket);
  }

  #drop(ticket: string | undefined): void {
    const { tree, store } = this.#deps.object();
    if (ticket !== undefined && tree) store.transaction(() => tree.deps.store.dropTokens([ticket]));
  }

  /** TK4. Closes what a token has opened that was taken back, and what those have that it has made. */
  revoked(): void {
    for (const socket of this.#deps.sockets()) {
      const grant = grantOf(socket);
      if (grant === undefined) continue;
      this.#rights.forget(socket);
      void this.#mayRead(socket, grant);
    }
  }

  /** Closes every socket: the tree goes. */
  closeAll(): void {
    for (const socket of [...this.#subscribers.keys()]) this.#silence(socket);
    for (const socket of this.#deps.sockets()) socket.close(SOCKET_CLOSES.deleted, 'The agent was deleted.');
  }

  /**
   * Has a frame handled, and counts it until that is done: the platform hands frames on however many are under way, and
   * memory and timers are those of the whole root. A socket that sends more than it may is closed.
   */
  async handle(ws: WebSocket, message: string | ArrayBuffer, handlers: () => Promise<void>): Promise<void> {
    if (this.#deps.isLeaving() || this.#ended.has(ws)) return;
    const bytes = Math.min(sizeOf(message), WIRE_LIMITS.maxFrameBytes);
    const underWay = this.#frames.get(ws) ?? { frames: 0, bytes: 0 };
    this.#frames.set(ws, underWay);
    const { maxSocketFrames, maxSocketFrameBytes } = WIRE_LIMITS;
    if (underWay.frames >= maxSocketFrames || underWay.bytes + bytes > maxSocketFrameBytes)
      return this.#end(ws, SOCKET_CLOSES.slow, 'Too many frames are in progress: send fewer at once.');
    underWay.frames++;
    underWay.bytes += bytes;
    try {
      await handlers();
    } finally {
      underWay.frames--;
      underWay.bytes -= bytes;
    }
  }

  /** Takes the frames that are ours; asked before the agent's own handlers. Whether those are not to have the frame. */
  async take(ws: WebSocket, message: string | ArrayBuffer): Promise<boolean> {
    if (this.#ended.has(ws)) return true;
    const socket = this.#connectionOf(ws);
    const grant = socket ? grantOf(socket) : undefined;
    if (grant !== undefined && unsentTo(ws) > WIRE_LIMITS.maxUnreadBytes) {
      this.#end(ws, SOCKET_CLOSES.slow, 'Read the responses before you send more.');
      return true;
    }
    if (isTooLarge(message)) {
      sendError(ws, failure('payload_too_large', `A frame has at most ${WIRE_LIMITS.maxFrameBytes} bytes.`));
      return true;
    }
    const frame = typeof message === 'string' ? readFrame(message) : undefined;
    if (frame === undefined) {
      if (!socket || !grant) return false;
      const refused = await this.#refusalOfOther(socket, grant);
      if (refused === undefined) return false;
      // What ended with the right to read is closed, and hears no more.
      if (!this.#ended.has(ws)) refuseFrame(ws, message, refused);
      return true;
    }
    if (socket === undefined || grant === undefined)
      sendError(ws, failure('forbidden', 'This socket was opened without a grant.'));
    else if (!frame.ok) sendError(ws, frame.error);
    else await this.#onFrame(socket, grant, frame.frame);
    return true;
  }

  isFramesOnly(socket: { readonly uri: string | null }): boolean {
    return grantOf(socket)?.framesOnly === true;
  }

  /** Forgets a socket that was closed. */
  closed(ws: WebSocket): void {
    this.#silence(ws);
    // One that slept until now has no fields; what is kept of it goes when the root wakes next.
    if ('id' in ws && !this.#deps.isLeaving()) this.#gone(`${OPENED}${ws.id}`);
  }

  #connectionOf(ws: WebSocket): HeldSocket | undefined {
    return 'uri' in ws ? (ws as HeldSocket) : this.#deps.sockets().find((one) => one === ws);
  }

  /** Closes a socket; nothing that it sends counts any more. */
  #end(ws: WebSocket, code: number, reason: string): void {
    this.#ended.add(ws);
    this.#silence(ws);
    ws.close(code, reason);
  }

  /** What the paths of this server begin with, by the URL that a socket was opened with. */
  #baseOf(socket: HeldSocket, { address }: SocketGrant): string {
    const opening = this.#deps.openings().get(`${OPENED}${socket.id}`);
    const path = opening === undefined ? '' : new URL(opening.url).pathname;
    return path.endsWith(address) ? path.slice(0, -address.length) : '';
  }

  /** Whether a socket may do something now, and as whom. */
  async #may(socket: HeldSocket, { address }: SocketGrant, action: AccessQuestion['action']): Promise<Access> {
    const opening = this.#deps.openings().get(`${OPENED}${socket.id}`);
    if (opening === undefined) return { ok: false, error: failure('unauthorized', 'Open the socket again.') };
    try {
      const right = await reauthorize(opening, { address, action }, secretsOf(this.#deps.env()));
      const refused = right.ok ? refusedToken(this.#deps.object(), right.token) : undefined;
      return refused ? { ok: false, error: refused } : right;
    } catch (error) {
      this.#deps.object().environment.report('The permission of a socket could not be checked.', error);
      return { ok: false, error: failure('internal') };
    }
  }

  /** Whether a socket may read now, or a moment ago. One that may not is closed. */
  #mayRead(socket: HeldSocket, grant: SocketGrant): true | Promise<boolean> {
    const asking = this.#rights.refusal(socket, 'read', async () => {
      const read = await this.#may(socket, grant, 'read');
      if (read.ok) return undefined;
      if (read.error.category !== 'access')
        this.#end(socket, SOCKET_CLOSES.failed, 'The permission of this socket could not be checked.');
      else
        this.#end(
          socket,
          read.error.code === 'forbidden' ? SOCKET_CLOSES.forbidden : SOCKET_CLOSES.right,
          'This socket may no longer read.',
        );
      return read.error;
    });
    return asking === undefined ? true : asking.then((refused) => refused === undefined);
  }

  /** W40. Why a frame that is not ours does not reach the agent's handlers. */
  async #refusalOfOther(socket: HeldSocket, grant: SocketGrant): Promise<Failure | undefined> {
    if (grant.framesOnly) return failure('invalid_request', ONLY_OURS);
    if (!(await this.#mayRead(socket, grant))) return failure('forbidden');
    return this.#rights.refusal(socket, 'write', async () => {
      const write = await this.#may(socket, grant, 'write');
      if (write.ok || write.error.code !== 'forbidden') return write.ok ? undefined : write.error;
      return failure('forbidden', NEEDS_WRITE);
    });
  }

  async #onFrame(socket: HeldSocket, grant: SocketGrant, frame: ClientFrame): Promise<void> {
    if (frame.type === 'offshoot.unsubscribe') return this.#unsubscribe(socket, frame.address ?? grant.address);
    if (frame.type === 'offshoot.subscribe') {
      if ((await this.#mayRead(socket, grant)) && !(await this.#isRefused(socket, grant, frame.address)))
        this.#onSubscribe(socket, grant, frame);
      return;
    }
    const underWay = this.#calls.get(socket) ?? 0;
    const { maxSocketCalls } = WIRE_LIMITS;
    if (underWay >= maxSocketCalls) {
      const error = failure(
        'too_many_calls',
        `A socket has at most ${maxSocketCalls} calls in progress: wait for responses.`,
      );
      return sendResult(socket, frame.id, { ok: false, error });
    }
    this.#calls.set(socket, underWay + 1);
    try {
      await this.#answer(socket, grant, frame);
    } finally {
      this.#calls.set(socket, (this.#calls.get(socket) ?? 1) - 1);
    }
  }

  async #answer(socket: HeldSocket, grant: SocketGrant, frame: ClientFrame & { type: 'offshoot.call' }): Promise<void> {
    const { id, verb, body = {}, idempotencyKey, traceparent } = frame;
    const answer = await answerSocketCall(this.#deps.object(), {
      path: parseAddress(grant.address).below.map(segmentOf),
      verb,
      body,
      base: this.#baseOf(socket, grant),
      address: grant.address,
      may: (action, address = grant.address) => this.#may(socket, { address }, action),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(traceparent === undefined ? {} : { traceparent }),
    });
    sendResult(socket, id, answer);
    if (answer.ok || answer.error.category !== 'access') return;
    this.#rights.forget(socket);
    await this.#mayRead(socket, grant);
  }

  /** F25. True where an author's hook refuses the way to another agent than that of the socket. */
  #isRefused(socket: HeldSocket, grant: SocketGrant, address = grant.address): false | Promise<boolean> {
    const opening = this.#deps.openings().get(`${OPENED}${socket.id}`);
    if (address === grant.address || opening === undefined) return false;
    // A text that is no address belongs to nobody.
    if (!isWithin(address, grant.address) || !isAddress(address)) return false;
    const asked = { ...opening, url: new URL(`${address}/stream`, opening.url).href, method: 'GET' };
    const asking = this.#deps.object().ports.refusal?.({ path: parseAddress(address).below.map(segmentOf), asked });
    if (asking === undefined) return false;
    return asking.then((refused) => {
      if (refused) sendError(socket, refused.error);
      return refused !== undefined;
    });
  }

  /** W32. One subscription for each agent that is named, at or below that of the socket. */
  #onSubscribe(
    socket: HeldSocket,
    grant: SocketGrant,
    { address, from = 1, deltas = true, batch = false }: ClientFrame & { type: 'offshoot.subscribe' },
  ): void {
    const at = address ?? grant.address;
    const known = this.#subscribers.get(socket);
    if (!isWithin(at, grant.address) || this.#deps.object().tree?.tree.byAddress(at) === undefined)
      return sendError(
        socket,
        failure('not_found', 'No agent with that address exists at or below the agent of the socket.'),
      );
    if (known && !known.has(at) && known.size >= WIRE_LIMITS.maxSubscriptions)
      return sendError(
        socket,
        failure(
          'invalid_request',
          `A socket has at most ${WIRE_LIMITS.maxSubscriptions} subscriptions: end one first.`,
        ),
      );
    const kept = { next: from, upToDate: false, named: address !== undefined, deltas, batch };
    // The platform keeps little of a socket that sleeps.
    const all = JSON.stringify([...this.#kept(socket).set(at, kept)]);
    if (all.length > WIRE_LIMITS.maxKeptSubscriptions)
      return sendError(
        socket,
        failure('invalid_request', 'The addresses of these subscriptions are too long together: end one first.'),
      );
    this.#subscribe(socket, grant, { address: at, ...kept });
  }

  #unsubscribe(socket: HeldSocket, address: string): void {
    this.#subscribers.get(socket)?.get(address)?.close();
    this.#subscribers.get(socket)?.delete(address);
    const kept = this.#kept(socket);
    kept.delete(address);
    this.#deps.setPosition(socket, Object.fromEntries(kept));
  }

  /** Nothing more is read for a socket. */
  #silence(socket: WebSocket): void {
    for (const subscriber of this.#subscribers.get(socket)?.values() ?? []) subscriber.close();
    this.#subscribers.delete(socket);
  }

  /** What is kept of a socket's subscriptions while it sleeps, by their addresses. */
  #kept(socket: HeldSocket): Map<string, KeptSubscription> {
    const found = keptSchema.safeParse(this.#deps.position(socket));
    return new Map(found.success ? Object.entries(found.data) : []);
  }

  #keep(socket: HeldSocket, address: string, kept: KeptSubscription): void {
    const all = this.#kept(socket).set(address, kept);
    this.#deps.setPosition(socket, Object.fromEntries(all));
  }

  #subscribe(
    socket: HeldSocket,
    grant: SocketGrant,
    { address, ...kept }: KeptSubscription & { readonly address: string },
  ): void {
    const object = this.#deps.object();
    const { tree, environment } = object;
    if (tree === undefined) return;
    this.#watch();
    const subscribers = this.#subscribers.get(socket) ?? new Map<string, Subscriber>();
    this.#subscribers.set(socket, subscribers);
    subscribers.get(address)?.close();
    const path = parseAddress(address).below.map(segmentOf);
    const { next, upToDate, ...how } = kept;
    const deps: SubscriberDeps = {
      environment,
      tree,
      address,
      ...how,
      socket,
      mayRead: () => this.#mayRead(socket, grant),
      share: () => Math.max(MIN_SHARE, WIRE_LIMITS.maxUnsentBytes / this.#subscribers.size),
      drop: () =>
        this.#end(
          socket,
          SOCKET_CLOSES.slow,
          'This socket read nothing for a long time. Subscribe again from your last number.',
        ),
      keep: (position) => this.#keep(socket, address, { ...how, ...position }),
      status: () => object.ports.verb(object, { kind: 'verb', verb: 'status', path, input: {} }),
    };
    const subscriber = new Subscriber(deps, { next, upToDate });
    subscribers.set(address, subscriber);
    this.#keep(socket, address, kept);
    subscriber.wake();
  }

  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.#deps.object().tree?.watch(() => {
      for (const all of this.#subscribers.values()) for (const subscriber of all.values()) subscriber.wake();
    });
  }
}

/** Why a token opens no socket here, if it does not. */
function refusedAtDoor(object: ObjectRuntime, token: TokenUse, isOpen = false): Failure | undefined {
  if (token.call !== undefined) return failure('forbidden', 'A token for one call opens no socket: use HTTP.');
  const refused = refusedToken(object, token);
  if (refused || isOpen || object.tree?.deps.store.token(token.id)?.ticket !== 'opened') return refused;
  return failure('unauthorized', 'This ticket has already opened a socket. Request a new one.');
}

/** TK8. A ticket opens one socket. Whether this is one. */
function spend({ tree, store }: ObjectRuntime, { id }: TokenUse): boolean {
  const known = tree?.deps.store.token(id);
  if (!tree || known?.ticket === undefined) return false;
  store.transaction(() => tree.deps.store.putToken({ ...known, ticket: 'opened' }));
  return true;
}

const TOO_MANY = `A root has ${WIRE_LIMITS.maxSockets} sockets, and none is free for you. Close unused ones.`;

/** What waits to be sent to a socket, in bytes. */
function unsentTo(ws: WebSocket): number {
  return (ws as { readonly bufferedAmount?: number }).bufferedAmount ?? 0;
}

/** How much a frame holds: bytes, or characters. */
function sizeOf(message: string | ArrayBuffer): number {
  return typeof message === 'string' ? message.length : message.byteLength;
}

function isTooLarge(message: string | ArrayBuffer): boolean {
  const { maxFrameBytes } = WIRE_LIMITS;
  if (typeof message !== 'string') return message.byteLength > maxFrameBytes;
  return message.length > maxFrameBytes || (message.length * 3 > maxFrameBytes && byteLength(message) > maxFrameBytes);
}

function rootOf(address: string): string {
  return formatAddress(parseAddress(address).root, []);
}

function grantOf(socket: Pick<HeldSocket, 'uri'>): SocketGrant | undefined {
  const text = socket.uri === null ? null : new URL(socket.uri).searchParams.get(GRANT);
  return text === null ? undefined : grantSchema.parse(JSON.parse(text));
}

function errorBody(error: Failure) {
  const details = error.details === undefined ? {} : { details: error.details };
  const { code, category, retryable } = error;
  return { code, category, retryable, title: codeFacts(code).title, detail: detailOf(error), ...details };
}

function sendResult(socket: HeldSocket, id: string | number, answer: VerbAnswer): void {
  const type = 'offshoot.result';
  if (answer.ok) send(socket, { type, id, ok: true, body: answer.body });
  else send(socket, { type, id, ok: false, body: errorBody(answer.error) });
}

/** Refuses a frame. A caller of the SDK's `call()` gets the answer that it waits for. */
function refuseFrame(socket: WebSocket, message: string | ArrayBuffer, error: Failure): void {
  const id = typeof message === 'string' ? rpcCallId(message) : undefined;
  if (id === undefined) sendError(socket, error);
  else sendText(socket, JSON.stringify({ type: 'rpc', id, success: false, error: detailOf(error) }));
}

function sendError(socket: Pick<WebSocket, 'send'>, error: Failure): void {
  send(socket, { type: 'offshoot.error', ...errorBody(error) });
}

function send(socket: Pick<WebSocket, 'send'>, frame: WrittenFrame): void {
  sendText(socket, JSON.stringify(frame));
}

function sendText(socket: Pick<WebSocket, 'send'>, text: string): void {
  try {
    socket.send(text);
  } catch {
    // The other side has gone in the meantime; nobody is left to be told.
  }
}
