import { E as Json, b as ErrorCode, y as ErrorCategory } from "./chunks.js";
/** An error as every surface tells it. */
interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  /** The kind of the code: who can mend it. */
  readonly category: ErrorCategory;
  /** True where the same request may be answered later. */
  readonly retryable: boolean;
  readonly detail: string;
  readonly requestId: string;
  /** What is known beyond it, for a program: for example the decision that was recorded. */
  readonly details?: Json;
}
export { Problem as t };