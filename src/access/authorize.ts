/** The function by which an app decides who may do what. */
import type { Action } from '../protocol/shown/actions';

/** The longest subject, in characters. */
export const MAX_SUBJECT = 128;

/** An action that a caller wants to take, and the address it applies to. */
export interface AccessQuestion {
  /** The address of an agent; `/directory` for lists of agents and roots. */
  readonly address: string;
  readonly action: Action;
}

/** A grant: the caller's name in idempotency keys and audit logs. At most 128 characters. */
export interface Grant {
  readonly subject: string;
}

/** A refusal; `unauthorized` asks for other credentials, `forbidden` does not. */
export interface Refusal {
  readonly refused: 'unauthorized' | 'forbidden';
  readonly detail?: string;
}

/**
 * Decides from the request alone. It is called once for each request. For a socket it is called when the socket opens,
 * at each call and every 5 s during traffic; for a stream, when it opens and every 5 s to 15 s. Later calls get the URL
 * and headers of the opening request. If it throws an `OffshootError`, the caller gets that error; any other error
 * counts as an internal one, and the request is refused.
 */
export interface Authorize {
  (request: Request, question: AccessQuestion): Grant | Refusal | Promise<Grant | Refusal>;
  /**
   * Headers that it reads besides `authorization`, which pages of `allowedOrigins` may send: `['x-api-key']`. With
   * `cookie` in the list, their browsers send cookies. Default: none.
   * @example
   * const authorize: Authorize = Object.assign(byCookie, { reads: ['cookie'] });
   */
  readonly reads?: readonly string[];
}
