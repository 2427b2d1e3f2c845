/**
 * `offshoot/remote`: how agents elsewhere are reached. It loads in a Worker and in plain Node, so that definitions which
 * name a transport load there too.
 */

export { AgentToolTransport, type AgentToolTransportOptions } from './capabilities/remote/transports/agent-tool';
export { type ServiceBindingOptions, ServiceBindingTransport } from './capabilities/remote/transports/binding';
export { HttpRemoteAgentTransport, type HttpRemoteOptions } from './capabilities/remote/transports/http';
export { REMOTE_LIMITS, type RemoteLimits } from './capabilities/remote/transports/limits';
export { ObjectTransport, type ObjectTransportOptions } from './capabilities/remote/transports/object';
export {
  REMOTE_ERRORS,
  type RemoteAgent,
  type RemoteAgentTransport,
  type RemoteAnswer,
  type RemoteCall,
  type RemoteCaller,
  RemoteError,
  type RemoteErrorCode,
  type RemoteEvent,
  type RemoteFault,
  type RemoteRefusal,
} from './core/definition/remote-transport';
