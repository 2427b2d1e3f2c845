import { R as ErrorCode, Z as Json, z as Failure } from "./chunks.js";
/** An error as every surface tells it. */
interface Problem {
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
declare function problemOf(error: Failure, requestId: string): Problem;
/** What a developer is told; of our own faults only where to look. */
declare function detailOf(error: Failure): string;
export { detailOf as n, problemOf as r, Problem as t };