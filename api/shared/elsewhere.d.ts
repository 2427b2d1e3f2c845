import { Nt as AuthorsFunction } from "./definition.js";
import { r as RemoteAgentTransport } from "./remote-transport.js";
/** The transport of a remote agent, or a function that receives the Worker's bindings and variables and returns it. */
type RemoteTransportSource<Env = unknown> = RemoteAgentTransport | AuthorsFunction<[env: Env], RemoteAgentTransport>;
export { RemoteTransportSource as t };