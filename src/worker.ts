/**
 * `offshoot/worker`: what serves agents. It loads in the Workers runtime alone. Importing it sets what the objects of a
 * Worker work with: the model adapter, the verbs and the sockets.
 */
import { secretsOf } from './access/auth';
import { reauthorize } from './access/authorizers';
import { CAPABILITIES } from './capabilities';
import { sharedAgent } from './gateway/agents/listed';
import { setWorkerPorts } from './host/worker-ports';
import { ModelPorts } from './model/port';
import { TreeSockets } from './sockets/tree-sockets';
import { answerVerb } from './verbs/table';

export type { AccessQuestion, Authorize, Grant, Refusal } from './access/authorize';
export { AgentToolObject, type AgentToolOptions } from './capabilities/remote/host/agent-tool-object';
export type { NewRootLimits } from './core/tree/root-claims';
export type { AgentClass, ServedAgent } from './gateway/agents/worker';
export {
  createWorker,
  type OffshootWorker,
  routeOffshootRequest,
  type ServeOptions,
  serve,
  type WorkerOptions,
} from './gateway/create-worker';
export type {
  AgentDoor,
  AllowedAsk,
  Door,
  DoorAgents,
  DoorAnswer,
  DoorAsk,
  DoorRequest,
  DoorSocket,
  PathDoor,
} from './gateway/doors/door';
export { OffshootRpc } from './gateway/rpc';
export type {
  RpcAddress,
  RpcBytes,
  RpcCaller,
  RpcFailure,
  RpcJson,
  RpcJsonArray,
  RpcJsonObject,
  RpcLevel,
  RpcMethods,
  RpcRoot,
  RpcSuccess,
  WithBytes,
} from './gateway/rpc-types';
export { AgentObject } from './host/agent-object';
export { OffshootDirectory } from './host/directory-object';
export { OffshootAgent } from './host/offshoot-agent';
export type { Action } from './protocol/shown/actions';

/** Each adapter is made once, with all that it has loaded. */
const ports = new ModelPorts();

setWorkerPorts({
  capabilities: CAPABILITIES,
  shared: sharedAgent,
  model: (definition, at, env) => ports.of(definition, at, env),
  verb: answerVerb,
  access: (opening, question, env) => reauthorize(opening, question, secretsOf(env)),
  sockets: (deps) => new TreeSockets(deps),
});
