/**
 * `offshoot/remote`: how agents elsewhere are reached. It loads in a Worker and in plain Node, so that definitions which
 * name a transport load there too.
 */
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
export { AgentToolTransport, type AgentToolTransportOptions } from './remote/agent-tool';
export { type ServiceBindingOptions, ServiceBindingTransport } from './remote/binding';
export { HttpRemoteAgentTransport, type HttpRemoteOptions } from './remote/http';
export { REMOTE_LIMITS, type RemoteLimits } from './remote/limits';
export { ObjectTransport, type ObjectTransportOptions } from './remote/object';
