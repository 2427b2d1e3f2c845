/**
 * A way into a Worker's agents beside its API. A door that a Worker does not name is not in its bundle.
 *
 * OC5. A door answers below its own path, and `/` where a person opens it; where no door is, a request is the API's.
 */

/** A request that a door may answer. */
export interface DoorRequest {
  readonly request: Request;
  readonly env: object;
  /** The path up to what is ours: empty, or where an app mounted the routes. */
  readonly base: string;
}

/** A door, as `createWorker` takes it in `doors`. */
export interface Door {
  readonly name: string;
  /** The path below which it answers, such as `/console`. */
  readonly at: string;
  /** Answers a request below `at`; `path` follows it. Undefined: there is nothing. */
  answer(request: DoorRequest, path: string): Promise<Response | undefined>;
  /** Answers `/` to a browser, in place of the API. */
  home?(request: DoorRequest): Promise<Response | undefined>;
}
