import { E as Json, b as ErrorCode } from "./chunks.js";
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
export { Problem as t };