import { D as JsonLike, E as Json, x as Failure } from "./chunks.js";
import { t as Problem } from "./problem.js";
import { r as VerbName } from "./verb-types.js";
/** A verb of an agent, as a door asks for it. */
interface DoorAsk {
  /** `/agents/{agent}/{name}` and below. */
  readonly address: string;
  readonly verb: VerbName;
  readonly input?: JsonLike;
  /** Makes a repeated ask count once, for verbs that change something. */
  readonly idempotencyKey?: string;
}
/** The answer of an agent: a body, with the bytes of a file or a stream; or a failure. */
type DoorAnswer = {
  readonly ok: true;
  readonly body: JsonLike;
  readonly status?: number;
  readonly bytes?: ReadableStream<Uint8Array>;
} | {
  readonly ok: false;
  readonly error: Failure;
};
/** An ask that its caller has the right to. */
interface AllowedAsk {
  /** Asks the agent. A failure there is data. A trial of a verb that has one changes nothing. */
  ask(how?: {
    readonly isTrial: boolean;
  }): Promise<DoorAnswer>;
}
/** The agents of a Worker, asked with the rights of who made the request. */
interface DoorAgents {
  /**
   * Checks the address, the input and the right of each ask, before any of them is done.
   * @throws OffshootError as the verb's own route refuses: `unauthorized`, `forbidden`, `invalid_request`, `not_found`, …
   */
  allow(asks: readonly DoorAsk[]): Promise<readonly AllowedAsk[]>;
}
/** The server's end of a socket at a door. */
interface DoorSocket {
  /** It is accepted. */
  readonly socket: WebSocket;
  /** The answer to its client. */
  readonly response: Response;
  /** The agents, asked with the rights of who opened it, as they are when they are asked. */
  readonly agents: DoorAgents;
  /**
   * Opens its socket at the agent where there is none yet, since the agent had not begun when this one was opened.
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
  /** The path up to what is ours: empty, or where an app mounted the routes. */
  readonly base: string;
  readonly agents: DoorAgents;
  /**
   * Opens the socket that is asked for, at an agent that its caller may read; undefined for a request that asks for none.
   * @throws OffshootError as the socket of the agent itself is refused
   */
  readonly socket?: ((address: string) => Promise<DoorSocket>) | undefined;
  /**
   * The JSON of the request's body, bounded as every body; undefined where there is none.
   * @throws OffshootError such as `payload_too_large` or `invalid_json`
   */
  json(maxBytes?: number): Promise<Json | undefined>;
}
/** A door at a path. */
interface PathDoor {
  readonly name: string;
  /** The path below which it answers, such as `/console`. */
  readonly at: string;
  /** Answers a request below `at`; `path` follows it. Undefined: there is nothing. */
  answer(request: DoorRequest, path: string): Promise<Response | undefined>;
  /** Answers `/` to a browser, in place of the API. */
  home?(request: DoorRequest): Promise<Response | undefined>;
}
/** A door at every agent. */
interface AgentDoor {
  readonly name: string;
  /** The segment behind an address at which it answers, such as `chat`. No route of the API has it. */
  readonly behind: string;
  /** Answers a request at `address`; `rest` are the decoded segments behind the door's. Undefined: there is nothing. */
  answer(request: DoorRequest, address: string, rest: readonly string[]): Promise<Response | undefined>;
}
/** A door, as `createWorker` takes it in `doors`. */
type Door = PathDoor | AgentDoor;
export { DoorAnswer as a, DoorSocket as c, DoorAgents as i, PathDoor as l, AllowedAsk as n, DoorAsk as o, Door as r, DoorRequest as s, AgentDoor as t };