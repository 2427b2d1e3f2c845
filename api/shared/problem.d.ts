import { E as Json, b as ErrorCode } from "./chunks.js";
/**
 * What there is to be done to an agent, as rights to it are told apart.
 *
 * Decides: which rights there are.
 * Keeps X31.
 */
/** What a grant allows. */
declare const ACTIONS: readonly ['read', 'write', 'answer', 'stop', 'share', 'admin'];
/** What a caller wants to do. */
type Action = (typeof ACTIONS)[number];
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
export { ACTIONS as n, Action as r, Problem as t };