/**
 * Errors as answers. What is unknown is logged and shown as `internal`, without a word of it.
 *
 * Keeps A22, A46.
 */
import { type Failure, failure, failureOf, isNewerFormat, OffshootError } from '../protocol/errors';
import { type Problem, problemOf } from '../protocol/problem';

/** An answer that is an error. `headers` are added. */
export function problemResponse(
  error: Failure,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = problemOf(error, requestId);
  const { retryAfterMs } = error;
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
      'x-request-id': requestId,
      ...headers,
    },
  });
}

/** The answer to who may not; one without credentials is told which to bring. */
export function accessProblem(error: Failure, requestId: string): Response {
  return problemResponse(error, requestId, error.code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {});
}

/** What is wrong with the Worker itself: for who deploys it, so it is told in full, and logged. */
export function faultOf(detail: string): Problem {
  console.error(`offshoot: ${detail}`);
  return { ...problemOf(failure('misconfigured'), crypto.randomUUID()), detail };
}

/** An answer that says what is wrong with the Worker itself. */
export function misconfigured(detail: string): Response {
  const body = faultOf(detail);
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': body.requestId },
  });
}

/** The failure that a thrown value is to a caller; anything unknown is `internal` and goes to `log`. */
export function failureFor(thrown: unknown, log: (error: unknown) => void): Failure {
  if (thrown instanceof OffshootError) return thrown.failure;
  if (isNewerFormat(thrown)) return failureOf(thrown);
  log(thrown);
  return failure('internal');
}
