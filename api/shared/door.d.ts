import { D as JsonLike, E as Json, x as Failure } from "./chunks.js";
import { t as Problem } from "./problem.js";
import { r as VerbName } from "./verb-types.js";
/** A request of a door to an agent. */
interface DoorAsk {
  /** `/agents/{agent}/{name}` and below. */
  readonly address: string;
  readonly verb: VerbName;
  readonly input?: JsonLike;
  /** The idempotency key, for requests that change something. */
  readonly idempotencyKey?: string;
  /** The key counts for all callers, not only for the caller of this request. */
  readonly sharesKey?: true;
}
/** The response of an agent: a body, with the bytes of a file or a stream; or a failure. */
type DoorAnswer = {
  readonly ok: true;
  readonly body: JsonLike;
  readonly status?: number;
  readonly bytes?: ReadableStream<Uint8Array>;
} | {
  readonly ok: false;
  readonly error: Failure;
};
/** A request that its caller may make. */
interface AllowedAsk {
  /** Sends the request to the agent. A failure is returned as data. A dry run changes nothing. */
  ask(how?: {
    readonly isTrial: boolean;
  }): Promise<DoorAnswer>;
}
/** The agents of a Worker, with the permissions of the caller. */
interface DoorAgents {
  /**
   * Checks the address, the input and the permission of each request, before any of them is sent.
   * @throws OffshootError as the verb's own route refuses: `unauthorized`, `forbidden`, `invalid_request`, `not_found`,
   *   …
   */
  allow(asks: readonly DoorAsk[]): Promise<readonly AllowedAsk[]>;
}
/** The server's end of a socket at a door. */
interface DoorSocket {
  /** It is accepted. */
  readonly socket: WebSocket;
  /** The answer to its client. */
  readonly response: Response;
  /** The agents, with the current permissions of the caller who opened the socket. */
  readonly agents: DoorAgents;
  /**
   * Opens the socket at the agent, if the agent had not begun when this socket was opened.
   * @throws OffshootError as the socket of the agent itself is refused
   */
  attach(): Promise<void>;
  /** The failure of a thrown value for the client. Unknown values go to the log. */
  problemOf(thrown: unknown): Problem;
}
/** A request that a door may answer. */
interface DoorRequest {
  readonly request: Request;
  readonly requestId: string;
  readonly env: object;
  /** The prefix of all paths: empty, or the path at which an app mounted the routes. */
  readonly base: string;
  readonly agents: DoorAgents;
  /**
   * Opens the requested socket, at an agent that the caller may read; undefined if the request is not an upgrade.
   * @throws OffshootError as the socket of the agent itself is refused
   */
  readonly socket?: ((address: string) => Promise<DoorSocket>) | undefined;
  /**
   * The JSON of the request's body, limited in size; undefined if there is none.
   * @throws OffshootError such as `payload_too_large` or `invalid_json`
   */
  json(maxBytes?: number): Promise<Json | undefined>;
}
/** A door at a path. */
interface PathDoor {
  readonly name: string;
  /** The path at which it is served, such as `/console`. */
  readonly at: string;
  /** Answers a request below `at`; `path` is the rest of the path. Undefined: not found. */
  answer(request: DoorRequest, path: string): Promise<Response | undefined>;
  /** Answers `/` to a browser, in place of the API. */
  home?(request: DoorRequest): Promise<Response | undefined>;
}
/** A door at every agent. */
interface AgentDoor {
  readonly name: string;
  /**
   * The path segment after an agent's address at which it is served, such as `chat`. It may not be a route of the API.
   */
  readonly behind: string;
  /** Answers a request at `address`; `rest` has the decoded segments after the door's. Undefined: not found. */
  answer(request: DoorRequest, address: string, rest: readonly string[]): Promise<Response | undefined>;
}
/** A door, as `createWorker` takes it in `doors`. */
type Door = PathDoor | AgentDoor;
export { DoorAnswer as a, DoorSocket as c, DoorAgents as i, PathDoor as l, AllowedAsk as n, DoorAsk as o, Door as r, DoorRequest as s, AgentDoor as t };