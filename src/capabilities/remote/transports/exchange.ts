/**
 * One request over HTTP, with redirects followed by hand. Each target is checked like the first, nothing secret goes to
 * another origin, and a request that changes something goes nowhere else at all.
 *
 * Decides: which redirects are followed, and what goes along.
 * Keeps AE6, AE7.
 */
import { RemoteError } from '../../../core/definition/remote-transport';
import { faulty } from './faults';
import { type UrlRules, urlProblem } from './url';

/** What is asked. */
export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent to the origin of `url` alone. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** How it is asked. */
export interface Way {
  readonly fetch: typeof fetch;
  readonly rules: UrlRules;
}

/** Redirects of one request. */
const MAX_REDIRECTS = 3;

/** The answer, with its body unread. @throws RemoteError, the signal's reason when that aborts */
export async function exchange(asked: Exchange, { fetch, rules }: Way): Promise<Response> {
  const { method, signal } = asked;
  let { url } = asked;
  const problem = urlProblem(url, rules);
  if (problem !== undefined) throw new RemoteError('remote_not_allowed', `The URL is not allowed. ${problem}`);
  for (let redirects = 0; ; redirects++) {
    const secrets = url.origin === asked.url.origin ? asked.secrets : {};
    const headers = { ...asked.headers, ...secrets };
    const body = asked.body === undefined ? {} : { body: asked.body };
    const response = await answered(() => fetch(url.href, { method, headers, redirect: 'manual', signal, ...body }), {
      url,
      signal,
    });
    if (response.status < 300 || response.status >= 400) return response;
    response.body?.cancel().catch(() => undefined);
    if (redirects >= MAX_REDIRECTS)
      throw faulty('too_many_redirects', `The URL redirects more than ${MAX_REDIRECTS} times.`);
    url = targetOf(response, url, asked, rules);
  }
}

async function answered(
  ask: () => Promise<Response>,
  { url, signal }: { url: URL; signal: AbortSignal },
): Promise<Response> {
  try {
    return await ask();
  } catch (error) {
    throw signal.aborted
      ? signal.reason
      : faulty('no_connection', `No server answered at ${url.origin}.`, { cause: error });
  }
}

/** Where a redirect leads. @throws RemoteError where no request may follow it */
function targetOf(response: Response, from: URL, { method, url }: Exchange, rules: UrlRules): URL {
  const location = response.headers.get('location');
  const target = location !== null && URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  if (target === undefined) throw faulty('redirect_target', `The redirect (${response.status}) has no target URL.`);
  const problem = urlProblem(target, rules);
  if (problem !== undefined) throw faulty('redirect_target', `The URL redirects to a forbidden address. ${problem}`);
  if (method === 'GET') return target;
  const keeps = response.status === 307 || response.status === 308;
  if (keeps && target.origin === url.origin) return target;
  throw faulty('redirect_of_change', `A ${method} is redirected (${response.status}) to another origin or method.`);
}
