/** Errors as `application/problem+json`. What is unknown is logged and shown as `internal`, without a word of it. */
import { codeFacts, type ErrorCode, type Failure, failure, OffshootError } from '../protocol/errors';
import type { Json } from '../protocol/json';

/** An error as every surface tells it. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly requestId: string;
  /** What is known beyond it, for a program: for example the decision that was recorded. */
  readonly details?: Json;
}

/** The problem that a failure is to a caller. */
export function problemOf(error: Failure, requestId: string): Problem {
  const { status, title } = codeFacts(error.code);
  const detail = detailOf(error);
  const known = error.details === undefined ? {} : { details: error.details };
  return { type: `urn:offshoot:error:${error.code}`, title, status, code: error.code, detail, requestId, ...known };
}

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
  return { ...problemOf(failure('internal'), crypto.randomUUID()), detail };
}

/** An answer that says what is wrong with the Worker itself. */
export function misconfigured(detail: string): Response {
  const body = faultOf(detail);
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': body.requestId },
  });
}

/** What a developer is told; of our own faults only where to look. */
export function detailOf(error: Failure): string {
  if (error.code === 'internal') return 'Look for the request id in the log of the server.';
  return error.message;
}

/** The failure that a thrown value is to a caller; anything unknown is `internal` and goes to `log`. */
export function failureFor(thrown: unknown, log: (error: unknown) => void): Failure {
  if (thrown instanceof OffshootError) return thrown.failure;
  log(thrown);
  return failure('internal');
}

/** Throws a refusal. */
export function refuse(code: ErrorCode, message?: string): never {
  throw new OffshootError(code, message);
}

/** Throws a refusal that is there as data. */
export function refuseWith({ code, message, retryable, details }: Failure): never {
  throw new OffshootError(code, message, { retryable, ...(details === undefined ? {} : { details }) });
}
