import { E as Json, b as ErrorCode, y as ErrorCategory } from "./chunks.js";
/** An error, as the API returns it. */
interface Problem {
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
export { Problem as t };