/** As whom the server is asked: a token that lives in memory and in this tab's session storage, and nowhere else. */
import { useSyncExternalStore } from 'react';
import { type Client, createClient, Refused } from '../../client';
import { heard, unheard } from './away';
import { onTold, tell as tellTabs } from './channel';
import { BASE } from './place';

const KEY = 'offshoot.token';
let token = sessionStorage.getItem(KEY) ?? undefined;
let signedOut = false;
/** The token of a link that was opened where a person has another one. */
let offered: string | undefined;
const listeners = new Set<() => void>();

/** The token, where a person gave one. */
export const tokenNow = (): string | undefined => token;

/** Whether the server refused for want of a token, or of another one. */
export const isSignedOut = (): boolean => signedOut;

/** Calls back whenever one signs in or is signed out. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether one is signed out, as a component is drawn by it. */
export const useSignedOut = (): boolean => useSyncExternalStore(onSession, isSignedOut);

/** True while the token of a link waits for a decision. */
export const useOffer = (): boolean => useSyncExternalStore(onSession, () => offered !== undefined);

/** Uses the token of the link from now on, or forgets it. */
export function decideOffer(isTaken: boolean): void {
  const given = offered;
  offered = undefined;
  if (isTaken && given !== undefined) take(given);
  else changed();
}

function changed(): void {
  for (const listener of listeners) listener();
}

function take(given: string): void {
  token = given;
  sessionStorage.setItem(KEY, given);
  signedOut = false;
  changed();
}

/** Takes a token that a person gave, here and in other tabs that have none. */
export function signIn(given: string): void {
  take(given);
  tellTabs({ type: 'token', token: given });
}

/** Forgets the token. What is shown stays until the server is asked again. */
export function signOut(): void {
  token = undefined;
  // Its client has the token too.
  asked = undefined;
  sessionStorage.removeItem(KEY);
  changed();
}

/** A refusal with 401: a token is asked for, of the other tabs first. */
export function refused(): void {
  if (signedOut) return;
  signedOut = true;
  changed();
  tellTabs({ type: 'token wanted' });
}

onTold((told) => {
  if (told.type === 'token wanted' && token !== undefined && !signedOut) tellTabs({ type: 'token', token });
  else if (told.type === 'token' && (token === undefined || signedOut) && told.token !== token) take(told.token);
});

/**
 * A link for one call brings its token behind the `#`, which no server is told; it is taken away at once. Where a person has
 * another token, they are asked: otherwise the author of the link would choose as whom they act.
 */
function takeFromLink(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given === null) return;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  if (token === undefined || token === given) take(given);
  else offered = given;
}
takeFromLink();
if (token === undefined) tellTabs({ type: 'token wanted' });

/** Absolute, since a worker has no page that a path could be read from. */
export const SERVER = `${location.origin}${BASE}`;

/** What is in front of a server answers so where that is away. */
const IN_FRONT: ReadonlySet<number> = new Set([502, 503, 504]);

/** `isUnsent`: it is known that the try has not left this device. */
type OnLost = (why: string, isUnsent: boolean) => void;

/** By the key of a request that changes something: who is told of each try of it that had no answer. */
const lostTries = new Map<string, OnLost>();

/** Tells of each try of a request that has no answer, for as long as it is tried again. */
export function onLostTry(idempotencyKey: string, tell: OnLost): () => void {
  lostTries.set(idempotencyKey, tell);
  return () => {
    if (lostTries.get(idempotencyKey) === tell) lostTries.delete(idempotencyKey);
  };
}

/** Tells whoever waits under a key of a try that had no answer. */
export function tellOfLostTry(idempotencyKey: string, why: string, isUnsent: boolean): void {
  lostTries.get(idempotencyKey)?.(why, isUnsent);
}

/** The key of a request that changes something. */
const keyOf = (init: RequestInit | undefined): string | null => new Headers(init?.headers).get('idempotency-key');

function tellLost(init: RequestInit | undefined, why: string, isUnsent = false): void {
  const key = keyOf(init);
  if (key !== null) tellOfLostTry(key, why, isUnsent);
}

/** The server itself was not heard. */
function lost(init: RequestInit | undefined, why: string, isUnsent = false): void {
  unheard(why);
  tellLost(init, why, isUnsent);
}

/** Why there was no answer; undefined where nobody waits for one any more. */
function whyOf(signal: AbortSignal | null | undefined): string | undefined {
  if (signal?.aborted)
    return signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
      ? 'the server has not answered in time'
      : undefined;
  return navigator.onLine ? 'the server cannot be reached' : 'this device is offline';
}

async function fetched(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const asked = token;
  // Nothing that is asked for without a line leaves the device; a line that is cut later may have brought it there.
  const hasNoLine = !navigator.onLine;
  const onLost = (error: unknown, isUnsent: boolean): never => {
    const why = whyOf(init?.signal);
    if (why !== undefined) lost(init, why, isUnsent);
    throw error;
  };
  const answer = await fetch(input, init).catch((error) => onLost(error, hasNoLine));
  // An answer that is cut behind its head is none: whoever has pressed is told at once, as of one that has no head.
  if (keyOf(init) !== null)
    await answer
      .clone()
      .arrayBuffer()
      .catch((error) => onLost(error, false));
  const { ok, status } = answer;
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
  if (ok || isJson) heard();
  else
    lost(
      init,
      IN_FRONT.has(status)
        ? 'the server cannot be reached'
        : `the response is not from an Offshoot server (status ${status})`,
    );
  // The client asks again after this one, too.
  if (status === 503 && isJson) tellLost(init, 'the server is unavailable');
  // One that was asked as somebody else says nothing about who asks now.
  if (status === 401 && asked === token) refused();
  return answer;
}

/** How long a sign is waited for, in ms. */
const SIGN_MS = 5_000;

/** Asks the server for any answer: whoever watches whether it is away is told whether there was one. */
export async function askForSign(): Promise<void> {
  await fetched(`${SERVER}/healthz`, { signal: AbortSignal.timeout(SIGN_MS) }).catch(() => undefined);
}

/** Asks the server whether it accepts a token. A server that does not answer accepts it: the next request says more. */
export async function isAccepted(given: string): Promise<boolean> {
  try {
    await createClient({ baseUrl: SERVER, token: given }).me();
    return true;
  } catch (error) {
    return !(error instanceof Refused && error.code === 'unauthorized');
  }
}

const asSelf = createClient({ baseUrl: SERVER, fetch: fetched });
let asked: { readonly token: string; readonly client: Client } | undefined;

/** The client of the server that sent the page: the same one for as long as the token is. */
export function server(): Client {
  if (token === undefined) return asSelf;
  if (asked?.token !== token) asked = { token, client: createClient({ baseUrl: SERVER, token, fetch: fetched }) };
  return asked.client;
}
