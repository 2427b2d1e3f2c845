/** As whom the server is asked: a token that lives in memory and in this tab's session storage, and nowhere else. */
import { type Client, createClient } from '../../client';
import { BASE } from './place';

const KEY = 'offshoot.token';
let token = sessionStorage.getItem(KEY) ?? undefined;
let signedOut = false;
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

function tell(): void {
  for (const listener of listeners) listener();
}

/** Takes a token that a person gave. */
export function signIn(given: string): void {
  token = given;
  sessionStorage.setItem(KEY, given);
  signedOut = false;
  tell();
}

/** A refusal with 401: a token is asked for. */
export function refused(): void {
  if (signedOut) return;
  signedOut = true;
  tell();
}

/** Absolute, since a worker has no page that a path could be read from. */
export const SERVER = `${location.origin}${BASE}`;

async function fetched(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const answer = await fetch(input, init);
  if (answer.status === 401) refused();
  return answer;
}

const asSelf = createClient({ baseUrl: SERVER, fetch: fetched });

/** The client of the server that sent the page. */
export function server(): Client {
  return token === undefined ? asSelf : createClient({ baseUrl: SERVER, token, fetch: fetched });
}
