import { a as VerbAnswer, r as VerbName } from "./verb-types.js";
import { D as JsonLike, E as Json } from "./chunks.js";
/** A verb of an agent, as a door asks for it. */
interface DoorAsk {
  /** `/agents/{agent}/{name}` and below. */
  readonly address: string;
  readonly verb: VerbName;
  readonly input?: JsonLike;
  /** Makes a repeated ask count once, for verbs that change something. */
  readonly idempotencyKey?: string;
}
/** An ask that its caller has the right to. */
interface AllowedAsk {
  /** Asks the agent. What goes wrong there is data. */
  ask(): Promise<VerbAnswer>;
}
/** The agents of a Worker, asked with the rights of who made the request. */
interface DoorAgents {
  /**
   * Checks the address, the input and the right of each ask, before any of them is done.
   * @throws OffshootError as the verb's own route refuses: `unauthorized`, `forbidden`, `invalid_request`, `not_found`, …
   */
  allow(asks: readonly DoorAsk[]): Promise<readonly AllowedAsk[]>;
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
   * The JSON of the request's body, bounded as every body; undefined where there is none.
   * @throws OffshootError such as `payload_too_large` or `invalid_json`
   */
  json(maxBytes?: number): Promise<Json | undefined>;
}
/** A door at a path of its own. */
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
  /** Answers a request at `address`; `rest` are the decoded segments behind its own. Undefined: there is nothing. */
  answer(request: DoorRequest, address: string, rest: readonly string[]): Promise<Response | undefined>;
}
/** A door, as `createWorker` takes it in `doors`. */
type Door = PathDoor | AgentDoor;
export { PathDoor as i, Door as n, DoorRequest as r, AgentDoor as t };