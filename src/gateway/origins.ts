/**
 * Pages of other origins: the headers by which a browser lets a page of `allowedOrigins` use the API (CORS).
 *
 * Decides: what such a page may send and read, and whether its browser sends cookies.
 * Keeps X39, X40, X41, X42, X43.
 *
 * A browser asks for leave before most requests (a preflight), and sends no credentials with that question. So it is
 * answered before the access check; the request that follows is checked like any other.
 */
import { routeOf } from './route';

/** The rules by which pages of other origins read answers. */
export interface OriginRules {
  /** `allowedOrigins` of the Worker. */
  readonly allowed: readonly string[];
  /** Names of headers that the authorizer reads, in lower case. */
  readonly reads: readonly string[];
}

/** Chromium keeps the answer to a preflight no longer than this, in s. */
const MAX_AGE_S = 7_200;

/** Headers of requests that the API reads, or that its usual clients send. Firefox and Safari let a script set `user-agent`. */
const TAKEN = [
  'accept',
  'authorization',
  'cache-control',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'if-range',
  'last-event-id',
  'range',
  'traceparent',
  'tracestate',
  'user-agent',
];

/** Headers of answers that such a page may read beside those that every page may. */
const EXPOSED = [
  'accept-ranges',
  'allow',
  'content-disposition',
  'content-encoding',
  'content-range',
  'etag',
  'retry-after',
  'www-authenticate',
  'x-request-id',
].join(', ');

/** The methods of a route that does not say which it takes. */
const EVERY_METHOD = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The methods at the path of an agent's route. For an unknown path: all, so that a page can read the answer. */
export function methodsAt(path: () => string): readonly string[] {
  try {
    const { verbs } = routeOf(path());
    if (verbs.size === 0) return EVERY_METHOD;
    return [...verbs.keys(), ...(verbs.has('GET') ? ['HEAD'] : [])];
  } catch {
    return EVERY_METHOD;
  }
}

function allowedOrigin(request: Request, { allowed }: OriginRules): string | undefined {
  const origin = request.headers.get('origin');
  return origin !== null && allowed.includes(origin) ? origin : undefined;
}

/**
 * The answer to a preflight of an allowed origin; undefined for every other request.
 * @param methods the methods of the route
 */
export function preflightAnswer(
  request: Request,
  rules: OriginRules,
  methods: () => readonly string[] = () => EVERY_METHOD,
): Response | undefined {
  const { headers: given } = request;
  const isPreflight = request.method === 'OPTIONS' && given.has('access-control-request-method');
  if (!isPreflight || allowedOrigin(request, rules) === undefined) return undefined;
  const known = new Set([...TAKEN, ...rules.reads]);
  const asked = (given.get('access-control-request-headers') ?? '').split(',').map((name) => name.trim().toLowerCase());
  const headers = new Headers({
    'access-control-allow-methods': methods().join(', '),
    'access-control-max-age': String(MAX_AGE_S),
    'x-request-id': crypto.randomUUID(),
    vary: 'access-control-request-method, access-control-request-headers',
  });
  const taken = asked.filter((name) => known.has(name));
  if (taken.length > 0) headers.set('access-control-allow-headers', taken.join(', '));
  // A page of the internet that asks a server in the network of its reader.
  if (given.get('access-control-request-private-network') === 'true')
    headers.set('access-control-allow-private-network', 'true');
  return new Response(null, { status: 204, headers });
}

/** The same answer, with what its reader's origin may do with it. That of a socket has headers that cannot be changed. */
export function readableBy(request: Request, rules: OriginRules, answer: Response): Response {
  if (rules.allowed.length === 0 || answer.webSocket) return answer;
  const { headers } = answer;
  // Also where nothing else is added: a cache must not give one origin what was meant for another, or for none.
  headers.append('vary', 'origin');
  const origin = allowedOrigin(request, rules);
  if (origin === undefined) return answer;
  headers.set('access-control-allow-origin', origin);
  headers.append('access-control-expose-headers', EXPOSED);
  headers.set('cross-origin-resource-policy', 'cross-origin');
  if (rules.reads.includes('cookie')) headers.set('access-control-allow-credentials', 'true');
  return answer;
}
