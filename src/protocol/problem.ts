/**
 * Errors as every surface tells them: `application/problem+json` over HTTP.
 *
 * Keeps A22.
 */
import { codeFacts, type ErrorCategory, type ErrorCode, type Failure } from './errors';
import type { Json } from './json';

/** An error, as the API returns it. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  /** The category of the code, which says who can fix the problem. */
  readonly category: ErrorCategory;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  readonly detail: string;
  readonly requestId: string;
  /** Further facts for a program, for example the recorded decision. */
  readonly details?: Json;
}

/** The problem that a failure is to a caller. */
export function problemOf(error: Failure, requestId: string): Problem {
  const { status, title } = codeFacts(error.code);
  const detail = detailOf(error);
  const known = error.details === undefined ? {} : { details: error.details };
  const { code, category, retryable } = error;
  return { type: `urn:offshoot:error:${code}`, title, status, code, category, retryable, detail, requestId, ...known };
}

/** What a developer is told; of our own faults only where to look. */
export function detailOf(error: Failure): string {
  if (error.code === 'internal') return 'Look for the request id in the log of the server.';
  return error.message;
}
