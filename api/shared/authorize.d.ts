import { n as Action } from "./actions.js";
/** An action that a caller wants to take, and its place. */
interface AccessQuestion {
  /** The address of an agent; `/directory` for lists of agents and roots. */
  readonly address: string;
  readonly action: Action;
}
/** A grant: who it is, as idempotency keys and audits know them. At most 128 characters. */
interface Grant {
  readonly subject: string;
}
/** A refusal; `unauthorized` asks for other credentials, `forbidden` does not. */
interface Refusal {
  readonly refused: 'unauthorized' | 'forbidden';
  readonly detail?: string;
}
/**
 * Decides on a request from the request alone. Called once for each request; for a socket when it opens, at each of its
 * calls and every 5 s while it is at work, and for a stream when it opens and every 5 s to 15 s, with the URL and the
 * headers that it was opened with. An `OffshootError` that it throws is the answer; any other throw is an internal error, and the request is refused.
 */
interface Authorize {
  (request: Request, question: AccessQuestion): Grant | Refusal | Promise<Grant | Refusal>;
  /**
   * Headers that it reads beside `authorization`, which pages of `allowedOrigins` may send: `['x-api-key']`. With `cookie`
   * among them their browsers send cookies. Default: none.
   * @example
   * const authorize: Authorize = Object.assign(byCookie, { reads: ['cookie'] });
   */
  readonly reads?: readonly string[];
}
export { Refusal as i, Authorize as n, Grant as r, AccessQuestion as t };