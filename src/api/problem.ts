/** Errors as `application/problem+json`. What is unknown is logged and shown as `internal`, without a word of it. */
import { codeFacts, type ErrorCode, type Failure, failure, OffshootError } from '../core/errors';

/** An answer that is an error. `headers` are added. */
export function problemResponse(
  error: Failure,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status, title } = codeFacts(error.code);
  const detail = detailOf(error);
  const body = { type: `urn:offshoot:error:${error.code}`, title, status, code: error.code, detail, requestId };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...headers,
    },
  });
}

/** The answer to who may not; one without credentials is told which to bring. */
export function accessProblem(error: Failure, requestId: string): Response {
  return problemResponse(error, requestId, error.code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {});
}

/** An answer that says what is wrong with the Worker itself: for who deploys it, also in the log. */
export function misconfigured(detail: string): Response {
  const requestId = crypto.randomUUID();
  console.error(`offshoot: ${detail}`);
  const { status, title } = codeFacts('internal');
  const body = { type: 'urn:offshoot:error:internal', title, status, code: 'internal', detail, requestId };
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': requestId },
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
