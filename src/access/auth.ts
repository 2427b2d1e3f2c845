/**
 * Who may do what. Decided from the request alone, before any agent wakes.
 *
 * Decides: who may do what when nothing is set up; which origins are let in.
 * Keeps X1, X2, X3, X9, X12, X32.
 *
 * X1. Closed by default: without `authorize` and without `OFFSHOOT_TOKEN` only a loopback host is answered.
 * TK1. What a token claims that this server has signed is decided here; whether it was taken back, at its root.
 */

import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import type { TokenUse } from '../engine/object/object-calls';
import { isWithin } from '../protocol/address';
import { type Failure, failure, failureOf, OffshootError } from '../protocol/errors';
import { LOCAL_SUBJECT } from '../protocol/shown/people';
import { type AccessQuestion, type Authorize, type Grant, MAX_SUBJECT, type Refusal } from './authorize';
import { type Claims, claimsOf, isSigned, tokenUse } from './signed';

/** The secrets of a Worker that access depends on. */
export interface Secrets {
  /** The bearer secret `OFFSHOOT_TOKEN`. */
  readonly token?: string | undefined;
  /** `OFFSHOOT_SIGNING_KEY`: one key, or several apart by commas. */
  readonly signingKey?: string | undefined;
}

/** The secrets in the environment of a Worker. */
export function secretsOf(env: unknown): Secrets {
  const secret = (name: string): string | undefined => {
    const value: unknown = typeof env === 'object' && env !== null ? Reflect.get(env, name) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  return { token: secret('OFFSHOOT_TOKEN'), signingKey: secret('OFFSHOOT_SIGNING_KEY') };
}

/** What a Worker's access is decided by. */
export interface AccessOptions extends Secrets {
  readonly authorize?: Authorize | undefined;
  /**
   * Set where a request opens a socket, and while that one is open: a ticket counts there alone, and one that has opened it
   * counts as long as its right does.
   */
  readonly socket?: 'opens' | 'open';
}

/** A grant, with the signed token that gave it where one did; or why there is none. */
export type Access =
  | { readonly ok: true; readonly grant: Grant; readonly token?: TokenUse }
  /** `at`: the token counts there, and not where it was shown. */
  | { readonly ok: false; readonly error: Failure; readonly at?: string };

/** Decides on one action. */
export async function access(request: Request, question: AccessQuestion, options: AccessOptions): Promise<Access> {
  const { authorize, token } = options;
  const given = ticketIn(request) ?? tokenOf(request);
  if (given !== undefined && isSigned(given)) return bySigned(request, given, question, options);
  if (authorize) return byAuthorize(await authorize(request, question));
  if (token !== undefined && token !== '') return byToken(request, token);
  if (isLoopback(new URL(request.url).hostname)) return byLoopback(request);
  const detail =
    'Set the secret OFFSHOOT_TOKEN, or pass `authorize` to createWorker. Without either, only localhost is served.';
  return { ok: false, error: failure('auth_not_configured', detail) };
}

/**
 * X32. The host of a request is a claim: local servers of Workers take it from a header, which a script can send whose
 * page's name was bound to this machine. Such a page is no trustworthy origin, so its browser sends no `Sec-Fetch-Site`,
 * and no script can; Chromium lets no script set `User-Agent` either. Other marks of a browser can be taken away:
 * `Accept-Language` by an empty one, and `Sec-Fetch-Mode` is made from another header by those servers. Sockets take no
 * headers from scripts, so X9 is enough for them (decision 28).
 */
function byLoopback(request: Request): Access {
  const fromBrowser = request.headers.get('user-agent')?.startsWith('Mozilla/') ?? false;
  if (fromBrowser && !request.headers.has('sec-fetch-site') && !isUpgrade(request)) {
    const detail =
      'Browser requests without `Sec-Fetch-Site` are refused here. Open the server at http://localhost, or set the secret OFFSHOOT_TOKEN. A program can send another `User-Agent`.';
    return { ok: false, error: failure('forbidden', detail) };
  }
  return { ok: true, grant: { subject: LOCAL_SUBJECT } };
}

function byAuthorize(answer: Grant | Refusal): Access {
  if ('refused' in answer) return { ok: false, error: failure(answer.refused, answer.detail) };
  if (typeof answer.subject !== 'string' || answer.subject === '' || answer.subject.length > MAX_SUBJECT) {
    throw new TypeError(`\`authorize\` must return a subject of 1 to ${MAX_SUBJECT} characters, or { refused }.`);
  }
  return { ok: true, grant: { subject: answer.subject } };
}

/** TK2, TK3. A signed token counts at and below its address, for what it says, as long as it says. */
async function bySigned(
  request: Request,
  given: string,
  { address, action }: AccessQuestion,
  { signingKey, socket }: AccessOptions,
): Promise<Access> {
  try {
    const claims = await claimsOf(given, signingKey);
    const refused = (code: 'unauthorized' | 'forbidden', why: string) => ({
      ok: false as const,
      error: failure(code, why),
    });
    if (!isInTime(claims, socket === 'open'))
      return refused('unauthorized', 'This token has expired. Request a new one.');
    const isTicket = claims.until !== undefined;
    if (isTicket ? socket === undefined || bearerOf(request) !== undefined : ticketIn(request) !== undefined)
      return refused(
        'unauthorized',
        'A ticket only opens a socket: send it as the parameter `ticket` or among the protocols. A token goes into the header.',
      );
    if (!isWithin(address, claims.at))
      return { ...refused('forbidden', `This token is valid only at and below ${claims.at}.`), at: claims.at };
    if (!claims.may.includes(action)) return refused('forbidden', `This token does not allow "${action}".`);
    return { ok: true, grant: { subject: `token:${claims.id}` }, token: tokenUse(claims) };
  } catch (error) {
    if (error instanceof OffshootError) return { ok: false, error: failureOf(error) };
    throw error;
  }
}

function isInTime({ exp, until = exp }: Claims, isOpen: boolean): boolean {
  return (isOpen ? until : exp) > Date.now();
}

/** The ticket in the URL of a request that opens a socket. */
function ticketIn(request: Request): string | undefined {
  return isUpgrade(request) ? (new URL(request.url).searchParams.get(TICKET) ?? undefined) : undefined;
}

/** The parameter of a ticket in the URL of a socket. */
const TICKET = 'ticket';

function byToken(request: Request, token: string): Access {
  const given = tokenOf(request);
  if (given === undefined)
    return { ok: false, error: failure('unauthorized', 'Send the header authorization: Bearer <OFFSHOOT_TOKEN>.') };
  if (!sameText(given, token))
    return { ok: false, error: failure('unauthorized', 'The token is not valid on this server.') };
  return { ok: true, grant: { subject: 'token' } };
}

/** The token that a request brings: as a bearer, or if it opens a socket, beside `offshoot` among the protocols. */
function tokenOf(request: Request): string | undefined {
  const bearer = bearerOf(request);
  if (bearer !== undefined || !isUpgrade(request)) return bearer;
  const protocols = protocolsOf(request);
  const given = protocols.includes(SOCKET_PROTOCOL)
    ? protocols.find((protocol) => protocol !== SOCKET_PROTOCOL)
    : undefined;
  return given?.startsWith(ENCODED) ? Buffer.from(given.slice(ENCODED.length), 'base64url').toString() : given;
}

const bearerOf = ({ headers }: Request): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];

/** Before a secret that travels encoded: browsers take no `/` and no `=` in the name of a protocol. */
const ENCODED = 'base64url.';

/** The one socket protocol that is echoed. */
export const SOCKET_PROTOCOL = 'offshoot';

/** The protocols that a socket asks for. */
export function protocolsOf(request: Request): string[] {
  const header = request.headers.get('sec-websocket-protocol') ?? '';
  return header
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');
}

/** Compares in a time that does not tell where two texts differ. */
function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  // Of another length it is compared with itself, so that the length tells little.
  return (
    timingSafeEqual(left, left.byteLength === right.byteLength ? right : left) && left.byteLength === right.byteLength
  );
}

/** Whether a host is this machine. */
function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Methods that change nothing; a page elsewhere can send them, but cannot read the answer. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What a browser says of a request that the Worker's own page makes, or that its user does. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** Whether a request would open a socket. */
export function isUpgrade(request: Request): boolean {
  return request.headers.get('upgrade')?.toLowerCase() === 'websocket';
}

/**
 * X9. The one rule about pages of other origins: they neither change anything nor open sockets, unless their origin was
 * allowed. A browser says by itself where a page comes from; a program says nothing, and is not held up.
 * @returns why the request is refused, or undefined
 */
export function foreignPage(request: Request, allowed: readonly string[]): Failure | undefined {
  if (SAFE_METHODS.has(request.method) && !isUpgrade(request)) return undefined;
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (origin !== null && allowed.includes(origin)) return undefined;
  const own = (origin === null || isOwn(origin, request)) && (site === null || OWN_SITES.has(site));
  return own
    ? undefined
    : failure('forbidden', 'Pages of this origin may not do this. Add the origin to `allowedOrigins` of createWorker.');
}

function isOwn(origin: string, request: Request): boolean {
  try {
    return new URL(origin).host === new URL(request.url).host;
  } catch {
    return false;
  }
}
