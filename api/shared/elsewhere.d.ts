import { Nt as AuthorsFunction } from "./definition.js";
import { r as RemoteAgentTransport } from "./remote-transport.js";
/** The transport of a remote agent, or a function of the Worker's bindings and variables that gives it. */
type RemoteTransportSource<Env = unknown> = RemoteAgentTransport | AuthorsFunction<[env: Env], RemoteAgentTransport>;
export { RemoteTransportSource as t };